//! Files that a project's file names and that can widen what agents may do: the policy, and files and directories of the
//! project that commands of agents and MCP servers name. Trust covers them, each by its digest.

mod directory;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use attache::v1;

use super::layer::Layer;
use directory::{Budget, Tree, contains_project};

/// The state of each named file: a digest, or that there is none.
pub(super) type States = BTreeMap<String, String>;

/// What a project's file names.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Where each file is, the policy first.
    pub(super) files: Vec<PathBuf>,
    /// What each of them is now.
    pub(super) states: States,
    /// How many files are below each directory.
    pub(super) below: BTreeMap<PathBuf, usize>,
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
        let mut budget = Budget::FULL;
        if let Some(policy) = &layer.policy {
            let bytes = named.add(&policy.value, &folder, &mut budget)?;
            named.policy = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        }
        for word in words(layer) {
            if let Some(root) = names_root(&word, &folder) {
                return Err(contains_project(&root));
            }
            for path in paths(&word, &folder) {
                named.add(&path, &folder, &mut budget)?;
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

    fn add(
        &mut self,
        path: &Path,
        folder: &Path,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, String> {
        if self.states.contains_key(&key(path)) {
            return Ok(None);
        }
        if self.files.len() >= MAX_FILES {
            return Err(format!("it names more than {MAX_FILES} files"));
        }
        let (state, bytes) = match path.canonicalize() {
            Ok(real) if real.is_dir() => {
                if folder.starts_with(&real) {
                    return Err(contains_project(path));
                }
                let tree = Tree::read(&real, folder, budget)?;
                self.below.insert(path.to_owned(), tree.files);
                let place = key(&real);
                (format!("{DIRECTORY} {place} {}", tree.digest), None)
            }
            _ => state(path)?,
        };
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
    Ok((hex(&blake3::hash(&bytes)), Some(bytes)))
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

/// The files of the project that a word may mean: all of it, a part between signs that shells and options put between
/// words, or what follows the letter of an option (`-I./lib`).
///
/// Only what exists counts, so that no secret of an environment is kept as a name. Once such a file exists, it is one more
/// than was trusted, and trust is gone.
fn paths(word: &str, folder: &Path) -> Vec<PathBuf> {
    let whole = std::iter::once(word);
    let parts = whole.chain(word.split(BETWEEN));
    let inside = |part: &str| {
        let path = normal(&folder.join(part));
        let real = path.canonicalize().ok()?;
        let is_inside = |path: &Path| path.starts_with(folder) && path != folder;
        (is_inside(&path) || is_inside(&real)).then_some(path)
    };
    let mut paths: Vec<PathBuf> = parts
        .filter_map(without_option)
        .filter_map(inside)
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The project's directory, or one that contains it, where a word means that: all of it, or what follows a `=` or `:`.
fn names_root(word: &str, folder: &Path) -> Option<PathBuf> {
    let parts = std::iter::once(word).chain(word.split(['=', ':']));
    let around = |part: &str| {
        let path = normal(&folder.join(part));
        let real = path.canonicalize().ok()?;
        folder.starts_with(real).then_some(path)
    };
    parts.filter_map(without_option).find_map(around)
}

/// What may be a path in a part of a word: all of it, or what follows `@` or the letter of an option.
fn without_option(part: &str) -> Option<&str> {
    let path = match part.strip_prefix('-') {
        Some(option) if option.starts_with('-') => return None,
        Some(option) => option.get(1..)?,
        None => part.strip_prefix('@').unwrap_or(part),
    };
    let is_path = !path.is_empty() && path.len() <= MAX_PATH && !path.contains('\0');
    is_path.then_some(path)
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

fn hex(digest: &blake3::Hash) -> String {
    digest.to_hex().to_string()
}

/// Signs between words of shell lines, lists and options.
const BETWEEN: &[char] = &[
    '=', ':', ' ', ',', ';', '\t', '\n', '\'', '"', '(', ')', '`', '<', '>', '&', '|',
];
const MISSING: &str = "missing";
const DIRECTORY: &str = "directory";
/// Most files that one project file may name.
const MAX_FILES: usize = 1000;
/// Largest named file. Trust is checked at every start, so this also bounds how long that takes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_PATH: usize = 4096;
