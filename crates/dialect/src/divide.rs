//! Dividing one message into several. Each part repeats the ids, so both the number of parts and the length of ids are
//! limited.

use attache_rpc::json::{DecodeError, Object, Problem};

/// Fails for too many parts, or for ids that are too long.
pub(super) fn bound(parts: usize, ids: &[Option<&str>]) -> Result<(), DecodeError> {
    let is_long = ids.iter().flatten().any(|id| id.len() > MAX_ID);
    if parts > 1 && (parts > MAX_PARTS || is_long) {
        return Err(DecodeError::new(Problem::Unfit(TOO_MUCH), 0).within("update"));
    }
    Ok(())
}

/// A copy of the object with the named members only.
pub(super) fn only(object: &Object<'_>, names: &[&'static str]) -> Object<'static> {
    let mut kept = Object::default();
    for name in names {
        if let Some(json) = object.get(name) {
            kept.set(*name, json.to_owned());
        }
    }
    kept
}

const MAX_PARTS: usize = 1000;
const MAX_ID: usize = 1024;
const TOO_MUCH: &str = "divides into more parts, or repeats longer ids, than is allowed";
