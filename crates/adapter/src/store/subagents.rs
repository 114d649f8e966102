//! The transcripts of a session's subagents: files of their own in the session's folder, each with a note on the tool
//! call that it is of.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The subagents of a session.
#[derive(Debug, Default)]
pub(crate) struct SubagentTranscripts {
    /// Their transcripts; none for those that were taken, or are not there.
    files: HashMap<String, Option<PathBuf>>,
    /// The subagent of each tool call.
    calls: HashMap<String, String>,
    /// Where all sessions of the directory are.
    project: PathBuf,
}

impl SubagentTranscripts {
    /// Those of the session with this transcript.
    pub(crate) fn of(transcript: &Path) -> SubagentTranscripts {
        let mut agents = SubagentTranscripts {
            project: transcript.parent().map(Path::to_owned).unwrap_or_default(),
            ..SubagentTranscripts::default()
        };
        agents.scan(&transcript.with_extension("").join(FOLDER));
        agents
    }

    /// The transcript of the subagent of a tool call, by its own id if that is known. It is given once.
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
            let Some(id) = id(&file).filter(|_| file.is_file()) else {
                continue;
            };
            if let Some(call) = call(&file.with_extension("meta.json")) {
                self.calls.entry(call).or_insert_with(|| id.clone());
            }
            self.files.entry(id).or_insert(Some(file));
        }
    }

    /// Those of a fork are with the session that it was forked from.
    fn scan_other_sessions(&mut self, agent: &str) {
        if !super::is_id(agent) {
            return;
        }
        let name = format!("agent-{agent}.jsonl");
        let sessions = fs::read_dir(&self.project).into_iter().flatten().flatten();
        let mut folders = sessions.map(|session| session.path().join(FOLDER));
        if let Some(folder) = folders.find(|folder| folder.join(&name).is_file()) {
            self.scan(&folder);
        }
    }
}

fn id(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let id = name.strip_prefix("agent-")?.strip_suffix(".jsonl")?;
    Some(id.to_owned())
}

fn call(note: &Path) -> Option<String> {
    if !note.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(note).ok()?;
    file.take(LONGEST_NOTE).read_to_string(&mut text).ok()?;
    let note: Value = serde_json::from_str(&text).ok()?;
    note["toolUseId"].as_str().map(str::to_owned)
}

const FOLDER: &str = "subagents";
const MAX_FILES: usize = 20_000;
const LONGEST_NOTE: u64 = 64 * 1024;
