//! What the official shape has no place for: put into `_meta` on reading, looked at and put back on writing.
//!
//! [`edit::keep`] moves whole members there; here is the rest.

use attache_rpc::json::{Error, Kind, Object};

use super::shape;
use crate::dialect::edit::{self, KEPT};

/// What an object had kept. That there is anything, even nothing in particular, says that the object was made from
/// a draft one.
#[derive(Debug, Default)]
pub(super) struct Kept(Option<String>);

impl Kept {
    /// Whether the object was made from a draft one.
    pub(super) fn is_draft(&self) -> bool {
        self.0.is_some()
    }

    /// A kept member's text.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let object = Object::parse(self.0.as_deref()?).ok()?;
        object.get(name).map(str::to_owned)
    }

    /// A kept string.
    pub(super) fn string(&self, name: &str) -> Option<String> {
        let object = Object::parse(self.0.as_deref()?).ok()?;
        edit::string(&object, name)
    }

    /// Puts every kept member back that the object does not have.
    pub(super) fn put_back(&self, object: &mut Object<'_>) {
        if let Some(text) = &self.0 {
            shape::fill_from(object, text);
        }
    }
}

/// Takes what is kept out of the object's `_meta`, and a `_meta` that is empty without it away.
pub(super) fn take(object: &mut Object<'_>) -> Result<Kept, Error> {
    let text = meta_of(object);
    let mut meta = Object::parse(&text)?;
    let Some(kept) = meta.take(KEPT) else {
        return Ok(Kept::default());
    };
    if meta.is_empty() {
        object.take("_meta");
    } else {
        object.put("_meta", &meta);
    }
    Ok(Kept(Some(kept.into_owned())))
}

/// Puts everything kept back.
pub(super) fn restore(object: &mut Object<'_>) -> Result<(), Error> {
    take(object)?.put_back(object);
    Ok(())
}

/// Keeps a value besides what the object itself says.
pub(super) fn put(object: &mut Object<'_>, name: &str, json: &str) -> Result<(), Error> {
    change(object, |kept| kept.set(name.to_owned(), json.to_owned()))
}

/// Says that the object was made from a draft one.
pub(super) fn mark(object: &mut Object<'_>) -> Result<(), Error> {
    change(object, |_| ())
}

/// A kept member's text, left where it is.
pub(super) fn peek(object: &Object<'_>, name: &str) -> Option<String> {
    let meta = Object::parse(object.get("_meta")?).ok()?;
    let kept = Object::parse(meta.get(KEPT)?).ok()?;
    kept.get(name).map(str::to_owned)
}

fn change(object: &mut Object<'_>, edit: impl FnOnce(&mut Object<'_>)) -> Result<(), Error> {
    let text = meta_of(object);
    let mut meta = Object::parse(&text)?;
    let text = meta.get(KEPT).unwrap_or("{}").to_owned();
    let mut kept = Object::parse(&text).unwrap_or_default();
    edit(&mut kept);
    meta.put(KEPT, &kept);
    object.put("_meta", &meta);
    Ok(())
}

/// The text of the object's `_meta`, or of an empty object where there is none that could be added to.
fn meta_of(object: &Object<'_>) -> String {
    match edit::kind(object, "_meta") {
        Some(Kind::Object) => object.get("_meta").unwrap_or("{}").to_owned(),
        _ => "{}".to_owned(),
    }
}
