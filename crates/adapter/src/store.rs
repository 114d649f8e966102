//! The CLI's own transcripts: where they are, what they are called, and deleting them. Nothing of ours is stored.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use attache::v1;
use serde_json::Value;

use crate::mapping;

/// The folder of the user's CLI.
#[derive(Debug, Clone)]
pub struct Store {
    projects: PathBuf,
}

impl Store {
    /// A store in a configuration folder of the CLI.
    pub fn new(config: impl AsRef<Path>) -> Store {
        Store {
            projects: config.as_ref().join("projects"),
        }
    }

    /// The transcript of a session.
    pub fn find(&self, id: &str) -> Option<PathBuf> {
        // An id is a name of a file: nothing in it may leave the folder.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if id.is_empty() || !id.bytes().all(is_plain) {
            return None;
        }
        let name = format!("{id}.jsonl");
        let folders = fs::read_dir(&self.projects).ok()?.flatten();
        let mut files = folders.map(|folder| folder.path().join(&name));
        files.find(|file| file.is_file())
    }

    /// Removes the transcript of a session and what belongs to it; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn delete(&self, id: &str) -> io::Result<()> {
        match self.find(id) {
            Some(file) => {
                // The transcripts of its subagents and long outputs.
                let folder = file.with_extension("");
                if folder.is_dir() {
                    fs::remove_dir_all(folder)?;
                }
                fs::remove_file(file)
            }
            None => Ok(()),
        }
    }

    /// The sessions of a directory, or all, newest first: a page of them, and where the next one starts.
    pub fn list(&self, cwd: Option<&str>, from: usize) -> (Vec<v1::SessionInfo>, Option<usize>) {
        let mut files = self.files(cwd);
        files.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        let mut found = Vec::new();
        for (at, (_, file)) in files.iter().enumerate().skip(from) {
            if found.len() == PAGE {
                return (found, Some(at));
            }
            let info = info(file).filter(|info| cwd.is_none_or(|cwd| info.cwd.as_str() == cwd));
            found.extend(info);
        }
        (found, None)
    }

    fn files(&self, cwd: Option<&str>) -> Vec<(SystemTime, PathBuf)> {
        let folders = fs::read_dir(&self.projects).into_iter().flatten().flatten();
        let folders = folders.filter(|folder| {
            let name = folder.file_name();
            cwd.is_none_or(|cwd| is_folder_of(&name.to_string_lossy(), cwd))
        });
        let folders = folders.filter_map(|folder| fs::read_dir(folder.path()).ok());
        let files = folders.flatten().flatten().filter_map(|file| {
            let path = file.path();
            let is_transcript = path.extension().is_some_and(|it| it == "jsonl");
            // Those of subagents belong to their sessions.
            let is_own = !file.file_name().to_string_lossy().starts_with("agent-");
            let time = file.metadata().ok()?.modified().ok()?;
            (is_transcript && is_own).then_some((time, path))
        });
        files.collect()
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
    let (mut cwd, mut title, mut named, mut time) = (None, None, None, None);
    let text = |line: &Value, name: &str| line[name].as_str().map(str::to_owned);
    for line in ends(path).ok()? {
        let line: Value = serde_json::from_str(&line).unwrap_or_default();
        cwd = cwd.or_else(|| text(&line, "cwd"));
        time = text(&line, "timestamp").or(time);
        match line["type"].as_str() {
            Some("summary") => named = text(&line, "summary").or(named),
            Some("custom-title") => named = text(&line, "customTitle").or(named),
            Some("ai-title") => named = text(&line, "aiTitle").or(named),
            Some("user") if title.is_none() => title = prompted(&line),
            _ => {}
        }
    }
    let mut info = v1::SessionInfo::new(id, cwd?);
    // One that was opened and never prompted has nothing to come back to.
    info = info.title(named.or(title)?);
    if let Some(time) = time {
        info = info.updated_at(time);
    }
    Some(info)
}

fn prompted(line: &Value) -> Option<String> {
    if line["isMeta"] == true || line["isSidechain"] == true {
        return None;
    }
    let content = &line["message"]["content"];
    let text = content.as_str().or_else(|| content[0]["text"].as_str())?;
    let text = mapping::prompt_text(text)?;
    crate::prompt::title(&[v1::ContentBlock::from(text)])
}

/// The lines at the beginning and at the end of a file that may be long.
fn ends(path: &Path) -> io::Result<Vec<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut lines = lines(&mut file)?;
    if length > LOOK {
        let start = length.saturating_sub(LOOK).max(LOOK);
        file.seek(SeekFrom::Start(start))?;
        lines.extend(self::lines(&mut file)?);
    }
    Ok(lines)
}

fn lines(file: &mut File) -> io::Result<Vec<String>> {
    let mut reader = BufReader::new(file.take(LOOK));
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        lines.push(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
    Ok(lines)
}

const PAGE: usize = 50;
const LONG_NAME: usize = 200;
const LOOK: u64 = 128 * 1024;
