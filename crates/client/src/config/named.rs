//! Files that a project's file names and that can widen what agents may do: the policy, and files of the project that
//! commands of agents and MCP servers name. Trust covers them, each by its digest.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use attache::v1;

use super::layer::Layer;

/// The state of each named file: a digest, or that there is none.
pub(super) type States = BTreeMap<String, String>;

/// What a project's file names.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Where each file is, the policy first.
    pub(super) files: Vec<PathBuf>,
    /// What each of them is now.
    pub(super) states: States,
    /// The policy as it was when its digest was made.
    pub(super) policy: Option<String>,
}

impl Named {
    /// Looks at every file that a layer names.
    ///
    /// # Errors
    ///
    /// When one of them cannot be covered: too large, too many, or not readable.
    pub(super) fn of(layer: &Layer, project: &Path) -> Result<Named, String> {
        let folder = project.parent().unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut named = Named::default();
        if let Some(policy) = &layer.policy {
            let bytes = named.add(&policy.value)?;
            named.policy = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        }
        for word in words(layer) {
            for path in paths(&word, &folder) {
                named.add(&path)?;
            }
        }
        Ok(named)
    }

    /// The files that there are.
    pub(super) fn existing(&self) -> impl Iterator<Item = &PathBuf> {
        let is_there =
            |path: &&PathBuf| self.states.get(&key(path)).is_some_and(|it| it != MISSING);
        self.files.iter().filter(is_there)
    }

    fn add(&mut self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        if self.states.contains_key(&key(path)) {
            return Ok(None);
        }
        if self.files.len() >= MAX_FILES {
            return Err(format!("it names more than {MAX_FILES} files"));
        }
        let (state, bytes) = state(path)?;
        self.files.push(path.to_owned());
        self.states.insert(key(path), state);
        Ok(bytes)
    }
}

fn state(path: &Path) -> Result<(String, Option<Vec<u8>>), String> {
    let unreadable = |error: io::Error| format!("it names `{}`: {error}", path.display());
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(_) => return Ok((MISSING.to_owned(), None)),
    };
    if metadata.is_dir() {
        return Ok((DIRECTORY.to_owned(), None));
    }
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is no ordinary file")));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        let error = "it is larger than 64 MiB, so its content cannot be trusted; move it out of the project";
        return Err(unreadable(io::Error::other(error)));
    }
    let digest = blake3::hash(&bytes).to_hex().to_string();
    Ok((digest, Some(bytes)))
}

/// Every word of a command that a layer starts, and what it sets in the environment.
fn words(layer: &Layer) -> Vec<String> {
    let mut words = Vec::new();
    for agent in &layer.agents {
        let agent = &agent.value;
        words.push(agent.command.to_string_lossy().into_owned());
        words.extend(agent.args.iter().cloned());
        let values = agent.env.iter().map(|(_, value)| value.reveal().to_owned());
        words.extend(values);
    }
    for server in &layer.mcp_servers {
        if let v1::McpServer::Stdio(server) = &server.value {
            words.push(server.command.as_str().to_owned());
            words.extend(server.args.iter().cloned());
            words.extend(server.env.iter().map(|it| it.value.reveal().to_owned()));
        }
    }
    words
}

/// The files of the project that a word may mean: all of it, what follows a `=`, or a part between spaces and colons.
///
/// Only what exists counts, so that no secret of an environment is kept as a name. Once such a file exists, it is one more
/// than was trusted, and trust is gone.
fn paths(word: &str, folder: &Path) -> Vec<PathBuf> {
    let is_path = |part: &&str| {
        !part.is_empty() && part.len() <= MAX_PATH && !part.starts_with('-') && !part.contains('\0')
    };
    let whole = std::iter::once(word);
    let parts = word.split(['=', ':', ' ', ',', ';', '\t', '\n']);
    let inside = |part: &str| {
        let path = normal(&folder.join(part));
        let real = path.canonicalize().ok()?;
        let is_inside = |path: &Path| path.starts_with(folder) && path != folder;
        (is_inside(&path) || is_inside(&real)).then_some(path)
    };
    let mut paths: Vec<PathBuf> = whole
        .chain(parts)
        .filter(is_path)
        .filter_map(inside)
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

fn key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

const MISSING: &str = "missing";
const DIRECTORY: &str = "directory";
/// Most files that one project file may name.
const MAX_FILES: usize = 1000;
/// Largest named file. Trust is checked at every start, so this also bounds how long that takes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_PATH: usize = 4096;
