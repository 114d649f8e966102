//! The transcripts of a session's subagents: files of their own in the session's folder, each with a note on the tool
//! call that it is of.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The subagents of a session that have not been told yet.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    files: HashMap<String, PathBuf>,
    /// The subagent of each tool call.
    calls: HashMap<String, String>,
}

impl Agents {
    /// Those of the session with this transcript.
    pub(crate) fn of(transcript: &Path) -> Agents {
        let mut agents = Agents::default();
        let folder = transcript.with_extension("").join("subagents");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for file in entries.map(|entry| entry.path()).take(MOST) {
            let Some(id) = id(&file).filter(|_| file.is_file()) else {
                continue;
            };
            if let Some(call) = call(&file.with_extension("meta.json")) {
                agents.calls.insert(call, id.clone());
            }
            agents.files.insert(id, file);
        }
        agents
    }

    /// The transcript of the subagent of a tool call, by its own id if that is known.
    pub(crate) fn take(&mut self, call: &str, agent: Option<&str>) -> Option<PathBuf> {
        let agent = self.calls.get(call).map(String::as_str).or(agent)?;
        self.files.remove(agent)
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

const MOST: usize = 20_000;
const LONGEST_NOTE: u64 = 64 * 1024;
