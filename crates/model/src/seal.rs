//! What is written on a thought, so that only the model that thought it is given it back, in the form that it came in.

/// What is written on a thought: `MODEL KIND VALUE`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seal<'s> {
    pub(crate) model: &'s str,
    pub(crate) kind: Kind,
    pub(crate) value: &'s str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The value is the signature of the words.
    Signed,
    /// The value is the thought itself, in the provider's cipher.
    Hidden,
    /// The value is the name of the member that carried the words.
    Member,
}

impl<'s> Seal<'s> {
    pub(crate) fn read(text: &'s str) -> Option<Seal<'s>> {
        let (model, rest) = text.split_once(' ')?;
        let (kind, value) = rest.split_once(' ')?;
        let kind = match kind {
            "signed" => Kind::Signed,
            "hidden" => Kind::Hidden,
            "member" => Kind::Member,
            _ => return None,
        };
        Some(Seal { model, kind, value })
    }

    pub(crate) fn write(&self) -> String {
        let kind = match self.kind {
            Kind::Signed => "signed",
            Kind::Hidden => "hidden",
            Kind::Member => "member",
        };
        format!("{} {kind} {}", self.model.replace(' ', "_"), self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_read_as_it_was_written() {
        let seal = Seal {
            model: "claude-opus-5-5",
            kind: Kind::Signed,
            value: "Eq+/=",
        };
        assert_eq!(Seal::read(&seal.write()), Some(seal));
    }

    #[test]
    fn what_others_wrote_is_no_seal() {
        assert_eq!(Seal::read("EqQBCkYIBRgC"), None);
        assert_eq!(Seal::read("model other value"), None);
    }
}
