//! The CLI's own transcripts: where they are, what they are called, and deleting them. Nothing of ours is stored.

mod subagents;

use std::cmp::Reverse;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use attache::v1;
use serde_json::Value;

use crate::mapping;
use crate::replay::TranscriptIndex;

pub(crate) use subagents::SubagentTranscripts;

/// The folder of the user's CLI.
#[derive(Debug, Clone)]
pub struct TranscriptStore {
    projects: PathBuf,
}

/// A place in the list of sessions, which stays where it is when others come and go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// When the session was last written to, in nanoseconds.
    time: Reverse<u128>,
    id: String,
}

impl TranscriptStore {
    /// A store in a configuration folder of the CLI.
    pub fn new(config: impl AsRef<Path>) -> TranscriptStore {
        TranscriptStore {
            projects: config.as_ref().join("projects"),
        }
    }

    /// The transcript of a session: that of a directory, if several have one by this name.
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

    /// Removes the transcript of a session and what belongs to it; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn delete(&self, id: &str) -> io::Result<()> {
        for file in self.all(id) {
            // The transcripts of its subagents and long outputs.
            let folder = file.with_extension("");
            if folder.is_dir() {
                ignore_missing(fs::remove_dir_all(folder))?;
            }
            ignore_missing(fs::remove_file(file))?;
        }
        Ok(())
    }

    /// The sessions of a directory, or all, newest first: a page of them, and the last of it if there may be more.
    pub fn list(
        &self,
        cwd: Option<&str>,
        after: Option<&Cursor>,
    ) -> (Vec<v1::SessionInfo>, Option<Cursor>) {
        let real = cwd.and_then(|cwd| fs::canonicalize(cwd).ok());
        let real = real.as_deref().and_then(Path::to_str);
        // The CLI knows directories by their real names.
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
    /// The place of a transcript; none for other files.
    fn of(file: &Path) -> Option<Cursor> {
        let id = file.file_name()?.to_str()?.strip_suffix(".jsonl")?;
        // Those of subagents belong to their sessions.
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

/// A cursor that is none of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown cursor")]
pub struct InvalidCursor;

/// An id is a name of a file: nothing in it may leave the folder.
fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !id.is_empty() && id.bytes().all(is_plain)
}

/// What somebody else has removed is removed.
fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(failed) if failed.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether a folder can hold the sessions of a directory. The CLI cuts long names.
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
    // The first prompt may be a picture, too long to be looked at.
    let title = title.or_else(|| title_of(&last?));
    let mut info = v1::SessionInfo::new(id, cwd?);
    // One that was opened and never prompted has nothing to come back to.
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
    let text = mapping::prompt_text(prompt)?;
    crate::prompt::title(&[v1::ContentBlock::from(text)])
}

/// The lines at the beginning and at the end of a file that may be long.
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

const PAGE: usize = 50;
/// A page is shorter if so many files were opened for it.
const MAX_OPENED: usize = 1000;
const LONG_NAME: usize = 200;
const END_LENGTH: u64 = 128 * 1024;
