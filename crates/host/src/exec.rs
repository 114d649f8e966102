//! Command rules that are enforced when a program is executed: the rules that apply, and the judge that enforces them.
//! The judge runs inside the guard process, on what the kernel is about to execute. `docs/enforcement.md` says what is
//! guaranteed.

mod command_files;
mod daemons;
mod invocation;
mod judge;
mod named_files;
mod pattern;
mod programs;
mod scripts;
mod shown;
#[cfg(test)]
mod tests;
mod text;
mod watcher;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use attache_process::{ExecJudge, ExecSupport, ExecWatch, exec_support};
use serde::{Deserialize, Serialize};

use crate::environment::is_harmless;
use crate::permissions::{ShellLine, ShellWord, SimpleCommand, normal_path};
pub(crate) use command_files::CommandFiles;
use judge::RuleJudge;
use named_files::RememberedFile;
use programs::{id, resolve};
pub use shown::{other_name, visible_program};
pub use watcher::{ExecDenial, ExecRequest, Watcher};

/// When the programs that an agent executes are watched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WatchMode {
    /// Programs are judged if a policy has a command rule that denies or asks.
    #[default]
    Rules,
    /// Programs are always watched, for the log.
    Always,
    /// Nothing is watched: rules apply only to what an agent says.
    Off,
}

/// The command rules of a policy for one agent, as they apply when a program is executed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecRules {
    pub(crate) rules: Vec<ExecRule>,
    /// Patterns of rules that allow. They spare the user requests about programs that hand work to daemons.
    pub(crate) allowed: Vec<String>,
    /// Whether the user can be asked.
    pub(crate) is_attended: bool,
    /// Whether every command rule of the policy is here.
    pub(crate) is_complete: bool,
    /// The directories that relative paths in rules refer to.
    pub(crate) directories: Vec<PathBuf>,
    /// Commands that were allowed before they start.
    pub(crate) approved: Vec<ApprovedCommand>,
    /// Files that programs of the rules have led to while the agent runs.
    pub(crate) remembered: Vec<RememberedFile>,
}

/// A rule about commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExecRule {
    /// The rule in words, for the user and the log.
    pub(crate) why: String,
    /// Whether the rule denies; otherwise it asks.
    pub(crate) is_denial: bool,
    /// The command patterns, as the user wrote them.
    pub(crate) commands: Vec<String>,
    /// The path patterns, as the user wrote them. If there are any, the rule catches a command whose directory or
    /// arguments lead to one.
    pub(crate) paths: Vec<String>,
}

/// A command that was allowed once, before it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ApprovedCommand {
    words: Vec<String>,
    /// The directories that the command may run in.
    directories: Vec<PathBuf>,
    /// The files that its program's name led to in these directories, by device and inode.
    files: Vec<(u64, u64)>,
    /// Variables that the command sets as the user saw it, as `NAME=value`.
    variables: Vec<String>,
}

impl ExecRules {
    /// The rules, if this mode applies them; `None` if nothing is watched.
    pub fn for_mode(self, watching: WatchMode) -> Option<ExecRules> {
        let is_wanted = match watching {
            WatchMode::Rules => self.is_enforcing(),
            WatchMode::Always => true,
            WatchMode::Off => false,
        };
        is_wanted.then_some(self)
    }

    /// Whether some rule can deny a program or ask about it.
    pub fn is_enforcing(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Whether every command rule of the policy is enforced when a program is executed. A rule that also names a tool
    /// is not; of a rule that names a path, only what the arguments show is.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The rules for a program that starts in a directory: relative paths in rules refer to it.
    #[must_use]
    pub fn started_in(mut self, directory: &Path) -> ExecRules {
        // The kernel reports directories without links.
        let resolved = directory.canonicalize().ok();
        let written = directory.is_absolute().then(|| directory.to_owned());
        let both = resolved.into_iter().chain(written);
        self.directories.extend(both);
        self.directories.dedup();
        self
    }

    /// The rules, with a command that was allowed to start in a directory with this `PATH`. The command itself, and
    /// each part of a shell line whose words are all known, may run once without another request: the program that its
    /// name leads to now, in a directory that the line shows, without other variables than the line shows. A rule that
    /// denies still does.
    #[must_use]
    pub fn with_approved_command(
        mut self,
        words: Vec<String>,
        cwd: PathBuf,
        path: &OsStr,
    ) -> ExecRules {
        let line = ShellLine::of(&words);
        let directories = directories_of(&line, &cwd);
        let parts = line.parts.iter().filter_map(SimpleCommand::literal_words);
        let mut parts: Vec<Vec<String>> = parts
            .map(|words| words.into_iter().map(str::to_owned).collect())
            .collect();
        // A command that is not a line is its own first part.
        if parts.first() != Some(&words) {
            parts.insert(0, words);
        }
        let shown = line
            .variables
            .iter()
            .filter_map(|(name, value)| match value {
                ShellWord::Literal(value) => Some(format!("{name}={value}")),
                ShellWord::Undecided(_) => None,
            });
        let variables: Vec<String> = shown.collect();
        self.approved.extend(parts.into_iter().filter_map(|words| {
            let program = words.first()?;
            let found = directories.iter();
            let found = found.filter_map(|directory| resolve(program, directory, path));
            let mut files: Vec<(u64, u64)> = found.filter_map(|path| id(&path)).collect();
            files.dedup();
            Some(ApprovedCommand {
                words,
                directories: directories.clone(),
                files,
                variables: variables.clone(),
            })
        }));
        self
    }

    /// The watch to start a program with, so that these rules apply to it and everything it starts.
    pub fn watch(&self) -> ExecWatch {
        // Lists and strings always serialize.
        ExecWatch::new(serde_json::to_vec(self).unwrap_or_default())
    }

    /// Whether this system can enforce rules when a program is executed.
    pub fn support() -> ExecSupport {
        exec_support()
    }
}

/// Makes the judge for rules that [`ExecRules::watch`] wrote. Register it with
/// [`guard::judge_with`](attache_process::guard::judge_with) at the very start of `main`.
pub fn judge(rules: &[u8]) -> Option<Box<dyn ExecJudge>> {
    let rules: ExecRules = serde_json::from_slice(rules).ok()?;
    Some(Box::new(RuleJudge::new(rules)?))
}

/// The variables of an exec that may change what the program does: those that agents may not set freely and shells
/// don't set themselves.
fn variables_to_show(variables: &[OsString]) -> Vec<String> {
    let text = variables.iter().map(|it| it.to_string_lossy());
    let changes = |variable: &Cow<'_, str>| match variable.split_once('=') {
        Some((name, value)) => !BY_SHELLS.contains(&name) && !is_harmless(name, value),
        None => true,
    };
    text.filter(changes).map(Cow::into_owned).collect()
}

/// The directories that parts of a line may run in, as far as the line shows them.
fn directories_of(line: &ShellLine, cwd: &Path) -> Vec<PathBuf> {
    let mut found = vec![cwd.to_owned()];
    for part in &line.parts {
        let words = part.literal_words().unwrap_or_default();
        let ["cd" | "pushd", target] = words.as_slice() else {
            continue;
        };
        let more: Vec<PathBuf> = found
            .iter()
            .map(|directory| directory.join(target))
            .map(|path| path.canonicalize().unwrap_or_else(|_| normal_path(&path)))
            .filter(|path| !found.contains(path))
            .collect();
        found.extend(more);
        found.truncate(MAX_DIRECTORIES);
    }
    found
}

const MAX_DIRECTORIES: usize = 16;
/// Variables that shells set for every program.
const BY_SHELLS: &[&str] = &["_", "OLDPWD", "PWD", "SHLVL"];
