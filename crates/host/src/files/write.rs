//! Writes a file atomically: to a temporary file beside the old one, which is flushed to the disk and then renamed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{FileError, UnexpectedKind, check_file, wrong_kind};
use crate::Roots;
use crate::denied::Access;
use crate::roots::{Dir, PathEnd, ResolvedPath, file_facts, keep_owner_and_mode};

pub(super) fn write(
    roots: &Roots,
    resolved: &ResolvedPath<'_>,
    path: &Path,
    content: &str,
) -> Result<(), FileError> {
    let failed = |error| FileError::of_system(path, "write", error);
    match open_old_at(roots, resolved, path)? {
        WriteTarget::Existing(name, old) => {
            replace(resolved.directory(), name, content, old).map_err(failed)
        }
        WriteTarget::Missing(names) => {
            let (name, made) = make_parents(roots, resolved.directory(), names, path)?;
            let dir = made.as_ref().unwrap_or(resolved.directory());
            create(dir, name, content).map_err(failed)
        }
    }
}

/// The target of a write.
pub(super) enum WriteTarget<'p> {
    /// An existing file, opened.
    Existing(&'p OsStr, File),
    /// A new file, after the missing directories above it.
    Missing(&'p [OsString]),
}

/// Opens the file that will be replaced, if it exists, and checks that it may be replaced.
pub(super) fn open_old_at<'p>(
    roots: &Roots,
    resolved: &'p ResolvedPath<'_>,
    path: &Path,
) -> Result<WriteTarget<'p>, FileError> {
    match &resolved.end {
        PathEnd::Directory => Err(wrong_kind(path, UnexpectedKind::Directory)),
        PathEnd::Special(_) => Err(wrong_kind(path, UnexpectedKind::Special)),
        PathEnd::File(name) => {
            let old = open_old(resolved.directory(), name, path)?;
            check_file(roots, &old, path, Access::Change)?;
            Ok(WriteTarget::Existing(name, old))
        }
        PathEnd::Missing(names) => Ok(WriteTarget::Missing(names)),
    }
}

/// Opens the file that will be replaced, which shows that we may write it.
fn open_old(dir: &Dir, name: &OsStr, path: &Path) -> Result<File, FileError> {
    let file = dir.open_writable(name).map_err(|error| {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => read_only(path),
            _ => FileError::of_system(path, "write", error),
        }
    })?;
    let facts = file_facts(&file).map_err(|error| FileError::of_system(path, "write", error))?;
    match facts {
        _ if !facts.is_regular => Err(wrong_kind(path, UnexpectedKind::Special)),
        _ if facts.links > 1 => Err(FileError::HardLinked {
            path: path.to_owned(),
        }),
        // The superuser can write read-only files, but the mode is meant for everybody.
        _ if !facts.is_writable => Err(read_only(path)),
        _ => Ok(file),
    }
}

fn read_only(path: &Path) -> FileError {
    FileError::ReadOnly {
        path: path.to_owned(),
    }
}

fn create(dir: &Dir, name: &OsStr, content: &str) -> io::Result<()> {
    let mut temporary = TemporaryFile::create(dir, Dir::create_shared)?;
    temporary.fill(content)?;
    temporary.rename(name)
}

/// Creates the directories above the last name. Returns that name, and the last directory if one was created. Another
/// process may replace a directory that was just created, so each one is checked once it is open.
pub(super) fn make_parents<'n>(
    roots: &Roots,
    dir: &Dir,
    names: &'n [OsString],
    path: &Path,
) -> Result<(&'n OsStr, Option<Dir>), FileError> {
    let failed = |error| FileError::of_system(path, "make the directory of", error);
    let Some((name, parents)) = names.split_last() else {
        return Err(failed(io::ErrorKind::InvalidInput.into()));
    };
    let mut made: Option<Dir> = None;
    for (index, parent) in parents.iter().enumerate() {
        let above = made.as_ref().unwrap_or(dir);
        let below = above.make_directory(parent).map_err(failed)?;
        above.sync().map_err(failed)?;
        let judged = roots
            .denied()
            .check_directory(&below, &names[index + 1..], Access::Change);
        judged.map_err(|denied| FileError::denied(path, denied))?;
        made = Some(below);
    }
    Ok((name, made))
}

fn replace(dir: &Dir, name: &OsStr, content: &str, old: File) -> io::Result<()> {
    let mut temporary = TemporaryFile::create(dir, Dir::create_private)?;
    keep_owner_and_mode(&temporary.file, &old)?;
    // Some systems do not rename onto an open file.
    drop(old);
    temporary.fill(content)?;
    temporary.rename(name)
}

/// A temporary file, removed on drop unless it was renamed.
struct TemporaryFile<'d> {
    dir: &'d Dir,
    name: OsString,
    file: File,
    is_renamed: bool,
}

impl<'d> TemporaryFile<'d> {
    fn create(
        dir: &'d Dir,
        create: impl Fn(&Dir, &OsStr) -> io::Result<File>,
    ) -> io::Result<TemporaryFile<'d>> {
        sweep(dir);
        let random = RandomState::new().build_hasher().finish();
        let name = OsString::from(format!("{PREFIX}{random:016x}{SUFFIX}"));
        Ok(TemporaryFile {
            file: create(dir, &name)?,
            dir,
            name,
            is_renamed: false,
        })
    }

    fn fill(&mut self, content: &str) -> io::Result<()> {
        self.file.write_all(content.as_bytes())?;
        self.file.sync_all()
    }

    fn rename(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(&self.name, name)?;
        self.is_renamed = true;
        self.dir.sync()
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // The first failure is the one to report; `sweep` finds files that stay.
            self.dir.remove(&self.name).ok();
        }
    }
}

/// Removes temporary files left by writes that were killed.
fn sweep(dir: &Dir) {
    let Ok(found) = dir.files_beginning(PREFIX) else {
        return;
    };
    let now = SystemTime::now();
    for (name, written) in found {
        let is_old = now.duration_since(written).is_ok_and(|age| age > OLD);
        if is_old && name.as_encoded_bytes().ends_with(SUFFIX.as_bytes()) {
            dir.remove(&name).ok();
        }
    }
}

// Agents may not write names with this prefix.
const PREFIX: &str = ".attache-write-";
const SUFFIX: &str = ".tmp";

/// No write takes longer.
const OLD: Duration = Duration::from_secs(10 * 60);
