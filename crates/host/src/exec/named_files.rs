//! The files that the program of a rule has led to so far. The rule still applies to such a file after the file, or a
//! directory above it, was renamed.

use std::fs::File;
use std::path::PathBuf;

use attache_process::FileVersion;
use serde::{Deserialize, Serialize};

use super::programs::{FileIdentity, RuleFile, pinned};

/// The files that one program of a rule has led to.
#[derive(Debug, Default)]
pub(super) struct NamedFiles(Vec<NamedFile>);

#[derive(Debug)]
struct NamedFile {
    file: RuleFile,
    state: NamedFileState,
}

#[derive(Debug)]
enum NamedFileState {
    /// The open file keeps its inode from being given to another file.
    Pinned(File),
    /// Another process keeps the inode.
    PinnedElsewhere,
    /// The file has no name any more. A process that has it open can still execute it.
    Removed,
}

/// A file that a program of a rule has led to, for the judge of another process tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RememberedFile {
    program: String,
    id: (u64, u64),
    version: (u64, i64, u32),
    names_in: Vec<PathBuf>,
}

impl RememberedFile {
    /// Whether a rule that names this program led to the file.
    pub(super) fn is_of(&self, program: &str) -> bool {
        self.program == program
    }
}

impl NamedFiles {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds the files that a rule's program leads to now, unless there are too many.
    pub(super) fn add(&mut self, found: &[RuleFile], most: usize) {
        let is_known = |known: &NamedFile, file: &RuleFile| {
            known.file.identity.id == file.identity.id
                && !matches!(known.state, NamedFileState::Removed)
        };
        for file in found {
            if self.0.iter().any(|known| is_known(known, file)) {
                continue;
            }
            self.release_removed();
            if self.0.len() >= most.min(MAX_FILES) {
                return;
            }
            if let Some(pin) = pinned(file) {
                self.0.push(NamedFile {
                    file: file.clone(),
                    state: NamedFileState::Pinned(pin),
                });
            }
        }
    }

    /// Adds a file that was seen for another process tree, which keeps it.
    pub(super) fn restore(&mut self, remembered: &RememberedFile) {
        let (size, seconds, nanoseconds) = remembered.version;
        let version = FileVersion {
            size,
            seconds,
            nanoseconds,
        };
        self.0.push(NamedFile {
            file: RuleFile {
                identity: FileIdentity::remembered(remembered.id, version),
                path: PathBuf::new(),
                names_in: remembered.names_in.clone(),
            },
            state: NamedFileState::PinnedElsewhere,
        });
    }

    /// The files, for the judge of another process tree.
    pub(super) fn remembered(&self, program: &str) -> impl Iterator<Item = RememberedFile> {
        let kept = self.0.iter();
        let kept = kept.filter(|known| !matches!(known.state, NamedFileState::Removed));
        kept.map(|NamedFile { file, .. }| {
            let version = file.identity.version;
            let mut names_in = file.names_in.clone();
            // The others have no form as text.
            names_in.retain(|place| place.to_str().is_some());
            RememberedFile {
                program: program.to_owned(),
                id: file.identity.id,
                version: (version.size, version.seconds, version.nanoseconds),
                names_in,
            }
        })
    }

    /// The entries that an executed file is.
    pub(super) fn same_as(&self, file: Option<FileIdentity>) -> impl Iterator<Item = &RuleFile> {
        let is_removed = file.is_some_and(|file| file.is_removed);
        let same = self.0.iter().filter(move |known| {
            let is_possible = is_removed || !matches!(known.state, NamedFileState::Removed);
            is_possible && known.file.is(file)
        });
        same.map(|known| &known.file)
    }

    /// Closes files without a name. Their inodes may then be given to other files, which have names.
    fn release_removed(&mut self) {
        for known in &mut self.0 {
            if let NamedFileState::Pinned(pin) = &known.state
                && pin
                    .metadata()
                    .is_ok_and(|meta| crate::path_facts::link_count(&meta) == 0)
            {
                known.state = NamedFileState::Removed;
            }
        }
        let is_removed = |known: &NamedFile| matches!(known.state, NamedFileState::Removed);
        if self.0.len() >= MAX_FILES
            && let Some(first) = self.0.iter().position(is_removed)
        {
            self.0.remove(first);
        }
    }
}

const MAX_FILES: usize = 16;
