//! Scripted peers for tests of other crates: a peer at the end of a pipe that plays a script, with a recorded trace.

use std::sync::{Arc, OnceLock};
use std::thread;

use attache_transport::Pipe;
use tokio::task::{JoinError, JoinHandle};

use crate::{Difference, Script, ScriptError, ScriptPlayer, Side, Tap, Trace};

/// An agent that follows a script, at the other end of the pipe. Must be called within a tokio runtime.
///
/// ```
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = r#"
///     -> initialize {"protocolVersion":1, ...}
///     <= {"protocolVersion":1,"agentCapabilities":{}}
/// "#;
/// let ((mut read, mut write), agent) = attache_testkit::scripted_agent(script)?;
/// let request = r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":1}}"#;
/// write.write_all(format!("{request}\n").as_bytes()).await?;
/// let mut answer = String::new();
/// read.read_to_string(&mut answer).await?;
/// assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":"a","result":{"protocolVersion":1,"#));
/// let trace = agent.finish().await?;
/// assert_eq!(trace.violations().len(), 2, "neither says who it is");
/// # Ok(())
/// # }
/// ```
pub fn scripted_agent(script: &str) -> Result<(Pipe, ScriptedPeer), ScriptError> {
    let player = ScriptPlayer::new(Script::parse(script)?, Side::Agent)?;
    let (client, agent, tap) = Tap::new(CAPACITY);
    Ok((client, ScriptedPeer::start(player, agent, tap)))
}

/// A client that follows a script, at the other end of the pipe. Must be called within a tokio runtime.
pub fn scripted_client(script: &str) -> Result<(Pipe, ScriptedPeer), ScriptError> {
    let player = ScriptPlayer::new(Script::parse(script)?, Side::Client)?;
    let (client, agent, tap) = Tap::new(CAPACITY);
    Ok((agent, ScriptedPeer::start(player, client, tap)))
}

/// A scripted peer that is playing.
///
/// If a test panics while the peer is alive, for example because a response is an error, the peer prints to the test's
/// output where the conversation left the script, and the conversation until then.
#[derive(Debug)]
pub struct ScriptedPeer {
    side: Side,
    tap: Tap,
    playing: JoinHandle<Result<(), Difference>>,
    difference: Arc<OnceLock<Difference>>,
}

impl ScriptedPeer {
    fn start(player: ScriptPlayer, pipe: Pipe, tap: Tap) -> Self {
        let side = player.side();
        let difference = Arc::new(OnceLock::new());
        let noted = Arc::clone(&difference);
        let playing = tokio::spawn(async move { player.play_noting(pipe.0, pipe.1, &noted).await });
        ScriptedPeer {
            side,
            tap,
            playing,
            difference,
        }
    }

    /// The traffic so far.
    pub fn trace(&self) -> Trace {
        self.tap.trace()
    }

    /// Waits for the end of the script. Returns the trace, or the first difference.
    pub async fn finish(mut self) -> Result<Trace, Difference> {
        let side = self.side;
        let failed = |fault: JoinError| Err(Difference::of_fault(side, &fault.to_string()));
        (&mut self.playing).await.unwrap_or_else(failed)?;
        Ok(self.tap.trace())
    }

    /// What a test that panics should know about its peer.
    pub(crate) fn report(&self) -> String {
        let mut report = match self.difference.get() {
            Some(difference) => difference.to_string(),
            None => format!("the {} had found no difference to its script", self.side),
        };
        report.push_str("\nthe conversation:\n");
        for line in self.tap.trace().to_string().lines() {
            report.push_str("  ");
            report.push_str(line);
            report.push('\n');
        }
        report
    }
}

impl Drop for ScriptedPeer {
    #[allow(clippy::print_stderr, reason = "the output of a test that fails")]
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}", self.report());
        }
    }
}

const CAPACITY: usize = 64 << 10;
