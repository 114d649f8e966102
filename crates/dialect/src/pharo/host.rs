//! Requests of an agent to a client: files and terminals.

use attache_rpc::json::{self, DecodeError, Object, ValueKind};

use crate::edit;

pub(super) fn read_params(method: &str, params: &mut Object<'_>) -> Result<(), DecodeError> {
    match method {
        "fs/read_text_file" => {
            params.rename("startLine", "line");
            params.rename("lineLimit", "limit");
            Ok(())
        }
        "terminal/create" => edit::member(params, "env", edit::map_to_list),
        "terminal/wait_for_exit" => edit::move_to_meta(params, &["timeout"]),
        _ => Ok(()),
    }
}

pub(super) fn write_params(method: &str, params: &mut Object<'_>) -> Result<(), DecodeError> {
    match method {
        "fs/read_text_file" => {
            params.rename("line", "startLine");
            params.rename("limit", "lineLimit");
            Ok(())
        }
        "terminal/create" if edit::kind(params, "env") == Some(ValueKind::Array) => {
            edit::member(params, "env", edit::list_to_map)
        }
        "terminal/wait_for_exit" => edit::restore_from_meta(params),
        _ => Ok(()),
    }
}

/// The exit code is next to the output, and is `null` while the command runs.
pub(super) fn read_output(result: &mut Object<'_>) -> Result<(), DecodeError> {
    if !result.has("truncated") {
        result.put("truncated", &false);
    }
    let Some(code) = result.take("exitCode").filter(|code| code != "null") else {
        return Ok(());
    };
    let mut status = Object::default();
    status.set("exitCode", code);
    keep_odd_code(&mut status)?;
    result.set("exitStatus", json::to_string(&status));
    Ok(())
}

pub(super) fn write_output(result: &mut Object<'_>) -> Result<(), DecodeError> {
    result.take("truncated");
    let status = result.take("exitStatus").filter(|status| status != "null");
    let code = match status {
        Some(status) => exit_code(&status).map_err(|error| error.within("exitStatus"))?,
        None => "null".to_owned(),
    };
    result.set("exitCode", code);
    Ok(())
}

/// A `null` code means that the timeout expired before the command ended, which has no official form.
pub(super) fn read_exit(result: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(result, "exitCode") == Some(ValueKind::Null) {
        edit::move_to_meta(result, &["exitCode"])?;
    }
    keep_odd_code(result)?;
    edit::move_to_meta(result, &["output"])
}

/// The official response has no output, so the output is empty unless it was kept.
pub(super) fn write_exit(result: &mut Object<'_>) -> Result<(), DecodeError> {
    if edit::kind(result, "exitCode") == Some(ValueKind::Null) {
        result.take("exitCode");
    }
    edit::restore_from_meta(result)?;
    if !result.has("exitCode") {
        let code = exit_code(&json::to_string(result))?;
        result.set("exitCode", code);
    }
    result.take("signal");
    if !result.has("output") {
        result.put("output", "");
    }
    Ok(())
}

/// Official exit codes are never negative.
fn keep_odd_code(status: &mut Object<'_>) -> Result<(), DecodeError> {
    match status.get("exitCode") {
        Some("null") | None => Ok(()),
        Some(code) if json::from_str::<u32>(code).is_ok() => Ok(()),
        Some(_) => edit::move_to_meta(status, &["exitCode"]),
    }
}

/// The code of an ended command: its own, the shell's code for its signal, or -1 for neither. A `null` status would
/// mean that the command is still running.
fn exit_code(status: &str) -> Result<String, DecodeError> {
    let mut status = Object::parse(status)?;
    edit::restore_from_meta(&mut status)?;
    if let Some(code) = status.get("exitCode").filter(|code| *code != "null") {
        return Ok(code.to_owned());
    }
    let signal = edit::string(&status, "signal").unwrap_or_default();
    let known = SIGNALS.iter().find(|(name, _)| *name == signal);
    Ok(known
        .map_or(UNKNOWN, |(_, number)| 128 + number)
        .to_string())
}

const UNKNOWN: i32 = -1;
const SIGNALS: &[(&str, i32)] = &[
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGTRAP", 5),
    ("SIGABRT", 6),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGSEGV", 11),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
];
