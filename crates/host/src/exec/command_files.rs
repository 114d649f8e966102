//! The files that a command would run, as they are at one moment: its programs, and the scripts that its words name.
//! Permission is for these files: a file that is replaced while the request waits, or before the command starts, is not
//! covered.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::directories_of;
use super::programs::resolve;
use super::scripts::{self, ScriptSearch, ScriptWord};
use crate::path_facts::open_without_waiting;
use crate::permissions::{ShellLine, ShellWord, SimpleCommand};

/// The files that a command would run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CommandFiles(Vec<CommandFile>);

/// The file that a word of a command leads to from a directory.
#[derive(Debug, Clone, PartialEq)]
struct CommandFile {
    word: String,
    directory: PathBuf,
    found: Option<FileState>,
}

/// A file as it is at one moment.
#[derive(Debug, Clone, PartialEq)]
struct FileState {
    path: PathBuf,
    version: Version,
    /// Present if the file is not too large: a mapped file can change without a new time.
    digest: Option<blake3::Hash>,
}

/// A word that names a file to run.
#[derive(Clone)]
enum FileWord {
    Program(String),
    Script(String),
}

impl CommandFiles {
    /// The files of a command that starts in a directory. Looks at the disk.
    pub(crate) fn inspect(command: &[String], cwd: &Path) -> CommandFiles {
        let line = ShellLine::of(command);
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let directories = directories_of(&line, &cwd);
        let path = path_of(&line);
        let mut files = CommandFiles::default();
        for part in &line.parts {
            for word in file_words(part) {
                for directory in &directories {
                    if files.0.len() >= MAX_FILES {
                        return files;
                    }
                    files.add(word.clone(), directory, &path);
                }
            }
        }
        files
    }

    /// Whether every word that both have still leads to the same file with the same content.
    pub(crate) fn are_unchanged_in(&self, now: &CommandFiles) -> bool {
        self.changed(now).next().is_none()
    }

    /// The files that words of both led to and that are not what they were.
    pub(crate) fn changed_in(&self, now: &CommandFiles) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for (file, now) in self.changed(now) {
            let found = file.found.as_ref().or(now.found.as_ref());
            let path = found.map_or_else(|| PathBuf::from(&file.word), |found| found.path.clone());
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The words of both that led to something else, or to another content, before and now.
    fn changed<'a>(
        &'a self,
        now: &'a CommandFiles,
    ) -> impl Iterator<Item = (&'a CommandFile, &'a CommandFile)> {
        self.0.iter().filter_map(|file| {
            let mut same = now.0.iter();
            let same = same.find(|it| (&it.word, &it.directory) == (&file.word, &file.directory));
            let same = same.filter(|it| it.found != file.found)?;
            Some((file, same))
        })
    }

    fn add(&mut self, word: FileWord, directory: &Path, path: &OsStr) {
        let (word, found) = match word {
            FileWord::Program(word) => {
                let found = resolve(&word, directory, path);
                (word, found)
            }
            FileWord::Script(word) => {
                let found = script(&word, directory, path);
                (word, found)
            }
        };
        let is_known = |it: &CommandFile| it.word == word && it.directory == directory;
        if !self.0.iter().any(is_known) {
            self.0.push(CommandFile {
                word,
                directory: directory.to_owned(),
                found: found.and_then(FileState::inspect),
            });
        }
    }
}

impl FileState {
    fn inspect(path: PathBuf) -> Option<FileState> {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        let digest = (metadata.len() <= MAX_TEXT)
            .then(|| digest(&path))
            .flatten();
        Some(FileState {
            path,
            version: version(&metadata),
            digest,
        })
    }
}

/// The words of a simple command that name what it runs. A word that the shell expands names no file.
fn file_words(part: &SimpleCommand) -> Vec<FileWord> {
    let words: Vec<String> = part.words.iter().map(text).collect();
    let Some((program, words)) = words.split_first() else {
        return Vec::new();
    };
    let mut found = vec![FileWord::Program(program.clone())];
    let mut add = |word: Option<&String>| found.extend(word.cloned().map(FileWord::Script));
    let name = part.program().unwrap_or_default();
    if matches!(name.as_str(), "." | "source") {
        add(words.first());
        return found;
    }
    let Some(run) = scripts::scripts_run_by(&name, words) else {
        return found;
    };
    for program in &run.programs {
        let named = match program {
            ScriptWord::Script(at) | ScriptWord::PossibleScript(at) => words.get(*at).cloned(),
            ScriptWord::Preloaded(file, _) => Some((*file).to_owned()),
            ScriptWord::Module(module, _) => Some(module.replace('.', "/")),
        };
        let Some(named) = named else { continue };
        let directory = run.directory.filter(|_| !named.starts_with('/'));
        let elsewhere = directory.map(|directory| format!("{directory}/{named}"));
        for word in std::iter::once(named).chain(elsewhere) {
            for ending in endings(program, run.search) {
                add(Some(&format!("{word}{ending}")));
            }
            add(Some(&word));
        }
    }
    if run.reads_input {
        let read = part.redirections.iter().filter(|file| !file.is_write);
        read.for_each(|file| add(Some(&text(&file.target))));
    }
    found
}

/// What an interpreter may append to the name of a script or module, in addition to the name itself.
fn endings(program: &ScriptWord<'_>, search: ScriptSearch) -> &'static [&'static str] {
    match (program, search) {
        (ScriptWord::Module(..), _) => &[".py", "/__main__.py", "/__init__.py"],
        (_, ScriptSearch::InDirectory) => &["/__main__.py"],
        (_, ScriptSearch::WithEndings) => &[".js", "/index.js", "/package.json"],
        (_, ScriptSearch::AsGiven | ScriptSearch::OnPath) => &[],
    }
}

fn text(word: &ShellWord) -> String {
    match word {
        ShellWord::Literal(text) | ShellWord::Undecided(text) => text.clone(),
    }
}

/// The script that an interpreter would read: relative to its directory, or on the path for programs.
fn script(word: &str, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let here = directory.join(word).canonicalize().ok();
    here.filter(|path| path.is_file())
        .or_else(|| resolve(word, directory, path))
}

/// Where a line looks for programs.
fn path_of(line: &ShellLine) -> OsString {
    let mut set = line.variables.iter().rev();
    match set.find(|(name, _)| name == "PATH") {
        Some((_, value)) => text(value).into(),
        None => std::env::var_os("PATH").unwrap_or_default(),
    }
}

fn digest(path: &Path) -> Option<blake3::Hash> {
    let mut content = Vec::new();
    let opened = open_without_waiting(path).ok()?;
    opened.take(MAX_TEXT).read_to_end(&mut content).ok()?;
    Some(blake3::hash(&content))
}

/// Values that change with a file: its device and inode, its size, and when it was last modified and changed. The time
/// of the last change can't be set back.
#[cfg(unix)]
type Version = (u64, u64, u64, [(i64, i64); 2]);

#[cfg(unix)]
fn version(metadata: &Metadata) -> Version {
    use std::os::unix::fs::MetadataExt;
    let times = [
        (metadata.mtime(), metadata.mtime_nsec()),
        (metadata.ctime(), metadata.ctime_nsec()),
    ];
    (metadata.dev(), metadata.ino(), metadata.size(), times)
}

#[cfg(not(unix))]
type Version = (u64, Option<std::time::SystemTime>);

#[cfg(not(unix))]
fn version(metadata: &Metadata) -> Version {
    (metadata.len(), metadata.modified().ok())
}

const MAX_FILES: usize = 64;
const MAX_TEXT: u64 = 1 << 20;

#[cfg(test)]
#[cfg(unix)]
mod attack_command_files;
