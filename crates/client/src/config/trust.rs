//! Which project files a person has looked at and trusts: a repository must not run commands because somebody has
//! cloned it. What is trusted is a file with its content; another content is asked about again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Untrusted;
use super::edit::write_whole;
use super::error::Error;

/// The project files that are trusted, kept in a file of our own.
#[derive(Debug, Clone)]
pub struct Trust {
    file: PathBuf,
}

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Trusted,
    Changed,
    Unknown,
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
        let mut trusted = self.read();
        trusted.insert(key(&file.path), file.digest.clone());
        self.write(&trusted)
    }

    /// Trusts a file no longer. Says whether it was.
    ///
    /// # Errors
    ///
    /// When the decision cannot be kept.
    pub fn remove(&self, path: &Path) -> Result<bool, Error> {
        let mut trusted = self.read();
        if trusted.remove(&key(path)).is_none() {
            return Ok(false);
        }
        self.write(&trusted)?;
        Ok(true)
    }

    /// Whether the person has been told of a file as it is now. From now on they have.
    pub fn is_told(&self, file: &Untrusted) -> bool {
        let aside = Trust::at(self.file.with_file_name(TOLD));
        let is_told = aside.read().get(&key(&file.path)) == Some(&file.digest);
        // What cannot be kept is told again.
        if !is_told {
            aside.add(file).ok();
        }
        is_told
    }

    pub(super) fn of(&self, path: &Path, text: &str) -> Known {
        match self.read().get(&key(path)) {
            Some(known) if *known == digest(text) => Known::Trusted,
            Some(_) => Known::Changed,
            None => Known::Unknown,
        }
    }

    /// A file that cannot be read trusts nothing.
    fn read(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn write(&self, trusted: &BTreeMap<String, String>) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(trusted).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&self.file, &text));
        written.map_err(|cause| Error::Unwritable {
            path: self.file.clone(),
            cause,
        })
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
