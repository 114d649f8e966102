//! What is written on a thought, so that only the model that thought it is given it back, in the form that it came in.

/// What is written on a thought: `MODEL KIND VALUE`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ThoughtSignature<'s> {
    pub(crate) model: &'s str,
    pub(crate) kind: SignatureKind,
    pub(crate) value: &'s str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureKind {
    /// The value is the signature of the words.
    Signed,
    /// The value is the thought itself, in the provider's cipher.
    Hidden,
    /// The value is the name of the member that carried the words.
    Member,
}

impl<'s> ThoughtSignature<'s> {
    pub(crate) fn read(text: &'s str) -> Option<ThoughtSignature<'s>> {
        let (model, rest) = text.split_once(' ')?;
        let (kind, value) = rest.split_once(' ')?;
        let kind = match kind {
            "signed" => SignatureKind::Signed,
            "hidden" => SignatureKind::Hidden,
            "member" => SignatureKind::Member,
            _ => return None,
        };
        Some(ThoughtSignature { model, kind, value })
    }

    pub(crate) fn write(&self) -> String {
        let kind = match self.kind {
            SignatureKind::Signed => "signed",
            SignatureKind::Hidden => "hidden",
            SignatureKind::Member => "member",
        };
        format!("{} {kind} {}", self.model.replace(' ', "_"), self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_read_as_it_was_written() {
        let signature = ThoughtSignature {
            model: "claude-opus-5-5",
            kind: SignatureKind::Signed,
            value: "Eq+/=",
        };
        assert_eq!(ThoughtSignature::read(&signature.write()), Some(signature));
    }

    #[test]
    fn what_others_wrote_is_no_seal() {
        assert_eq!(ThoughtSignature::read("EqQBCkYIBRgC"), None);
        assert_eq!(ThoughtSignature::read("model other value"), None);
    }
}
