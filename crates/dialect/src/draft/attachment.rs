//! Attachments of a prompt. The draft does not define their shape; an attachment with a file or URI becomes a link.

use attache_rpc::json::{self, Object, Raw};

use super::{content, draft_meta, path};
use crate::edit;

/// The official block for an attachment, if it has a file or URI.
pub(super) fn read(attachment: &Raw, cwd: Option<&str>) -> Option<String> {
    let mut block = Object::parse(attachment.as_str()).ok()?;
    let kind = edit::string(&block, "type").unwrap_or_default();
    if BLOCKS.contains(&&*kind) {
        content::read(&mut block).ok()?;
    } else {
        block = link(&block, cwd)?;
    }
    draft_meta::put(&mut block, MARK, "true").ok()?;
    Some(json::to_string(&block))
}

/// Whether an official block was made from an attachment.
pub(super) fn is_one(block: &Raw) -> bool {
    Object::parse(block.as_str()).is_ok_and(|block| draft_meta::peek(&block, MARK).is_some())
}

fn link(attachment: &Object<'_>, cwd: Option<&str>) -> Option<Object<'static>> {
    let string = |name| edit::string(attachment, name);
    let uri = string("uri").or_else(|| string("url"));
    let uri = uri.or_else(|| path::file_uri(&string("path")?, cwd))?;
    let name = string("name").or_else(|| string("title"));
    let name = name.or_else(|| Some(content::tail(&string("path")?).to_owned()));
    let mut link = Object::default();
    link.set("type", "\"resource_link\"");
    link.put(
        "name",
        &name.unwrap_or_else(|| content::tail(&uri).to_owned()),
    );
    link.put("uri", &uri);
    if let Some(mime) = string("mimeType").or_else(|| string("mediaType")) {
        link.put("mimeType", &mime);
    }
    Some(link)
}

const MARK: &str = "attachment";
const BLOCKS: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];
