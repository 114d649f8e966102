//! One errand: a session is opened and set, a prompt sent, and what comes of it printed, until the turn has ended.

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

use super::asked::Asked;
use super::exec_denials::ExecDenials;
use super::interrupt::Interrupts;
use super::pen::Pen;
use crate::exit::{self, Exit};
use crate::terms::Which;
use crate::text;

pub(super) struct Errand {
    pub(super) conversation: Conversation,
    pub(super) opening: OpenRequest,
    pub(super) recorder: Recorder,
    pub(super) asked: Asked,
    /// How to log in to this agent, if that is known.
    pub(super) login: Option<&'static str>,
    pub(super) printer: Printer,
    pub(super) pen: Pen,
    pub(super) interrupts: Interrupts,
    pub(super) progress: Progress,
    pub(super) exec_denials: ExecDenials,
}

/// How far it has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    session: Option<v1::SessionId>,
    choices: SettingChoices,
    denied: usize,
    /// How it ends, if it was cut short.
    cut: Option<Exit>,
}

/// What has happened beside the conversation.
enum Outside {
    Event(Event),
    Interrupted,
    TimeUp,
    /// The turn does not end although it was cut short, or somebody is impatient.
    Enough,
    Lost(ErrorKind),
}

impl Errand {
    pub(super) async fn run(mut self, time: Option<Duration>) -> anyhow::Result<Exit> {
        let mut deadline = time.and_then(|time| Instant::now().checked_add(time));
        let outcome = loop {
            match self.wait(deadline).await {
                Outside::Event(event) => {
                    if let Some(outcome) = self.take(event) {
                        break outcome;
                    }
                }
                Outside::Interrupted => {
                    deadline = Some(Instant::now() + CANCEL);
                    if !self.cut_short(Exit::Interrupted) {
                        break Ok(Exit::Interrupted);
                    }
                    self.pen.note(
                        "attache: cancelling; Ctrl-C again stops the agent at once".to_owned(),
                    );
                }
                Outside::TimeUp => {
                    deadline = Some(Instant::now() + CANCEL);
                    if !self.cut_short(Exit::TimedOut) {
                        break Ok(Exit::TimedOut);
                    }
                }
                Outside::Enough => break Ok(self.progress.cut.unwrap_or(Exit::Interrupted)),
                Outside::Lost(ErrorKind::BrokenPipe) => break Ok(Exit::Unread),
                Outside::Lost(why) => {
                    break Err(anyhow::anyhow!("the answer cannot be written: {why}"));
                }
            }
        };
        self.end(outcome, time).await
    }

    /// Nothing more is heard while too much waits to be printed, unless it is to end anyway.
    async fn wait(&mut self, deadline: Option<Instant>) -> Outside {
        let presses = match self.progress.cut {
            Some(Exit::Interrupted) => 2,
            _ => 1,
        };
        let is_cut = self.progress.cut.is_some();
        let mut interrupts = self.interrupts.clone();
        let (conversation, pen) = (&mut self.conversation, &self.pen);
        let event = async {
            if !is_cut {
                pen.room().await;
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
            () = interrupts.reach(presses) => if is_cut { Outside::Enough } else { Outside::Interrupted },
            () = late => if is_cut { Outside::Enough } else { Outside::TimeUp },
            why = pen.lost() => Outside::Lost(why),
            event = event => Outside::Event(event),
        }
    }

    /// Cancels the turn; whether there was one.
    fn cut_short(&mut self, exit: Exit) -> bool {
        self.progress.cut = Some(exit);
        match &self.progress.session {
            Some(session) if self.conversation.is_busy(session) => {
                self.conversation.submit(Command::Cancel(session.clone()));
                true
            }
            _ => false,
        }
    }

    /// How it ends, once it does.
    fn take(&mut self, event: Event) -> Option<anyhow::Result<Exit>> {
        self.recorder.record(&event);
        self.print_exec_denials();
        let pieces = self.printer.print_event(&event);
        self.print(pieces);
        match event {
            Event::TurnStarted { .. } => self.exec_denials.begin_turn(),
            Event::AgentReady(hello) => {
                return self.begin(&hello.agent_capabilities).err().map(Err);
            }
            Event::SessionsListed(page) => return self.resume_latest(page),
            Event::SessionOpened(opened) => return self.opened(*opened),
            Event::ModeSet { .. } => return self.go_on(),
            Event::OptionsSet { options, .. } => {
                self.progress.choices.options = options;
                return self.go_on();
            }
            Event::PermissionDecided { is_allowed, .. } => {
                self.progress.denied += usize::from(!is_allowed)
            }
            Event::PermissionRequested(question) => self.deny(&question),
            Event::Problem(why) | Event::Notice(why) => {
                self.pen.note(format!("attache: {}", text::line(&why)))
            }
            Event::FormRequested { form, .. } => {
                let action = v1::ElicitationAction::Cancel;
                self.conversation
                    .submit(Command::AnswerForm { form, action });
            }
            Event::TurnEnded { outcome, .. } => return self.ended(outcome),
            Event::CommandFailed(failure) => return self.failed(&failure),
            Event::AgentExited { reason: how, .. } => return Some(Err(anyhow::anyhow!("{how}"))),
            _ => {}
        }
        None
    }

    fn begin(&mut self, offered: &v1::AgentCapabilities) -> anyhow::Result<()> {
        let sessions = &offered.session_capabilities;
        let start = match self.asked.which.clone() {
            Which::New => SessionStart::New,
            Which::Load(id) if offered.load_session || sessions.resume.is_none() => {
                SessionStart::Load(id)
            }
            Which::Resume(id) if sessions.resume.is_some() || !offered.load_session => {
                SessionStart::Resume(id)
            }
            Which::Load(id) => SessionStart::Resume(id),
            Which::Resume(id) => SessionStart::Load(id),
            Which::Latest if sessions.list.is_none() => {
                anyhow::bail!("the agent cannot list its sessions; name one with --resume=ID")
            }
            Which::Latest => {
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

    /// Agents list the latest first; where they tell when, that counts.
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
        self.asked.which = Which::Resume(latest.session_id);
        let offered = self
            .conversation
            .agent()
            .map(|hello| hello.agent_capabilities.clone());
        let begun = self.begin(&offered.unwrap_or_default());
        begun.err().map(Err)
    }

    fn opened(&mut self, opened: OpenedSession) -> Option<anyhow::Result<Exit>> {
        self.progress.session = Some(opened.session);
        self.progress.choices.modes = opened.modes;
        self.progress.choices.options = opened.options;
        self.go_on()
    }

    /// Sets what is still to be set, then sends the prompt.
    fn go_on(&mut self) -> Option<anyhow::Result<Exit>> {
        let session = self.progress.session.clone()?;
        let command = match self.asked.settings.pop_front() {
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
        let hello = self.conversation.agent();
        let offered = hello.map(|hello| hello.agent_capabilities.prompt_capabilities.clone());
        let offered = offered.unwrap_or_default();
        let content = prompt::compose(&self.asked.prompt, &self.asked.files, &offered)?;
        Ok(Command::Prompt { session, content })
    }

    /// A rule says that a person is to be asked, and nobody is there.
    fn deny(&mut self, asked: &PermissionPrompt) {
        self.progress.denied += 1;
        let remark = format!("denied, because nobody can be asked: {}", asked.summary());
        let pieces = self.printer.print_remark(&remark);
        self.print(pieces);
        self.conversation.submit(Command::AnswerPermission {
            prompt: asked.id,
            answer: PermissionAnswer::Reject {
                remember: Scope::Once,
            },
            expiry: Expiry::Never,
        });
    }

    fn ended(
        &mut self,
        outcome: Result<v1::PromptResponse, CommandFailure>,
    ) -> Option<anyhow::Result<Exit>> {
        if let Some(cut) = self.progress.cut {
            return Some(Ok(cut));
        }
        match outcome {
            Ok(answer) => Some(Ok(self.stopped(&answer.stop_reason))),
            Err(failure) => self.failed(&failure),
        }
    }

    fn stopped(&mut self, reason: &v1::StopReason) -> Exit {
        match reason {
            // Some agents end the turn when they are told no.
            v1::StopReason::EndTurn | v1::StopReason::Cancelled
                if self.progress.denied > 0 || self.exec_denials.are_in_turn() =>
            {
                Exit::Denied
            }
            v1::StopReason::EndTurn => Exit::Done,
            other => {
                let reason = text::line(other.as_str());
                self.pen.note(format!("attache: stopped: {reason}"));
                Exit::Failed
            }
        }
    }

    fn failed(&mut self, failure: &CommandFailure) -> Option<anyhow::Result<Exit>> {
        let why = &failure.reason;
        let exit = match failure.kind {
            // How it went is told next.
            FailureKind::AgentExited => return None,
            FailureKind::LoginRequired => {
                let why =
                    anyhow::anyhow!("the agent requires a login first: {why}{}", self.logins());
                return Some(Err(why));
            }
            FailureKind::NoSession => Exit::NoSession,
            _ => Exit::Failed,
        };
        let error = match (&self.asked.which, exit) {
            (Which::Load(id) | Which::Resume(id), Exit::NoSession) => anyhow::anyhow!(
                "the agent has no session `{id}`: {why}; omit it to start a new session"
            ),
            _ => match self.conversation.last_stderr_line() {
                Some(words) => anyhow::anyhow!("{why} (the agent says: {words})"),
                None => anyhow::anyhow!("{why}"),
            },
        };
        Some(Ok(self.fail(exit, &error)))
    }

    /// Says what went wrong, behind what was printed before.
    fn fail(&mut self, exit: Exit, error: &anyhow::Error) -> Exit {
        let pieces = self.printer.end();
        self.print(pieces);
        self.pen.note(exit::said(error));
        exit
    }

    fn logins(&self) -> String {
        let methods = self.conversation.agent().map(|hello| &hello.auth_methods);
        let names = methods
            .into_iter()
            .flatten()
            .filter_map(|method| match method {
                v1::AuthMethod::Agent(method) => Some(method.name.as_str()),
                v1::AuthMethod::Terminal(method) => Some(method.name.as_str()),
                v1::AuthMethod::Other(_) => None,
            });
        // Whoever prints it makes it visible.
        let names: Vec<&str> = names.collect();
        let offered = match names.is_empty() {
            true => String::new(),
            false => format!("; it offers {}", names.join(", ")),
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
        // What is cut short need not be whole.
        if self.progress.cut.is_some() && !self.pen.has_room() {
            return;
        }
        for piece in pieces {
            match piece {
                PrinterOutput::Answer(text) => self.pen.answer(text),
                PrinterOutput::Note(text) => self.pen.note(text),
            }
        }
    }

    /// Ends the agent while what is left is written. Whoever is in a hurry need not wait for a slow reader.
    async fn end(
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
            self.pen
                .note(format!("attache: timed out after {seconds} s"));
        }
        let was_cut = self.progress.cut.is_some();
        let mut interrupts = self.interrupts;
        let answer = written(&self.pen, &mut interrupts, was_cut);
        tokio::join!(self.conversation.stop(), answer);
        if !was_cut {
            // Only now everything is known that was denied when it was executed.
            self.exec_denials.settle().await;
        }
        for line in self.exec_denials.new_lines() {
            for piece in self.printer.print_remark(&line) {
                match piece {
                    PrinterOutput::Answer(text) => self.pen.answer(text),
                    PrinterOutput::Note(text) => self.pen.note(text),
                }
            }
        }
        let outcome = match outcome {
            Ok(Exit::Done) if self.exec_denials.are_in_turn() => Ok(Exit::Denied),
            outcome => outcome,
        };
        if matches!(outcome, Ok(Exit::Denied)) {
            self.pen.note(DENIED.to_owned());
        }
        written(&self.pen, &mut interrupts, was_cut).await;
        self.recorder.finish();
        outcome
    }
}

/// Waits until what is left is written, unless somebody is in a hurry.
async fn written(pen: &Pen, interrupts: &mut Interrupts, was_cut: bool) {
    tokio::select! {
        () = pen.finish() => {}
        _ = pen.lost() => {}
        () = interrupts.reach(1), if !was_cut => {}
        () = tokio::time::sleep(HURRY), if was_cut => {}
    }
}

const DENIED: &str = "attache: something was denied; see --approve-all and --policy";
/// How long a turn that was cut short may take to end.
const CANCEL: Duration = Duration::from_secs(5);
/// How long what is left may take to be written after that.
const HURRY: Duration = Duration::from_millis(500);
