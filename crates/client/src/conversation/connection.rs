//! The agent's life: it starts, says what it can do, ends, and may be started again.

use std::time::Duration;

use attache::process::{self, Child, ChildExit, Program, Stdin, Stdout, StopStep, StopTimeouts};
use attache::{CallError, CloseReason, client, v1};
use attache_host::{Host, audit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::wire::{Reading, Writing};
use super::{Conversation, failure};
use crate::event::Event;

/// How far the agent has come.
#[derive(Debug)]
pub(super) enum Stage {
    /// It was started and has not said what it can do.
    Starting,
    Ready,
    /// It says nothing any more. What it said before is still being taken.
    Ending(Option<Farewell>),
    Gone,
}

/// How it ended, once that is known.
#[derive(Debug)]
pub(super) struct Farewell {
    how: String,
    stderr: Vec<String>,
}

/// Why the conversation ends.
enum Cause {
    Closed(CloseReason),
    /// Before the agent was ready.
    ClosedEarly(CloseReason),
    GivenUp(String),
}

type Started = Result<(Child, Stdin, Stdout), process::Error>;

impl Conversation {
    /// Starts the program, after the one before it has ended.
    pub(super) fn launch(&mut self, program: Program) {
        self.stage = Stage::Starting;
        let before = self.child.take();
        let host = self.setup.host.clone();
        let sessions = self.sessions.ids();
        let watcher = self.setup.watcher.clone();
        let program = self.watched(program);
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
        self.wait(started, Conversation::started);
    }

    /// The program as the rules of the policy are to judge it and everything it starts.
    pub(super) fn watched(&self, program: Program) -> Program {
        match &self.setup.watcher {
            Some(watcher) => {
                let watch = watcher.watch_in(program.working_directory());
                program.watch(watch)
            }
            None => program,
        }
    }

    fn started(&mut self, (started, notices): (Started, Vec<String>)) {
        for notice in notices {
            self.tell(Event::Problem(notice));
        }
        match started {
            Ok((child, stdin, stdout)) => {
                self.child = Some(child);
                self.converse(stdout, stdin);
            }
            Err(error) => self.gone(Farewell {
                how: error.to_string(),
                stderr: Vec::new(),
            }),
        }
    }

    /// Begins the conversation.
    pub(super) fn converse<R, W>(&mut self, read: R, write: W)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let read = Reading::new(read, &self.setup.listeners, &self.garbage);
        let write = Writing::new(write, &self.setup.listeners);
        let (agent, calls) = client::connect(read, write, (self.setup.options)());
        let name = self.setup.agent.as_str();
        let log = &self.setup.host.log;
        log.append(&audit::Event::Started { agent: name });
        self.calls = Some(calls);
        self.agent = Some(agent.clone());

        let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1)
            .client_capabilities(self.setup.offer.clone())
            .client_info(self.setup.info.clone());
        let time = self.setup.times.initialize;
        let initialized = {
            let agent = agent.clone();
            async move { timeout(time, agent.initialize(hello)).await }
        };
        self.wait(initialized, |conversation, answer| match answer {
            Ok(Ok(hello)) => conversation.is_ready(hello),
            // Its end is told when it is known.
            Ok(Err(CallError::Closed(_))) => {}
            Ok(Err(error)) => {
                conversation.give_up(format!("the agent does not take `initialize`: {error}"))
            }
            Err(_) => conversation.give_up(late(conversation.setup.times.initialize)),
        });
        self.wait(async move { agent.closed().await }, |conversation, why| {
            conversation.end(Cause::Closed(why));
        });
    }

    fn is_ready(&mut self, hello: v1::InitializeResponse) {
        self.hello = Some(hello.clone());
        self.stage = Stage::Ready;
        self.tell(Event::AgentReady(Box::new(hello)));
        for command in std::mem::take(&mut self.early) {
            self.submit(command);
        }
    }

    /// Ends an agent that cannot be talked to.
    fn give_up(&mut self, how: String) {
        if let Some(agent) = &self.agent {
            agent.close();
        }
        self.end(Cause::GivenUp(how));
    }

    /// Nothing more will be said, by one side or the other: ends the agent and finds out how it ended.
    fn end(&mut self, mut cause: Cause) {
        if matches!(self.stage, Stage::Ending(_) | Stage::Gone) {
            return;
        }
        if let (Stage::Starting, Cause::Closed(why)) = (&self.stage, &cause) {
            cause = Cause::ClosedEarly(why.clone());
        }
        self.stage = Stage::Ending(None);
        self.withdraw_all("the agent has gone");
        self.served.clear();
        let host = self.setup.host.clone();
        let sessions = self.sessions.ids();
        let child = self.child.take();
        let ended = async move {
            let ending = match &child {
                Some(child) => Some(ended(child).await),
                None => None,
            };
            for session in sessions {
                host.suspend(&session).await;
            }
            Farewell::of(&cause, ending)
        };
        self.wait(ended, |conversation, farewell| {
            if conversation.calls.is_some() {
                conversation.stage = Stage::Ending(Some(farewell));
            } else {
                conversation.gone(farewell);
            }
        });
    }

    /// Everything that the agent said has been taken.
    pub(super) fn heard_all(&mut self) {
        self.calls = None;
        if let Stage::Ending(farewell @ Some(_)) = &mut self.stage
            && let Some(farewell) = farewell.take()
        {
            self.gone(farewell);
        }
    }

    fn gone(&mut self, farewell: Farewell) {
        self.stage = Stage::Gone;
        self.forget_agent();
        for command in std::mem::take(&mut self.early) {
            self.submit(command);
        }
        let Farewell { how, stderr } = farewell;
        self.tell(Event::AgentExited {
            reason: how,
            stderr,
        });
    }

    pub(super) fn restart(&mut self) {
        let Some(program) = self.program.clone() else {
            let why = "the agent was not started here, so it cannot be started again";
            return self.fail(failure::not_offered("initialize", why));
        };
        self.withdraw_all("the agent was restarted");
        // Dropped, they take their calls back and end what they hold.
        self.work.clear();
        self.served.clear();
        self.forget_agent();
        self.launch(program);
    }

    /// Turns end, sessions are closed: they belong to an agent that is no more.
    fn forget_agent(&mut self) {
        self.agent = None;
        self.calls = None;
        self.hello = None;
        // "In this session" was said with this process: a session that is taken up again begins anew.
        for session in self.sessions.ids() {
            self.setup.host.permissions.end_session(&session);
        }
        for session in self.sessions.suspend() {
            let outcome = Err(failure::gone("session/prompt"));
            self.tell(Event::TurnEnded { session, outcome });
        }
    }
}

/// Starts the agent, with what the policy denies hidden from it. What moves at that moment is looked at again.
async fn start(host: Host, program: Program) -> (Started, Vec<String>) {
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

/// How it ended: by itself if it does so soon, otherwise it is stopped.
async fn ended(child: &Child) -> ChildExit {
    match timeout(SOON, child.wait()).await {
        Ok(ending) => ending,
        Err(_) => child.stop(StopTimeouts::default()).await,
    }
}

impl Farewell {
    fn of(cause: &Cause, ending: Option<ChildExit>) -> Farewell {
        let stderr = ending.as_ref().map(last_lines).unwrap_or_default();
        let how = match cause {
            Cause::GivenUp(how) => how.clone(),
            Cause::Closed(why) => ended_by(why, ending),
            Cause::ClosedEarly(why) => {
                let ended = ended_by(why, ending);
                format!("the agent ended before it answered `initialize`: {ended}")
            }
        };
        Farewell { how, stderr }
    }
}

/// How the process ended says more than how the connection did.
fn ended_by(why: &CloseReason, ending: Option<ChildExit>) -> String {
    match (why, ending) {
        (CloseReason::PeerClosed, Some(ending)) if ending.step > StopStep::Own => {
            "the agent has closed its output, and was stopped".to_owned()
        }
        (CloseReason::PeerClosed | CloseReason::Io(_), Some(ending)) => ending.to_string(),
        (CloseReason::PeerClosed, None) => "the agent has closed the connection".to_owned(),
        (why, _) => why.to_string(),
    }
}

fn last_lines(ending: &ChildExit) -> Vec<String> {
    let lines = ending.stderr.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    let first = lines.len().saturating_sub(LAST_LINES);
    lines[first..].to_vec()
}

fn late(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("the agent does not answer `initialize` within {seconds} s; is it an ACP agent?")
}

/// Each time something that must stay hidden was moved meanwhile.
const MOST_TRIES: usize = 3;
const SOON: Duration = Duration::from_secs(1);
const LAST_LINES: usize = 20;
