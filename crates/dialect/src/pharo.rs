//! The Pharo shape: `update.type`, whole messages instead of chunks, `selectedOptionId`, a terminal capability per
//! method, modes declared once for all sessions, and `null` for every empty result.
//!
//! `losses/pharo.rs` lists what cannot be translated.

mod content;
mod host;
mod initialize;
mod permission;
mod server;
mod session;
mod tool;
mod update;

use std::borrow::Cow;

use attache_rpc::json::{self, Object};
use attache_rpc::{Error, Id};

use super::memory::{PendingCalls, RecentMap, short};
use super::{Call, Dialect, TranslateCalls, TranslatedCall, divide, edit, error_code};
use initialize::DeclaredMode;
use session::PharoSession;

/// A connection with a peer of this shape.
#[derive(Debug, Default)]
pub(super) struct Pharo {
    /// Terminal methods that the client does not support.
    disabled_methods: Vec<&'static str>,
    /// Modes that the agent has declared.
    modes: Vec<DeclaredMode>,
    sessions: RecentMap<PharoSession>,
    /// Directories of sessions that the program has stored.
    stored: RecentMap<String>,
    /// Titles of tool calls, by session and id.
    titles: RecentMap<String>,
    pending: PendingCalls,
    ids: u64,
}

impl TranslateCalls for Pharo {
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        if let Some(context) = context_of_their_call(call) {
            self.pending.theirs.call(call.id, call.method, context);
        }
        if call.method == "session/update" {
            return self.read_update(call);
        }
        edited(call, |params| match call.method {
            "initialize" => {
                self.disabled_methods = initialize::read_params(params)?;
                Ok(())
            }
            "authenticate" => edit::move_to_meta(params, &["credentials"]),
            "session/new" => server::read_all(params),
            "session/load" => self.read_load(params),
            "session/prompt" => edit::parts(params, "prompt", content::read),
            "session/set_config_option" => session::read_option(params),
            "session/request_permission" => self.read_permission(params),
            method => host::read_params(method, params),
        })
    }

    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<TranslatedCall<'a>, Error> {
        if self.disabled_methods.contains(&call.method) {
            return Err(not_offered(call.method));
        }
        let translated = edited(call, |params| match call.method {
            "initialize" => initialize::write_params(params),
            "authenticate" => edit::restore_from_meta(params),
            "session/new" => server::write_all(params),
            "session/load" => session::write_load(params),
            "session/prompt" => edit::parts(params, "prompt", content::write),
            "session/set_config_option" => session::write_option(params),
            "session/update" => self.write_update(params),
            "session/request_permission" => self.write_permission(params),
            method => host::write_params(method, params),
        })?;
        if let Some(context) = context_of_our_call(call) {
            self.pending.ours.call(call.id, call.method, context);
        }
        Ok(translated)
    }

    fn read_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let context = self.pending.ours.answer(id, method);
        if !has_own_result(method) {
            return Ok(Cow::Borrowed(result));
        }
        let read = edit::object(or_empty(result), |result| match method {
            "initialize" => {
                self.modes = initialize::read_result(result)?;
                Ok(())
            }
            "session/new" => {
                self.read_session_result(edit::string(result, "sessionId"), result);
                Ok(())
            }
            "session/load" => {
                self.read_session_result(context, result);
                Ok(())
            }
            "session/set_config_option" => {
                self.read_set_option_result(context.as_deref(), result);
                Ok(())
            }
            "session/request_permission" => permission::read_permission_result(result),
            "terminal/output" => host::read_output(result),
            "terminal/wait_for_exit" => host::read_exit(result),
            _ => Ok(()),
        });
        read.map(Cow::Owned).map_err(edit::refusal)
    }

    fn write_result<'a>(
        &mut self,
        id: &Id,
        method: &str,
        result: &'a str,
    ) -> Result<Cow<'a, str>, Error> {
        let context = self.pending.theirs.answer(id, method);
        if !has_own_result(method) {
            return Ok(Cow::Borrowed(result));
        }
        if method == "session/load" {
            self.note_loaded_session(context.as_deref());
        }
        if NULL_RESULTS.contains(&method) {
            return Ok(Cow::Borrowed("null"));
        }
        if method == "session/request_permission" {
            return permission::write_permission_result(context, result).map(Cow::Owned);
        }
        let written = edit::object(or_empty(result), |result| match method {
            "initialize" => initialize::write_result(result),
            "session/new" => self.write_created(context, result),
            "session/prompt" => write_stop_reason(result),
            "terminal/output" => host::write_output(result),
            "terminal/wait_for_exit" => host::write_exit(result),
            _ => Ok(()),
        });
        written.map(Cow::Owned).map_err(edit::refusal)
    }

    fn read_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.pending.ours.answer(id, method);
        // Outside `authenticate` there is no login method, so implementations mean the official "not found".
        if error.code == INVALID_AUTH_METHOD && method != "authenticate" {
            return error;
        }
        error_code::read(Dialect::Pharo, error)
    }

    fn write_error(&mut self, id: &Id, method: &str, error: Error) -> Error {
        self.pending.theirs.answer(id, method);
        error_code::write(Dialect::Pharo, error)
    }

    fn remember_session(&mut self, session: &str, cwd: &str) {
        if let Some(cwd) = short(Some(cwd.to_owned())) {
            self.stored.set(session, cwd);
        }
    }
}

/// Names that this translation invents on reading and removes on writing.
impl Pharo {
    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("{OWN_ID_PREFIX}{}", self.ids)
    }

    fn is_own(id: &str) -> bool {
        id.starts_with(OWN_ID_PREFIX)
    }

    fn note_title(&mut self, session: &str, call: &Object<'_>) {
        if let (Some(id), Some(title)) = (
            edit::string(call, "toolCallId"),
            short(edit::string(call, "title")),
        ) {
            self.titles.set(&title_key(session, &id), title);
        }
    }

    fn title(&self, session: &str, id: &str) -> Option<String> {
        self.titles.get(&title_key(session, id)).cloned()
    }
}

/// The context that our response needs: the directory of a new or loaded session, or the first reject option of a
/// permission request.
fn context_of_their_call(call: Call<'_>) -> Option<String> {
    match call.method {
        "session/new" => edit::string(&params_of(call), "cwd"),
        "session/load" => {
            let names = ["sessionId", "cwd"];
            Some(json::to_string(&divide::only(&params_of(call), &names)))
        }
        "session/request_permission" => permission::first_reject(&params_of(call)),
        _ => None,
    }
}

/// The context that the peer's response needs: the loaded session, or the option that is set.
fn context_of_our_call(call: Call<'_>) -> Option<String> {
    match call.method {
        "session/load" => Some(session_of(&params_of(call))),
        "session/set_config_option" => call.params.map(str::to_owned),
        _ => None,
    }
}

fn edited<'a>(
    call: Call<'a>,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), json::DecodeError>,
) -> Result<TranslatedCall<'a>, Error> {
    let Some(params) = call.params.filter(|_| CALLS.contains(&call.method)) else {
        return Ok(TranslatedCall::unchanged(call));
    };
    let params = edit::object(params, edit).map_err(edit::refusal)?;
    Ok(TranslatedCall::Call {
        method: Cow::Borrowed(call.method),
        params: Some(Cow::Owned(params)),
    })
}

/// The parameters of a call; `None` if they are not an object.
fn params_of(call: Call<'_>) -> Object<'_> {
    let params = call.params.unwrap_or_default();
    Object::parse(params).unwrap_or_default()
}

fn session_of(params: &Object<'_>) -> String {
    edit::string(params, "sessionId").unwrap_or_default()
}

/// The shape has no stop reason for too many model requests; the other limit is the closest.
fn write_stop_reason(result: &mut Object<'_>) -> Result<(), json::DecodeError> {
    if edit::string(result, "stopReason").as_deref() == Some("max_turn_requests") {
        result.put("stopReason", "max_tokens");
    }
    Ok(())
}

fn not_offered(method: &str) -> Error {
    Error::new(
        Error::METHOD_NOT_FOUND,
        format!("the client does not offer {method}"),
    )
}

fn title_key(session: &str, id: &str) -> String {
    format!("{session}\0{id}")
}

fn or_empty(result: &str) -> &str {
    if result.trim() == "null" {
        "{}"
    } else {
        result
    }
}

fn has_own_result(method: &str) -> bool {
    RESULTS.contains(&method) || NULL_RESULTS.contains(&method)
}

const OWN_ID_PREFIX: &str = "attache-pharo-";
const INVALID_AUTH_METHOD: i32 = -32002;

const CALLS: &[&str] = &[
    "initialize",
    "authenticate",
    "session/new",
    "session/load",
    "session/prompt",
    "session/set_config_option",
    "session/update",
    "session/request_permission",
    "fs/read_text_file",
    "terminal/create",
    "terminal/wait_for_exit",
];

const RESULTS: &[&str] = &[
    "initialize",
    "session/new",
    "session/prompt",
    "session/request_permission",
    "terminal/output",
    "terminal/wait_for_exit",
];

const NULL_RESULTS: &[&str] = &[
    "authenticate",
    "session/load",
    "session/set_mode",
    "session/set_config_option",
    "fs/write_text_file",
    "terminal/kill",
    "terminal/release",
];
