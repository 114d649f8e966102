//! The Pharo shape: `update.type`, messages that come whole, `selectedOptionId`, a terminal capability per method,
//! modes declared once for all sessions, and `null` for every empty result.
//!
//! What has no place here or there is in `losses/pharo.rs`.

mod content;
mod host;
mod initialize;
mod permission;
mod server;
mod session;
mod tool;
mod update;

use std::borrow::Cow;

use attache_rpc::Error;
use attache_rpc::json::{self, Object};

use super::memory::{Recent, Waiting};
use super::{Call, Dialect, Passage, Translate, edit, error_code};
use initialize::Mode;
use session::{Session, Setting};

/// One connection with a peer of this shape.
#[derive(Debug, Default)]
pub(super) struct Pharo {
    /// The terminal methods that the client has switched off.
    closed: Vec<&'static str>,
    /// The modes that the agent has declared.
    modes: Vec<Mode>,
    sessions: Recent<Session>,
    /// Titles of tool calls, by session and id.
    titles: Recent<String>,
    /// The directories of sessions that are being made.
    creations: Waiting<Option<String>>,
    /// The sessions that are being loaded.
    loads: Waiting<String>,
    /// The options that are being set.
    settings: Waiting<Setting>,
    /// The first option to reject in each permission request that is open.
    permissions: Waiting<Option<String>>,
    ids: u64,
}

impl Translate for Pharo {
    fn read_call<'a>(&mut self, call: Call<'a>) -> Result<Passage<'a>, Error> {
        self.count_in(call);
        if call.method == "session/update" {
            return self.read_update(call);
        }
        edited(call, |params| match call.method {
            "initialize" => {
                self.closed = initialize::read_params(params)?;
                Ok(())
            }
            "authenticate" => edit::keep(params, &["credentials"]),
            "session/new" => server::read_all(params),
            "session/load" => self.read_load(params),
            "session/prompt" => edit::parts(params, "prompt", content::read),
            "session/set_config_option" => session::read_option(params),
            "session/request_permission" => self.read_permission(params),
            method => host::read_params(method, params),
        })
    }

    fn write_call<'a>(&mut self, call: Call<'a>) -> Result<Passage<'a>, Error> {
        if self.closed.contains(&call.method) {
            return Err(not_offered(call.method));
        }
        let passage = edited(call, |params| match call.method {
            "initialize" => initialize::write_params(params),
            "authenticate" => edit::restore(params),
            "session/new" => server::write_all(params),
            "session/load" => session::write_load(params),
            "session/prompt" => edit::parts(params, "prompt", content::write),
            "session/set_config_option" => session::write_option(params),
            "session/update" => self.write_update(params),
            "session/request_permission" => self.write_permission(params),
            method => host::write_params(method, params),
        })?;
        self.count_out(call);
        Ok(passage)
    }

    fn read_result<'a>(&mut self, method: &str, result: &'a str) -> Result<Cow<'a, str>, Error> {
        if !has_own_result(method) {
            return Ok(Cow::Borrowed(result));
        }
        let (loaded, set) = self.answered(method);
        let read = edit::object(or_empty(result), |result| match method {
            "initialize" => {
                self.modes = initialize::read_result(result)?;
                Ok(())
            }
            "session/new" => {
                self.read_opened(edit::string(result, "sessionId"), result);
                Ok(())
            }
            "session/load" => {
                self.read_opened(loaded, result);
                Ok(())
            }
            "session/set_config_option" => {
                self.read_set(set, result);
                Ok(())
            }
            "session/request_permission" => permission::read_answer(result),
            "terminal/output" => host::read_output(result),
            "terminal/wait_for_exit" => host::read_exit(result),
            _ => Ok(()),
        });
        read.map(Cow::Owned).map_err(edit::refusal)
    }

    fn write_result<'a>(&mut self, method: &str, result: &'a str) -> Result<Cow<'a, str>, Error> {
        if !has_own_result(method) {
            return Ok(Cow::Borrowed(result));
        }
        if NULL_RESULTS.contains(&method) {
            return Ok(Cow::Borrowed("null"));
        }
        if method == "session/request_permission" {
            return self.write_answer(result).map(Cow::Owned);
        }
        let written = edit::object(or_empty(result), |result| match method {
            "initialize" => initialize::write_result(result),
            "session/new" => self.write_created(result),
            "session/prompt" => write_stop_reason(result),
            "terminal/output" => host::write_output(result),
            "terminal/wait_for_exit" => host::write_exit(result),
            _ => Ok(()),
        });
        written.map(Cow::Owned).map_err(edit::refusal)
    }

    fn read_error(&mut self, method: &str, error: Error) -> Error {
        self.answered(method);
        // Outside `authenticate` no method can be invalid, and implementations mean the official "not found".
        if error.code == INVALID_AUTH_METHOD && method != "authenticate" {
            return error;
        }
        error_code::read(Dialect::Pharo, error)
    }

    fn write_error(&mut self, method: &str, error: Error) -> Error {
        match method {
            "session/new" => drop(self.creations.answer()),
            "session/request_permission" => drop(self.permissions.answer()),
            _ => {}
        }
        error_code::write(Dialect::Pharo, error)
    }
}

/// Every call that comes in is answered once, be it refused, and every call that goes out; so all are counted.
impl Pharo {
    fn count_in(&mut self, call: Call<'_>) {
        match call.method {
            "session/new" => self.creations.call(edit::string(&params_of(call), "cwd")),
            "session/request_permission" => {
                let reject = permission::first_reject(&params_of(call));
                self.permissions.call(reject);
            }
            _ => {}
        }
    }

    fn count_out(&mut self, call: Call<'_>) {
        match call.method {
            "session/load" => self.loads.call(session_of(&params_of(call))),
            "session/set_config_option" => self.settings.call(session::setting(&params_of(call))),
            _ => {}
        }
    }

    fn answered(&mut self, method: &str) -> (Option<String>, Option<Setting>) {
        match method {
            "session/load" => (self.loads.answer(), None),
            "session/set_config_option" => (None, self.settings.answer()),
            _ => (None, None),
        }
    }
}

/// Names that this side makes up, and takes away again when it writes.
impl Pharo {
    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("{OWN}{}", self.ids)
    }

    fn is_own(id: &str) -> bool {
        id.starts_with(OWN)
    }

    fn note_title(&mut self, session: &str, call: &Object<'_>) {
        if let (Some(id), Some(title)) = (
            edit::string(call, "toolCallId"),
            edit::string(call, "title"),
        ) {
            self.titles.set(&title_key(session, &id), title);
        }
    }

    fn title(&self, session: &str, id: &str) -> Option<String> {
        self.titles.get(&title_key(session, id)).cloned()
    }
}

fn edited<'a>(
    call: Call<'a>,
    edit: impl FnOnce(&mut Object<'_>) -> Result<(), json::Error>,
) -> Result<Passage<'a>, Error> {
    let Some(params) = call.params.filter(|_| CALLS.contains(&call.method)) else {
        return Ok(Passage::of(call));
    };
    let params = edit::object(params, edit).map_err(edit::refusal)?;
    Ok(Passage::Call {
        method: Cow::Borrowed(call.method),
        params: Some(Cow::Owned(params)),
    })
}

/// The parameters of a call, none if they are no object.
fn params_of(call: Call<'_>) -> Object<'_> {
    let params = call.params.unwrap_or_default();
    Object::parse(params).unwrap_or_default()
}

fn session_of(params: &Object<'_>) -> String {
    edit::string(params, "sessionId").unwrap_or_default()
}

/// There is no word for a turn that made too many requests; the other limit comes nearest.
fn write_stop_reason(result: &mut Object<'_>) -> Result<(), json::Error> {
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

const OWN: &str = "attache-pharo-";
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
