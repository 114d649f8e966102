//! `attache run`: one prompt, headless.

mod approval;
mod interrupt;
mod output;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use attache::client::{self, AgentHandle, AgentSession, ClientCalls};
use attache::process::{Child, Ladder, Program};
use attache::{CallError, Closed, Options, v1};
use tokio::time::{sleep, timeout};

use crate::arguments::Run;
use crate::exit::{self, Exit};
use approval::Policy;
use interrupt::Interrupts;
use output::Output;

pub(crate) async fn run(run: Run) -> anyhow::Result<Exit> {
    let (cwd, prompt) = match asked(&run) {
        Ok(asked) => asked,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    let mut interrupts = Interrupts::new();
    let Some((name, arguments)) = run.agent.split_first() else {
        bail!("no agent: give its command after `--`");
    };
    let program = Program::new(name).args(arguments).cwd(&cwd);
    let started = client::spawn(&program, Options::default()).await;
    // Its text already names the cause.
    let (agent, mut calls, child) = started.map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut output = Output::new(Policy::of(&run.approval));
    let time = run.timeout.map_or(Duration::MAX, Duration::from_secs);
    let conversation = Conversation {
        agent: &agent,
        cwd: &cwd,
        prompt: &prompt,
        interrupts: interrupts.clone(),
    };
    let outcome = tokio::select! {
        outcome = conversation.hold(&mut calls, &mut output) => outcome,
        () = sleep(time) => Ok(Exit::TimedOut),
        () = interrupts.reach(2) => Ok(Exit::Interrupted),
    };
    output.end();
    let exit = match outcome {
        Ok(exit) => exit,
        Err(error) => exit::fail(Exit::Failed, &explained(error, &child).await),
    };
    if exit == Exit::TimedOut {
        eprintln!("attache: the time was up after {} s", time.as_secs());
    }
    agent.close();
    child.stop(Ladder::default()).await;
    Ok(exit)
}

/// Where to work and what to ask.
fn asked(run: &Run) -> anyhow::Result<(PathBuf, String)> {
    let cwd = match &run.cwd {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("--cwd {}", path.display()))?,
        None => std::env::current_dir().context("the current directory")?,
    };
    let mut prompt = run.prompt.join(" ");
    if prompt == "-" {
        prompt.clear();
        let read = std::io::stdin().read_to_string(&mut prompt);
        read.context("standard input")?;
    }
    Ok((cwd, prompt))
}

struct Conversation<'a> {
    agent: &'a AgentHandle,
    cwd: &'a Path,
    prompt: &'a str,
    interrupts: Interrupts,
}

impl Conversation<'_> {
    /// Starts a session, sends the prompt, and shows what comes until the turn has ended.
    async fn hold(mut self, calls: &mut ClientCalls, output: &mut Output) -> anyhow::Result<Exit> {
        let mut early = self.interrupts.clone();
        let session = tokio::select! {
            session = self.begin() => session?,
            () = early.reach(1) => return Ok(Exit::Interrupted),
        };
        output.follow(session.id().clone());
        let loss = output.loss();
        let turn = turn(&session, self.prompt, async {
            tokio::select! {
                () = self.interrupts.reach(1) => Ended::Interrupted,
                () = loss.notified() => Ended::Unread,
            }
        });
        match calls.until(turn, |call| output.take(call)).await? {
            Ended::Stopped(reason) => Ok(output.stopped(&reason)),
            Ended::Interrupted => Ok(Exit::Interrupted),
            Ended::Unread => output.lost(),
        }
    }

    async fn begin(&self) -> anyhow::Result<AgentSession> {
        let us = v1::Implementation::new("attache", env!("CARGO_PKG_VERSION"));
        let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1).client_info(us);
        match timeout(INITIALIZE, self.agent.initialize(hello)).await {
            Ok(Err(CallError::Closed(why @ (Closed::Ended | Closed::Io(_))))) => {
                let error = anyhow::Error::from(CallError::Closed(why));
                return Err(error.context("the agent ended before it answered `initialize`"));
            }
            Ok(answer) => answer.context("the agent does not start")?,
            Err(_) => bail!("the agent does not answer `initialize`; is it an ACP agent?"),
        };
        let cwd = self
            .cwd
            .to_str()
            .context("the directory's name is not UTF-8")?;
        let new = self.agent.ask(v1::NewSessionRequest::new(cwd, [])).await;
        let new = match new {
            Err(error) if error.wants_login() => bail!("the agent wants a login first: {error}"),
            new => new.context("no session")?,
        };
        Ok(self.agent.session(new.session_id))
    }
}

enum Ended {
    Stopped(v1::StopReason),
    Interrupted,
    Unread,
}

/// Runs the turn. When it is to be cut short it is cancelled; an agent that does not stop then is stopped.
async fn turn(
    session: &AgentSession,
    prompt: &str,
    cut_short: impl Future<Output = Ended>,
) -> Result<Ended, CallError> {
    let answer = session.prompt([prompt]);
    tokio::pin!(answer);
    let why = tokio::select! {
        answer = &mut answer => return answer.map(|answer| Ended::Stopped(answer.stop_reason)),
        why = cut_short => why,
    };
    if let Ended::Interrupted = why {
        eprintln!("attache: cancelling; Ctrl-C again stops the agent at once");
    }
    session.cancel().await?;
    // However the turn ends now, it was cut short.
    drop(timeout(CANCEL, answer).await);
    Ok(why)
}

/// An agent that is gone says more about a failure than the failure does, and so do its last words.
async fn explained(error: anyhow::Error, child: &Child) -> anyhow::Error {
    let ended = matches!(
        error.downcast_ref(),
        Some(CallError::Closed(Closed::Ended | Closed::Io(_)))
    );
    if ended && let Ok(ending) = timeout(Duration::from_secs(1), child.wait()).await {
        // The context stays: it tells how far the conversation had come.
        let context = error.to_string();
        let is_context = error.chain().nth(1).is_some();
        let ending = anyhow::anyhow!("{ending}");
        return if is_context {
            ending.context(context)
        } else {
            ending
        };
    }
    let words = child.stderr().text();
    match words.lines().last() {
        Some(last) => anyhow::anyhow!("{error:#} (the agent says: {last})"),
        None => error,
    }
}

const INITIALIZE: Duration = Duration::from_secs(60);
const CANCEL: Duration = Duration::from_secs(5);
