//! Blocking work in the background: reading, writing and finding files. Each result is an input.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tokio::task::JoinSet;

use crate::chat::effect::{ExistingFile, Input, SaveError, SendMode};
use crate::chat::mentions::{self, PromptDraft};

/// Running tasks and results that are already there.
#[derive(Debug, Default)]
pub(super) struct BackgroundTasks {
    running: JoinSet<Input>,
    done: VecDeque<Input>,
}

impl BackgroundTasks {
    pub(super) fn find_files(&mut self, roots: Vec<PathBuf>) {
        self.running
            .spawn_blocking(move || Input::FilesFound(mentions::find_files(&roots)));
    }

    pub(super) fn load(&mut self, tab: u64, mode: SendMode, prompt: Box<PromptDraft>) {
        self.running.spawn_blocking(move || {
            let content = mentions::load_prompt(&prompt).map_err(|error| error.to_string());
            Input::AttachmentsLoaded {
                tab,
                mode,
                prompt,
                content,
            }
        });
    }

    pub(super) fn save(&mut self, path: PathBuf, text: String, existing: ExistingFile) {
        self.running
            .spawn_blocking(move || Input::Saved(save(&path, &text, existing)));
    }

    /// Adds a result that is already known.
    pub(super) fn push_done(&mut self, input: Input) {
        self.done.push_back(input);
    }

    /// Waits for the next result. Cancel safe.
    pub(super) async fn next(&mut self) -> Input {
        loop {
            if let Some(input) = self.done.pop_front() {
                return input;
            }
            match self.running.join_next().await {
                Some(Ok(input)) => return input,
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }
}

fn save(path: &Path, text: &str, existing: ExistingFile) -> Result<PathBuf, SaveError> {
    let why = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => SaveError::Exists(path.to_owned()),
        _ => SaveError::Failed(format!("can't write {}: {error}", path.display())),
    };
    let mut options = OpenOptions::new();
    let options = match existing {
        ExistingFile::Keep => options.write(true).create_new(true),
        ExistingFile::Overwrite => options.write(true).create(true).truncate(true),
    };
    let file = options.open(path);
    let mut file = file.map_err(why)?;
    file.write_all(text.as_bytes()).map_err(why)?;
    Ok(path.to_owned())
}
