//! Sessions and their tabs: opening, taking up again, closing, logging in.

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
    /// The agent runs, for the first time or again.
    pub(super) fn agent_ready(&mut self, agent: Box<v1::InitializeResponse>, now: Instant) {
        let was = std::mem::replace(&mut self.agent_status, AgentStatus::Running);
        self.agent = Some(agent);
        self.requests
            .retain(|request| !matches!(request.dialog, RequestDialog::AgentExit(_)));
        match was {
            AgentStatus::Starting => self.open_first_session(),
            AgentStatus::Exited | AgentStatus::Restarting => {
                self.toast(Tone::Good, "the agent runs again", now);
                self.reopen_sessions();
            }
            AgentStatus::Running => {}
        }
    }

    /// Asks for the first session.
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
                let text = "the agent does not list its sessions: this is a new one";
                self.tab_mut().remark(Tone::Warning, text);
                self.open_first(SessionStart::New);
            }
        }
    }

    /// Opens the session of the first tab, loaded or resumed as the agent can.
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

    /// The sessions of the directory are known: takes up the one that was used last. `false` if nobody looks for it.
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
                let text = "there is no session of this directory yet: this is a new one";
                self.tab_mut().remark(Tone::Info, text);
                self.open_first(SessionStart::New);
            }
        }
        true
    }

    /// Starts the agent anew.
    pub(super) fn restart(&mut self) {
        self.agent_status = AgentStatus::Restarting;
        self.requests
            .retain(|request| !matches!(request.dialog, RequestDialog::AgentExit(_)));
        for tab in &mut self.tabs {
            tab.suspend();
        }
        self.submit(Command::Restart);
    }

    /// Takes up the sessions of before: without their history where the agent can, since it is on the screen.
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

    /// Sets what was wished for, and says what the session does not have.
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

    /// Opens a session in a new tab, or goes to the tab where it is.
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

    /// An opening like the first one, but for how it begins.
    pub(super) fn open_request(&self, start: SessionStart) -> OpenRequest {
        OpenRequest {
            start,
            ..self.settings.opening.clone()
        }
    }

    /// Closes the tab that is looked at; while a turn runs that takes two keys.
    pub(super) fn confirm_close_tab(&mut self, now: Instant) {
        let is_meant = self.close_by.take().is_some_and(|by| now <= by);
        if self.tab().turn.is_none() || is_meant {
            return self.close_tab();
        }
        self.close_by = Some(now + TWICE);
        let text = "a turn runs; once more cancels it and closes the tab";
        self.toast(Tone::Warning, text, now);
    }

    /// Closes the tab that is looked at. In place of the last one there is a new session.
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
        self.toast(Tone::Info, "the session is deleted", now);
        let tab = self
            .tabs
            .iter()
            .position(|tab| tab.session() == Some(session));
        if let Some(at) = tab {
            self.active = at;
            self.close_tab();
        }
    }

    /// What was commanded did not succeed. If it was to open a session, its tab says so.
    pub(super) fn command_failed(&mut self, failure: &CommandFailure, now: Instant) {
        let is_login =
            failure.operation == "authenticate" || failure.kind == FailureKind::LoginRequired;
        let text = match failure.kind {
            // These are words of the agent.
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
                "it cannot be taken up: this is a new session",
            );
            tab.opening.start = SessionStart::New;
            let opening = tab.opening.clone();
            return self.submit(Command::OpenSession(opening));
        }
        tab.state = TabStatus::Failed(text::line(&failure.reason));
    }

    pub(super) fn login_required(&mut self, methods: &[v1::AuthMethod], now: Instant) {
        self.requests.retain(|request| !request.dialog.is_login());
        let message = self.login_message.take();
        if methods.is_empty() {
            let mut text =
                "the agent wants a login but offers no way to log in; see its documentation"
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
                "the agent wants a login: Ctrl-P, Log in",
                now,
            );
        }
    }

    /// The user has chosen a login that runs a program, and is to see which.
    pub(super) fn login_described(&mut self, command: LoginCommand, now: Instant) {
        self.requests.retain(|request| !request.dialog.is_login());
        let what = RequestDialog::LoginProgram(Box::new(LoginPrompt::new(command)));
        if !self.requests.push(None, what) {
            self.toast(Tone::Warning, "too many requests wait for you", now);
        }
    }

    /// Sessions that were refused for want of a login are asked for again.
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
    /// Whether it waits for a session that is named already.
    pub(super) fn awaits_session(&self, session: &v1::SessionId) -> bool {
        let named = match &self.opening.start {
            SessionStart::Load(named) | SessionStart::Resume(named) => Some(named),
            SessionStart::New | SessionStart::Fork(_) => None,
        };
        self.state == TabStatus::Opening && named == Some(session)
    }

    /// How the session is taken up, by what the agent can.
    fn reopen(&mut self, session: v1::SessionId, resumes: bool, loads: bool) {
        self.opening.start = match (resumes, loads) {
            (true, _) => SessionStart::Resume(session),
            (false, true) => {
                self.back_up_transcript();
                SessionStart::Load(session)
            }
            (false, false) => {
                let text = "the agent cannot take up a session: this is a new one";
                self.remark(Tone::Warning, text);
                SessionStart::New
            }
        };
    }

    /// A fork begins with what was said so far, which the agent does not tell again.
    fn start_fork(&mut self, from: Option<&Tab>) {
        let Some(from) = from else {
            let text = "a fork: the agent knows what was said before, and does not tell it again";
            return self.remark(Tone::Info, text);
        };
        self.transcript = from.transcript.clone();
        if from.turn.is_some() {
            self.transcript.end_turn(v1::StopReason::Cancelled);
        }
        self.remark(Tone::Info, "a fork: from here on it goes its own way");
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

/// Each way to log in: its id, its name and what it is; safe to show.
pub(in crate::chat) fn login_choices(
    methods: &[v1::AuthMethod],
) -> impl Iterator<Item = (v1::AuthMethodId, String, String)> {
    methods.iter().filter_map(|method| {
        let (id, name, description, how) = match method {
            v1::AuthMethod::Terminal(it) => (&it.id, &it.name, &it.description, "in the terminal"),
            v1::AuthMethod::Agent(it) => (&it.id, &it.name, &it.description, ""),
            v1::AuthMethod::Other(_) => return None,
        };
        let detail = match description.as_deref() {
            Some(description) => visible(description).into_owned(),
            None => how.to_owned(),
        };
        Some((id.clone(), visible(name).into_owned(), detail))
    })
}

const TABS: usize = 32;
