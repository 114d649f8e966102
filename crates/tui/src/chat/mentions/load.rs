//! Turns a prompt with mentions and attachments into content blocks, as far as the agent takes them.

use std::path::{Path, PathBuf};

use attache::v1;
use attache_client::prompt;

/// A prompt before its files are read.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// The text as it was typed.
    pub text: String,
    /// What was mentioned in it. A name without a file stays text.
    pub mentions: Vec<String>,
    /// Files that were attached; each must be there.
    pub files: Vec<PathBuf>,
    /// What names are relative to.
    pub cwd: PathBuf,
    /// What the agent takes.
    pub takes: v1::PromptCapabilities,
}

/// Reads what a prompt names. Blocks.
pub(crate) fn load(prompt: &Attachment) -> Result<Vec<v1::ContentBlock>, prompt::AttachError> {
    let mentions = prompt
        .mentions
        .iter()
        .map(|name| place(&prompt.cwd, Path::new(name)));
    let mentions = mentions.filter(|path| path.exists());
    let files = prompt.files.iter().map(|file| place(&prompt.cwd, file));
    let all: Vec<PathBuf> = mentions.chain(files).collect();
    let text = match prompt.text.trim().is_empty() {
        true => "",
        false => &prompt.text,
    };
    prompt::compose(text, &all, &prompt.takes)
}

fn place(cwd: &Path, path: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => cwd.join(path),
    }
}
