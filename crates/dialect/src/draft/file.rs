//! `fs/read_text_file` and `fs/write_text_file`: the draft has no session, a range of lines, encodings, and more
//! details about the written file.

use attache_rpc::json::{self, DecodeError, Object, Problem};

use super::memory::Memory;
use super::{draft_meta, path, shape};
use crate::edit;

/// Reads a draft agent's parameters of `fs/read_text_file`.
pub(super) fn read_read(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    memory.fill_session(params)?;
    path::resolve(params, "path", memory.cwd(params));
    let end = number(params, "endLine")?;
    params.take("endLine");
    if let Some(end) = end {
        let start = number(params, "startLine")?.unwrap_or(1).max(1);
        let Some(limit) = end.checked_sub(start - 1) else {
            let problem = Problem::Unfit("lies before startLine");
            return Err(DecodeError::new(problem, 0).within("endLine"));
        };
        params.put("limit", &limit);
    }
    params.rename("startLine", "line");
    edit::move_to_meta(params, &["encoding"])
}

/// Writes our parameters of `fs/read_text_file` for a draft client.
pub(super) fn write_read(params: &mut Object<'_>, _memory: &mut Memory) -> Result<(), DecodeError> {
    params.take("sessionId");
    params.rename("line", "startLine");
    let limit = number(params, "limit")?;
    params.take("limit");
    if let Some(limit) = limit {
        let start = number(params, "startLine")?.unwrap_or(1).max(1);
        params.put("endLine", &(start - 1).saturating_add(limit));
    }
    edit::restore_from_meta(params)
}

/// Reads a draft client's result of `fs/read_text_file`.
pub(super) fn read_read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::move_to_meta(result, &["encoding", "totalLines", "truncated"])
}

/// Writes our result of `fs/read_text_file` for a draft agent.
pub(super) fn write_read_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(result)?;
    shape::fill(result, "encoding", "\"utf-8\"");
    Ok(())
}

/// Reads a draft agent's parameters of `fs/write_text_file`.
pub(super) fn read_write(params: &mut Object<'_>, memory: &mut Memory) -> Result<(), DecodeError> {
    memory.fill_session(params)?;
    path::resolve(params, "path", memory.cwd(params));
    draft_meta::mark(params)?;
    edit::move_to_meta(params, &["encoding", "createDirectories", "overwrite"])
}

/// Writes our parameters of `fs/write_text_file` for a draft client. Asks to overwrite, because the draft defines no
/// default.
pub(super) fn write_write(
    params: &mut Object<'_>,
    _memory: &mut Memory,
) -> Result<(), DecodeError> {
    params.take("sessionId");
    let kept = draft_meta::take(params)?;
    if !kept.is_draft() {
        shape::fill(params, "overwrite", "true");
    }
    kept.put_back(params);
    Ok(())
}

/// Reads a draft client's result of `fs/write_text_file`.
pub(super) fn read_write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    _fact: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::move_to_meta(result, &["bytesWritten", "created"])
}

/// Writes our result of `fs/write_text_file` for a draft agent. The file is certainly new only if the agent forbade
/// overwriting.
pub(super) fn write_write_result(
    result: &mut Object<'_>,
    _memory: &mut Memory,
    context: &Object<'_>,
) -> Result<(), DecodeError> {
    edit::restore_from_meta(result)?;
    if let Some(bytes) = context.get("bytes") {
        shape::fill(result, "bytesWritten", bytes);
    }
    let created = context.get("overwrite") == Some("false");
    shape::fill(result, "created", json::to_string(&created));
    Ok(())
}

/// A number that may be missing or `null`.
fn number(params: &Object<'_>, name: &'static str) -> Result<Option<u32>, DecodeError> {
    let text = params.get(name).unwrap_or("null");
    json::from_str(text).map_err(|error| error.within(name))
}
