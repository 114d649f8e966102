//! Standing in for an agent: everything passes, and is recorded on the way.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use attache::process::{Child, Ending, Ladder, Status};
use attache::transport;
use attache_check::record::{Secrets, Stream, Tape, relay};

use crate::arguments::Recording;
use crate::exit::{self, Exit};
use crate::{agents, places, text};

pub(super) async fn pass(recording: &Recording) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("the current directory")?;
    let agent = match agents::chosen(&recording.choice, &cwd) {
        Ok(agent) => agent,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    if let Err(error) = agent.locate() {
        return Ok(exit::fail(Exit::Failed, &error.into()));
    }
    let path = match &recording.output {
        Some(path) => path.clone(),
        None => new_file(&agent.name)?,
    };
    let secrets = match recording.no_redact {
        true => Secrets::Kept,
        false => Secrets::Redacted,
    };
    let tape = Tape::create(&path, &agent.name, secrets);
    let tape = tape.with_context(|| format!("cannot record to {}", path.display()))?;
    if recording.output.is_none() {
        let shown = text::line(&path.display().to_string());
        eprintln!("attache: recording; look at it with `attache trace view {shown}`");
    }
    let ending = between(agent.program(), &tape).await?;
    if let Err(fault) = tape.finish(&ending.to_string(), LAST_LINES) {
        eprintln!(
            "attache: the recording is not whole: {}",
            text::line(&fault)
        );
    }
    Ok(Exit::Of(code(ending.status)))
}

/// Passes everything on until the agent has ended.
async fn between(program: attache::process::Program, tape: &Tape) -> anyhow::Result<Ending> {
    let (child, stdin, stdout, stderr) = program.spawn_open().await?;
    let (input, output) = transport::stdio()?;
    let mut signals = Signals::new()?;
    let theirs = tape.clone();
    let to_agent = tokio::spawn(async move {
        // When the agent takes no more, it is gone or will be.
        relay(input, stdin, Stream::Client, &theirs).await.ok();
    });
    let theirs = tape.clone();
    let mut from_agent = tokio::spawn(async move {
        let said = relay(stdout, output, Stream::Agent, &theirs);
        let errors = relay(stderr, tokio::io::stderr(), Stream::Errors, &theirs);
        // When nobody takes what it says, it is told so by its pipe.
        tokio::join!(said, errors)
    });
    let ending = tokio::select! {
        _ = &mut from_agent => child.wait().await,
        () = signals.next() => {
            let ending = stop(&child).await;
            // What it said at last; somebody who does not read it holds up nobody.
            tokio::time::timeout(LAST_LINES, from_agent).await.ok();
            ending
        }
    };
    to_agent.abort();
    Ok(ending)
}

async fn stop(child: &Child) -> Ending {
    let ladder = Ladder {
        after_close: Duration::ZERO,
        ..Ladder::default()
    };
    child.stop(ladder).await
}

/// The agent's code; of a signal what a shell makes of it.
fn code(status: Status) -> u8 {
    match status {
        Status::Exited(code) => u8::try_from(code & 0xff).unwrap_or(1),
        Status::Signaled(signal) => u8::try_from(signal.0).map_or(1, |signal| signal | 128),
        Status::Lost => 1,
    }
}

fn new_file(agent: &str) -> anyhow::Result<PathBuf> {
    let dir = places::state_dir()?.join("traces");
    places::create(&dir)?;
    let agent: String = agent.chars().filter(char::is_ascii_alphanumeric).collect();
    let now = jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string();
    let process = std::process::id();
    Ok(dir.join(format!("{now}-{agent}-{process}.jsonl")))
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> anyhow::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals([
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> anyhow::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) {
        tokio::signal::ctrl_c().await.ok();
    }
}

/// For what the recording still has to write.
const LAST_LINES: Duration = Duration::from_secs(2);
