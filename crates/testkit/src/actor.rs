//! A scripted peer: it says the lines of one side of a script and expects those of the other.

mod difference;
mod expect;
mod say;
mod stage;
mod wire;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Script, ScriptError, Side};

pub use difference::Difference;
use stage::Stage;
use wire::Wire;

/// One side of a script, ready to be played.
///
/// Whatever it waits for has a deadline, on the clock of tokio. When the script is over it closes its side, and
/// complains of what the other still has to say.
#[derive(Debug)]
pub struct Actor {
    script: Script,
    side: Side,
    within: Duration,
}

impl Actor {
    /// An actor for a side. Fails if the script does not say in full what that side is to send.
    pub fn new(script: Script, side: Side) -> Result<Self, ScriptError> {
        script.check_playable(side)?;
        Ok(Actor {
            script,
            side,
            within: WITHIN,
        })
    }

    /// The same with another deadline for lines of which the script says none.
    #[must_use]
    pub fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// The side that is played.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Plays the script up to its end or to the first difference. Must be called within a tokio runtime.
    pub async fn play<R, W>(self, read: R, write: W) -> Result<(), Difference>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let wire = Wire::new(read, write);
        let mut stage = Stage::new(self.side, wire, self.within);
        let played = stage.play(&self.script).await;
        stage.close().await;
        played
    }
}

const WITHIN: Duration = Duration::from_secs(5);
