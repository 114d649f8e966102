//! Our own transcripts: one file of JSON lines for each session, so that what was said can be read again without the
//! agent. A [`Recorder`] writes them from what happens, an [`Archive`] reads them.

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

/// The folder of the transcripts.
#[derive(Debug, Clone)]
pub struct Archive {
    folder: PathBuf,
}

/// A session of which a transcript is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedSession {
    /// The agent's name.
    pub agent: String,
    /// The session's id, as the agent gave it.
    pub session: v1::SessionId,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Its title, or how its first prompt begins.
    pub title: Option<String>,
    /// When it began, in ISO 8601.
    pub created_at: String,
    /// When something was last recorded, in ISO 8601.
    pub updated_at: String,
    file: PathBuf,
}

/// What was written in the terminals that a transcript names.
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
    /// The transcripts in a folder, which need not exist.
    pub fn at(folder: impl Into<PathBuf>) -> Archive {
        let folder = folder.into();
        Archive { folder }
    }

    /// All sessions, the one that changed last first. A file that is no transcript is left out.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
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

    /// The sessions of an id. There are several if more than one agent uses it.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn find(&self, session: &str) -> Result<Vec<ArchivedSession>, ArchiveError> {
        let mut records = self.list()?;
        records.retain(|record| record.session.as_str() == session);
        Ok(records)
    }

    /// One session of one agent.
    pub fn open(&self, agent: &str, session: &v1::SessionId) -> Option<ArchivedSession> {
        summary::of(&self.folder.join(file_name(agent, session)))
    }

    /// Deletes a transcript for good.
    ///
    /// # Errors
    ///
    /// When the file cannot be deleted.
    pub fn delete(&self, record: &ArchivedSession) -> Result<(), ArchiveError> {
        fs::remove_file(&record.file).map_err(|cause| failed(&record.file, "deleted", cause))
    }

    /// Begins to record what happens with an agent. Nothing is written before a session opens.
    pub fn recorder(&self, agent: &str) -> Recorder {
        Recorder::new(self.folder.clone(), agent)
    }
}

impl ArchivedSession {
    /// Folds the transcript from what was recorded. Lines that say nothing to this version, and a last line that was
    /// cut off, are stepped over.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn transcript(&self) -> Result<Transcript, ArchiveError> {
        Ok(self.read()?.0)
    }

    /// The transcript, and what was written in the terminals that it names.
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

/// Ids are what the agent says: none of it may name a file.
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
