//! Files that a prompt mentions with `@`: finding mentions in the text, finding files to mention, and reading them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use attache::v1;
use attache_client::prompt;
use ignore::WalkBuilder;

/// A mention that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnfinishedMention {
    /// The position of its `@`.
    pub(crate) start: usize,
    /// The name typed so far.
    pub(crate) name: String,
}

/// The unfinished mention at the end of a text, if there is one.
pub(crate) fn unfinished_mention(text: &str) -> Option<UnfinishedMention> {
    let mut open = None;
    for (start, at) in mention_starts(text) {
        let name = &text[at..];
        let is_open = match name.strip_prefix('"') {
            Some(quoted) => !quoted.contains('"'),
            None => !name.contains(char::is_whitespace),
        };
        if is_open {
            let name = name.strip_prefix('"').unwrap_or(name).to_owned();
            open = Some(UnfinishedMention { start, name });
        }
    }
    open
}

/// The names of all mentions in a text. Whether the files exist is checked by [`load_prompt`].
pub(crate) fn mentioned_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (_, at) in mention_starts(text) {
        let rest = &text[at..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split(char::is_whitespace).next(),
        };
        let name = name.unwrap_or_default();
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The mention of a path, quoted if needed.
pub(crate) fn mention_of(path: &str) -> String {
    if path.contains(char::is_whitespace) {
        format!("@\"{path}\"")
    } else {
        format!("@{path}")
    }
}

/// The positions of each `@` that starts a mention and of the name behind it. An `@` inside a word, as in an email
/// address, is part of the word.
fn mention_starts(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices('@').filter_map(|(index, _)| {
        let before = text[..index].chars().next_back();
        let is_start = before.is_none_or(|char| char.is_whitespace() || "([{,;".contains(char));
        is_start.then_some((index, index + 1))
    })
}

/// A prompt before its files are read.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptDraft {
    /// The text as it was typed.
    pub text: String,
    /// The names mentioned in the text. A name without a file stays text.
    pub mentions: Vec<String>,
    /// Attached files; each of them must exist.
    pub files: Vec<PathBuf>,
    /// The directory that names are relative to.
    pub cwd: PathBuf,
    /// The kinds of content that the agent accepts.
    pub capabilities: v1::PromptCapabilities,
}

/// Reads the files of a prompt and turns it into content blocks that the agent accepts. Blocks.
pub(crate) fn load_prompt(
    prompt: &PromptDraft,
) -> Result<Vec<v1::ContentBlock>, prompt::AttachError> {
    let mentions = prompt
        .mentions
        .iter()
        .map(|name| resolve_path(&prompt.cwd, Path::new(name)));
    let mentions = mentions.filter(|path| path.exists());
    let files = prompt
        .files
        .iter()
        .map(|file| resolve_path(&prompt.cwd, file));
    let all: Vec<PathBuf> = mentions.chain(files).collect();
    let text = match prompt.text.trim().is_empty() {
        true => "",
        false => &prompt.text,
    };
    prompt::compose(text, &all, &prompt.capabilities)
}

fn resolve_path(cwd: &Path, path: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => cwd.join(path),
    }
}

/// Finds the files below some directories, without those that version control ignores. Paths in the first directory are
/// relative to it. Blocks; stops after a number of files or some seconds, whichever comes first.
pub(crate) fn find_files(roots: &[PathBuf]) -> Vec<String> {
    let Some((first, more)) = roots.split_first() else {
        return Vec::new();
    };
    let mut walk = WalkBuilder::new(first);
    for root in more {
        walk.add(root);
    }
    walk.hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git");
    let until = Instant::now() + TIME;
    let entries = walk.build().take_while(|_| Instant::now() < until);
    let files = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let names = files.filter_map(|entry| mentionable_name(entry.path(), first));
    let mut names: Vec<String> = names.take(FILES).collect();
    names.sort();
    names
}

/// The name of a path, or `None` if it can't be typed or shown unchanged.
fn mentionable_name(path: &Path, first: &Path) -> Option<String> {
    let path = path.strip_prefix(first).unwrap_or(path);
    let name = path.to_str()?;
    let is_plain = !name.contains('"') && !name.contains(attache_text::plain::is_hidden);
    is_plain.then(|| name.to_owned())
}

const FILES: usize = 50_000;
const TIME: Duration = Duration::from_secs(5);
