//! Runs an agent and records the conversation: relays everything byte for byte in both directions.

use std::io::{self, PipeWriter, Read, Write};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use attache::process::{Child, ChildExit, Program, StopTimeouts};
use attache::transport;
use attache_recording::{RecordedStream, RecordingWriter, Secrets};
use tokio::sync::oneshot;

use crate::arguments::Recording;
use crate::exit::{self, Exit};
use crate::signals::Signals;
use crate::{agents, directories, relay, text};

pub(super) async fn record(arguments: &Recording) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("the current directory")?;
    let agent = match agents::choose(&arguments.choice, &cwd) {
        Ok(agent) => agent,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    if let Err(error) = agent.locate() {
        return Ok(exit::fail(Exit::Failed, &error.into()));
    }
    let path = match &arguments.output {
        Some(path) => path.clone(),
        None => new_file(&agent.name)?,
    };
    let secrets = match arguments.no_redact {
        true => Secrets::Kept,
        false => Secrets::Redacted,
    };
    let recording = RecordingWriter::create(&path, &agent.name, secrets);
    let recording = recording.with_context(|| format!("cannot record to {}", path.display()))?;
    if arguments.output.is_none() {
        let shown = text::line(&path.display().to_string());
        crate::print::note!("attache: recording; view it with `attache trace view {shown}`");
    }
    let ending = relay_agent(agent.program(), &recording).await?;
    if let Err(fault) = recording.finish(&ending.to_string(), LAST_LINES) {
        crate::print::note!(
            "attache: the recording is incomplete: {}",
            text::line(&fault)
        );
    }
    Ok(Exit::from(ending.status))
}

/// Relays everything until the agent has exited.
async fn relay_agent(program: Program, recording: &RecordingWriter) -> anyhow::Result<ChildExit> {
    let (their_input, to_agent) = io::pipe()?;
    let (from_agent, their_output) = io::pipe()?;
    let (its_errors, their_errors) = io::pipe()?;
    let child = program.spawn_over(their_input, their_output, their_errors);
    let child = child.await?;
    let [input, output, errors] = transport::blocking_stdio()?;
    let mut signals = Signals::new()?;
    let stdin = SharedStdin::new(to_agent);
    // Not awaited: an agent that stops reading has exited or soon will.
    drop(spawn_relay(
        input,
        stdin.clone(),
        RecordedStream::Client,
        recording,
    )?);
    let said = spawn_relay(from_agent, output, RecordedStream::Agent, recording)?;
    let warned = spawn_relay(its_errors, errors, RecordedStream::Errors, recording)?;
    let mut over = pin!(async { tokio::join!(said, warned) });
    let ending = tokio::select! {
        // If nobody reads the agent's output, its pipe breaks.
        _ = &mut over => child.wait().await,
        () = signals.next() => {
            stdin.close();
            let ending = stop(&child).await;
            // Relays the last output, but does not wait for a reader that has stopped.
            tokio::time::timeout(LAST_LINES, over).await.ok();
            ending
        }
    };
    Ok(ending)
}

/// Relays and records a stream on a thread of its own.
fn spawn_relay(
    read: impl Read + Send + 'static,
    write: impl Write + Send + 'static,
    stream: RecordedStream,
    recording: &RecordingWriter,
) -> io::Result<oneshot::Receiver<io::Result<()>>> {
    let recording = recording.clone();
    relay::spawn(stream.word(), move || {
        attache_recording::relay(read, write, stream, &recording)
    })
}

/// The agent's standard input, which can be closed while a thread waits to write to it. Dropping any clone closes it.
#[derive(Clone)]
struct SharedStdin(Arc<Mutex<Option<PipeWriter>>>);

impl SharedStdin {
    fn new(pipe: PipeWriter) -> SharedStdin {
        SharedStdin(Arc::new(Mutex::new(Some(pipe))))
    }

    /// Closes the input, unless a write to it is blocked because the agent does not read.
    fn close(&self) {
        if let Ok(mut pipe) = self.0.try_lock() {
            *pipe = None;
        }
    }
}

impl Drop for SharedStdin {
    fn drop(&mut self) {
        self.close();
    }
}

impl Write for SharedStdin {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *pipe {
            Some(pipe) => pipe.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn stop(child: &Child) -> ChildExit {
    let mut timeouts = StopTimeouts::default();
    timeouts.after_close = Duration::ZERO;
    child.stop(timeouts).await
}

fn new_file(agent: &str) -> anyhow::Result<PathBuf> {
    let dir = directories::state_dir()?.join("traces");
    directories::create(&dir)?;
    let agent: String = agent.chars().filter(char::is_ascii_alphanumeric).collect();
    let now = jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string();
    let process = std::process::id();
    Ok(dir.join(format!("{now}-{agent}-{process}.jsonl")))
}

/// Time for the recording to finish writing.
const LAST_LINES: Duration = Duration::from_secs(2);
