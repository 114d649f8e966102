//! Members with three states: absent, `null`, or a value.

use super::{Decode, DecodeError, Encode, Reader};

/// A member of a patch: absent leaves the old value, `null` clears it, a value replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaybeUndefined<T> {
    /// The member is absent.
    #[default]
    Undefined,
    /// The member is `null`.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> MaybeUndefined<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            MaybeUndefined::Value(value) => Some(value),
            MaybeUndefined::Undefined | MaybeUndefined::Null => None,
        }
    }

    /// Applies the patch to an old value.
    pub fn apply_to(self, old: &mut Option<T>) {
        match self {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => *old = None,
            MaybeUndefined::Value(value) => *old = Some(value),
        }
    }
}

impl<T> From<T> for MaybeUndefined<T> {
    fn from(value: T) -> Self {
        MaybeUndefined::Value(value)
    }
}

impl<T: Decode> Decode for MaybeUndefined<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if reader.null()? {
            return Ok(MaybeUndefined::Null);
        }
        T::decode(reader).map(MaybeUndefined::Value)
    }
}

impl<T: Encode> Encode for MaybeUndefined<T> {
    fn encode(&self, out: &mut String) {
        match self {
            MaybeUndefined::Value(value) => value.encode(out),
            MaybeUndefined::Undefined | MaybeUndefined::Null => out.push_str("null"),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, MaybeUndefined::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_leaves_clears_or_replaces() {
        for (patch, after) in [
            (MaybeUndefined::Undefined, Some(1)),
            (MaybeUndefined::Null, None),
            (MaybeUndefined::Value(2), Some(2)),
        ] {
            let mut value = Some(1);
            patch.apply_to(&mut value);
            assert_eq!(value, after);
        }
    }
}
