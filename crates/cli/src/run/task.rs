//! Runs one prompt: opens and configures a session, sends the prompt, and prints the turn.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use std::future::pending;
use std::io::ErrorKind;
use std::time::Duration;

use attache::v1;
use attache_client::archive::Recorder;
use attache_client::command::{Command, OpenRequest, PermissionAnswer, SessionStart};
use attache_client::event::{CommandFailure, Event, FailureKind, OpenedSession, PermissionPrompt};
use attache_client::print::{Printer, PrinterOutput};
use attache_client::session_setting::SettingChoices;
use attache_client::{Conversation, prompt};
use attache_host::permissions::{Expiry, Scope};
use tokio::time::{Instant, sleep_until};

use super::RunRequest;
use super::exec_denials::ExecDenials;
use super::output::OutputWriter;
use crate::exit::{self, Exit};
use crate::prepare::SessionChoice;
use crate::signals::Interrupts;
use crate::text;

pub(super) struct RunTask {
    pub(super) conversation: Conversation,
    pub(super) opening: OpenRequest,
    pub(super) recorder: Recorder,
    pub(super) request: RunRequest,
    /// How to log in to this agent, if known.
    pub(super) login: Option<&'static str>,
    pub(super) printer: Printer,
    pub(super) output: OutputWriter,
    pub(super) interrupts: Interrupts,
    pub(super) progress: Progress,
    pub(super) exec_denials: ExecDenials,
}

/// The progress of a run.
#[derive(Debug, Default)]
pub(super) struct Progress {
    session: Option<v1::SessionId>,
    choices: SettingChoices,
    denied: usize,
    /// The exit code, if the run was cut short.
    cut: Option<Exit>,
}

/// What a run waits for.
enum RunEvent {
    Event(Event),
    Interrupted,
    TimeUp,
    /// The turn did not end after it was cancelled, or the user pressed Ctrl-C again.
    StopNow,
    OutputLost(ErrorKind),
}

impl RunTask {
    pub(super) async fn run(mut self, time: Option<Duration>) -> anyhow::Result<Exit> {
        let mut deadline = time.and_then(|time| Instant::now().checked_add(time));
        let outcome = loop {
            match self.next_event(deadline).await {
                RunEvent::Event(event) => {
                    if let Some(outcome) = self.handle_event(event) {
                        break outcome;
                    }
                }
                RunEvent::Interrupted => {
                    deadline = Some(Instant::now() + CANCEL_TIMEOUT);
                    if !self.cancel_turn(Exit::Interrupted) {
                        break Ok(Exit::Interrupted);
                    }
                    self.output.note(
                        "attache: cancelling; Ctrl-C again stops the agent at once".to_owned(),
                    );
                }
                RunEvent::TimeUp => {
                    deadline = Some(Instant::now() + CANCEL_TIMEOUT);
                    if !self.cancel_turn(Exit::TimedOut) {
                        break Ok(Exit::TimedOut);
                    }
                }
                RunEvent::StopNow => break Ok(self.progress.cut.unwrap_or(Exit::Interrupted)),
                RunEvent::OutputLost(ErrorKind::BrokenPipe) => break Ok(Exit::Unread),
                RunEvent::OutputLost(why) => {
                    break Err(anyhow::anyhow!("the answer cannot be written: {why}"));
                }
            }
        };
        self.shut_down(outcome, time).await
    }

    /// Waits for the next event. Takes no event of the conversation while the output queue is full, unless the run ends.
    async fn next_event(&mut self, deadline: Option<Instant>) -> RunEvent {
        let presses = match self.progress.cut {
            Some(Exit::Interrupted) => 2,
            _ => 1,
        };
        let is_cut = self.progress.cut.is_some();
        let mut interrupts = self.interrupts.clone();
        let (conversation, output) = (&mut self.conversation, &self.output);
        let event = async {
            if !is_cut {
                output.wait_for_room().await;
            }
            conversation.next().await
        };
        let late = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = interrupts.wait_for(presses) => if is_cut { RunEvent::StopNow } else { RunEvent::Interrupted },
            () = late => if is_cut { RunEvent::StopNow } else { RunEvent::TimeUp },
            why = output.wait_until_lost() => RunEvent::OutputLost(why),
            event = event => RunEvent::Event(event),
        }
    }

    /// Cancels the turn. Returns whether one was running.
    fn cancel_turn(&mut self, exit: Exit) -> bool {
        self.progress.cut = Some(exit);
        match &self.progress.session {
            Some(session) if self.conversation.is_busy(session) => {
                self.conversation.submit(Command::Cancel(session.clone()));
                true
            }
            _ => false,
        }
    }

    /// Handles an event. Returns the result when the run ends.
    fn handle_event(&mut self, event: Event) -> Option<anyhow::Result<Exit>> {
        self.recorder.record(&event);
        self.print_exec_denials();
        let pieces = self.printer.print_event(&event);
        self.print(pieces);
        match event {
            Event::TurnStarted { .. } => self.exec_denials.start_turn(),
            Event::AgentReady(initialized) => {
                return self
                    .open_session(&initialized.agent_capabilities)
                    .err()
                    .map(Err);
            }
            Event::SessionsListed(page) => return self.resume_latest(page),
            Event::SessionOpened(opened) => return self.session_opened(*opened),
            Event::ModeSet { .. } => return self.set_or_prompt(),
            Event::OptionsSet { options, .. } => {
                self.progress.choices.options = options;
                return self.set_or_prompt();
            }
            Event::PermissionDecided { is_allowed, .. } => {
                self.progress.denied += usize::from(!is_allowed)
            }
            Event::PermissionRequested(question) => self.deny(&question),
            Event::Problem(why) | Event::Notice(why) => {
                self.output.note(format!("attache: {}", text::line(&why)))
            }
            Event::FormRequested { form, .. } => {
                let action = v1::ElicitationAction::Cancel;
                self.conversation
                    .submit(Command::AnswerForm { form, action });
            }
            Event::TurnEnded { outcome, .. } => return self.turn_ended(outcome),
            Event::CommandFailed(failure) => return self.command_failed(&failure),
            Event::AgentExited { reason: how, .. } => return Some(Err(anyhow::anyhow!("{how}"))),
            // The printer and the recorder have seen these; the run waits for something else.
            Event::SessionClosed(_)
            | Event::SessionDeleted(_)
            | Event::QueueChanged { .. }
            | Event::Steered { .. }
            | Event::Update(_)
            | Event::PermissionWithdrawn(_)
            | Event::DecisionRemembered { .. }
            | Event::DecisionUndone { .. }
            | Event::FormWithdrawn(_)
            | Event::FormCompleted(_)
            | Event::TerminalChanged(_)
            | Event::LoginRequired(_)
            | Event::LoggedIn(_)
            | Event::LoggedOut
            | Event::InvalidOutput { .. } => {}
        }
        None
    }

    fn open_session(&mut self, offered: &v1::AgentCapabilities) -> anyhow::Result<()> {
        let sessions = &offered.session_capabilities;
        let start = match self.request.session.clone() {
            SessionChoice::New => SessionStart::New,
            SessionChoice::Load(id) if offered.load_session || sessions.resume.is_none() => {
                SessionStart::Load(id)
            }
            SessionChoice::Resume(id) if sessions.resume.is_some() || !offered.load_session => {
                SessionStart::Resume(id)
            }
            SessionChoice::Load(id) => SessionStart::Resume(id),
            SessionChoice::Resume(id) => SessionStart::Load(id),
            SessionChoice::Latest if sessions.list.is_none() => {
                anyhow::bail!("the agent cannot list its sessions; name one with --resume=ID")
            }
            SessionChoice::Latest => {
                let cwd = Some(self.opening.cwd.clone());
                let cursor = None;
                self.conversation
                    .submit(Command::ListSessions { cwd, cursor });
                return Ok(());
            }
        };
        self.opening.start = start;
        let opening = self.opening.clone();
        self.conversation.submit(Command::OpenSession(opening));
        Ok(())
    }

    /// Resumes the latest session. Agents list the latest session first; times take precedence if the agent reports them.
    fn resume_latest(&mut self, page: v1::ListSessionsResponse) -> Option<anyhow::Result<Exit>> {
        let cwd = self.opening.cwd.clone();
        let here = page.sessions.into_iter();
        let here = here.filter(|session| session.cwd.as_path() == cwd);
        let mut here: Vec<v1::SessionInfo> = here.collect();
        here.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        let Some(latest) = here.into_iter().next() else {
            let why = anyhow::anyhow!("the agent has no session of {}", cwd.display());
            return Some(Ok(self.fail(Exit::NoSession, &why)));
        };
        self.request.session = SessionChoice::Resume(latest.session_id);
        let offered = self
            .conversation
            .agent()
            .map(|initialized| initialized.agent_capabilities.clone());
        let opened = self.open_session(&offered.unwrap_or_default());
        opened.err().map(Err)
    }

    fn session_opened(&mut self, opened: OpenedSession) -> Option<anyhow::Result<Exit>> {
        self.progress.session = Some(opened.session);
        self.progress.choices.modes = opened.modes;
        self.progress.choices.options = opened.options;
        self.set_or_prompt()
    }

    /// Applies the next setting; after the last one, sends the prompt.
    fn set_or_prompt(&mut self) -> Option<anyhow::Result<Exit>> {
        let session = self.progress.session.clone()?;
        let command = match self.request.settings.pop_front() {
            Some(setting) => {
                let command = setting.command(&session, &self.progress.choices);
                command.map_err(Into::into)
            }
            None => self.prompt(session),
        };
        match command {
            Ok(command) => {
                self.conversation.submit(command);
                None
            }
            Err(error) => Some(Ok(self.fail(Exit::Usage, &error))),
        }
    }

    fn prompt(&self, session: v1::SessionId) -> anyhow::Result<Command> {
        let initialized = self.conversation.agent();
        let offered = initialized
            .map(|initialized| initialized.agent_capabilities.prompt_capabilities.clone());
        let offered = offered.unwrap_or_default();
        let content = prompt::compose(&self.request.prompt, &self.request.files, &offered)?;
        Ok(Command::Prompt { session, content })
    }

    /// Denies a request that a rule wants the user to answer, because there is no user.
    fn deny(&mut self, prompt: &PermissionPrompt) {
        self.progress.denied += 1;
        let remark = format!(
            "denied, because no user can be asked: {}",
            prompt.long_summary()
        );
        let pieces = self.printer.print_remark(&remark);
        self.print(pieces);
        self.conversation.submit(Command::AnswerPermission {
            prompt: prompt.id,
            answer: PermissionAnswer::Reject {
                remember: Scope::Once,
            },
            expiry: Expiry::Never,
        });
    }

    fn turn_ended(
        &mut self,
        outcome: Result<v1::PromptResponse, CommandFailure>,
    ) -> Option<anyhow::Result<Exit>> {
        if let Some(cut) = self.progress.cut {
            return Some(Ok(cut));
        }
        match outcome {
            Ok(answer) => Some(Ok(self.exit_for(&answer.stop_reason))),
            Err(failure) => self.command_failed(&failure),
        }
    }

    fn exit_for(&mut self, reason: &v1::StopReason) -> Exit {
        let ends_turn = *reason == v1::StopReason::EndTurn;
        // Some agents end the turn when a request is denied.
        let may_be_denied = ends_turn || *reason == v1::StopReason::Cancelled;
        if may_be_denied && (self.progress.denied > 0 || self.exec_denials.are_in_turn()) {
            return Exit::Denied;
        }
        if ends_turn {
            return Exit::Done;
        }
        let reason = text::line(reason.as_str());
        self.output.note(format!("attache: stopped: {reason}"));
        Exit::Failed
    }

    fn command_failed(&mut self, failure: &CommandFailure) -> Option<anyhow::Result<Exit>> {
        let why = &failure.reason;
        let exit = match failure.kind {
            // The next event is the agent's exit.
            FailureKind::AgentExited => return None,
            FailureKind::LoginRequired => {
                let why = anyhow::anyhow!(
                    "the agent requires a login first: {why}{}",
                    self.login_hint()
                );
                return Some(Err(why));
            }
            FailureKind::NoSession => Exit::NoSession,
            FailureKind::Refused
            | FailureKind::NotOffered
            | FailureKind::TimedOut
            | FailureKind::Local => Exit::Failed,
        };
        let error = match (&self.request.session, exit) {
            (SessionChoice::Load(id) | SessionChoice::Resume(id), Exit::NoSession) => {
                anyhow::anyhow!(
                    "the agent has no session `{id}`: {why}; omit it to start a new session"
                )
            }
            _ => match self.conversation.last_stderr_line() {
                Some(words) => anyhow::anyhow!("{why} (the agent's stderr: {words})"),
                None => anyhow::anyhow!("{why}"),
            },
        };
        Some(Ok(self.fail(exit, &error)))
    }

    /// Prints an error after the output so far.
    fn fail(&mut self, exit: Exit, error: &anyhow::Error) -> Exit {
        let pieces = self.printer.end();
        self.print(pieces);
        self.output.note(exit::error_line(error));
        exit
    }

    fn login_hint(&self) -> String {
        let methods = self
            .conversation
            .agent()
            .map(|initialized| &initialized.auth_methods);
        let names = methods
            .into_iter()
            .flatten()
            .filter_map(|method| match method {
                v1::AuthMethod::Agent(method) => Some(method.name.as_str()),
                v1::AuthMethod::Terminal(method) => Some(method.name.as_str()),
                v1::AuthMethod::Other(_) => None,
                _ => None,
            });
        // Control characters are made visible when the text is printed.
        let names: Vec<&str> = names.collect();
        let offered = match names.is_empty() {
            true => String::new(),
            false => format!("; login methods: {}", names.join(", ")),
        };
        match self.login {
            Some(hint) => format!("{offered}; {hint}"),
            None => format!("{offered}; `attache chat` with this agent lets you log in"),
        }
    }

    fn print_exec_denials(&mut self) {
        for line in self.exec_denials.new_lines() {
            let pieces = self.printer.print_remark(&line);
            self.print(pieces);
        }
    }

    fn print(&self, pieces: Vec<PrinterOutput>) {
        // The output of a run that was cut short may be incomplete.
        if self.progress.cut.is_some() && !self.output.has_room() {
            return;
        }
        for piece in pieces {
            match piece {
                PrinterOutput::Answer(text) => self.output.answer(text),
                PrinterOutput::Note(text) => self.output.note(text),
            }
        }
    }

    /// Stops the agent while the remaining output is written. After an interrupt, does not wait for a slow reader.
    async fn shut_down(
        mut self,
        outcome: anyhow::Result<Exit>,
        time: Option<Duration>,
    ) -> anyhow::Result<Exit> {
        let pieces = match self.conversation.invalid_lines() {
            0 | 1 => self.printer.end(),
            count => {
                let said = format!("skipped {count} lines that are not messages");
                self.printer.print_remark(&said)
            }
        };
        self.print(pieces);
        if let (Ok(Exit::TimedOut), Some(time)) = (&outcome, time) {
            let seconds = time.as_secs_f64();
            self.output
                .note(format!("attache: timed out after {seconds} s"));
        }
        let was_cut = self.progress.cut.is_some();
        let mut interrupts = self.interrupts;
        let answer = wait_until_written(&self.output, &mut interrupts, was_cut);
        tokio::join!(self.conversation.stop(), answer);
        if !was_cut {
            // All denied programs are known only after the agent has stopped.
            self.exec_denials.settle().await;
        }
        for line in self.exec_denials.new_lines() {
            for piece in self.printer.print_remark(&line) {
                match piece {
                    PrinterOutput::Answer(text) => self.output.answer(text),
                    PrinterOutput::Note(text) => self.output.note(text),
                }
            }
        }
        let outcome = match outcome {
            Ok(Exit::Done) if self.exec_denials.are_in_turn() => Ok(Exit::Denied),
            outcome => outcome,
        };
        if matches!(outcome, Ok(Exit::Denied)) {
            self.output.note(DENIED.to_owned());
        }
        wait_until_written(&self.output, &mut interrupts, was_cut).await;
        self.recorder.finish();
        outcome
    }
}

/// Waits until the remaining output is written, or the user interrupts.
async fn wait_until_written(output: &OutputWriter, interrupts: &mut Interrupts, was_cut: bool) {
    tokio::select! {
        () = output.finish() => {}
        _ = output.wait_until_lost() => {}
        () = interrupts.wait_for(1), if !was_cut => {}
        () = tokio::time::sleep(FINAL_WRITE_TIMEOUT), if was_cut => {}
    }
}

const DENIED: &str = "attache: something was denied; see --approve-all and --policy";
/// Time for a cancelled turn to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for the remaining output of a run that was cut short.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_millis(500);
