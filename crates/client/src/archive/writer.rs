//! Writes transcripts on the recorder's thread: opens, appends to, renames and deletes their files.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use attache_disk::private;
use tempfile::NamedTempFile;

use super::ENDING;

/// A command for the file with this name.
pub(super) enum WriteCommand {
    Open {
        name: String,
        head: String,
        start: RecordStart,
    },
    Line {
        name: String,
        text: String,
    },
    Flush(String),
    Close(String),
    Delete(String),
}

/// How recording of a session starts.
pub(super) enum RecordStart {
    /// A new session: an older transcript with the same id belongs to another session and is renamed.
    New,
    /// The agent has replayed the session: the replay replaces the older transcript, because it is more complete.
    Replayed,
    /// The session was resumed: lines are appended to the older transcript.
    Continued,
}

pub(super) struct TranscriptWriter {
    folder: PathBuf,
    files: HashMap<String, TranscriptFile>,
}

/// A transcript's file, or a draft until the session opens.
struct TranscriptFile {
    to: Destination,
    pending: Vec<u8>,
    size: u64,
}

enum Destination {
    Draft(NamedTempFile),
    File(File),
}

impl TranscriptWriter {
    pub(super) fn new(folder: PathBuf) -> TranscriptWriter {
        TranscriptWriter {
            folder,
            files: HashMap::new(),
        }
    }

    /// Runs a batch of commands, then writes each file once. A file that cannot be written is dropped; the conversation
    /// goes on.
    pub(super) fn write(&mut self, commands: Vec<WriteCommand>) {
        commands
            .into_iter()
            .for_each(|command| self.run_command(command));
        self.files.retain(|_, file| file.flush().is_ok());
    }

    fn run_command(&mut self, command: WriteCommand) {
        match command {
            WriteCommand::Open { name, head, start } => {
                let draft = match (self.files.remove(&name), &start) {
                    // The session is open already: recording continues.
                    (
                        Some(
                            open @ TranscriptFile {
                                to: Destination::File(_),
                                ..
                            },
                        ),
                        RecordStart::Replayed | RecordStart::Continued,
                    ) => {
                        self.files.insert(name, open);
                        return;
                    }
                    (draft, _) => draft,
                };
                if let Ok(open) = self.open(&name, &head, &start, draft) {
                    self.files.insert(name, open);
                }
            }
            WriteCommand::Line { name, text } => self.line(name, &text),
            WriteCommand::Flush(name) => {
                if let Some(file) = self.files.get_mut(&name) {
                    file.flush().ok();
                }
            }
            WriteCommand::Close(name) => {
                if let Some(mut file) = self.files.remove(&name) {
                    file.flush().ok();
                }
            }
            WriteCommand::Delete(name) => {
                self.files.remove(&name);
                fs::remove_file(self.folder.join(name)).ok();
            }
        }
    }

    fn line(&mut self, name: String, text: &str) {
        if !self.files.contains_key(&name) {
            let Ok(draft) = self.draft() else {
                return;
            };
            self.files.insert(name.clone(), draft);
        }
        if let Some(file) = self.files.get_mut(&name) {
            file.push(text.as_bytes());
        }
    }

    /// A draft for the updates of a session that is not open yet. The number of drafts is limited, because an agent can
    /// send updates for any number of sessions that are never opened.
    fn draft(&self) -> io::Result<TranscriptFile> {
        let drafts = self.files.values();
        let drafts = drafts.filter(|file| matches!(file.to, Destination::Draft(_)));
        if drafts.count() >= DRAFTS {
            return Err(io::Error::other("too many drafts"));
        }
        Ok(TranscriptFile::new(Destination::Draft(self.temporary()?)))
    }

    fn open(
        &self,
        name: &str,
        head: &str,
        start: &RecordStart,
        draft: Option<TranscriptFile>,
    ) -> io::Result<TranscriptFile> {
        let path = self.folder.join(name);
        let goes_on = match start {
            RecordStart::New => false,
            RecordStart::Replayed => draft.is_none() && path.exists(),
            RecordStart::Continued => path.exists(),
        };
        if goes_on {
            let mut file = append(&path)?;
            end_torn_line(&path, &mut file)?;
            copy(draft, &mut file)?;
            return Ok(TranscriptFile::new(Destination::File(file)));
        }
        let mut new = self.temporary()?;
        new.write_all(head.as_bytes())?;
        copy(draft, new.as_file_mut())?;
        if let RecordStart::New = start {
            put_aside(&path)?;
        }
        new.persist(&path)?;
        Ok(TranscriptFile::new(Destination::File(append(&path)?)))
    }

    fn temporary(&self) -> io::Result<NamedTempFile> {
        private::create_dir_unchecked(&self.folder)?;
        NamedTempFile::new_in(&self.folder)
    }
}

impl TranscriptFile {
    fn new(to: Destination) -> TranscriptFile {
        let size = match &to {
            Destination::Draft(_) => 0,
            Destination::File(file) => file.metadata().map_or(0, |it| it.len()),
        };
        TranscriptFile {
            to,
            pending: Vec::new(),
            size,
        }
    }

    fn push(&mut self, text: &[u8]) {
        if self.size > LARGEST {
            return;
        }
        self.size += text.len() as u64;
        self.pending.extend(text);
        if self.pending.len() > AT_ONCE {
            self.flush().ok();
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let written = match &mut self.to {
            Destination::Draft(file) => file.write_all(&self.pending),
            Destination::File(file) => file.write_all(&self.pending),
        };
        self.pending.clear();
        written
    }
}

/// Renames an existing transcript, because the agent has reused the session's id.
fn put_aside(path: &Path) -> io::Result<()> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let names =
        (1..=MOST_ASIDE).map(|number| path.with_file_name(format!("{stem}-{number}.{ENDING}")));
    match names.into_iter().find(|name| !name.exists()) {
        Some(name) if path.exists() => fs::rename(path, name),
        _ => Ok(()),
    }
}

fn copy(draft: Option<TranscriptFile>, file: &mut File) -> io::Result<()> {
    let Some(mut draft) = draft else {
        return Ok(());
    };
    draft.flush()?;
    let mut early = match draft.to {
        Destination::Draft(file) => file,
        Destination::File(_) => return Ok(()),
    };
    early.seek(SeekFrom::Start(0))?;
    io::copy(&mut early, file)?;
    Ok(())
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

/// Ends a line that a crash cut off, so that the next line stays readable.
fn end_torn_line(path: &Path, file: &mut File) -> io::Result<()> {
    let mut last = [b'\n'];
    let mut read = File::open(path)?;
    if read.seek(SeekFrom::End(0))? > 0 {
        read.seek(SeekFrom::End(-1))?;
        read.read_exact(&mut last)?;
    }
    if last != [b'\n'] {
        file.write_all(b"\n")?;
    }
    Ok(())
}

const DRAFTS: usize = 16;
const AT_ONCE: usize = 256 * 1024;
/// Maximum renamed transcripts for one reused session id.
const MOST_ASIDE: u32 = 1000;
const LARGEST: u64 = 512 * 1024 * 1024;
