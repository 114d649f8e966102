//! Scripted peers for tests of other crates: a peer at the end of a pipe that plays a script, with a recorded trace.

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
#[derive(Debug)]
pub struct ScriptedPeer {
    side: Side,
    tap: Tap,
    playing: JoinHandle<Result<(), Difference>>,
}

impl ScriptedPeer {
    fn start(player: ScriptPlayer, pipe: Pipe, tap: Tap) -> Self {
        let side = player.side();
        let playing = tokio::spawn(player.play(pipe.0, pipe.1));
        ScriptedPeer { side, tap, playing }
    }

    /// The traffic so far.
    pub fn trace(&self) -> Trace {
        self.tap.trace()
    }

    /// Waits for the end of the script. Returns the trace, or the first difference.
    pub async fn finish(self) -> Result<Trace, Difference> {
        let failed = |fault: JoinError| Err(Difference::of_fault(self.side, &fault.to_string()));
        self.playing.await.unwrap_or_else(failed)?;
        Ok(self.tap.trace())
    }
}

const CAPACITY: usize = 64 << 10;
