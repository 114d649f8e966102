//! Draft data without an official member: kept in `_meta` on reading and restored on writing.
//!
//! [`edit::move_to_meta`] and [`edit::restore_from_meta`] move whole members; this module does the rest.

use attache_rpc::json::{DecodeError, Object};

use crate::edit::{self, META_KEY};

/// The kept members of an object. Even an empty set marks the object as made from a draft one.
#[derive(Debug, Default)]
pub(super) struct DraftMeta(Option<Object<'static>>);

impl DraftMeta {
    /// Whether the object was made from a draft one.
    pub(super) fn is_draft(&self) -> bool {
        self.0.is_some()
    }

    /// Text of a kept member.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.0.as_ref()?.get(name).map(str::to_owned)
    }

    /// Value of a kept string.
    pub(super) fn string(&self, name: &str) -> Option<String> {
        edit::string(self.0.as_ref()?, name)
    }

    /// All kept members.
    pub(super) fn members(&self) -> Object<'static> {
        self.0.clone().unwrap_or_default()
    }

    /// Removes a kept member, so that it is not restored.
    pub(super) fn drop(&mut self, name: &str) {
        if let Some(kept) = &mut self.0 {
            kept.take(name);
        }
    }

    /// Restores every kept member that the object lacks.
    pub(super) fn put_back(&self, object: &mut Object<'_>) {
        object.fill(self.members());
    }
}

/// Takes the kept members out of the object's `_meta`, and removes a `_meta` that becomes empty.
pub(super) fn take(object: &mut Object<'_>) -> Result<DraftMeta, DecodeError> {
    edit::take_from_meta(object).map(DraftMeta)
}

/// Keeps a value in addition to the members of the object.
pub(super) fn put(object: &mut Object<'_>, name: &str, json: &str) -> Result<(), DecodeError> {
    edit::edit_meta(object, |kept| kept.set(name.to_owned(), json.to_owned()))
}

/// Marks the object as made from a draft one.
pub(super) fn mark(object: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::edit_meta(object, |_| ())
}

/// Text of a kept member, which stays in `_meta`.
pub(super) fn peek(object: &Object<'_>, name: &str) -> Option<String> {
    let meta = Object::parse(object.get("_meta")?).ok()?;
    let kept = Object::parse(meta.get(META_KEY)?).ok()?;
    kept.get(name).map(str::to_owned)
}
