//! The agent's life cycle: start, `initialize`, exit and restart.

use std::time::Duration;

use attache::process::{self, Child, ChildExit, Program, Stdin, Stdout, StopStep, StopTimeouts};
use attache::{CloseReason, client, v1};
use attache_host::{Host, audit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::wire::{ObservedReader, ObservedWriter};
use super::{Conversation, failure};
use crate::event::Event;

/// The agent's state.
#[derive(Debug)]
pub(super) enum AgentStatus {
    /// Started, but has not responded to `initialize`.
    Starting,
    Ready,
    /// The connection is closed, but earlier messages are still being handled. Contains the exit once it is known.
    Ending(Option<AgentExit>),
    Gone,
}

/// How the agent ended.
#[derive(Debug)]
pub(super) struct AgentExit {
    reason: String,
    stderr: Vec<String>,
}

/// Why the connection ends.
enum EndCause {
    Closed(CloseReason),
    /// Closed before the agent responded to `initialize`.
    ClosedEarly(CloseReason),
    GivenUp(String),
}

type LaunchResult = Result<(Child, Stdin, Stdout), process::Error>;

impl Conversation {
    /// Starts the program after stopping the previous one.
    pub(super) fn launch(&mut self, program: Program) {
        self.status = AgentStatus::Starting;
        let before = self.child.take();
        let host = self.setup.host.clone();
        let sessions = self.sessions.ids();
        let watcher = self.setup.watcher.clone();
        let program = self.with_watcher(program);
        let started = async move {
            for session in sessions {
                host.suspend(&session).await;
            }
            if let Some(child) = before {
                child.stop(StopTimeouts::default()).await;
            }
            let mut started = start(host, program).await;
            if let (Some(watcher), Ok((child, ..))) = (watcher, &mut started.0) {
                watcher.follow(child, None);
            }
            started
        };
        self.run_then(started, Conversation::program_started);
    }

    /// The program under the watch of the policy's command rules, with everything that it starts.
    pub(super) fn with_watcher(&self, program: Program) -> Program {
        match &self.setup.watcher {
            Some(watcher) => {
                let watch = watcher.watch_in(program.working_directory());
                program.watch(watch)
            }
            None => program,
        }
    }

    fn program_started(&mut self, (started, notices): (LaunchResult, Vec<String>)) {
        for notice in notices {
            self.emit(Event::Problem(notice));
        }
        match started {
            Ok((child, stdin, stdout)) => {
                self.child = Some(child);
                self.connect_streams(stdout, stdin);
            }
            Err(error) => self.agent_exited(AgentExit {
                reason: error.to_string(),
                stderr: Vec::new(),
            }),
        }
    }

    /// Connects to the agent and sends `initialize`.
    pub(super) fn connect_streams<R, W>(&mut self, read: R, write: W)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let read = ObservedReader::new(read, &self.setup.listeners, &self.invalid_lines);
        let write = ObservedWriter::new(write, &self.setup.listeners);
        let (agent, calls) = client::connect(read, write, (self.setup.options)());
        let name = self.setup.agent.as_str();
        let log = &self.setup.host.log;
        log.append(&audit::Event::Started { agent: name });
        self.calls = Some(calls);
        self.agent = Some(agent.clone());

        let initialized = v1::InitializeRequest::new(v1::ProtocolVersion::V1)
            .client_capabilities(self.setup.offer.clone())
            .client_info(self.setup.info.clone());
        let time = self.setup.times.initialize;
        let initialized = {
            let agent = agent.clone();
            async move { timeout(time, agent.initialize(initialized)).await }
        };
        self.run_then(initialized, |conversation, answer| match answer {
            Ok(Ok(initialized)) => conversation.agent_ready(initialized),
            // The exit is reported when its reason is known.
            Ok(Err(error)) if error.is_closed() => {}
            Ok(Err(error)) => {
                conversation.give_up(format!("the agent rejected `initialize`: {}", error.kind()))
            }
            Err(_) => {
                conversation.give_up(no_initialize_response(conversation.setup.times.initialize))
            }
        });
        self.run_then(async move { agent.closed().await }, |conversation, why| {
            conversation.end(EndCause::Closed(why));
        });
    }

    fn agent_ready(&mut self, initialized: v1::InitializeResponse) {
        self.initialized = Some(initialized.clone());
        self.status = AgentStatus::Ready;
        self.emit(Event::AgentReady(Box::new(initialized)));
        for command in std::mem::take(&mut self.early) {
            self.submit(command);
        }
    }

    /// Disconnects from an agent that did not initialize.
    fn give_up(&mut self, reason: String) {
        if let Some(agent) = &self.agent {
            agent.close();
        }
        self.end(EndCause::GivenUp(reason));
    }

    /// The connection is closed: stops the agent and finds out how it exited.
    fn end(&mut self, mut cause: EndCause) {
        if matches!(self.status, AgentStatus::Ending(_) | AgentStatus::Gone) {
            return;
        }
        if let (AgentStatus::Starting, EndCause::Closed(why)) = (&self.status, &cause) {
            cause = EndCause::ClosedEarly(why.clone());
        }
        self.status = AgentStatus::Ending(None);
        self.withdraw_all("the agent exited");
        self.served.clear();
        let host = self.setup.host.clone();
        let sessions = self.sessions.ids();
        let child = self.child.take();
        let ended = async move {
            let ending = match &child {
                Some(child) => Some(wait_or_stop(child).await),
                None => None,
            };
            for session in sessions {
                host.suspend(&session).await;
            }
            AgentExit::of(&cause, ending)
        };
        self.run_then(ended, |conversation, exit| {
            if conversation.calls.is_some() {
                conversation.status = AgentStatus::Ending(Some(exit));
            } else {
                conversation.agent_exited(exit);
            }
        });
    }

    /// All messages of the agent have been handled.
    pub(super) fn calls_ended(&mut self) {
        self.calls = None;
        if let AgentStatus::Ending(exit @ Some(_)) = &mut self.status
            && let Some(exit) = exit.take()
        {
            self.agent_exited(exit);
        }
    }

    fn agent_exited(&mut self, exit: AgentExit) {
        self.status = AgentStatus::Gone;
        self.clear_agent();
        for command in std::mem::take(&mut self.early) {
            self.submit(command);
        }
        let AgentExit { reason, stderr } = exit;
        self.emit(Event::AgentExited { reason, stderr });
    }

    pub(super) fn restart(&mut self) {
        let Some(program) = self.program.clone() else {
            let why = "the agent was not started here, so it cannot be started again";
            return self.fail(failure::not_offered("initialize", why));
        };
        self.withdraw_all("the agent was restarted");
        // Dropping requests cancels them.
        self.work.clear();
        self.served.clear();
        self.clear_agent();
        self.launch(program);
    }

    /// Ends all turns and suspends all sessions of an agent that has exited.
    fn clear_agent(&mut self) {
        self.agent = None;
        self.calls = None;
        self.initialized = None;
        // Decisions for "this session" end with the process. A session that is continued starts without them.
        for session in self.sessions.ids() {
            self.setup.host.permissions.end_session(&session);
        }
        for session in self.sessions.suspend() {
            let outcome = Err(failure::agent_exited("session/prompt"));
            self.emit(Event::TurnEnded { session, outcome });
        }
    }
}

/// Starts the agent with denied paths hidden from it. Tries again when a denied path was moved meanwhile.
async fn start(host: Host, program: Program) -> (LaunchResult, Vec<String>) {
    let mut tries = 0..MOST_TRIES;
    loop {
        let (host, wanted) = (host.clone(), program.clone());
        let confined = tokio::task::spawn_blocking(move || host.confine_agent(wanted)).await;
        let Ok((confined, notices)) = confined else {
            return (Err(process::Error::NoRuntime), Vec::new());
        };
        let started = confined.spawn_piped().await;
        let has_moved = matches!(started, Err(process::Error::Moved { .. }));
        if !has_moved || tries.next().is_none() {
            return (started, notices);
        }
    }
}

/// Waits a moment for the agent to exit, then stops it.
async fn wait_or_stop(child: &Child) -> ChildExit {
    match timeout(SOON, child.wait()).await {
        Ok(ending) => ending,
        Err(_) => child.stop(StopTimeouts::default()).await,
    }
}

impl AgentExit {
    fn of(cause: &EndCause, ending: Option<ChildExit>) -> AgentExit {
        let stderr = ending.as_ref().map(last_lines).unwrap_or_default();
        let reason = match cause {
            EndCause::GivenUp(reason) => reason.clone(),
            EndCause::Closed(why) => ended_by(why, ending),
            EndCause::ClosedEarly(why) => {
                let ended = ended_by(why, ending);
                format!("the agent ended before it responded to `initialize`: {ended}")
            }
        };
        AgentExit { reason, stderr }
    }
}

/// Why the agent ended. The process's exit says more than the connection's end.
fn ended_by(why: &CloseReason, ending: Option<ChildExit>) -> String {
    match (why, ending) {
        (CloseReason::PeerClosed, Some(ending)) if ending.step > StopStep::Own => {
            "the agent closed its output and was stopped".to_owned()
        }
        (CloseReason::PeerClosed | CloseReason::Io(_), Some(ending)) => ending.to_string(),
        (CloseReason::PeerClosed, None) => "the agent closed the connection".to_owned(),
        (why, _) => why.to_string(),
    }
}

fn last_lines(ending: &ChildExit) -> Vec<String> {
    let lines = ending.stderr.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    let first = lines.len().saturating_sub(LAST_LINES);
    lines[first..].to_vec()
}

fn no_initialize_response(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("the agent did not respond to `initialize` within {seconds} s; is it an ACP agent?")
}

/// Maximum restarts because a denied path was moved meanwhile.
const MOST_TRIES: usize = 3;
const SOON: Duration = Duration::from_secs(1);
const LAST_LINES: usize = 20;
