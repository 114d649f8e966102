//! What a denial holds for, whatever the agent calls the tool: it must not get by renaming what it was denied.

use serde::{Deserialize, Serialize};

use super::{Action, command, paths};

/// A command or files that were denied, as digests: a command may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Denied {
    command: Option<String>,
    /// The files, or the directories of the command, in their order.
    files: Vec<String>,
    /// Whether it was reading that was denied, and with it everything else.
    reads: bool,
}

impl Denied {
    /// Nothing where neither a command nor a file is named.
    pub(super) fn of(action: &Action) -> Option<Denied> {
        let denied = Denied {
            command: action.command.as_deref().map(digest_of_command),
            files: digests_of_files(action),
            reads: action.only_reads(),
        };
        (denied.command.is_some() || !denied.files.is_empty()).then_some(denied)
    }

    /// Whether a question is of the sort that was denied: who may not change a file may still read it.
    pub(super) fn is_about(&self, action: &Action) -> bool {
        self.reads || !action.only_reads()
    }

    /// Whether a question is about the same command, or changes or reads the same files.
    pub(super) fn holds_for(&self, action: &Action) -> bool {
        let is_same = match (&self.command, &action.command) {
            (Some(denied), Some(words)) => *denied == digest_of_command(words),
            (None, None) => self.is_about(action),
            _ => false,
        };
        let files = digests_of_files(action);
        is_same && self.files.iter().all(|file| files.contains(file))
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

/// Each file as the most forgiving file systems see it.
fn digests_of_files(action: &Action) -> Vec<String> {
    let digest = |path: &std::path::PathBuf| {
        let seen = action.seen(path);
        let folded = paths::folded(&seen.to_string_lossy());
        let key = "attache permissions denied file";
        blake3::derive_key(key, folded.as_bytes())
    };
    let digests = action.paths.iter().map(digest);
    let digests = digests.map(|digest| blake3::Hash::from_bytes(digest).to_hex().to_string());
    digests.collect()
}

const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];
