//! Members with three states: not there, null, and a value.

use super::{Decode, Encode, Error, Reader};

/// A member of a patch: absent leaves the old value, `null` clears it, a value replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Maybe<T> {
    /// The member is not there.
    #[default]
    Absent,
    /// The member is `null`.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> Maybe<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Maybe::Value(value) => Some(value),
            Maybe::Absent | Maybe::Null => None,
        }
    }

    /// Applies the patch to an old value.
    pub fn apply_to(self, old: &mut Option<T>) {
        match self {
            Maybe::Absent => {}
            Maybe::Null => *old = None,
            Maybe::Value(value) => *old = Some(value),
        }
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Self {
        Maybe::Value(value)
    }
}

impl<T: Decode> Decode for Maybe<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        if reader.null()? {
            return Ok(Maybe::Null);
        }
        T::decode(reader).map(Maybe::Value)
    }
}

impl<T: Encode> Encode for Maybe<T> {
    fn encode(&self, out: &mut String) {
        match self {
            Maybe::Value(value) => value.encode(out),
            Maybe::Absent | Maybe::Null => out.push_str("null"),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, Maybe::Absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_leaves_clears_or_replaces() {
        for (patch, after) in [
            (Maybe::Absent, Some(1)),
            (Maybe::Null, None),
            (Maybe::Value(2), Some(2)),
        ] {
            let mut value = Some(1);
            patch.apply_to(&mut value);
            assert_eq!(value, after);
        }
    }
}
