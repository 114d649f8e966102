//! The variants of an early bridge to the Claude CLI. They occur in its own messages; it reads official ones.

use std::borrow::Cow;

use attache_rpc::json::{self, Object};
use attache_rpc::{Error, Id};

use super::legacy::Legacy;
use super::{Call, TranslateCalls, TranslatedCall, edit};

/// A connection with such a bridge, which also uses the older official shapes.
#[derive(Debug, Default)]
pub(super) struct Bridge {
    legacy: Legacy,
}

impl TranslateCalls for Bridge {
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        let translated = self.legacy.read_call(call)?;
        let (TranslatedCall::Call { params, .. }, Some(read)) =
            (&translated, reading_of(call.method))
        else {
            return Ok(translated);
        };
        let Some(params) = params else {
            return Ok(translated);
        };
        let params = edit::object(params, read).map_err(edit::refusal)?;
        Ok(TranslatedCall::Call {
            method: Cow::Borrowed(call.method),
            params: Some(Cow::Owned(params)),
        })
    }

    fn read_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        self.legacy.read_result(id, method, result)
    }

    fn read_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.legacy.read_error(id, method, error)
    }

    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        self.legacy.write_call(call)
    }

    fn write_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        self.legacy.write_result(id, method, result)
    }

    fn write_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.legacy.write_error(id, method, error)
    }
}

/// Wraps a bare content block as an item of a tool call's content. Leaves any other item unchanged.
pub(super) fn wrapped(kind: &str, item: String) -> String {
    match kind {
        "text" | "image" | "audio" | "resource_link" | "resource" => {
            format!("{{\"type\":\"content\",\"content\":{item}}}")
        }
        _ => item,
    }
}

type Edit = fn(&mut Object<'_>) -> Result<(), json::DecodeError>;

fn reading_of(method: &str) -> Option<Edit> {
    match method {
        "session/update" => Some(|params| edit::part(params, "update", update)),
        "session/prompt" => Some(|params| edit::parts(params, "prompt", block)),
        "session/request_permission" => Some(|params| edit::part(params, "toolCall", tool_call)),
        _ => None,
    }
}

fn update(update: &mut Object<'_>) -> Result<(), json::DecodeError> {
    match edit::string(update, "sessionUpdate").as_deref() {
        Some("user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk") => {
            edit::part(update, "content", block)
        }
        Some("tool_call" | "tool_call_update") => tool_call(update),
        Some("plan") => edit::parts(update, "entries", plan_entry),
        _ => Ok(()),
    }
}

fn tool_call(call: &mut Object<'_>) -> Result<(), json::DecodeError> {
    let kind = match edit::string(call, "kind").as_deref() {
        Some("write") => Some("edit"),
        Some("command") => Some("execute"),
        _ => None,
    };
    if let Some(kind) = kind {
        edit::move_to_meta(call, &["kind"])?;
        call.put("kind", kind);
    }
    edit::items(call, "content", tool_content)
}

fn tool_content(item: &str) -> Result<String, json::DecodeError> {
    match edit::tag(item, "type").as_deref() {
        None => Ok(item.to_owned()),
        Some("content") => edit::object(item, |item| edit::part(item, "content", block)),
        Some(kind) => edit::object(item, block).map(|item| wrapped(kind, item)),
    }
}

fn plan_entry(entry: &mut Object<'_>) -> Result<(), json::DecodeError> {
    if !entry.has("priority") {
        entry.put("priority", "medium");
    }
    edit::move_to_meta(entry, &["id"])
}

fn block(block: &mut Object<'_>) -> Result<(), json::DecodeError> {
    block.rename("mediaType", "mimeType");
    Ok(())
}
