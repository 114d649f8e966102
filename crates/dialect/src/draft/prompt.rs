//! `session/prompt`: the draft has `content` and attachments in the request, a stop reason and token counts in the
//! result.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind, write};

use super::memory::Memory;
use super::{attachment, content, shape};
use crate::edit;

/// Reads a draft client's parameters. Attachments with a file or URI are added to the prompt; all are kept.
pub(super) fn read_params(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    params.rename("content", "prompt");
    edit::parts(params, "prompt", content::read)?;
    let attachments: Vec<Raw> = shape::value(params, "attachments").unwrap_or_default();
    let cwd = memory.cwd(params);
    let links = attachments
        .iter()
        .filter_map(|item| attachment::read(item, cwd));
    let links: Vec<String> = links.collect();
    if !links.is_empty() && edit::kind(params, "prompt") == Some(ValueKind::Array) {
        edit::member(params, "prompt", |blocks| extended(blocks, &links))?;
    }
    edit::move_to_meta(params, &["attachments"])
}

/// Writes the parameters for a draft agent.
pub(super) fn write_params(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    if edit::kind(params, "prompt") == Some(ValueKind::Array) {
        edit::member(params, "prompt", without_attachments)?;
        edit::parts(params, "prompt", content::write)?;
    }
    params.rename("prompt", "content");
    edit::restore_from_meta(params)
}

/// Reads a draft agent's result of a successful turn; for failures see [`failure`](super::failure).
pub(super) fn read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::part(result, "usage", |usage| {
        if let Some(total) = total(usage) {
            shape::fill(usage, "totalTokens", json::to_string(&total));
        }
        Ok(())
    })
}

/// Writes the result for a draft client, which has fewer stop reasons.
pub(super) fn write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    match edit::string(result, "stopReason").as_deref() {
        Some("max_turn_requests") => result.set("stopReason", "\"max_tokens\""),
        Some("refusal") => result.set("stopReason", "\"end_turn\""),
        _ => (),
    }
    edit::part(result, "usage", |usage| {
        if total(usage).is_some() && total(usage) == shape::value(usage, "totalTokens") {
            usage.take("totalTokens");
        }
        Ok(())
    })
}

fn total(usage: &Object<'_>) -> Option<u64> {
    let input: u64 = shape::value(usage, "inputTokens")?;
    input.checked_add(shape::value(usage, "outputTokens")?)
}

fn extended(blocks: &str, more: &[String]) -> Result<String, DecodeError> {
    let mut blocks: Vec<Raw> = json::from_str(blocks)?;
    for block in more {
        blocks.push(Raw::parse(block)?);
    }
    Ok(json::to_string(&blocks))
}

fn without_attachments(blocks: &str) -> Result<String, DecodeError> {
    let blocks: Vec<Raw> = json::from_str(blocks)?;
    let mut out = String::new();
    write::array(
        &mut out,
        blocks.iter().filter(|block| !attachment::is_one(block)),
    );
    Ok(out)
}
