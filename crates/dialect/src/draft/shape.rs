//! Edits that leave a value of an unexpected type unchanged, so that the typed decoder reports it.

use attache_rpc::json::{self, Decode, DecodeError, Object, Reader, ValueKind};

use crate::edit;

/// Edits a value if it is an object.
pub(super) fn object(
    text: &str,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), DecodeError>,
) -> Result<String, DecodeError> {
    match Reader::new(text).kind()? {
        ValueKind::Object => edit::object(text, edit),
        _ => Ok(text.to_owned()),
    }
}

/// Value of a member; `None` if it is missing or has another type.
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

/// Sets the members of another object that are missing.
pub(super) fn fill_from(object: &mut Object<'_>, text: &str) {
    if let Ok(other) = Object::parse(text) {
        object.fill(other.into_owned());
    }
}

/// Whether a value is an empty list.
pub(super) fn is_empty_list(text: &str) -> bool {
    Reader::new(text).open_array().is_ok_and(|more| !more)
}
