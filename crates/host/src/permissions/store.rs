//! Decisions on disk, outside every workspace: one file, replaced as a whole, with a keyed digest that only we can
//! make.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::remembered_decision::RememberedDecision;
use crate::ownership;
use attache_disk::private::{self, Error, FileStamp, Key};

/// The file of decisions, and what was last read from it.
#[derive(Debug)]
pub(super) struct DecisionStore {
    path: PathBuf,
    stamp: Option<FileStamp>,
    decisions: Vec<RememberedDecision>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreContent {
    version: u32,
    decisions: Vec<RememberedDecision>,
    mac: String,
}

/// The field that every version has.
#[derive(Debug, Deserialize)]
struct StoreVersion {
    version: u32,
}

/// Why the file can't be used.
enum StoreReadError {
    /// The digest does not match, so it is unknown who wrote the file.
    Untrusted(Error),
    /// Another version of Attaché may have written the file, so it is left alone.
    Version(Error),
}

impl From<Error> for StoreReadError {
    fn from(error: Error) -> StoreReadError {
        StoreReadError::Untrusted(error)
    }
}

impl DecisionStore {
    /// A file that has not been read yet.
    pub(super) fn at(path: PathBuf) -> DecisionStore {
        DecisionStore {
            path,
            stamp: None,
            decisions: Vec::new(),
        }
    }

    pub(super) fn decisions(&self) -> &[RememberedDecision] {
        &self.decisions
    }

    /// Whether there is a file.
    pub(super) fn exists(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    /// Reads the file again if it has changed. A file that can't be trusted counts as empty.
    ///
    /// # Errors
    ///
    /// When the file can't be trusted; reported once for each change.
    pub(super) fn refresh(&mut self) -> Result<(), Error> {
        let stamp = FileStamp::at(&self.path);
        if stamp == self.stamp {
            return Ok(());
        }
        (self.stamp, self.decisions) = (stamp, Vec::new());
        let read = self.read().map_err(|unread| match unread {
            StoreReadError::Untrusted(error) | StoreReadError::Version(error) => error,
        });
        if let Some((decisions, stamp)) = read? {
            (self.stamp, self.decisions) = (Some(stamp), decisions);
        }
        Ok(())
    }

    /// Changes the decisions while no other process can.
    ///
    /// # Errors
    ///
    /// When the decisions can't be written; then nothing has changed.
    pub(super) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Vec<RememberedDecision>) -> T,
    ) -> Result<T, Error> {
        let dir = self.path.parent().unwrap_or(Path::new("/"));
        private::create_dir(dir)?;
        let lock = private::lock(&self.path.with_extension("lock"))?;
        let mut decisions = match self.read() {
            Ok(read) => read.map(|(decisions, _)| decisions).unwrap_or_default(),
            Err(StoreReadError::Version(error)) => return Err(error),
            Err(StoreReadError::Untrusted(_)) => self.move_aside()?,
        };
        let before = decisions.clone();
        let changed = change(&mut decisions);
        if decisions.len() > MAX_DECISIONS {
            return Err(Error::refused(
                &self.path,
                "contains too many decisions; clear some with `attache permissions clear`",
            ));
        }
        if decisions != before {
            self.write(&decisions)?;
        }
        drop(lock);
        (self.stamp, self.decisions) = (FileStamp::at(&self.path), decisions);
        Ok(changed)
    }

    fn read(&self) -> Result<Option<(Vec<RememberedDecision>, FileStamp)>, StoreReadError> {
        let Some((text, stamp)) = private::read(&self.path, MAX_FILE)? else {
            return Ok(None);
        };
        let refused = |why: &str| StoreReadError::Untrusted(Error::refused(&self.path, why));
        // Anyone who can replace both files does not need to know the key.
        ownership::check_directories(&self.path).map_err(|error| refused(error.why()))?;
        let Some(key) = private::read_key(&self.key_path())? else {
            return Err(refused(
                "has no key beside it, so it is unknown who wrote it",
            ));
        };
        let version = serde_json::from_str::<StoreVersion>(&text).map(|it| it.version);
        if version.is_ok_and(|version| version != VERSION) {
            let why = "was written by another version of attache and is left as it is; use that version, or move the file away";
            return Err(StoreReadError::Version(Error::refused(&self.path, why)));
        }
        let content: StoreContent =
            serde_json::from_str(&text).map_err(|_| refused("is damaged"))?;
        let mac = mac(&key, &content.decisions);
        // Digests compare in constant time, texts do not.
        match content.mac.parse::<blake3::Hash>() {
            Ok(stored) if stored == mac => Ok(Some((content.decisions, stamp))),
            _ => Err(refused("was changed by somebody else")),
        }
    }

    fn write(&self, decisions: &[RememberedDecision]) -> Result<(), Error> {
        let key = private::read_or_create_key(&self.key_path())?;
        let content = StoreContent {
            version: VERSION,
            mac: mac(&key, decisions).to_hex().to_string(),
            decisions: decisions.to_vec(),
        };
        let text = serde_json::to_string_pretty(&content);
        let text = text.map_err(|error| Error::new(&self.path, error.into()))?;
        private::replace(&self.path, &text)
    }

    /// Moves the file aside, for anyone who wants to know what happened.
    fn move_aside(&self) -> Result<Vec<RememberedDecision>, Error> {
        let aside = self.path.with_extension("refused");
        std::fs::rename(&self.path, &aside).map_err(|error| Error::new(&self.path, error))?;
        Ok(Vec::new())
    }

    fn key_path(&self) -> PathBuf {
        self.path.with_extension("key")
    }
}

fn mac(key: &Key, decisions: &[RememberedDecision]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for decision in decisions {
        let text = serde_json::to_string(decision).unwrap_or_default();
        hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}

const VERSION: u32 = 1;
const MAX_DECISIONS: usize = 10_000;
const MAX_FILE: u64 = 32 * 1024 * 1024;
