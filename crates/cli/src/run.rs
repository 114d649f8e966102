//! `attache run`: one prompt, headless.

mod approval;
mod output;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use attache::client::{self, AgentHandle, AgentSession, ClientCalls};
use attache::process::{Child, Ladder, Program};
use attache::{CallError, Options, v1};
use tokio::time::{sleep, timeout};

use crate::arguments::Run;
use crate::exit::{self, Exit};
use approval::Policy;
use output::Output;

pub(crate) async fn run(run: Run) -> anyhow::Result<Exit> {
    let cwd = working_directory(run.cwd.as_deref())?;
    let Some((name, arguments)) = run.agent.split_first() else {
        bail!("no agent: give its command after `--`");
    };
    let program = Program::new(name).args(arguments).cwd(&cwd);
    let (agent, mut calls, child) = client::spawn(&program, Options::default()).await?;
    let mut output = Output::new(Policy::of(&run.approval));
    let time = run.timeout.map_or(Duration::MAX, Duration::from_secs);
    let prompt = run.prompt.join(" ");
    let outcome = tokio::select! {
        outcome = converse(&agent, &mut calls, &cwd, &prompt, &mut output) => outcome,
        () = sleep(time) => Ok(Exit::TimedOut),
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

/// Starts a session, sends the prompt, and shows what comes until the turn has ended.
async fn converse(
    agent: &AgentHandle,
    calls: &mut ClientCalls,
    cwd: &Path,
    prompt: &str,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let us = v1::Implementation::new("attache", env!("CARGO_PKG_VERSION"));
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1).client_info(us);
    let start = agent.initialize(hello);
    match timeout(INITIALIZE, start).await {
        Ok(answer) => answer.context("the agent does not start")?,
        Err(_) => bail!("the agent does not answer `initialize`; is it an ACP agent?"),
    };
    let cwd = cwd.to_str().context("the directory's name is not UTF-8")?;
    let new = agent.ask(v1::NewSessionRequest::new(cwd, [])).await;
    let new = match new {
        Err(error) if error.wants_login() => bail!("the agent wants a login first: {error}"),
        new => new.context("no session")?,
    };
    let session = agent.session(new.session_id);
    let interrupted = async {
        // Where signals cannot be caught nobody can interrupt either.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let turn = turn(&session, prompt, interrupted);
    let ended = calls.until(turn, |call| output.take(call)).await?;
    Ok(match ended {
        Ended::Interrupted => Exit::Interrupted,
        Ended::Stopped(_) if output.has_denied() => Exit::Denied,
        Ended::Stopped(reason) => output.stopped(&reason),
    })
}

enum Ended {
    Stopped(v1::StopReason),
    Interrupted,
}

/// Runs the turn. Ctrl-C cancels it; an agent that does not stop then is stopped.
async fn turn(
    session: &AgentSession,
    prompt: &str,
    interrupted: impl Future<Output = ()>,
) -> Result<Ended, CallError> {
    let answer = session.prompt([prompt]);
    tokio::pin!(answer);
    tokio::select! {
        answer = &mut answer => return answer.map(|answer| Ended::Stopped(answer.stop_reason)),
        () = interrupted => {}
    }
    session.cancel().await?;
    // However the turn ends now, it was interrupted.
    drop(timeout(CANCEL, answer).await);
    Ok(Ended::Interrupted)
}

/// An agent that is gone says more about a failure than the failure does.
async fn explained(error: anyhow::Error, child: &Child) -> anyhow::Error {
    let gone = matches!(error.downcast_ref(), Some(CallError::Closed(_)));
    match timeout(Duration::from_secs(1), child.wait()).await {
        Ok(ending) if gone => anyhow::anyhow!("{ending}"),
        _ => error,
    }
}

fn working_directory(given: Option<&Path>) -> anyhow::Result<std::path::PathBuf> {
    match given {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("--cwd {}", path.display())),
        None => std::env::current_dir().context("the current directory"),
    }
}

const INITIALIZE: Duration = Duration::from_secs(60);
const CANCEL: Duration = Duration::from_secs(5);
