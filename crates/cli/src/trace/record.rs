//! Standing in for an agent: everything passes, and is recorded on the way.

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

/// Passes everything on until the agent has ended.
async fn relay_agent(program: Program, recording: &RecordingWriter) -> anyhow::Result<ChildExit> {
    let (their_input, to_agent) = io::pipe()?;
    let (from_agent, their_output) = io::pipe()?;
    let (its_errors, their_errors) = io::pipe()?;
    let child = program.spawn_over(their_input, their_output, their_errors);
    let child = child.await?;
    let [input, output, errors] = transport::blocking_stdio()?;
    let mut signals = Signals::new()?;
    let stdin = SharedStdin::new(to_agent);
    // Nobody waits for it: when the agent takes no more, it is gone or will be.
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
        // When nobody takes what it says, it is told so by its pipe.
        _ = &mut over => child.wait().await,
        () = signals.next() => {
            stdin.close();
            let ending = stop(&child).await;
            // What it said at last; somebody who does not read it holds up nobody.
            tokio::time::timeout(LAST_LINES, over).await.ok();
            ending
        }
    };
    Ok(ending)
}

/// Passes a stream on in a thread of its own; what is given ends with it.
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

/// The agent's input, which can be closed while a thread waits for something to write to it. It is closed when any copy is
/// dropped.
#[derive(Clone)]
struct SharedStdin(Arc<Mutex<Option<PipeWriter>>>);

impl SharedStdin {
    fn new(pipe: PipeWriter) -> SharedStdin {
        SharedStdin(Arc::new(Mutex::new(Some(pipe))))
    }

    /// Closes it, unless the agent does not read what is just being written.
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
    let timeouts = StopTimeouts {
        after_close: Duration::ZERO,
        ..StopTimeouts::default()
    };
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

/// For what the recording still has to write.
const LAST_LINES: Duration = Duration::from_secs(2);
