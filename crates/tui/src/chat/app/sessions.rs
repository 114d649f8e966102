//! Sessions and their tabs: opening, resuming, closing, logging in.

use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, OpenRequest, SessionStart};
use attache_client::conversation::LoginCommand;
use attache_client::event::{CommandFailure, FailureKind, OpenedSession};
use attache_client::session_setting::SettingChoices;
use attache_text::plain::{GUTTER, visible};

use super::keys::TWICE;
use super::{AgentStatus, App, FirstSession, LatestSession};
use crate::chat::login::{LoginList, LoginPrompt};
use crate::chat::request_queue::RequestDialog;
use crate::chat::tab::{Tab, TabStatus};
use crate::chat::text;
use crate::paint::Tone;

impl App {
    /// The agent is ready, after its start or a restart.
    pub(super) fn agent_ready(&mut self, agent: Box<v1::InitializeResponse>, now: Instant) {
        let was = std::mem::replace(&mut self.agent_status, AgentStatus::Running);
        self.agent = Some(agent);
        self.requests
            .retain(|request| !matches!(request.dialog, RequestDialog::AgentExit(_)));
        match was {
            AgentStatus::Starting => self.open_first_session(),
            AgentStatus::Exited | AgentStatus::Restarting => {
                self.toast(Tone::Good, "the agent is running again", now);
                self.reopen_sessions();
            }
            AgentStatus::Running => {}
        }
    }

    /// Requests the first session.
    fn open_first_session(&mut self) {
        let can_list = self.capabilities().session_capabilities.list.is_some();
        match (self.settings.start, can_list) {
            (FirstSession::AsRequested, _) => self.open_first(self.settings.opening.start.clone()),
            (FirstSession::Latest, true) => {
                self.latest = LatestSession::Pending;
                let cwd = Some(self.settings.opening.cwd.clone());
                self.submit(Command::ListSessions { cwd, cursor: None });
            }
            (FirstSession::Latest, false) => {
                let text = "the agent can't list its sessions: this is a new session";
                self.tab_mut().remark(Tone::Warning, text);
                self.open_first(SessionStart::New);
            }
        }
    }

    /// Opens the session of the first tab. A session that the agent can't load is resumed instead.
    fn open_first(&mut self, start: SessionStart) {
        let can = self.capabilities();
        let resumes = can.session_capabilities.resume.is_some();
        let start = match start {
            SessionStart::Load(session) if !can.load_session && resumes => {
                SessionStart::Resume(session)
            }
            start => start,
        };
        self.tabs[0].opening.start = start;
        let opening = self.tabs[0].opening.clone();
        self.submit(Command::OpenSession(opening));
    }

    /// Opens the most recently used session of a listed page. Returns `false` if no such search is running.
    pub(super) fn open_latest(&mut self, page: &v1::ListSessionsResponse) -> bool {
        if std::mem::replace(&mut self.latest, LatestSession::Resolved) == LatestSession::Resolved {
            return false;
        }
        let latest = page
            .sessions
            .iter()
            .enumerate()
            .max_by_key(|(at, info)| (info.updated_at.clone(), std::cmp::Reverse(*at)));
        match latest {
            Some((_, info)) => self.open_first(SessionStart::Load(info.session_id.clone())),
            None => {
                let text = "this directory has no session yet: this is a new one";
                self.tab_mut().remark(Tone::Info, text);
                self.open_first(SessionStart::New);
            }
        }
        true
    }

    /// Restarts the agent.
    pub(super) fn restart(&mut self) {
        self.agent_status = AgentStatus::Restarting;
        self.requests
            .retain(|request| !matches!(request.dialog, RequestDialog::AgentExit(_)));
        for tab in &mut self.tabs {
            tab.suspend();
        }
        self.submit(Command::Restart);
    }

    /// Reopens the sessions after a restart. They are resumed without history where the agent can, because the history
    /// is still on the screen.
    fn reopen_sessions(&mut self) {
        let can = self.capabilities();
        let resumes = can.session_capabilities.resume.is_some();
        let mut openings = Vec::new();
        for tab in &mut self.tabs {
            tab.state = TabStatus::Opening;
            if let SessionStart::Resume(session) = tab.opening.start.clone() {
                tab.reopen(session, resumes, can.load_session);
            }
            openings.push(tab.opening.clone());
        }
        for opening in openings {
            self.submit(Command::OpenSession(opening));
        }
    }

    pub(super) fn session_opened(&mut self, opened: &OpenedSession, now: Instant) {
        let mut tabs = self.tabs.iter_mut();
        let tab = tabs.find(|tab| tab.state == TabStatus::Opening && tab.opening == opened.request);
        let Some(tab) = tab else {
            return;
        };
        tab.session_opened(opened);
        for content in std::mem::take(&mut tab.unsent_prompts) {
            let session = opened.session.clone();
            self.submit(Command::Prompt { session, content });
        }
        if matches!(opened.request.start, SessionStart::New) {
            self.apply_session_settings(opened, now);
        }
    }

    /// Applies the configured settings, and warns about those that the session does not have.
    fn apply_session_settings(&mut self, opened: &OpenedSession, now: Instant) {
        let choices = SettingChoices {
            modes: opened.modes.clone(),
            options: opened.options.clone(),
        };
        for wish in self.settings.session_settings.clone() {
            match wish.command(&opened.session, &choices) {
                Ok(command) => self.submit(command),
                Err(why) => self.toast(Tone::Warning, why.to_string(), now),
            }
        }
    }

    /// Opens a session in a new tab, or switches to its tab.
    pub(super) fn open_session(&mut self, opening: OpenRequest, now: Instant) {
        if let SessionStart::Load(session) | SessionStart::Resume(session) = &opening.start {
            let there = self
                .tabs
                .iter()
                .position(|tab| tab.session() == Some(session));
            if let Some(at) = there {
                self.active = at;
                return;
            }
        }
        if self.tabs.len() >= TABS {
            let text = format!("{TABS} tabs are open; close one with Ctrl-X");
            self.toast(Tone::Warning, text, now);
            return;
        }
        let mut tab = Tab::new(self.next_tab, opening.clone(), self.settings.theme);
        if let SessionStart::Fork(session) = &opening.start {
            let mut tabs = self.tabs.iter();
            tab.start_fork(tabs.find(|tab| tab.session() == Some(session)));
        }
        self.next_tab += 1;
        self.tabs.push(tab);
        self.active = self.tabs.len() - 1;
        self.submit(Command::OpenSession(opening));
    }

    /// A request like the first one, with another start.
    pub(super) fn open_request(&self, start: SessionStart) -> OpenRequest {
        OpenRequest {
            start,
            ..self.settings.opening.clone()
        }
    }

    /// Closes the active tab. While a turn is running, the key has to be pressed twice.
    pub(super) fn confirm_close_tab(&mut self, now: Instant) {
        let is_meant = self.close_by.take().is_some_and(|by| now <= by);
        if self.tab().turn.is_none() || is_meant {
            return self.close_tab();
        }
        self.close_by = Some(now + TWICE);
        let text = "a turn is running; press again to cancel it and close the tab";
        self.toast(Tone::Warning, text, now);
    }

    /// Closes the active tab. The last tab is replaced by a new session.
    pub(super) fn close_tab(&mut self) {
        if self.tabs.len() == 1 {
            let opening = self.open_request(SessionStart::New);
            let tab = Tab::new(self.next_tab, opening.clone(), self.settings.theme);
            self.next_tab += 1;
            self.tabs.push(tab);
            self.submit(Command::OpenSession(opening));
        }
        let tab = self.tabs.remove(self.active);
        self.active = self.active.min(self.tabs.len() - 1);
        if let TabStatus::Open(session) = tab.state {
            self.requests
                .retain(|request| request.session.as_ref() != Some(&session));
            self.submit(Command::CloseSession(session));
        }
    }

    pub(super) fn session_deleted(&mut self, session: &v1::SessionId, now: Instant) {
        self.toast(Tone::Info, "session deleted", now);
        let tab = self
            .tabs
            .iter()
            .position(|tab| tab.session() == Some(session));
        if let Some(at) = tab {
            self.active = at;
            self.close_tab();
        }
    }

    /// Reports a failed command. If the command opened a session, its tab shows the failure.
    pub(super) fn command_failed(&mut self, failure: &CommandFailure, now: Instant) {
        let is_login =
            failure.operation == "authenticate" || failure.kind == FailureKind::LoginRequired;
        let text = match failure.kind {
            // The reason is the agent's text.
            FailureKind::LoginRequired | FailureKind::Refused if is_login => {
                format!(
                    "{} failed {GUTTER} {}",
                    failure.operation,
                    visible(&failure.reason)
                )
            }
            _ => format!("{}: {}", failure.operation, failure.reason),
        };
        if failure.kind == FailureKind::LoginRequired {
            self.login_message = Some(failure.reason.clone());
        }
        if failure.operation == "session/list" && self.latest == LatestSession::Pending {
            self.latest = LatestSession::Resolved;
            self.open_first(SessionStart::New);
        }
        let mut tabs = self.tabs.iter_mut();
        let opening =
            tabs.find(|tab| tab.state == TabStatus::Opening && tab.opens_by(&failure.operation));
        let Some(tab) = opening else {
            return self.toast(Tone::Bad, text, now);
        };
        if failure.kind == FailureKind::LoginRequired {
            tab.state = TabStatus::Unauthenticated;
            return;
        }
        tab.restore_transcript();
        tab.remark(Tone::Bad, text);
        let had_one = tab.transcript.turns() > 0;
        if had_one && tab.opening.start != SessionStart::New {
            tab.remark(
                Tone::Warning,
                "the session can't be reopened: this is a new one",
            );
            tab.opening.start = SessionStart::New;
            let opening = tab.opening.clone();
            return self.submit(Command::OpenSession(opening));
        }
        tab.state = TabStatus::Failed(text::safe_line(&failure.reason));
    }

    pub(super) fn login_required(&mut self, methods: &[v1::AuthMethod], now: Instant) {
        self.requests.retain(|request| !request.dialog.is_login());
        let message = self.login_message.take();
        if methods.is_empty() {
            let mut text =
                "the agent requires a login but offers no login method; see its documentation"
                    .to_owned();
            if let Some(message) = message {
                text += &format!(" {GUTTER} {}", visible(&message));
            }
            self.toast(Tone::Bad, text, now);
            return;
        }
        let list = LoginList::new(methods, message.as_deref());
        if !self.requests.push(None, RequestDialog::Login(list)) {
            self.toast(
                Tone::Warning,
                "the agent requires a login: press Ctrl-P and choose Log in",
                now,
            );
        }
    }

    /// Shows the program that the chosen login runs, before it runs.
    pub(super) fn login_described(&mut self, command: LoginCommand, now: Instant) {
        self.requests.retain(|request| !request.dialog.is_login());
        let what = RequestDialog::LoginProgram(Box::new(LoginPrompt::new(command)));
        if !self.requests.push(None, what) {
            self.toast(Tone::Warning, "too many requests are waiting for you", now);
        }
    }

    /// Requests the sessions again that failed because no one was logged in.
    pub(super) fn logged_in(&mut self, now: Instant) {
        self.toast(Tone::Good, "logged in", now);
        self.requests.retain(|request| !request.dialog.is_login());
        let mut openings = Vec::new();
        for tab in &mut self.tabs {
            if tab.state == TabStatus::Unauthenticated {
                tab.state = TabStatus::Opening;
                openings.push(tab.opening.clone());
            }
        }
        for opening in openings {
            self.submit(Command::OpenSession(opening));
        }
    }
}

impl Tab {
    /// Whether the tab waits for this session to open.
    pub(super) fn awaits_session(&self, session: &v1::SessionId) -> bool {
        let named = match &self.opening.start {
            SessionStart::Load(named) | SessionStart::Resume(named) => Some(named),
            SessionStart::New | SessionStart::Fork(_) => None,
        };
        self.state == TabStatus::Opening && named == Some(session)
    }

    /// Chooses how to reopen the session, depending on the agent's capabilities.
    fn reopen(&mut self, session: v1::SessionId, resumes: bool, loads: bool) {
        self.opening.start = match (resumes, loads) {
            (true, _) => SessionStart::Resume(session),
            (false, true) => {
                self.back_up_transcript();
                SessionStart::Load(session)
            }
            (false, false) => {
                let text = "the agent can't reopen a session: this is a new one";
                self.remark(Tone::Warning, text);
                SessionStart::New
            }
        };
    }

    /// Starts a fork with the transcript of its origin, because the agent does not replay it.
    fn start_fork(&mut self, from: Option<&Tab>) {
        let Some(from) = from else {
            let text =
                "forked: the agent remembers the earlier conversation but does not replay it";
            return self.remark(Tone::Info, text);
        };
        self.transcript = from.transcript.clone();
        if from.turn.is_some() {
            self.transcript.end_turn(v1::StopReason::Cancelled);
        }
        self.remark(
            Tone::Info,
            "forked: changes from here on stay in this session",
        );
    }

    fn opens_by(&self, method: &str) -> bool {
        let ours = match &self.opening.start {
            SessionStart::New => "session/new",
            SessionStart::Load(_) => "session/load",
            SessionStart::Resume(_) => "session/resume",
            SessionStart::Fork(_) => "session/fork",
        };
        method == ours
    }
}

/// The login methods: id, name and description of each, safe to show.
pub(in crate::chat) fn login_choices(
    methods: &[v1::AuthMethod],
) -> impl Iterator<Item = (v1::AuthMethodId, String, String)> {
    methods.iter().filter_map(|method| {
        let (id, name, description, how) = match method {
            v1::AuthMethod::Terminal(it) => (&it.id, &it.name, &it.description, "in the terminal"),
            v1::AuthMethod::Agent(it) => (&it.id, &it.name, &it.description, ""),
            v1::AuthMethod::Other(_) => return None,
            _ => return None,
        };
        let detail = match description.as_deref() {
            Some(description) => visible(description).into_owned(),
            None => how.to_owned(),
        };
        Some((id.clone(), visible(name).into_owned(), detail))
    })
}

const TABS: usize = 32;
