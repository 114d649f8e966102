//! The CLI's transcripts on disk: finding, listing and deleting them. We store nothing of our own.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use attache::v1;
use serde_json::Value;

use crate::replay::TranscriptIndex;

/// The transcripts in the configuration folder of the user's CLI.
#[derive(Debug, Clone)]
pub struct TranscriptStore {
    projects: PathBuf,
}

/// A position in the list of sessions that stays valid when other sessions come and go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// Last change of the transcript, in nanoseconds.
    time: Reverse<u128>,
    id: String,
}

impl TranscriptStore {
    /// The transcripts in this configuration folder.
    pub fn new(config: impl AsRef<Path>) -> TranscriptStore {
        TranscriptStore {
            projects: config.as_ref().join("projects"),
        }
    }

    /// The transcript of a session. If several directories have a session with this id, the one in `cwd` is preferred.
    pub fn find(&self, id: &str, cwd: &str) -> Option<PathBuf> {
        let mut found = self.all(id);
        let is_here = |file: &PathBuf| {
            let folder = file.parent().and_then(Path::file_name);
            folder.is_some_and(|folder| is_folder_of(&folder.to_string_lossy(), cwd))
        };
        let here = found.iter().position(is_here).unwrap_or(0);
        (here < found.len()).then(|| found.swap_remove(here))
    }

    fn all(&self, id: &str) -> Vec<PathBuf> {
        if !is_id(id) {
            return Vec::new();
        }
        let name = format!("{id}.jsonl");
        let folders = fs::read_dir(&self.projects).into_iter().flatten().flatten();
        let files = folders.map(|folder| folder.path().join(&name));
        files.filter(|file| file.is_file()).collect()
    }

    /// Deletes the transcript of a session and the files that belong to it. A missing session is not an error.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed.
    pub fn delete(&self, id: &str) -> io::Result<()> {
        for file in self.all(id) {
            // Contains subagents' transcripts and long outputs.
            let folder = file.with_extension("");
            if folder.is_dir() {
                ignore_missing(fs::remove_dir_all(folder))?;
            }
            ignore_missing(fs::remove_file(file))?;
        }
        Ok(())
    }

    /// One page of the sessions of a directory, or of all sessions, newest first. The cursor is set if there may be
    /// more.
    pub fn list(
        &self,
        cwd: Option<&str>,
        after: Option<&Cursor>,
    ) -> (Vec<v1::SessionInfo>, Option<Cursor>) {
        let real = cwd.and_then(|cwd| fs::canonicalize(cwd).ok());
        let real = real.as_deref().and_then(Path::to_str);
        // The CLI uses the canonical paths of directories.
        let cwd = real.or(cwd);
        let mut files = self.files(cwd);
        files.retain(|(cursor, _)| after.is_none_or(|after| cursor > after));
        files.sort();
        let mut found = Vec::new();
        let mut files = files.into_iter().zip(1..).peekable();
        while let Some(((cursor, file), opened)) = files.next() {
            let info = info(&file).filter(|info| cwd.is_none_or(|cwd| info.cwd.as_str() == cwd));
            found.extend(info);
            let is_full = found.len() == PAGE || opened == MAX_OPENED;
            if is_full && files.peek().is_some() {
                return (found, Some(cursor));
            }
        }
        (found, None)
    }

    fn files(&self, cwd: Option<&str>) -> Vec<(Cursor, PathBuf)> {
        let folders = fs::read_dir(&self.projects).into_iter().flatten().flatten();
        let folders = folders.filter(|folder| {
            let name = folder.file_name();
            cwd.is_none_or(|cwd| is_folder_of(&name.to_string_lossy(), cwd))
        });
        let folders = folders.filter_map(|folder| fs::read_dir(folder.path()).ok());
        let files = folders.flatten().flatten();
        let files = files.filter_map(|file| Some((Cursor::of(&file.path())?, file.path())));
        files.collect()
    }
}

impl Cursor {
    /// The position of a transcript; `None` for other files.
    fn of(file: &Path) -> Option<Cursor> {
        let id = file.file_name()?.to_str()?.strip_suffix(".jsonl")?;
        // Transcripts of subagents belong to their sessions.
        if !is_id(id) || id.starts_with("agent-") {
            return None;
        }
        let about = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
        let time = about
            .modified()
            .ok()?
            .duration_since(SystemTime::UNIX_EPOCH);
        Some(Cursor {
            time: Reverse(time.map_or(0, |time| time.as_nanos())),
            id: id.to_owned(),
        })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.time.0, self.id)
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Cursor, InvalidCursor> {
        let (time, id) = text.split_once('.').ok_or(InvalidCursor)?;
        Ok(Cursor {
            time: Reverse(time.parse().map_err(|_| InvalidCursor)?),
            id: id.to_owned(),
        })
    }
}

/// The cursor was not made by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown cursor")]
pub struct InvalidCursor;

/// The subagent transcripts of a session.
#[derive(Debug, Default)]
pub(crate) struct SubagentTranscripts {
    /// Transcript by subagent id; `None` if it was taken or is missing.
    files: HashMap<String, Option<PathBuf>>,
    /// Subagent id by tool call.
    calls: HashMap<String, String>,
    /// The folder with all sessions of the directory.
    project: PathBuf,
}

impl SubagentTranscripts {
    /// Finds the subagents of the session with this transcript.
    pub(crate) fn of(transcript: &Path) -> SubagentTranscripts {
        let mut agents = SubagentTranscripts {
            project: transcript.parent().map(Path::to_owned).unwrap_or_default(),
            ..SubagentTranscripts::default()
        };
        agents.scan(&transcript.with_extension("").join(SUBAGENTS));
        agents
    }

    /// Takes the transcript of a tool call's subagent, by the subagent's id if that is known. Each is returned once.
    pub(crate) fn take_transcript(&mut self, call: &str, agent: Option<&str>) -> Option<PathBuf> {
        let known = self.calls.get(call).map(String::as_str).or(agent)?;
        let known = known.to_owned();
        if !self.files.contains_key(&known) {
            self.scan_other_sessions(&known);
        }
        self.files.entry(known).or_default().take()
    }

    fn scan(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for file in entries.map(|entry| entry.path()).take(MAX_FILES) {
            let Some(id) = subagent_id(&file).filter(|_| file.is_file()) else {
                continue;
            };
            if let Some(call) = call_of_note(&file.with_extension("meta.json")) {
                self.calls.entry(call).or_insert_with(|| id.clone());
            }
            self.files.entry(id).or_insert(Some(file));
        }
    }

    /// The subagents of a fork are stored with the session that it was forked from.
    fn scan_other_sessions(&mut self, agent: &str) {
        if !is_id(agent) {
            return;
        }
        let name = format!("agent-{agent}.jsonl");
        let sessions = fs::read_dir(&self.project).into_iter().flatten().flatten();
        let mut folders = sessions.map(|session| session.path().join(SUBAGENTS));
        if let Some(folder) = folders.find(|folder| folder.join(&name).is_file()) {
            self.scan(&folder);
        }
    }
}

/// Whether an id is safe as a file name, so that it cannot leave the folder.
fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !id.is_empty() && id.bytes().all(is_plain)
}

/// Treats a file that is already gone as removed.
fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(failed) if failed.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether a folder may contain the sessions of a directory. The CLI cuts long names.
fn is_folder_of(folder: &str, cwd: &str) -> bool {
    let plain = |unit: u16| match u8::try_from(unit) {
        Ok(letter) if letter.is_ascii_alphanumeric() => char::from(letter),
        _ => '-',
    };
    let name: String = cwd.encode_utf16().map(plain).collect();
    folder == name || name.len() > LONG_NAME && folder.starts_with(&name[..LONG_NAME])
}

fn info(path: &Path) -> Option<v1::SessionInfo> {
    let id = path.file_stem()?.to_str()?.to_owned();
    let lines = head_and_tail(path).ok()?;
    let mut index = TranscriptIndex::default();
    lines
        .iter()
        .for_each(|line| index.add_line(line.as_bytes()));
    let branch = index.active_branch();
    let (mut cwd, mut title, mut last, mut named, mut time) = (None, None, None, None, None);
    let text = |line: &Value, name: &str| line[name].as_str().map(str::to_owned);
    for (number, line) in lines.iter().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        cwd = cwd.or_else(|| text(&line, "cwd"));
        time = text(&line, "timestamp").or(time);
        match line["type"].as_str() {
            Some("summary") => named = text(&line, "summary").or(named),
            Some("custom-title") => named = text(&line, "customTitle").or(named),
            Some("ai-title") => named = text(&line, "aiTitle").or(named),
            Some("last-prompt") => last = text(&line, "lastPrompt").or(last),
            Some("user") if title.is_none() && branch.contains(number) => {
                title = prompt_title(&line);
            }
            _ => {}
        }
    }
    // The first prompt may be an image beyond the part that was read.
    let title = title.or_else(|| title_of(&last?));
    let mut info = v1::SessionInfo::new(id, cwd?);
    // A session without a prompt cannot be resumed.
    info = info.title(named.or(title)?);
    if let Some(time) = time {
        info = info.updated_at(time);
    }
    Some(info)
}

fn prompt_title(line: &Value) -> Option<String> {
    if line["isMeta"] == true || line["isSidechain"] == true {
        return None;
    }
    let content = &line["message"]["content"];
    title_of(content.as_str().or_else(|| content[0]["text"].as_str())?)
}

fn title_of(prompt: &str) -> Option<String> {
    let text = crate::prompt::prompt_text(prompt)?;
    crate::prompt::title(&[v1::ContentBlock::from(text)])
}

/// The lines at the start and at the end of a file.
fn head_and_tail(path: &Path) -> io::Result<Vec<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut lines = lines(&mut file)?;
    if length > END_LENGTH {
        let start = length.saturating_sub(END_LENGTH).max(END_LENGTH);
        file.seek(SeekFrom::Start(start))?;
        lines.extend(self::lines(&mut file)?);
    }
    Ok(lines)
}

fn lines(file: &mut File) -> io::Result<Vec<String>> {
    let mut reader = BufReader::new(file.take(END_LENGTH));
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        lines.push(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
    Ok(lines)
}

fn subagent_id(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let id = name.strip_prefix("agent-")?.strip_suffix(".jsonl")?;
    Some(id.to_owned())
}

fn call_of_note(note: &Path) -> Option<String> {
    if !note.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(note).ok()?;
    file.take(LONGEST_NOTE).read_to_string(&mut text).ok()?;
    let note: Value = serde_json::from_str(&text).ok()?;
    note["toolUseId"].as_str().map(str::to_owned)
}

const PAGE: usize = 50;
/// Maximum files opened for one page.
const MAX_OPENED: usize = 1000;
const LONG_NAME: usize = 200;
const END_LENGTH: u64 = 128 * 1024;
const SUBAGENTS: &str = "subagents";
const MAX_FILES: usize = 20_000;
const LONGEST_NOTE: u64 = 64 * 1024;
