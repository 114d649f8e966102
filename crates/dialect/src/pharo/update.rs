//! Session updates: tagged with `type`, and with whole messages instead of chunks.

use attache_rpc::json::{self, DecodeError, Object, Raw, ValueKind};

use super::{Pharo, content, session_of, tool};
use crate::memory::short;
use crate::{Call, TranslatedCall, divide, edit};

impl Pharo {
    pub(super) fn read_update<'a>(
        &mut self,
        call: Call<'a>,
    ) -> Result<TranslatedCall<'a>, attache_rpc::Error> {
        let Some(params) = call.params else {
            return Ok(TranslatedCall::unchanged(call));
        };
        self.read_params(params).map_err(edit::refusal)
    }

    pub(super) fn write_update(&mut self, params: &mut Object<'_>) -> Result<(), DecodeError> {
        let session = session_of(params);
        edit::part(params, "update", |update| {
            match edit::string(update, "sessionUpdate").as_deref() {
                Some("agent_message_chunk") => write_message(update, "agent")?,
                Some("user_message_chunk") => write_message(update, "user")?,
                Some("tool_call" | "tool_call_update") => {
                    self.note_title(&session, update);
                    tool::write(update)?;
                }
                Some("agent_thought_chunk") => edit::part(update, "content", content::write)?,
                Some("current_mode_update") => update.rename("currentModeId", "modeId"),
                _ => {}
            }
            update.rename("sessionUpdate", "type");
            Ok(())
        })
    }

    fn read_params(&mut self, params: &str) -> Result<TranslatedCall<'static>, DecodeError> {
        let mut params = Object::parse(params)?;
        let update = params.get("update").unwrap_or_default();
        if edit::tag(update, "type").as_deref() == Some("message") {
            return self.read_message(&params, update);
        }
        edit::part(&mut params, "update", read_other)?;
        self.observe(&params);
        Ok(translated(vec![json::to_string(&params)]))
    }

    /// One chunk for each block, with a common message id that marks them as one message.
    fn read_message(
        &mut self,
        params: &Object<'_>,
        update: &str,
    ) -> Result<TranslatedCall<'static>, DecodeError> {
        let mut update = Object::parse(update)?;
        update.rename("type", "sessionUpdate");
        update.put("sessionUpdate", "agent_message_chunk");
        match edit::string(&update, "role").as_deref() {
            Some("agent") => drop(update.take("role")),
            Some("user") => {
                update.take("role");
                update.put("sessionUpdate", "user_message_chunk");
            }
            _ => edit::move_to_meta(&mut update, &["role"])?,
        }
        if !update.has("messageId") {
            update.put("messageId", &self.new_id());
        }
        let blocks = blocks(&update).map_err(|error| error.within("content").within("update"))?;
        let mut params = params.clone();
        let ids = [params.get("sessionId"), update.get("messageId")];
        divide::bound(blocks.len(), &ids)?;
        let mut calls = Vec::new();
        for block in blocks {
            update.set("content", block);
            params.put("update", &update);
            calls.push(json::to_string(&params));
            // Other members of the message go with its first block.
            update = divide::only(&update, &["sessionUpdate", "messageId"]);
            params = divide::only(&params, &["sessionId"]);
        }
        Ok(translated(calls))
    }

    /// Remembers data for later responses.
    fn observe(&mut self, params: &Object<'_>) {
        let update = Object::parse(params.get("update").unwrap_or_default());
        let (Some(session), Ok(update)) = (edit::string(params, "sessionId"), update) else {
            return;
        };
        match edit::string(&update, "sessionUpdate").as_deref() {
            Some("current_mode_update") => {
                let mode = edit::string(&update, "currentModeId");
                self.sessions.entry(&session).mode = short(mode);
            }
            Some("config_option_update") => self.note_options(&session, &update),
            _ => {}
        }
    }
}

fn read_other(update: &mut Object<'_>) -> Result<(), DecodeError> {
    update.rename("type", "sessionUpdate");
    match edit::string(update, "sessionUpdate").as_deref() {
        Some("tool_call" | "tool_call_update") => tool::read(update),
        Some("current_mode_update") => {
            update.rename("modeId", "currentModeId");
            Ok(())
        }
        Some("agent_thought_chunk") => edit::part(update, "content", content::read),
        _ => Ok(()),
    }
}

fn write_message(update: &mut Object<'_>, role: &'static str) -> Result<(), DecodeError> {
    edit::part(update, "content", content::write)?;
    edit::member(update, "content", |block| Ok(format!("[{block}]")))?;
    if edit::string(update, "messageId").is_some_and(|id| Pharo::is_own(&id)) {
        update.take("messageId");
    }
    edit::restore_from_meta(update)?;
    if !update.has("role") {
        update.put("role", role);
    }
    update.put("sessionUpdate", "message");
    Ok(())
}

/// The blocks of a message. Some peers send a plain string instead of a text block.
fn blocks(update: &Object<'_>) -> Result<Vec<String>, DecodeError> {
    let Some(text) = update.get("content") else {
        return Ok(vec!["null".to_owned()]);
    };
    match edit::kind(update, "content") {
        Some(ValueKind::Array) => {
            let items: Vec<Raw> = json::from_str(text)?;
            items.iter().map(|item| block(item.as_str())).collect()
        }
        Some(ValueKind::String) => Ok(vec![content::text(&json::from_str::<String>(text)?)]),
        _ => Ok(vec![block(text)?]),
    }
}

fn block(text: &str) -> Result<String, DecodeError> {
    match edit::tag(text, "type") {
        Some(_) => edit::object(text, content::read),
        None => Ok(text.to_owned()),
    }
}

fn translated(mut calls: Vec<String>) -> TranslatedCall<'static> {
    let method = "session/update";
    match calls.pop() {
        None => TranslatedCall::Nothing,
        Some(only) if calls.is_empty() => TranslatedCall::Call {
            method: method.into(),
            params: Some(only.into()),
        },
        Some(last) => {
            calls.push(last);
            let calls = calls.into_iter();
            let calls = calls.map(|params| (method.to_owned(), Some(params)));
            TranslatedCall::Calls(calls.collect())
        }
    }
}
