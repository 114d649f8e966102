//! Plays one side of a script: sends its lines, and expects those of the other side.

mod difference;
mod expect;
mod line_stream;
mod playback;
mod send;

use std::sync::OnceLock;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Script, ScriptError, Side};

pub use difference::Difference;
use line_stream::LineStream;
use playback::Playback;

/// One side of a script, ready to be played.
///
/// Each wait has a deadline on the tokio clock. At the end of the script the player closes its side, and fails if the other
/// side sends anything more.
#[derive(Debug)]
pub struct ScriptPlayer {
    script: Script,
    side: Side,
    within: Duration,
}

impl ScriptPlayer {
    /// A player for a side. Fails if the script does not define everything that the side has to send.
    pub fn new(script: Script, side: Side) -> Result<Self, ScriptError> {
        script.check_playable(side)?;
        Ok(ScriptPlayer {
            script,
            side,
            within: WITHIN,
        })
    }

    /// Changes the deadline of lines for which the script has none.
    #[must_use]
    pub fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// The side that is played.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Plays the script to its end, or to the first difference. Must be called within a tokio runtime.
    pub async fn play<R, W>(self, read: R, write: W) -> Result<(), Difference>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        self.play_noting(read, write, &OnceLock::new()).await
    }

    /// Like [`play`](Self::play). The first difference is noted before the other side can see that the player has closed
    /// its side.
    pub(crate) async fn play_noting<R, W>(
        self,
        read: R,
        write: W,
        difference: &OnceLock<Difference>,
    ) -> Result<(), Difference>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let stream = LineStream::new(read, write);
        let mut playback = Playback::new(self.side, stream, self.within);
        let played = playback.play(&self.script).await;
        if let Err(found) = &played {
            difference.get_or_init(|| found.clone());
        }
        playback.close().await;
        played
    }
}

const WITHIN: Duration = Duration::from_secs(5);
