//! The memory of a connection that the translation needs: sessions, pending calls, terminals and tool calls. Each has a
//! limit.

use attache_rpc::json::{DecodeError, Object, Problem};

use super::option_values::OptionValues;
use super::terminals::Terminals;
use super::tools::Tools;
use crate::edit;
use crate::memory::{PendingCalls, RecentMap, short};

/// The memory of one connection.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Pending calls.
    pub(super) pending: PendingCalls,
    /// Terminals that are not released.
    pub(super) terminals: Terminals,
    /// Tool calls that we have reported to the peer.
    pub(super) tools: Tools,
    /// Modes that the agent has declared.
    pub(super) modes: Vec<String>,
    // The directories of sessions that are not live.
    stored: RecentMap<String>,
    // In the order in which they first occurred.
    sessions: Vec<Session>,
    ids: u64,
}

/// The known data of a session.
#[derive(Debug, Default)]
pub(super) struct Session {
    id: String,
    cwd: Option<String>,
    mode: Option<String>,
    /// Values of its options.
    pub(super) options: OptionValues,
    /// Number of messages in its history.
    pub(super) messages: u64,
    /// Author of the last message.
    pub(super) speaker: Option<String>,
}

impl Session {
    /// Remembers the working directory.
    pub(super) fn learn_cwd(&mut self, cwd: Option<String>) {
        if let Some(cwd) = short(cwd).filter(|cwd| !cwd.is_empty()) {
            self.cwd = Some(cwd);
        }
    }

    /// Remembers the mode.
    pub(super) fn learn_mode(&mut self, mode: Option<String>) {
        if let Some(mode) = short(mode) {
            self.mode = Some(mode);
        }
    }

    /// Whether the mode is known.
    pub(super) fn has_mode(&self) -> bool {
        self.mode.is_some()
    }

    /// The mode, which is `default` until the draft says otherwise.
    pub(super) fn mode(&self) -> &str {
        self.mode.as_deref().unwrap_or("default")
    }
}

impl Memory {
    /// The known data of a session.
    pub(super) fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.iter().find(|session| session.id == id)
    }

    /// The data of a session, created if necessary. `None` for an invalid id.
    pub(super) fn session_mut(&mut self, id: &str) -> Option<&mut Session> {
        if id.is_empty() || id.len() > MAX_ID {
            return None;
        }
        let index = self.sessions.iter().position(|session| session.id == id);
        let index = index.unwrap_or_else(|| self.add(id));
        self.sessions.get_mut(index)
    }

    /// Marks a session as not live. It may be loaded again.
    pub(super) fn forget(&mut self, id: &str) {
        if let Some(cwd) = self.directory(id).map(str::to_owned) {
            self.store(id, &cwd);
        }
        self.sessions.retain(|session| session.id != id);
    }

    /// Remembers the directory of a session that is not live.
    pub(super) fn store(&mut self, id: &str, cwd: &str) {
        if let Some(cwd) = short(Some(cwd.to_owned())) {
            self.stored.set(id, cwd);
        }
    }

    /// A session's working directory.
    pub(super) fn directory(&self, id: &str) -> Option<&str> {
        let live = self.session(id).and_then(|session| session.cwd.as_deref());
        live.or_else(|| self.stored.get(id).map(String::as_str))
    }

    /// The session of a call that names none: the one with a running prompt, or else the only one.
    pub(super) fn current_session(&self) -> Result<String, DecodeError> {
        let prompts = self.pending.ours.contexts(PROMPT);
        let mut running = prompts.map(|context| edit::tag(context?, "sessionId"));
        match (running.next(), &*self.sessions) {
            _ if self.pending.ours.has_forgotten(PROMPT) => Err(nameless(TOO_MANY_PROMPTS)),
            (Some(Some(first)), _) if running.all(|other| other.as_ref() == Some(&first)) => {
                Ok(first)
            }
            (Some(_), _) => Err(nameless(SEVERAL_PROMPTS)),
            (None, [session]) => Ok(session.id.clone()),
            (None, []) => Err(nameless(NO_SESSION)),
            (None, _) => Err(nameless(SEVERAL_SESSIONS)),
        }
    }

    /// Adds the session to a call that names none.
    pub(super) fn fill_session(&self, params: &mut Object<'_>) -> Result<(), DecodeError> {
        if !params.has("sessionId") {
            params.put("sessionId", &self.current_session()?);
        }
        Ok(())
    }

    /// The directory of a call's session, if it is known.
    pub(super) fn cwd(&self, params: &Object<'_>) -> Option<&str> {
        self.directory(&edit::string(params, "sessionId")?)
    }

    /// A new id for an object that has none in the draft.
    pub(super) fn new_id(&mut self, prefix: &str) -> String {
        self.ids = self.ids.wrapping_add(1);
        format!("{prefix}-{}", self.ids)
    }

    fn add(&mut self, id: &str) -> usize {
        if self.sessions.len() == MAX_SESSIONS {
            self.sessions.remove(0);
        }
        self.sessions.push(Session {
            id: id.to_owned(),
            ..Session::default()
        });
        self.sessions.len() - 1
    }
}

#[cold]
fn nameless(reason: &'static str) -> DecodeError {
    DecodeError::new(Problem::Unfit(reason), 0).within("sessionId")
}

const MAX_SESSIONS: usize = 256;
const MAX_ID: usize = 4096;
const PROMPT: &str = "session/prompt";
const NO_SESSION: &str = "missing, and there is no session yet";
const SEVERAL_SESSIONS: &str = "missing, and there are several sessions and no prompt that runs";
const SEVERAL_PROMPTS: &str = "missing, and prompts run in several sessions";
const TOO_MANY_PROMPTS: &str = "missing, and too many prompts wait to know whose prompt runs";
