//! Sessions: their directory, modes and options, which this shape has elsewhere or not at all.

use attache_rpc::json::{self, DecodeError, Object};

use super::{Pharo, server, session_of};
use crate::memory::short;
use crate::{edit, option_list};

/// The known data of a session.
#[derive(Debug, Default)]
pub(super) struct PharoSession {
    pub(super) cwd: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) options: Option<String>,
}

impl Pharo {
    /// The directory from the creation of the session, or the one that the program has stored.
    pub(super) fn read_load(&mut self, params: &mut Object<'_>) -> Result<(), DecodeError> {
        let session = session_of(params);
        let made = self.sessions.get(&session);
        let made = made.and_then(|session| session.cwd.as_ref());
        let known = made.or_else(|| self.stored.get(&session));
        edit::fill_directory(params, known.map(String::as_str), "cwd")?;
        server::read_all(params)
    }

    /// Records a loaded session, whose call may have named its directory.
    pub(super) fn note_loaded_session(&mut self, request: Option<&str>) {
        let request = Object::parse(request.unwrap_or_default()).unwrap_or_default();
        let cwd = short(edit::string(&request, "cwd")).filter(|cwd| !cwd.is_empty());
        if let (Some(session), Some(cwd)) = (edit::string(&request, "sessionId"), cwd) {
            self.sessions.entry(&session).cwd = Some(cwd);
        }
    }

    /// Writes the result of a new session for a client.
    pub(super) fn write_created(
        &mut self,
        cwd: Option<String>,
        result: &mut Object<'_>,
    ) -> Result<(), DecodeError> {
        if let Some(session) = edit::string(result, "sessionId") {
            self.sessions.entry(&session).cwd = short(cwd);
        }
        result.take("modes");
        result.take("configOptions");
        Ok(())
    }

    /// Reads an agent's result that creates or opens a session.
    pub(super) fn read_session_result(&mut self, session: Option<String>, result: &mut Object<'_>) {
        if let Some(session) = &session {
            self.note_options(session, result);
        }
        if let (false, Some(first)) = (result.has("modes"), self.modes.first()) {
            let known = session.and_then(|session| self.sessions.get(&session));
            let current = known.and_then(|session| session.mode.as_deref());
            let modes = self.mode_state(current.unwrap_or(&first.id));
            result.set("modes", modes);
        }
    }

    /// The complete list of options, from those that the session has reported and the value that was set.
    pub(super) fn read_set_option_result(
        &mut self,
        request: Option<&str>,
        result: &mut Object<'_>,
    ) {
        let request = request.and_then(|params| Object::parse(params).ok());
        if !result.has("configOptions") {
            let options = request.and_then(|params| self.with_value(&params));
            result.set("configOptions", options.unwrap_or_else(|| "[]".to_owned()));
        } else if let Some(params) = request {
            self.note_options(&session_of(&params), result);
        }
    }

    pub(super) fn note_options(&mut self, session: &str, source: &Object<'_>) {
        if let Some(options) = source.get("configOptions") {
            self.remember_options(session, options);
        }
    }

    fn remember_options(&mut self, session: &str, options: &str) {
        self.sessions.entry(session).options = option_list::to_remember(options);
    }

    fn with_value(&mut self, request: &Object<'_>) -> Option<String> {
        let session = session_of(request);
        let option = edit::string(request, "configId")?;
        let value = request.get("value")?;
        let known = self.sessions.get(&session)?.options.as_ref()?;
        let options = option_list::with_value(known, &option, value);
        self.remember_options(&session, &options);
        Some(options)
    }

    fn mode_state(&self, current: &str) -> String {
        let modes: Vec<&str> = self.modes.iter().map(|mode| mode.json.as_str()).collect();
        let mut state = Object::default();
        state.put("currentModeId", current);
        state.set("availableModes", format!("[{}]", modes.join(",")));
        json::to_string(&state)
    }
}

pub(super) fn write_load(params: &mut Object<'_>) -> Result<(), DecodeError> {
    params.take("cwd");
    server::write_all(params)
}

pub(super) fn write_option(params: &mut Object<'_>) -> Result<(), DecodeError> {
    params.rename("configId", "option");
    if edit::string(params, "type").as_deref() == Some("boolean") {
        params.take("type");
    }
    Ok(())
}

/// A boolean option needs a `type`, which this shape omits.
pub(super) fn read_option(params: &mut Object<'_>) -> Result<(), DecodeError> {
    params.rename("option", "configId");
    if matches!(params.get("value"), Some("true" | "false")) {
        params.put("type", "boolean");
    }
    Ok(())
}
