//! A stored session, told to the client before it is open. It is read in a thread of its own, no faster than the client
//! takes it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use attache::agent::ClientSession;
use attache::schema::error;
use attache::{Error, v1};
use tokio::sync::mpsc;

use crate::mapping::Shows;
use crate::replay::{Conversation, Replay, Step, Survey};
use crate::store::Agents;

pub(super) async fn replay(
    session: &ClientSession,
    transcript: PathBuf,
    shows: Shows,
) -> Result<(), Error> {
    let (updates, mut told) = mpsc::channel(AHEAD);
    let telling = tokio::task::spawn_blocking(move || {
        let mut teller = Teller {
            replay: Replay::new(shows),
            agents: Agents::of(&transcript),
            updates,
        };
        teller.session(&transcript)?;
        teller.end()
    });
    while let Some(update) = told.recv().await {
        session.update(update).await.map_err(Error::from)?;
    }
    let failed = match telling.await {
        Ok(Ok(()) | Err(Stop::Unwanted)) => return Ok(()),
        Ok(Err(Stop::Unreadable(failed))) => failed,
        Err(failed) => io::Error::other(failed),
    };
    let words = format!("the transcript cannot be read: {failed}");
    Err(error::internal(&words))
}

struct Teller {
    replay: Replay,
    agents: Agents,
    updates: mpsc::Sender<v1::SessionUpdate>,
}

/// Why a transcript is not told to its end.
enum Stop {
    Unreadable(io::Error),
    /// Nobody listens any more.
    Unwanted,
}

impl Teller {
    fn session(&mut self, transcript: &Path) -> Result<(), Stop> {
        let mut lines = Lines::open(transcript).map_err(Stop::Unreadable)?;
        let conversation = survey(&mut lines).map_err(Stop::Unreadable)?;
        while let Some((number, line)) = lines.next().map_err(Stop::Unreadable)? {
            if conversation.holds(number) {
                let steps = self.replay.line(line);
                self.take(steps, 0)?;
            }
        }
        Ok(())
    }

    /// A subagent's, which may have subagents in turn.
    fn subagent(&mut self, call: &str, transcript: &Path, depth: usize) -> Result<(), Stop> {
        // The session is worth telling without it.
        let Ok(mut lines) = Lines::open(transcript) else {
            return Ok(());
        };
        while let Ok(Some((_, line))) = lines.next() {
            let steps = self.replay.line_of(call, line);
            self.take(steps, depth)?;
        }
        Ok(())
    }

    fn take(&mut self, steps: Vec<Step>, depth: usize) -> Result<(), Stop> {
        for step in steps {
            match step {
                Step::Tell(update) => {
                    let sent = self.updates.blocking_send(update);
                    sent.map_err(|_| Stop::Unwanted)?;
                }
                Step::Subagent { call, agent } if depth < DEEPEST => {
                    if let Some(transcript) = self.agents.take(&call, agent.as_deref()) {
                        self.subagent(&call, &transcript, depth + 1)?;
                    }
                }
                Step::Subagent { .. } => {}
            }
        }
        Ok(())
    }

    fn end(self) -> Result<(), Stop> {
        let Teller {
            replay, updates, ..
        } = self;
        for step in replay.end() {
            if let Step::Tell(update) = step {
                updates.blocking_send(update).map_err(|_| Stop::Unwanted)?;
            }
        }
        Ok(())
    }
}

/// Looks at all lines, and goes back to the first.
fn survey(lines: &mut Lines) -> io::Result<Conversation> {
    let mut survey = Survey::default();
    while let Some((_, line)) = lines.next()? {
        survey.line(line);
    }
    lines.rewind()?;
    Ok(survey.conversation())
}

/// The lines of a file, as long as it was when it was opened: somebody may be writing it.
struct Lines {
    reader: io::Take<BufReader<File>>,
    length: u64,
    line: Vec<u8>,
    next: usize,
}

impl Lines {
    fn open(path: &Path) -> io::Result<Lines> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Lines {
            reader: BufReader::with_capacity(BUFFER, file).take(length),
            length,
            line: Vec::new(),
            next: 0,
        })
    }

    /// The next line and its number.
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

/// Updates that are read before they are told.
const AHEAD: usize = 16;
const BUFFER: usize = 64 * 1024;
const LONGEST: u64 = 64 * 1024 * 1024;
const DEEPEST: usize = 16;
