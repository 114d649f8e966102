//! Content blocks, which differ from the official ones in their annotations.

use attache_rpc::json::{DecodeError, Object, ValueKind};

use crate::edit;

/// Annotations have a title, a priority in words and custom members; official ones have a number, an audience and a
/// time.
pub(super) fn read(block: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::part(block, "annotations", |annotations| {
        if edit::kind(annotations, "priority") != Some(ValueKind::Number) {
            edit::move_to_meta(annotations, &["priority"])?;
        }
        edit::move_others_to_meta(annotations, &["audience", "lastModified", "priority"])
    })
}

pub(super) fn write(block: &mut Object<'_>) -> Result<(), DecodeError> {
    edit::part(block, "annotations", edit::restore_from_meta)
}

/// A text as a content block.
pub(super) fn text(text: &str) -> String {
    let mut block = Object::default();
    block.put("type", "text");
    block.put("text", text);
    attache_rpc::json::to_string(&block)
}
