//! Which project files a person has looked at and trusts: a repository must not run commands because somebody has
//! cloned it. Trust is for a file with its content and for the files that it names with theirs; when any of them
//! changes, the person is asked again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use attache_host::ownership;
use serde::{Deserialize, Serialize};

use super::Untrusted;
use super::edit::write_whole;
use super::error::Error;
use super::named::States;

/// The project files that are trusted, kept in a file of our own.
#[derive(Debug, Clone)]
pub struct Trust {
    file: PathBuf,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    Trusted,
    /// These of the named files have changed, if the file itself has not.
    Changed(Vec<PathBuf>),
    Unknown,
}

/// What a person has looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contents {
    /// Digest of the project's file.
    pub(super) digest: String,
    /// What each file was that it names.
    pub(super) names: States,
}

/// A record as it is stored. Earlier versions kept only the digest of the project's file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Record {
    Whole(Contents),
    Digest(String),
}

impl Trust {
    /// Keeps it in this file, which need not exist.
    pub fn at(file: PathBuf) -> Trust {
        Trust { file }
    }

    /// Trusts a file with the content that was shown.
    ///
    /// # Errors
    ///
    /// When the decision cannot be kept.
    pub fn add(&self, file: &Untrusted) -> Result<(), Error> {
        let mut trusted = self.read()?;
        trusted.insert(key(&file.path), Record::Whole(file.contents.clone()));
        self.write(&trusted)
    }

    /// Trusts a file no longer. Says whether it was.
    ///
    /// # Errors
    ///
    /// When the decision cannot be kept.
    pub fn remove(&self, path: &Path) -> Result<bool, Error> {
        let mut trusted = self.read()?;
        if trusted.remove(&key(path)).is_none() {
            return Ok(false);
        }
        self.write(&trusted)?;
        Ok(true)
    }

    /// Whether the person has been told of a file as it is now. From now on they have.
    pub fn is_told(&self, file: &Untrusted) -> bool {
        let aside = Trust::at(self.file.with_file_name(TOLD));
        let told = aside.read().unwrap_or_default();
        let told = told.get(&key(&file.path)).map(Record::contents);
        let is_told = told.is_some_and(|told| told == file.contents);
        // What cannot be kept is told again.
        if !is_told {
            aside.add(file).ok();
        }
        is_told
    }

    pub(super) fn of(&self, path: &Path, now: &Contents) -> Result<Known, Error> {
        let trusted = self.read()?;
        let Some(known) = trusted.get(&key(path)).map(Record::contents) else {
            return Ok(Known::Unknown);
        };
        if known == *now {
            return Ok(Known::Trusted);
        }
        let has_changed = |name: &&String| known.names.get(*name) != now.names.get(*name);
        let names = known.names.keys().chain(now.names.keys());
        let mut changed: Vec<PathBuf> = match known.digest == now.digest {
            true => names.filter(has_changed).map(PathBuf::from).collect(),
            false => Vec::new(),
        };
        changed.sort();
        changed.dedup();
        Ok(Known::Changed(changed))
    }

    /// What is trusted. A file that does not exist or makes no sense trusts nothing; one that others may have written is
    /// an error.
    fn read(&self) -> Result<BTreeMap<String, Record>, Error> {
        let mut file = match File::open(&self.file) {
            Ok(file) => file,
            Err(_) => return Ok(BTreeMap::new()),
        };
        ownership::check(&self.file, &file).map_err(Error::Ownership)?;
        let mut text = String::new();
        match file.by_ref().take(LIMIT).read_to_string(&mut text) {
            Ok(_) => Ok(serde_json::from_str(&text).unwrap_or_default()),
            Err(_) => Ok(BTreeMap::new()),
        }
    }

    fn write(&self, trusted: &BTreeMap<String, Record>) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(trusted).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&self.file, &text));
        written.map_err(|cause| Error::Unwritable {
            path: self.file.clone(),
            cause,
        })
    }
}

impl Record {
    fn contents(&self) -> Contents {
        match self {
            Record::Whole(contents) => contents.clone(),
            Record::Digest(digest) => Contents {
                digest: digest.clone(),
                names: States::new(),
            },
        }
    }
}

fn key(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}

pub(super) fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

const TOLD: &str = "told.json";
const LIMIT: u64 = 16 * 1024 * 1024;
