//! Files that a project's file names and that affect what agents may do: the policy, and files and directories of the
//! project in the commands of agents and MCP servers. Trust covers them by their digests.

mod directory;
mod shell_lines;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use attache::v1;

use super::layer::Layer;
use directory::{DirectoryDigest, ReadBudget, contains_project};
use shell_lines::ShellLineFiles;

/// The state of each named file: a digest, or `missing`.
pub(super) type FileStates = BTreeMap<String, String>;

/// The files that a project's file names.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    /// The paths, the policy first.
    pub(super) files: Vec<PathBuf>,
    /// The current state of each file.
    pub(super) states: FileStates,
    /// The number of files below each directory.
    pub(super) below: BTreeMap<PathBuf, usize>,
    /// The policy's text that belongs to its digest.
    pub(super) policy: Option<String>,
    /// Named files of the project that do not exist. They are not stored, because a name may be a secret. Once such a file
    /// exists, trust ends.
    pub(super) missing: Vec<PathBuf>,
    /// Words of shell lines that may name files unknown before the line runs.
    pub(super) not_covered: Vec<String>,
}

impl NamedFiles {
    /// Reads the state of every file that a layer names.
    ///
    /// # Errors
    ///
    /// When trust cannot cover a file: too large, too many files, or not readable.
    pub(super) fn of(layer: &Layer, project: &Path) -> Result<NamedFiles, String> {
        let folder = project.parent().unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut named = NamedFiles::default();
        let mut budget = ReadBudget::FULL;
        if let Some(policy) = &layer.policy {
            let bytes = named.add(&policy.value, &folder, &mut budget)?;
            named.policy = bytes.map(|bytes| {
                let text = String::from_utf8_lossy(&bytes);
                text.trim_start_matches('\u{feff}').to_owned()
            });
        }
        for word in words(layer) {
            if let Some(root) = names_root(&word, &folder) {
                return Err(contains_project(&root));
            }
            named.add_word(&word, &folder, &mut budget)?;
        }
        for command in commands(layer) {
            let line = ShellLineFiles::of(&command);
            named.not_covered.extend(line.unknown);
            for word in line.known {
                match names_root(&word, &folder) {
                    Some(_) => named.not_covered.push(format!("`{word}` in a shell line")),
                    None => named.add_word(&word, &folder, &mut budget)?,
                }
            }
        }
        named.not_covered.sort();
        named.not_covered.dedup();
        Ok(named)
    }

    fn add_word(
        &mut self,
        word: &str,
        folder: &Path,
        budget: &mut ReadBudget,
    ) -> Result<(), String> {
        for path in paths(word, folder) {
            match path.canonicalize() {
                Ok(_) => drop(self.add(&path, folder, budget)?),
                Err(_) => self.miss(path)?,
            }
        }
        Ok(())
    }

    fn miss(&mut self, path: PathBuf) -> Result<(), String> {
        if self.missing.contains(&path) {
            return Ok(());
        }
        if self.missing.len() >= MAX_FILES {
            return Err(format!(
                "its commands have more than {MAX_FILES} words that may be files"
            ));
        }
        self.missing.push(path);
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        folder: &Path,
        budget: &mut ReadBudget,
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
                let tree = DirectoryDigest::read(&real, folder, budget)?;
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
        return Err(unreadable(io::Error::other("it is not a regular file")));
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

/// All words of the commands that a layer starts, and the values of their environment variables.
fn words(layer: &Layer) -> Vec<String> {
    let mut words: Vec<String> = commands(layer).into_iter().flatten().collect();
    for agent in &layer.agents {
        let env = agent.value.env.iter();
        words.extend(env.map(|(_, value)| value.reveal().to_owned()));
    }
    for server in &layer.mcp_servers {
        if let v1::McpServer::Stdio(server) = &server.value {
            words.extend(server.env.iter().map(|it| it.value.reveal().to_owned()));
        }
    }
    words
}

/// The commands that a layer starts, each with its program and arguments.
fn commands(layer: &Layer) -> Vec<Vec<String>> {
    let with = |program: String, args: &[String]| {
        let program = std::iter::once(program);
        program.chain(args.iter().cloned()).collect()
    };
    let agents = layer.agents.iter().map(|agent| {
        let program = agent.value.command.to_string_lossy().into_owned();
        with(program, &agent.value.args)
    });
    let servers = layer.mcp_servers.iter().filter_map(|it| match &it.value {
        v1::McpServer::Stdio(server) => {
            Some(with(server.command.as_str().to_owned(), &server.args))
        }
        _ => None,
    });
    agents.chain(servers).collect()
}

/// The files of the project that a word may mean, whether they exist or not: the whole word, a part between separators of
/// shells and options, or the value of a short option (`-I./lib`); also with percent-encoding (`%2e`).
fn paths(word: &str, folder: &Path) -> Vec<PathBuf> {
    let decoded = decoded(word);
    let spellings = std::iter::once(word).chain(decoded.as_deref());
    let parts = spellings.flat_map(|word| std::iter::once(word).chain(word.split(BETWEEN)));
    let inside = |part: &str| {
        let path = normal(&folder.join(part));
        let real = path.canonicalize().unwrap_or_else(|_| real_parent(&path));
        let is_inside = |path: &Path| path.starts_with(folder) && path != folder;
        (is_inside(&path) || is_inside(&real)).then_some(path)
    };
    let mut paths: Vec<PathBuf> = parts
        .filter_map(without_option)
        .filter_map(inside)
        .filter(|path| can_exist(path))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The word with percent-encoding decoded, if there is any.
fn decoded(word: &str) -> Option<String> {
    if !word.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|decoded| decoded != word)
}

/// The real path that a missing file would have.
fn real_parent(path: &Path) -> PathBuf {
    let mut above = path.ancestors().skip(1);
    let real = above.find_map(|above| Some((above, above.canonicalize().ok()?)));
    match real.map(|(above, real)| (path.strip_prefix(above), real)) {
        Some((Ok(rest), real)) => real.join(rest),
        _ => path.to_owned(),
    }
}

/// Whether the names in a path are short enough for files.
fn can_exist(path: &Path) -> bool {
    path.components()
        .all(|name| name.as_os_str().len() <= MAX_NAME)
}

/// The project's directory or one of its parents, if the word means that: the whole word, or a part after `=` or `:`.
fn names_root(word: &str, folder: &Path) -> Option<PathBuf> {
    let parts = std::iter::once(word).chain(word.split(['=', ':']));
    let around = |part: &str| {
        let path = normal(&folder.join(part));
        let real = path.canonicalize().ok()?;
        folder.starts_with(real).then_some(path)
    };
    parts.filter_map(without_option).find_map(around)
}

/// The part that may be a path: the whole part, or the rest after `@` or a short option.
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

/// Separators between words in shell lines, lists and options.
const BETWEEN: &[char] = &[
    '=', ':', ' ', ',', ';', '\t', '\n', '\'', '"', '(', ')', '`', '<', '>', '&', '|',
];
/// The state of a missing file.
pub(super) const MISSING: &str = "missing";
const DIRECTORY: &str = "directory";
/// Maximum number of files that one project file may name.
const MAX_FILES: usize = 1000;
/// Maximum size of a named file. Trust is checked at every start, so this also limits the time for that.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_PATH: usize = 4096;
const MAX_NAME: usize = 255;
