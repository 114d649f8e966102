//! Access to text files inside a session's roots. All calls block; [`Host`](crate::Host) runs them on threads for
//! blocking work. `docs/files.md` says what is accessible, what is not, and why.

mod entries;
mod error;
mod format;
mod protected;
mod read;
mod write;

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use entries::{DirectoryEntry, EntryKind, Listing};
pub use error::{FileError, UnexpectedKind};
pub use format::FileFormat;

use crate::Roots;
use crate::denied::{Access, AskRuleAlias};
use crate::roots::{PathEnd, ResolvedPath, ends_as_directory};
use protected::ProtectedPaths;
use read::LineRange;

/// Reads and writes text files inside the given roots, and nothing outside. Clones are cheap.
#[derive(Debug, Clone)]
pub struct Files {
    limits: FileLimits,
    protected: Arc<ProtectedPaths>,
}

/// Limits on the size of files, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileLimits {
    /// Maximum bytes that one read returns.
    pub read: u64,
    /// Maximum bytes that one write accepts.
    pub write: u64,
    /// Maximum bytes of a file that are searched for the requested lines.
    pub search: u64,
}

impl Default for FileLimits {
    /// 10 MiB for reads and writes, 256 MiB for searches.
    fn default() -> FileLimits {
        FileLimits {
            read: 10 * MIB,
            write: 10 * MIB,
            search: 256 * MIB,
        }
    }
}

impl FileLimits {
    /// Sets [`read`](FileLimits#structfield.read).
    #[must_use]
    pub fn read(mut self, value: u64) -> Self {
        self.read = value;
        self
    }

    /// Sets [`write`](FileLimits#structfield.write).
    #[must_use]
    pub fn write(mut self, value: u64) -> Self {
        self.write = value;
        self
    }

    /// Sets [`search`](FileLimits#structfield.search).
    #[must_use]
    pub fn search(mut self, value: u64) -> Self {
        self.search = value;
        self
    }
}

impl Default for Files {
    /// The default limits, and no private directories.
    fn default() -> Files {
        Files::new(FileLimits::default(), &[])
    }
}

impl Files {
    /// Creates file access with limits. `state` lists attache's own directories, which agents cannot access even if the
    /// directories do not exist yet.
    pub fn new(limits: FileLimits, state: &[PathBuf]) -> Files {
        Files {
            limits,
            protected: Arc::new(ProtectedPaths::new(state)),
        }
    }

    /// Replaces the system's home directory. Shell and login files in the home directory are protected.
    #[must_use]
    pub fn home(self, home: &Path) -> Files {
        Files {
            limits: self.limits,
            protected: Arc::new(self.protected.with_home(home)),
        }
    }

    /// Reads a text file, or `limit` lines of it starting at `line`, counted from 1. Line ends and the byte order mark
    /// are kept. Line 0 counts as line 1. The result is empty past the end of the file and for a limit of 0.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, or the file is missing, special, too large or not text.
    pub fn read(
        &self,
        roots: &Roots,
        path: &Path,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String, FileError> {
        let file = self.open_any(roots, path)?;
        read::read(file, path, LineRange::of(line, limit), &self.limits)
    }

    /// Opens a regular file for reading, whatever its content.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots, or the file is missing or special.
    pub fn open(&self, roots: &Roots, path: &Path) -> Result<File, FileError> {
        let file = self.open_any(roots, path)?;
        read::check_regular(&file, path)?;
        Ok(file)
    }

    fn open_any(&self, roots: &Roots, path: &Path) -> Result<File, FileError> {
        check_names_file(roots, path)?;
        let failed = |error| FileError::of_system(path, "read", error);
        // Denied directories are recognised on the way, which opening in one step does not show.
        if roots.denied().is_empty()
            && roots.has_no_ask_rules()
            && let Some(opened) = roots.open_in_one_step(path, self.protected.state())?
        {
            return opened.map_err(failed);
        }
        let resolved = roots.resolve(path).map_err(dangling_as_missing)?;
        self.protected.check_read(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Read)?;
        let file = resolved.directory().read(file_name(&resolved, path)?);
        let file = file.map_err(failed)?;
        check_file(roots, &file, path, Access::Read)?;
        match roots.ask_rule_alias(&file, &resolved) {
            Some(alias) => Err(FileError::covered_by_ask_rule(path, alias)),
            None => Ok(file),
        }
    }

    /// The other name of a file that an ask rule covers, if the path leads to a hard link that no rule covers.
    pub(crate) fn ask_rule_alias(&self, roots: &Roots, path: &Path) -> Option<AskRuleAlias> {
        if roots.has_no_ask_rules() {
            return None;
        }
        let resolved = roots.resolve(path).ok()?;
        let file = resolved
            .directory()
            .read(file_name(&resolved, path).ok()?)
            .ok()?;
        roots.ask_rule_alias(&file, &resolved)
    }

    /// Writes a text file atomically. Missing directories are created.
    ///
    /// # Errors
    ///
    /// When the path leads out of the roots or is protected, or the file is special, hard-linked, read-only or cannot
    /// be written.
    pub fn write(&self, roots: &Roots, path: &Path, content: &str) -> Result<(), FileError> {
        let resolved = self.resolve_target(roots, path, content)?;
        write::write(roots, &resolved, path, content)
    }

    /// Checks whether [`write`](Files::write) would refuse a file, as far as that is known beforehand. The file need
    /// not exist.
    ///
    /// # Errors
    ///
    /// See [`write`](Files::write).
    pub fn check_write(&self, roots: &Roots, path: &Path, content: &str) -> Result<(), FileError> {
        let resolved = self.resolve_target(roots, path, content)?;
        write::open_old_at(roots, &resolved, path).map(drop)
    }

    fn resolve_target<'r>(
        &self,
        roots: &'r Roots,
        path: &'r Path,
        content: &str,
    ) -> Result<ResolvedPath<'r>, FileError> {
        check_names_file(roots, path)?;
        let resolved = roots.resolve(path)?;
        self.protected.check_write(&resolved, path)?;
        roots.check_policy(&resolved, path, Access::Change)?;
        let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
        if size > self.limits.write {
            return Err(FileError::TooLarge {
                path: path.to_owned(),
                size,
                limit: self.limits.write,
                advice: "write it in parts with another tool",
            });
        }
        Ok(resolved)
    }
}

/// Refuses an open file that a policy rule denies.
fn check_file(roots: &Roots, file: &File, path: &Path, access: Access) -> Result<(), FileError> {
    let judged = roots.denied().check_file(file, access);
    judged.map_err(|denied| FileError::denied(path, denied))
}

fn check_names_file(roots: &Roots, path: &Path) -> Result<(), FileError> {
    if !ends_as_directory(path) {
        return Ok(());
    }
    match roots.resolve(path)?.end {
        PathEnd::File(_) => Err(wrong_kind(path, UnexpectedKind::FileWithSlash)),
        PathEnd::Directory | PathEnd::Special(_) | PathEnd::Missing(_) => {
            Err(wrong_kind(path, UnexpectedKind::Directory))
        }
    }
}

fn file_name<'p>(resolved: &'p ResolvedPath<'_>, path: &Path) -> Result<&'p OsStr, FileError> {
    match &resolved.end {
        PathEnd::File(name) => Ok(name),
        PathEnd::Directory => Err(wrong_kind(path, UnexpectedKind::Directory)),
        PathEnd::Special(_) => Err(wrong_kind(path, UnexpectedKind::Special)),
        PathEnd::Missing(_) => Err(FileError::NotFound {
            path: path.to_owned(),
        }),
    }
}

fn wrong_kind(path: &Path, found: UnexpectedKind) -> FileError {
    FileError::WrongKind {
        path: path.to_owned(),
        found,
    }
}

/// For a reader, a dangling link is a missing file.
fn dangling_as_missing(error: FileError) -> FileError {
    match error {
        FileError::Dangling { path } => FileError::NotFound { path },
        error => error,
    }
}

const MIB: u64 = 1024 * 1024;
