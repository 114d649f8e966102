//! Which project files a person has looked at and trusts: a repository must not run commands because somebody has
//! cloned it. TrustStore is for a file with its content and for the files that it names with theirs; when any of them
//! changes, the person is asked again, and what the file denied and asked about before stays in force.

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

/// The project files that are trusted, kept in a file of our own.
#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PathBuf,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TrustStatus {
    Trusted,
    /// These of the named files have changed, if the file itself has not.
    Changed(Vec<PathBuf>),
    Unknown,
}

/// What a person has looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TrustedContents {
    /// Digest of the project's file.
    pub(super) digest: String,
    /// What each file was that it names.
    pub(super) names: FileStates,
}

impl TrustedContents {
    /// Whether a named file is there.
    pub(super) fn has(&self, path: &Path) -> bool {
        let state = self.names.get(&*path.to_string_lossy());
        state.is_some_and(|state| state != MISSING)
    }
}

/// A record as it is stored. Earlier versions kept only the digest of the project's file, or no restrictions.
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
    /// Keeps it in this file, which need not exist.
    pub fn at(file: PathBuf) -> TrustStore {
        TrustStore { file }
    }

    /// Trusts a file with the content that was shown.
    ///
    /// # Errors
    ///
    /// When the decision cannot be kept.
    pub fn add(&self, file: &UntrustedProject) -> Result<(), ConfigError> {
        self.put(
            &file.path,
            &file.contents,
            &file.restrictions,
            file.policy_text.as_deref(),
        )
    }

    /// Stores what a project narrows beside what was trusted, the text first.
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

    /// Trusts a file no longer. Says whether it was.
    ///
    /// # Errors
    ///
    /// When the decision cannot be kept.
    pub fn remove(&self, path: &Path) -> Result<bool, ConfigError> {
        let mut trusted = self.read()?;
        let Some(key) = key_of_record(&trusted, path) else {
            return Ok(false);
        };
        trusted.remove(&key);
        self.write(&trusted)?;
        Ok(true)
    }

    /// Whether the person has been told of a file as it is now. From now on they have.
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
            // What cannot be kept is told again.
            aside.write_records(&told).ok();
        }
        is_told
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// What is trusted. A file that does not exist trusts nothing. One that makes no sense is an error, as nobody knows
    /// which rules it would keep in force; so is one that others may have written.
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

/// Earlier versions kept a project file by where it leads. Only such a record counts for a link.
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
    /// What is known of a project file with these contents.
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

/// A project file by the directory that it is in. A link in its place is not followed: who replaces the link would
/// otherwise make the file one that nobody has ever trusted.
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

const DAMAGED: &str = "it is damaged, so nobody knows what you trust; move it away, then trust your projects again with `attache config trust`";
const TOLD: &str = "told.json";
const LIMIT: u64 = 16 * 1024 * 1024;
