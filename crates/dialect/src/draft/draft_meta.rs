//! What the official shape has no place for: put into `_meta` on reading, looked at and put back on writing.
//!
//! [`edit::move_to_meta`] moves whole members there and [`edit::restore_from_meta`] back; here is the rest.

use attache_rpc::json::{DecodeError, Object};

use crate::edit::{self, META_KEY};

/// What an object had kept. That there is anything, even nothing in particular, says that the object was made from
/// a draft one.
#[derive(Debug, Default)]
pub(super) struct DraftMeta(Option<Object<'static>>);

impl DraftMeta {
    /// Whether the object was made from a draft one.
    pub(super) fn is_draft(&self) -> bool {
        self.0.is_some()
    }

    /// A kept member's text.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.0.as_ref()?.get(name).map(str::to_owned)
    }

    /// A kept string.
    pub(super) fn string(&self, name: &str) -> Option<String> {
        edit::string(self.0.as_ref()?, name)
    }

    /// All that is kept.
    pub(super) fn members(&self) -> Object<'static> {
        self.0.clone().unwrap_or_default()
    }

    /// Takes a kept member away, which then does not come back.
    pub(super) fn drop(&mut self, name: &str) {
        if let Some(kept) = &mut self.0 {
            kept.take(name);
        }
    }

    /// Puts every kept member back that the object does not have.
    pub(super) fn put_back(&self, object: &mut Object<'_>) {
        object.fill(self.members());
    }
}

/// Takes what is kept out of the object's `_meta`, and a `_meta` that is empty without it away.
pub(super) fn take(object: &mut Object<'_>) -> Result<DraftMeta, DecodeError> {
    edit::take_from_meta(object).map(DraftMeta)
}

/// Keeps a value besides what the object itself says.
pub(super) fn put(object: &mut Object<'_>, name: &str, json: &str) -> Result<(), DecodeError> {
    edit::edit_meta(object, |kept| kept.set(name.to_owned(), json.to_owned()))
}

/// Says that the object was made from a draft one.
pub(super) fn mark(object: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::edit_meta(object, |_| ())
}

/// A kept member's text, left where it is.
pub(super) fn peek(object: &Object<'_>, name: &str) -> Option<String> {
    let meta = Object::parse(object.get("_meta")?).ok()?;
    let kept = Object::parse(meta.get(META_KEY)?).ok()?;
    kept.get(name).map(str::to_owned)
}
