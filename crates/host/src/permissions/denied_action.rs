//! What a denial covers, whatever the agent calls the tool: renaming it must not get around the denial.

use serde::{Deserialize, Serialize};

use super::command::line::{Redirection, ShellLine, ShellWord, SimpleCommand};
use super::command::options::CommandWord as _;
use super::facts::ActionFacts;
use super::resolved_files::ResolvedFiles;
use super::{Action, command, paths};
use crate::FieldHasher;

/// A command or files that were denied, as digests: a command may contain a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeniedAction {
    command: Option<String>,
    /// The files, or the directories of the command, in order.
    files: Vec<String>,
    /// Whether reading was denied, and everything else with it.
    reads: bool,
    /// The simple commands of the command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    /// For each file, where it leads and which file that is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    real_files: Vec<Vec<String>>,
}

impl DeniedAction {
    /// `None` if neither a command nor a file is named.
    pub(super) fn of(action: &Action) -> Option<DeniedAction> {
        let line = action.line().unwrap_or_default();
        let denied = DeniedAction {
            command: action.command.as_deref().map(digest_of_command),
            files: digests_of_files(action),
            reads: action.only_reads(),
            parts: parts(&line)
                .map(|part| digest_of_part(part, &part.redirections))
                .collect(),
            real_files: digests_of_real_files(&action.disk()),
        };
        (denied.command.is_some() || !denied.files.is_empty()).then_some(denied)
    }

    /// Whether the denial concerns an action of this sort: an agent that may not change a file may still read it.
    pub(super) fn is_about(&self, action: &Action) -> bool {
        self.reads || !action.only_reads()
    }

    /// Whether an action is the same command, or changes or reads the same files.
    pub(super) fn covers(&self, facts: &ActionFacts<'_>) -> bool {
        let action = facts.action;
        let is_same = match &self.command {
            Some(denied) => {
                let others = action.unknown_texts.commands.iter();
                let mut commands = action.command.iter().chain(others);
                commands.any(|words| *denied == digest_of_command(words))
                    || facts.lines().any(|line| self.is_part_of(line))
            }
            None => {
                let names_files = action.command.is_none() || action.has_unknown_input;
                names_files && self.is_about(action)
            }
        };
        is_same && (self.files.is_empty() || self.has_files_of(facts))
    }

    /// Whether a line runs all simple commands that were denied together. Files that it also writes to make no
    /// difference.
    fn is_part_of(&self, line: &ShellLine) -> bool {
        let found: Vec<String> = parts(line)
            .flat_map(|part| [&part.redirections, &[][..]].map(|files| digest_of_part(part, files)))
            .collect();
        !self.parts.is_empty() && self.parts.iter().all(|part| found.contains(part))
    }

    /// Whether each file that was denied is among those of an action, under whatever name.
    fn has_files_of(&self, facts: &ActionFacts<'_>) -> bool {
        let mut named = digests_of_files(facts.action);
        named.extend(digests_of_real_files(facts.on_disk()).into_iter().flatten());
        if let Some((others, on_disk)) = facts.possible_files() {
            named.extend(digests_of_files(&others));
            named.extend(digests_of_real_files(&on_disk).into_iter().flatten());
        }
        let mut files = self.files.iter().enumerate();
        files.all(|(at, file)| {
            let real = self.real_files.get(at).into_iter().flatten();
            std::iter::once(file)
                .chain(real)
                .any(|name| named.contains(name))
        })
    }
}

/// The words, without the shell that reads them and the directory of the program.
fn digest_of_command(words: &[String]) -> String {
    let tokens: Vec<&str> = words
        .iter()
        .flat_map(|word| command::tokens(word))
        .collect();
    let tokens = match tokens.as_slice() {
        [shell, "-c" | "-lc", rest @ ..] if SHELLS.contains(&&*command::base_name(shell)) => rest,
        tokens => tokens,
    };
    let mut hasher = blake3::Hasher::new_derive_key("attache permissions denied command");
    for (index, token) in tokens.iter().enumerate() {
        let word = match index {
            0 => command::base_name(token),
            _ => (*token).to_owned(),
        };
        hasher.update(word.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}

/// The parts that do something by themselves.
fn parts(line: &ShellLine) -> impl Iterator<Item = &SimpleCommand> {
    let parts = line.parts.iter();
    parts.filter(|part| !part.is_transparent() && !part.words.is_empty())
}

/// The words of a simple command without the directory of its program, and the files that it writes to.
fn digest_of_part(part: &SimpleCommand, files: &[Redirection]) -> String {
    let mut hasher = FieldHasher::new("attache permissions denied part");
    let text = |word: &ShellWord| match word {
        ShellWord::Literal(text) => (text.clone(), "literal"),
        ShellWord::Undecided(text) => (text.clone(), "undecided"),
    };
    hasher.length(part.words.len());
    for (at, word) in part.words.iter().enumerate() {
        let (word, sort) = text(word);
        hasher.text(sort);
        hasher.text(&match at {
            0 => command::base_name(&word),
            _ => word,
        });
    }
    let files = files.iter().map(|file| &file.target);
    let files = files.filter(|file| file.literal() != Some("/dev/null"));
    files.for_each(|file| hasher.text(&text(file).0));
    blake3::Hash::from_bytes(hasher.end()).to_hex().to_string()
}

/// Each file as the most lenient file systems compare names.
fn digests_of_files(action: &Action) -> Vec<String> {
    let seen = action
        .paths
        .iter()
        .map(|path| action.workspace_relative(path));
    seen.map(|path| digest_of_file(&path)).collect()
}

fn digest_of_file(path: &std::path::Path) -> String {
    let folded = paths::folded(&path.to_string_lossy());
    let key = "attache permissions denied file";
    let digest = blake3::derive_key(key, folded.as_bytes());
    blake3::Hash::from_bytes(digest).to_hex().to_string()
}

/// For each file, where it leads and which file that is.
fn digests_of_real_files(files: &ResolvedFiles) -> Vec<Vec<String>> {
    let digests = files.files().iter().map(|file| {
        let leads_to = file.leads_to.as_deref();
        let leads_to =
            leads_to.map(|there| digest_of_file(file.inside.as_deref().unwrap_or(there)));
        let identity = file.identity.map(|(device, inode, born)| {
            let mut hasher = FieldHasher::new("attache permissions denied file itself");
            hasher.text(&format!("{device} {inode} {born:?}"));
            blake3::Hash::from_bytes(hasher.end()).to_hex().to_string()
        });
        leads_to.into_iter().chain(identity).collect()
    });
    digests.collect()
}

const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
