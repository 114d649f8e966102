//! Transcripts: one file of JSON lines for each session, so that a conversation can be read later without the agent. A
//! [`Recorder`] writes them from events, an [`Archive`] reads them.

mod line;
mod recorder;
mod summary;
pub(crate) mod terminals;
mod writer;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use attache::{Transcript, v1};
use attache_host::terminals::TerminalView;

pub use recorder::Recorder;

use line::TranscriptLine;

/// The transcripts in a directory.
#[derive(Debug, Clone)]
pub struct Archive {
    folder: PathBuf,
}

/// A session that has a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedSession {
    /// The agent's name.
    pub agent: String,
    /// The session's id, as the agent gave it.
    pub session: v1::SessionId,
    /// The session's working directory.
    pub cwd: PathBuf,
    /// The session's title, or the beginning of its first prompt.
    pub title: Option<String>,
    /// When the session was created, in ISO 8601.
    pub created_at: String,
    /// When the transcript last changed, in ISO 8601.
    pub updated_at: String,
    file: PathBuf,
}

/// The output of the terminals that a transcript refers to.
pub type TerminalViews = HashMap<v1::TerminalId, TerminalView>;

/// Why a transcript cannot be read or deleted.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be {what}: {cause}", .path.display())]
pub struct ArchiveError {
    path: PathBuf,
    what: &'static str,
    cause: io::Error,
}

impl Archive {
    /// The transcripts in a directory, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Archive {
        let folder = folder.into();
        Archive { folder }
    }

    /// All sessions, the one that changed last first. Skips files that are not transcripts.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
    pub fn list(&self) -> Result<Vec<ArchivedSession>, ArchiveError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => return Err(failed(&self.folder, "read", cause)),
        };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let files = files.filter(|file| file.extension().is_some_and(|it| it == ENDING));
        let mut records: Vec<ArchivedSession> =
            files.filter_map(|file| summary::of(&file)).collect();
        records.sort_by(|a, b| (&b.updated_at, &b.file).cmp(&(&a.updated_at, &a.file)));
        Ok(records)
    }

    /// The sessions with this id. Several agents may use the same id.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
    pub fn find(&self, session: &str) -> Result<Vec<ArchivedSession>, ArchiveError> {
        let mut records = self.list()?;
        records.retain(|record| record.session.as_str() == session);
        Ok(records)
    }

    /// The session of one agent with this id.
    pub fn open(&self, agent: &str, session: &v1::SessionId) -> Option<ArchivedSession> {
        summary::of(&self.folder.join(file_name(agent, session)))
    }

    /// Deletes a transcript permanently.
    ///
    /// # Errors
    ///
    /// When the file cannot be deleted.
    pub fn delete(&self, record: &ArchivedSession) -> Result<(), ArchiveError> {
        fs::remove_file(&record.file).map_err(|cause| failed(&record.file, "deleted", cause))
    }

    /// A recorder for an agent's sessions. Writes nothing until a session opens.
    pub fn recorder(&self, agent: &str) -> Recorder {
        Recorder::new(self.folder.clone(), agent)
    }
}

impl ArchivedSession {
    /// Rebuilds the transcript from its file. Skips lines that this version does not know and a last line that was cut
    /// off.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn transcript(&self) -> Result<Transcript, ArchiveError> {
        Ok(self.read()?.0)
    }

    /// The transcript, and the output of the terminals that it refers to.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn read(&self) -> Result<(Transcript, TerminalViews), ArchiveError> {
        let failed = |cause| failed(&self.file, "read", cause);
        let mut lines = BufReader::new(File::open(&self.file).map_err(failed)?);
        let (mut transcript, mut terminals) = (Transcript::new(), TerminalViews::new());
        let mut text = Vec::new();
        loop {
            text.clear();
            let read = lines
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut text);
            if read.map_err(failed)? == 0 {
                return Ok((transcript, terminals));
            }
            if let Some(line) = TranscriptLine::read(&text) {
                line.apply(&mut transcript, &mut terminals);
            }
        }
    }
}

/// A file name made of a digest: the agent chooses session ids, which must not end up in a path.
fn file_name(agent: &str, session: &v1::SessionId) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(agent.as_bytes());
    hasher.update(&[0]);
    hasher.update(session.as_str().as_bytes());
    format!("{}.{ENDING}", hasher.finalize().to_hex())
}

fn failed(path: &Path, what: &'static str, cause: io::Error) -> ArchiveError {
    let path = path.to_owned();
    ArchiveError { path, what, cause }
}

const ENDING: &str = "jsonl";
const LONGEST_LINE: u64 = 256 * 1024 * 1024;
