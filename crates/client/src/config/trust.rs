//! The project files that the user trusts: a cloned repository must not run commands by itself. Trust covers the content of
//! a project's file and of the files that it names. When any of them changes, the user must trust the file again, and the
//! file's earlier deny and ask rules stay in force.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use attache_host::ownership::{self, ReadError};
use serde::{Deserialize, Serialize};

use super::UntrustedProject;
use super::edit::write_whole;
use super::error::ConfigError;
use super::named_files::{FileStates, MISSING};
use super::restrictions::ProjectRestrictions;

/// The trusted project files, stored in a file of our own.
#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PathBuf,
}

/// Whether a project's file is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TrustStatus {
    Trusted,
    /// Changed since it was trusted. Contains the changed named files, if the project's file itself has not changed.
    Changed(Vec<PathBuf>),
    Unknown,
}

/// The contents that the user has trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TrustedContents {
    /// Digest of the project's file.
    pub(super) digest: String,
    /// The state of each named file.
    pub(super) names: FileStates,
}

impl TrustedContents {
    /// Whether a named file exists.
    pub(super) fn has(&self, path: &Path) -> bool {
        let state = self.names.get(&*path.to_string_lossy());
        state.is_some_and(|state| state != MISSING)
    }
}

/// A stored record. Earlier versions stored only the digest of the project's file, or no restrictions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum TrustRecord {
    Whole {
        #[serde(flatten)]
        contents: TrustedContents,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restrictions: Option<ProjectRestrictions>,
    },
    Digest(String),
}

/// The records, each under the path of its project file.
pub(super) type TrustRecords = BTreeMap<String, TrustRecord>;

impl TrustStore {
    /// A store in this file, which need not exist.
    pub fn at(file: PathBuf) -> TrustStore {
        TrustStore { file }
    }

    /// Trusts a file with the contents that were shown.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written.
    pub fn add(&self, file: &UntrustedProject) -> Result<(), ConfigError> {
        self.put(
            &file.path,
            &file.contents,
            &file.restrictions,
            file.policy_text.as_deref(),
        )
    }

    /// Stores the trusted contents and the restrictions, the policy's text first.
    pub(super) fn put(
        &self,
        path: &Path,
        contents: &TrustedContents,
        restrictions: &ProjectRestrictions,
        policy: Option<&str>,
    ) -> Result<(), ConfigError> {
        if let Some(text) = policy {
            self.store(text)?;
        }
        let record = TrustRecord::Whole {
            contents: contents.clone(),
            restrictions: Some(restrictions.clone()),
        };
        let mut trusted = self.read()?;
        trusted.insert(key(path), record);
        self.write(&trusted)
    }

    /// Ends the trust in a file. Returns whether it was trusted.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written.
    pub fn remove(&self, path: &Path) -> Result<bool, ConfigError> {
        let mut trusted = self.read()?;
        let Some(key) = key_of_record(&trusted, path) else {
            return Ok(false);
        };
        trusted.remove(&key);
        self.write(&trusted)?;
        Ok(true)
    }

    /// Whether the user was warned about this version of a file. Notes that the user is warned now.
    pub fn already_warned(&self, file: &UntrustedProject) -> bool {
        let aside = TrustStore::at(self.file.with_file_name(TOLD));
        let mut told = aside.read().unwrap_or_default();
        let contents = told.get(&key(&file.path)).map(TrustRecord::contents);
        let is_told = contents.is_some_and(|contents| contents == file.contents);
        if !is_told {
            let record = TrustRecord::Whole {
                contents: file.contents.clone(),
                restrictions: None,
            };
            told.insert(key(&file.path), record);
            // If this fails, the user is warned again.
            aside.write_records(&told).ok();
        }
        is_told
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// The trusted files. A missing store means that nothing is trusted. A damaged store is an error, because the rules
    /// that it keeps in force are unknown; so is a store that another user may have written.
    pub(super) fn read(&self) -> Result<TrustRecords, ConfigError> {
        let unreadable = |cause| ConfigError::Unreadable {
            path: self.file.clone(),
            cause,
        };
        let text = match ownership::read_text(&self.file, LIMIT) {
            Ok(text) => text,
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(TrustRecords::new());
            }
            Err(ReadError::Io(error)) => return Err(unreadable(error)),
            Err(ReadError::Refused(error)) => return Err(ConfigError::Ownership(error)),
            Err(unknown) => return Err(unreadable(io::Error::other(unknown))),
        };
        let damaged = |_| unreadable(io::Error::other(DAMAGED));
        serde_json::from_str(&text).map_err(damaged)
    }

    fn write(&self, trusted: &TrustRecords) -> Result<(), ConfigError> {
        self.write_records(trusted)?;
        let needed = trusted.values().filter_map(TrustRecord::restrictions);
        let needed = needed
            .filter_map(ProjectRestrictions::digest)
            .map(str::to_owned);
        self.remove_copies_except(&needed.collect::<Vec<_>>());
        Ok(())
    }

    fn write_records(&self, trusted: &TrustRecords) -> Result<(), ConfigError> {
        let text = serde_json::to_string_pretty(trusted).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&self.file, &text));
        written.map_err(|cause| ConfigError::Unwritable {
            path: self.file.clone(),
            cause,
        })
    }
}

/// The record of a project file.
pub(super) fn record<'a>(records: &'a TrustRecords, path: &Path) -> Option<&'a TrustRecord> {
    records.get(&key_of_record(records, path)?)
}

/// The key of a project file's record. Earlier versions used the target of a link as the key, which still counts.
fn key_of_record(records: &TrustRecords, path: &Path) -> Option<String> {
    let own = key(path);
    if records.contains_key(&own) {
        return Some(own);
    }
    let followed = path.canonicalize().ok()?.to_string_lossy().into_owned();
    let record = records.get(&followed)?;
    record.restrictions().is_none().then_some(followed)
}

impl TrustRecord {
    /// The trust in a project file with these contents.
    pub(super) fn status(&self, now: &TrustedContents) -> TrustStatus {
        let then = self.contents();
        if then == *now {
            return TrustStatus::Trusted;
        }
        let has_changed = |name: &&String| then.names.get(*name) != now.names.get(*name);
        let names = then.names.keys().chain(now.names.keys());
        let mut changed: Vec<PathBuf> = match then.digest == now.digest {
            true => names.filter(has_changed).map(PathBuf::from).collect(),
            false => Vec::new(),
        };
        changed.sort();
        changed.dedup();
        TrustStatus::Changed(changed)
    }

    pub(super) fn contents(&self) -> TrustedContents {
        match self {
            TrustRecord::Whole { contents, .. } => contents.clone(),
            TrustRecord::Digest(digest) => TrustedContents {
                digest: digest.clone(),
                names: FileStates::new(),
            },
        }
    }

    pub(super) fn restrictions(&self) -> Option<&ProjectRestrictions> {
        match self {
            TrustRecord::Whole { restrictions, .. } => restrictions.as_ref(),
            TrustRecord::Digest(_) => None,
        }
    }
}

/// The key of a project file: its real directory and its name. A link in its place is not followed: otherwise anyone who
/// replaces the link could make the file look like one that was never trusted.
fn key(path: &Path) -> String {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let name = path.file_name();
    let path = folder
        .zip(name)
        .map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name));
    path.to_string_lossy().into_owned()
}

pub(super) fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

const DAMAGED: &str =
    "it is damaged; move it away, then trust your projects again with `attache config trust`";
const TOLD: &str = "told.json";
const LIMIT: u64 = 16 * 1024 * 1024;
