//! The draft of February 2026, which calls itself version 1.0 of the specification and shares little with it but the
//! method names.
//!
//! Messages of a draft peer become official JSON, and ours become draft JSON. Members that only the draft has are kept
//! in `_meta` and restored when the same message is written as a draft again; the losses list what cannot be restored.
//! A client that serves a draft agent pushes terminal output by calling `terminal/output` with `data`, which the
//! protocol does not have.

mod attachment;
mod authenticate;
mod call_context;
mod cancel;
mod choice;
mod chunk;
mod config_option;
mod content;
mod draft_meta;
mod error_code;
mod failure;
mod file;
mod hunk;
mod initialize;
mod mcp_message;
mod mcp_server;
mod memory;
mod method;
mod mode;
mod option_values;
mod path;
mod permission;
mod plan;
mod prompt;
mod session;
mod shape;
mod system_prompt;
mod terminal;
mod terminals;
mod tool_call;
mod tool_output;
mod tools;
mod update;

use std::borrow::Cow;

use attache_rpc::json::{self, Object};
use attache_rpc::{Error, Id};
use attache_schema::error;

use self::memory::Memory;
use self::method::Method;
use super::{Call, Role, TranslateCalls, TranslatedCall, edit};

/// The translation of one connection with a draft peer.
pub(super) struct Draft {
    peer: Role,
    memory: Memory,
}

impl Draft {
    /// The translation of a new connection.
    pub(super) fn new(peer: Role) -> Self {
        Draft {
            peer,
            memory: Memory::default(),
        }
    }
}

impl TranslateCalls for Draft {
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        let Some((method, mut params)) = known(method::draft(call.method), call) else {
            return Ok(TranslatedCall::unchanged(call));
        };
        let translated = self.read_params(call.id, method, &mut params);
        translated.map_err(edit::refusal)
    }

    fn read_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let context = self.memory.pending.ours.answer(id, method);
        if method == mcp_message::OFFICIAL {
            return Ok(Cow::Owned(mcp_message::read_result(result)));
        }
        let Some((method, mut object)) = method::official(method).zip(Object::parse(result).ok())
        else {
            return Ok(Cow::Borrowed(result));
        };
        if let Some(error) = failure::of(method.name, &object) {
            return Err(error);
        }
        let [read, _] = method.result;
        read(&mut object, &mut self.memory, &parsed(context.as_deref())).map_err(edit::refusal)?;
        Ok(Cow::Owned(json::to_string(&object)))
    }

    fn read_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        let context = self.memory.pending.ours.answer(id, method);
        call_context::failed(method, &parsed(context.as_deref()), &mut self.memory);
        error_code::read(error)
    }

    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        let Some((method, mut params)) = known(method::official(call.method), call) else {
            return Ok(TranslatedCall::unchanged(call));
        };
        match (method.name, self.peer) {
            ("terminal/output", Role::Client) => return self.output(&params),
            ("session/update", _) => return self.write_update(call.params.unwrap_or("{}")),
            _ => (),
        }
        let context = call_context::of(method.name, &params, &mut self.memory);
        let [_, write] = method.params;
        write(&mut params, &mut self.memory).map_err(edit::refusal)?;
        if let Some(context) = context {
            self.memory.pending.ours.call(call.id, method.name, context);
        }
        Ok(translated(method.draft, json::to_string(&params)))
    }

    fn write_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let context = self.memory.pending.theirs.answer(id, method);
        let Some(method) = method::official(method) else {
            return Ok(Cow::Borrowed(result));
        };
        self.written_result(method, result, &parsed(context.as_deref()))
    }

    fn write_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        let context = self.memory.pending.theirs.answer(id, method);
        call_context::failed(method, &parsed(context.as_deref()), &mut self.memory);
        error_code::write(error)
    }

    fn remember_session(&mut self, session: &str, cwd: &str) {
        self.memory.store(session, cwd);
    }
}

impl Draft {
    fn read_params(
        &mut self,
        id: Option<&Id>,
        method: &'static Method,
        params: &mut Object<'_>,
    ) -> Result<TranslatedCall<'static>, json::DecodeError> {
        if (method.name, self.peer) == ("terminal/output", Role::Client)
            && let Some(answer) = terminal::pushed(params, &mut self.memory)?
        {
            return Ok(match id {
                Some(_) => TranslatedCall::Response(answer),
                None => TranslatedCall::Nothing,
            });
        }
        let [read, _] = method.params;
        read(params, &mut self.memory)?;
        if let Some(context) = call_context::of(method.name, params, &mut self.memory) {
            self.memory.pending.theirs.call(id, method.name, context);
        }
        Ok(translated(method.name, json::to_string(params)))
    }

    fn written_result<'a>(
        &mut self,
        method: &'static Method,
        result: &'a str,
        context: &Object<'_>,
    ) -> Result<Cow<'a, str>, Error> {
        if method.name == mcp_message::OFFICIAL {
            return mcp_message::write_result(result).map(Cow::Owned);
        }
        let object = match result {
            "null" => Ok(Object::default()),
            result => Object::parse(result),
        };
        let Ok(mut object) = object else {
            return Ok(Cow::Borrowed(result));
        };
        let [_, write] = method.result;
        write(&mut object, &mut self.memory, context).map_err(edit::refusal)?;
        Ok(Cow::Owned(json::to_string(&object)))
    }

    /// Responds to our own `terminal/output` request, which a draft client does not know.
    fn output(&self, params: &Object<'_>) -> Result<TranslatedCall<'static>, Error> {
        let id = edit::string(params, "terminalId");
        match id.and_then(|id| self.memory.terminals.output(&id)) {
            Some(output) => Ok(TranslatedCall::Response(output)),
            None => Err(error::unusable_params("terminalId: no such terminal")),
        }
    }

    fn write_update(&mut self, params: &str) -> Result<TranslatedCall<'static>, Error> {
        let mut updates = update::write(params, &mut self.memory).map_err(edit::refusal)?;
        if updates.len() > 1 {
            let name = |params| ("session/update".to_owned(), Some(params));
            return Ok(TranslatedCall::Calls(
                updates.into_iter().map(name).collect(),
            ));
        }
        Ok(match updates.pop() {
            Some(params) => translated("session/update", params),
            None => TranslatedCall::Nothing,
        })
    }
}

/// The method and the parameters, if both are known to the draft.
fn known<'a>(
    method: Option<&'static Method>,
    call: Call<'a>,
) -> Option<(&'static Method, Object<'a>)> {
    method.zip(Object::parse(call.params?).ok())
}

/// The remembered context of a call; empty if there is none.
fn parsed(context: Option<&str>) -> Object<'_> {
    Object::parse(context.unwrap_or_default()).unwrap_or_default()
}

fn translated<'a>(method: &'static str, params: String) -> TranslatedCall<'a> {
    TranslatedCall::Call {
        method: Cow::Borrowed(method),
        params: Some(Cow::Owned(params)),
    }
}
