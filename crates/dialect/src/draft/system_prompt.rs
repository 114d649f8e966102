//! The system prompt: a string in the draft, which does not define whether it extends or replaces the agent's own.

use attache_rpc::json::{self, DecodeError, Raw, Reader, ValueKind};

use crate::edit;

/// Reads a draft prompt. It is appended to the agent's own, which loses nothing.
pub(super) fn read(text: &str) -> Result<String, DecodeError> {
    if Reader::new(text).kind()? != ValueKind::String {
        return Ok(text.to_owned());
    }
    Ok(format!(
        "{{\"mode\":\"append\",\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}"
    ))
}

/// Writes the prompt for a draft agent: its texts as paragraphs.
pub(super) fn write(text: &str) -> Result<String, DecodeError> {
    let Ok(prompt) = json::Object::parse(text) else {
        return Ok(text.to_owned());
    };
    let blocks: Vec<Raw> = json::from_str(prompt.get("content").unwrap_or("[]"))
        .map_err(|error| error.within("content"))?;
    let texts: Vec<String> = blocks
        .iter()
        .filter_map(|block| block.string_member("text"))
        .collect();
    Ok(edit::quoted(&texts.join("\n\n")))
}
