//! Replays a stored session to the client before the session is open. A separate thread reads the transcript, no faster
//! than the client accepts updates.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use attache::agent::ClientSession;
use attache::schema::error;
use attache::{Error, v1};
use tokio::sync::mpsc;

use crate::mapping::DisplaySupport;
use crate::replay::{ActiveBranch, TranscriptIndex, TranscriptReplay, TranscriptStep};
use crate::store::SubagentTranscripts;

pub(super) async fn replay(
    session: &ClientSession,
    transcript: PathBuf,
    display: DisplaySupport,
) -> Result<(), Error> {
    let (updates, mut replayed) = mpsc::channel(AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        let mut replayer = TranscriptReplayer {
            replay: TranscriptReplay::new(display),
            subagents: SubagentTranscripts::of(&transcript),
            updates,
        };
        replayer.replay_session(&transcript)?;
        replayer.finish()
    });
    while let Some(update) = replayed.recv().await {
        session.update(update).await.map_err(Error::from)?;
    }
    let failed = match reading.await {
        Ok(Ok(()) | Err(ReplayError::ClientGone)) => return Ok(()),
        Ok(Err(ReplayError::Read(failed))) => failed,
        Err(failed) => io::Error::other(failed),
    };
    let words = format!("the transcript cannot be read: {failed}");
    Err(error::internal(&words))
}

struct TranscriptReplayer {
    replay: TranscriptReplay,
    subagents: SubagentTranscripts,
    updates: mpsc::Sender<v1::SessionUpdate>,
}

/// Why a replay stopped early.
enum ReplayError {
    Read(io::Error),
    /// The replay was dropped, for example because the client has disconnected.
    ClientGone,
}

impl TranscriptReplayer {
    fn replay_session(&mut self, transcript: &Path) -> Result<(), ReplayError> {
        let mut lines = TranscriptLines::open(transcript).map_err(ReplayError::Read)?;
        let branch = find_branch(&mut lines).map_err(ReplayError::Read)?;
        while let Some((number, line)) = lines.next().map_err(ReplayError::Read)? {
            if branch.contains(number) {
                let steps = self.replay.read_line(line);
                self.send_steps(steps, 0)?;
            }
        }
        Ok(())
    }

    /// Replays a subagent's transcript, which may refer to further subagents.
    fn replay_subagent(
        &mut self,
        call: &str,
        transcript: &Path,
        depth: usize,
    ) -> Result<(), ReplayError> {
        // Without this transcript the rest of the session is still worth replaying.
        let Ok(mut lines) = TranscriptLines::open(transcript) else {
            return Ok(());
        };
        while let Ok(Some((_, line))) = lines.next() {
            let steps = self.replay.read_subagent_line(call, line);
            self.send_steps(steps, depth)?;
        }
        Ok(())
    }

    fn send_steps(&mut self, steps: Vec<TranscriptStep>, depth: usize) -> Result<(), ReplayError> {
        for step in steps {
            match step {
                TranscriptStep::Update(update) => {
                    let sent = self.updates.blocking_send(update);
                    sent.map_err(|_| ReplayError::ClientGone)?;
                }
                TranscriptStep::Subagent { call, agent } if depth < MAX_DEPTH => {
                    if let Some(transcript) =
                        self.subagents.take_transcript(&call, agent.as_deref())
                    {
                        self.replay_subagent(&call, &transcript, depth + 1)?;
                    }
                }
                TranscriptStep::Subagent { .. } => {}
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), ReplayError> {
        let TranscriptReplayer {
            replay, updates, ..
        } = self;
        for step in replay.finish() {
            if let TranscriptStep::Update(update) = step {
                updates
                    .blocking_send(update)
                    .map_err(|_| ReplayError::ClientGone)?;
            }
        }
        Ok(())
    }
}

/// Indexes all lines, then rewinds to the first.
fn find_branch(lines: &mut TranscriptLines) -> io::Result<ActiveBranch> {
    let mut index = TranscriptIndex::default();
    while let Some((_, line)) = lines.next()? {
        index.add_line(line);
    }
    lines.rewind()?;
    Ok(index.active_branch())
}

/// The lines of a transcript, up to its length when it was opened: the CLI may still append to it.
struct TranscriptLines {
    reader: io::Take<BufReader<File>>,
    length: u64,
    line: Vec<u8>,
    next: usize,
}

impl TranscriptLines {
    fn open(path: &Path) -> io::Result<TranscriptLines> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(TranscriptLines {
            reader: BufReader::with_capacity(BUFFER, file).take(length),
            length,
            line: Vec::new(),
            next: 0,
        })
    }

    /// The next line, with its number.
    fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        self.line.clear();
        let mut bounded = (&mut self.reader).take(LONGEST);
        let count = bounded.read_until(b'\n', &mut self.line)?;
        let number = self.next;
        self.next += 1;
        Ok((count > 0).then_some((number, self.line.as_slice())))
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.reader.get_mut().rewind()?;
        self.reader.set_limit(self.length);
        self.next = 0;
        Ok(())
    }
}

/// Updates read ahead of the client.
const AHEAD: usize = 16;
const BUFFER: usize = 64 * 1024;
const LONGEST: u64 = 64 * 1024 * 1024;
const MAX_DEPTH: usize = 16;
