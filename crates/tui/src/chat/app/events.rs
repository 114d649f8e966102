//! Handles the events of the conversation.

use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, PermissionAnswer};
use attache_client::event::{CommandFailure, Event, FailureKind, PermissionPrompt};
use attache_client::figures;
use attache_host::permissions::{Expiry, Reason};

use super::{AgentStatus, App, ToastEnd, UndoOffer};
use crate::chat::agent_exit::AgentExitDialog;
use crate::chat::form::Form;
use crate::chat::permission::PermissionDialog;
use crate::chat::request_queue::{AgentRequest, RequestDialog};
use crate::chat::tab::{Activity, RunningTurn, Tab, TurnStatus};
use crate::chat::text;
use crate::chat::url::UrlPrompt;
use crate::paint::Tone;

impl App {
    pub(super) fn event(&mut self, event: Event, now: Instant) {
        match event {
            Event::AgentReady(agent) => self.agent_ready(agent, now),
            Event::SessionOpened(opened) => self.session_opened(&opened, now),
            Event::SessionClosed(_) => {}
            Event::SessionDeleted(session) => self.session_deleted(&session, now),
            Event::SessionsListed(page) => self.sessions_listed(page),
            Event::Update(news) => self.update(*news, now),
            Event::TurnStarted { session, content } => self.turn_started(&session, content, now),
            Event::QueueChanged { session, waiting } => {
                if let Some(tab) = self.tab_of(&session) {
                    tab.queued_prompts = waiting;
                }
            }
            Event::Steered { session, content } => {
                let said = content_line(&content);
                if let Some(tab) = self.tab_of(&session) {
                    tab.remark(Tone::Info, format!("you steered the turn: {said}"));
                }
            }
            Event::TurnEnded { session, outcome } => self.turn_ended(&session, outcome, now),
            Event::ModeSet { session, mode } => {
                if let Some(tab) = self.tab_of(&session)
                    && let Some(modes) = &mut tab.modes
                {
                    modes.current_mode_id = mode;
                }
            }
            Event::OptionsSet { session, options } => {
                if let Some(tab) = self.tab_of(&session) {
                    tab.options = options;
                }
            }
            Event::TerminalChanged(terminal) => {
                for tab in &mut self.tabs {
                    tab.view.terminal_changed(&terminal);
                }
            }
            Event::InvalidOutput { count, line } => self.invalid_output(count, &line, now),
            Event::AgentExited { reason, stderr } => self.agent_exited(reason, stderr),
            Event::PermissionRequested(prompt) => self.permission_requested(*prompt, now),
            Event::PermissionWithdrawn(number) => {
                self.requests.retain(|request| !request.is_prompt(number))
            }
            Event::Notice(what) => self.tab_mut().remark(Tone::Info, what),
            Event::Problem(why) => {
                self.toast(Tone::Bad, why.clone(), now);
                self.tab_mut().remark(Tone::Bad, why);
            }
            Event::PermissionDecided {
                prompt,
                is_allowed,
                reason,
            } => self.permission_decided(&prompt, is_allowed, &reason),
            Event::DecisionRemembered {
                id,
                summary: what,
                scope,
                expiry,
                is_allowed,
                ..
            } => self.decision_remembered(id, &what, (scope, expiry), is_allowed, now),
            Event::DecisionUndone { id, was_in_force } => {
                self.decision_undone(&id, was_in_force, now)
            }
            Event::FormRequested { form, request } => self.form_requested(form, &request, now),
            Event::FormWithdrawn(number) => {
                self.requests.retain(|request| !request.is_form(number))
            }
            Event::FormCompleted(_) => self.toast(Tone::Good, "the page is done", now),
            Event::LoginRequired(methods) => self.login_required(&methods, now),
            Event::LoggedIn(_) => self.logged_in(now),
            Event::LoggedOut => self.toast(Tone::Info, "logged out", now),
            Event::CommandFailed(failure) => self.command_failed(&failure, now),
        }
    }

    fn update(&mut self, news: v1::SessionNotification, now: Instant) {
        let active = self.tab().number;
        if let Some(tab) = self.tab_of(&news.session_id) {
            tab.apply(news.update, now);
            tab.mark_unread(active);
        }
    }

    fn turn_started(
        &mut self,
        session: &v1::SessionId,
        content: Vec<v1::ContentBlock>,
        now: Instant,
    ) {
        if let Some(tab) = self.tab_of(session) {
            tab.fold_plan();
            let change = tab.transcript.begin_turn(content);
            tab.changed(&change, now);
            tab.turn = Some(RunningTurn {
                started: now,
                status: TurnStatus::Running,
            });
        }
    }

    fn turn_ended(
        &mut self,
        session: &v1::SessionId,
        outcome: Result<v1::PromptResponse, CommandFailure>,
        now: Instant,
    ) {
        if let Err(failure) = &outcome
            && failure.kind == FailureKind::LoginRequired
        {
            self.login_message = Some(failure.reason.clone());
        }
        let active = self.tab().number;
        let Some(tab) = self.tab_of(session) else {
            return;
        };
        let turn = tab.turn.take();
        let took = turn.map(|turn| figures::elapsed(now.saturating_duration_since(turn.started)));
        let took = took.unwrap_or_default();
        let (how, change) = match outcome {
            Ok(response) => {
                let tokens = response.usage.as_ref().map(figures::tokens);
                let parts: Vec<String> = std::iter::once(took).chain(tokens).collect();
                let how = (response.stop_reason.clone(), parts.join(", "));
                (Some(how), tab.transcript.end_turn(response.stop_reason))
            }
            Err(failure) => {
                let error = v1::Error::new(v1::Error::INTERNAL, failure.reason);
                (None, tab.transcript.end_turn(error))
            }
        };
        tab.last_turn = how;
        tab.changed(&change, now);
        tab.mark_unread(active);
        // Messages about the turn end with it.
        self.toast.take_if(|toast| toast.tone == Tone::Info);
    }

    fn permission_decided(&mut self, prompt: &PermissionPrompt, is_allowed: bool, reason: &Reason) {
        let (tone, word) = match is_allowed {
            true => (Tone::Good, "allowed"),
            false => (Tone::Bad, "denied"),
        };
        let remark = format!("{word}: {} ({reason})", prompt.summary());
        if let Some(tab) = self.tab_of(&prompt.action.session) {
            tab.remark(tone, remark);
        }
    }

    fn permission_requested(&mut self, prompt: PermissionPrompt, now: Instant) {
        let number = prompt.id;
        let session = self.session_with_tab(prompt.action.session.clone());
        let what = RequestDialog::Permission(Box::new(PermissionDialog::new(
            prompt,
            self.settings.expiry,
        )));
        if self.requests.push(session.clone(), what) {
            self.announce_request(session.as_ref(), now);
        } else {
            self.submit(Command::AnswerPermission {
                prompt: number,
                answer: PermissionAnswer::Dismiss,
                expiry: Expiry::Never,
            });
        }
    }

    /// Returns the session if it has a tab. Requests of a child session appear in every tab.
    fn session_with_tab(&mut self, session: v1::SessionId) -> Option<v1::SessionId> {
        self.tab_of(&session).is_some().then_some(session)
    }

    /// Announces a request that is not visible because it is in another tab or behind a dialog.
    fn announce_request(&mut self, session: Option<&v1::SessionId>, now: Instant) {
        // The undo hint would look like part of the new request.
        self.toast.take_if(|toast| toast.undo != UndoOffer::None);
        let mut tabs = self.tabs.iter();
        let at = tabs.position(|tab| session.is_some() && tab.session() == session);
        if let Some(at) = at.filter(|at| *at != self.active) {
            let text = format!("tab {} has a request (Alt-{})", at + 1, at + 1);
            self.toast(Tone::Warning, text, now);
        } else if self.dialog.is_some() {
            let text = "the agent has a request: Esc closes this";
            self.toast(Tone::Warning, text, now);
            if let Some(toast) = &mut self.toast {
                toast.ends = ToastEnd::DialogClosed;
            }
        }
    }

    fn form_requested(
        &mut self,
        number: u64,
        request: &v1::CreateElicitationRequest,
        now: Instant,
    ) {
        let session = match &request.scope {
            v1::ElicitationScope::Session(scope) => self.session_with_tab(scope.session_id.clone()),
            v1::ElicitationScope::Request(_) => None,
            _ => None,
        };
        let what = match &request.mode {
            v1::ElicitationMode::Form(mode) => {
                let form = Form::new(&request.message, &mode.requested_schema);
                Some(RequestDialog::Form(number, Box::new(form)))
            }
            v1::ElicitationMode::Url(mode) => Some(RequestDialog::Url(
                number,
                UrlPrompt::new(&request.message, &mode.url),
            )),
            v1::ElicitationMode::Other(_) => None,
            _ => None,
        };
        let is_shown = what.is_some_and(|what| self.requests.push(session.clone(), what));
        if is_shown {
            return self.announce_request(session.as_ref(), now);
        }
        self.submit(Command::AnswerForm {
            form: number,
            action: v1::ElicitationAction::Cancel,
        });
        let text = "cancelled a request of a kind that can't be shown here";
        self.toast(Tone::Warning, text, now);
    }

    fn invalid_output(&mut self, count: u64, line: &str, now: Instant) {
        let text = match count {
            1 => format!("the agent wrote a line that is not a message: {line}"),
            count => format!("the agent wrote {count} lines that are not messages; first: {line}"),
        };
        self.toast(Tone::Warning, text.clone(), now);
        if count == 1 {
            self.tab_mut().remark(Tone::Warning, text);
        }
    }

    fn agent_exited(&mut self, reason: String, stderr: Vec<String>) {
        self.agent_status = AgentStatus::Exited;
        for tab in &mut self.tabs {
            tab.suspend();
            tab.remark(Tone::Bad, reason.clone());
        }
        self.requests
            .replace_all(RequestDialog::AgentExit(AgentExitDialog::new(
                reason, stderr,
            )));
    }

    /// The tab of a session, also while the agent replays its history.
    pub(super) fn tab_of(&mut self, session: &v1::SessionId) -> Option<&mut Tab> {
        let mut tabs = self.tabs.iter_mut();
        tabs.find(|tab| tab.session() == Some(session) || tab.awaits_session(session))
    }
}

impl Tab {
    fn mark_unread(&mut self, active: u64) {
        if self.number != active {
            self.activity = Activity::Unread;
        }
    }
}

impl AgentRequest {
    fn is_prompt(&self, number: u64) -> bool {
        matches!(&self.dialog, RequestDialog::Permission(dialog) if dialog.prompt.id == number)
    }

    fn is_form(&self, number: u64) -> bool {
        match &self.dialog {
            RequestDialog::Form(form, _) | RequestDialog::Url(form, _) => *form == number,
            RequestDialog::Permission(_)
            | RequestDialog::Login(_)
            | RequestDialog::LoginProgram(_)
            | RequestDialog::AgentExit(_) => false,
        }
    }
}

/// The text of content blocks on one line.
pub(in crate::chat) fn content_line(content: &[v1::ContentBlock]) -> String {
    let texts = content.iter().map(|block| match block {
        v1::ContentBlock::Text(content) => text::safe_line(&content.text),
        other => format!("[{}]", other.tag()),
    });
    texts.collect::<Vec<_>>().join(" ")
}
