//! Edits that leave a value of another type than the expected one as it is, for the typed reader to judge.

use attache_rpc::json::{self, Decode, Error, Kind, Object, Raw, Reader};

use crate::dialect::edit;

/// Edits a value if it is an object.
pub(super) fn object(
    text: &str,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), Error>,
) -> Result<String, Error> {
    match Reader::new(text).kind()? {
        Kind::Object => edit::object(text, edit),
        _ => Ok(text.to_owned()),
    }
}

/// Edits a member if it is an object.
pub(super) fn object_in(
    object: &mut Object<'_>,
    name: &'static str,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    edit::member(object, name, |text| self::object(text, edit))
}

/// Edits every object in a member that is a list.
pub(super) fn objects_in(
    object: &mut Object<'_>,
    name: &'static str,
    mut edit: impl FnMut(&mut Object<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if edit::kind(object, name) != Some(Kind::Array) {
        return Ok(());
    }
    edit::member(object, name, |text| {
        edit::each(text, |item| self::object(item, &mut edit))
    })
}

/// A member's value; `None` if it is missing or does not fit.
pub(super) fn value<T: Decode>(object: &Object<'_>, name: &str) -> Option<T> {
    object.get(name).and_then(|json| json::from_str(json).ok())
}

/// Whether a member is `true`.
pub(super) fn is_true(object: &Object<'_>, name: &str) -> bool {
    object.get(name) == Some("true")
}

/// Sets a member that is missing.
pub(super) fn fill(object: &mut Object<'_>, name: &'static str, json: impl Into<String>) {
    if !object.has(name) {
        object.set(name, json.into());
    }
}

/// Takes an empty list away.
pub(super) fn drop_empty(object: &mut Object<'_>, name: &str) {
    if value::<Vec<Raw>>(object, name).is_some_and(|items| items.is_empty()) {
        object.take(name);
    }
}
