//! One message that becomes several. Each repeats what says whose it is, so neither the parts nor that may be without
//! bound.

use attache_rpc::json::{DecodeError, Object, Problem};

/// Refuses to divide a message into too many parts, or by ids that are too long.
pub(super) fn bound(parts: usize, ids: &[Option<&str>]) -> Result<(), DecodeError> {
    let is_long = ids.iter().flatten().any(|id| id.len() > MAX_ID);
    if parts > 1 && (parts > MAX_PARTS || is_long) {
        return Err(DecodeError::new(Problem::Unfit(TOO_MUCH), 0).within("update"));
    }
    Ok(())
}

/// The object with the named members and no others.
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
