//! A file written whole or not at all: beside the old one under a name of its own, brought to the disk, then renamed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Error, FoundKind, check_file, wrong_kind};
use crate::Roots;
use crate::denied::Access;
use crate::roots::{Dir, End, Place, facts_of, keep_owner_and_mode};

pub(super) fn write(
    roots: &Roots,
    place: &Place<'_>,
    path: &Path,
    content: &str,
) -> Result<(), Error> {
    let failed = |error| Error::of_system(path, "write", error);
    match open_old_at(roots, place, path)? {
        Target::Old(name, old) => replace(place.directory(), name, content, old).map_err(failed),
        Target::New(names) => {
            let (name, made) = make_parents(roots, place.directory(), names, path)?;
            let dir = made.as_ref().unwrap_or(place.directory());
            create(dir, name, content).map_err(failed)
        }
    }
}

/// What a write is going to put in place.
pub(super) enum Target<'p> {
    /// Another content of a file, which is open.
    Old(&'p OsStr, File),
    /// A file, and the directories above it that are missing.
    New(&'p [OsString]),
}

/// Opens the file that is to be replaced, if there is one, and checks that it may be.
pub(super) fn open_old_at<'p>(
    roots: &Roots,
    place: &'p Place<'_>,
    path: &Path,
) -> Result<Target<'p>, Error> {
    match &place.end {
        End::Directory => Err(wrong_kind(path, FoundKind::Directory)),
        End::Special(_) => Err(wrong_kind(path, FoundKind::Special)),
        End::File(name) => {
            let old = open_old(place.directory(), name, path)?;
            check_file(roots, &old, path, Access::Change)?;
            Ok(Target::Old(name, old))
        }
        End::Missing(names) => Ok(Target::New(names)),
    }
}

/// Opens the file that is to be replaced, which shows that we may write it.
fn open_old(dir: &Dir, name: &OsStr, path: &Path) -> Result<File, Error> {
    let file = dir.open_writable(name).map_err(|error| {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match error.kind() {
            PermissionDenied | ReadOnlyFilesystem => read_only(path),
            _ => Error::of_system(path, "write", error),
        }
    })?;
    let facts = facts_of(&file).map_err(|error| Error::of_system(path, "write", error))?;
    match facts {
        _ if !facts.is_regular => Err(wrong_kind(path, FoundKind::Special)),
        _ if facts.links > 1 => Err(Error::HardLinked {
            path: path.to_owned(),
        }),
        // The superuser may write everything, but the mark is meant for everybody.
        _ if !facts.is_writable => Err(read_only(path)),
        _ => Ok(file),
    }
}

fn read_only(path: &Path) -> Error {
    Error::ReadOnly {
        path: path.to_owned(),
    }
}

fn create(dir: &Dir, name: &OsStr, content: &str) -> io::Result<()> {
    let mut temporary = Temporary::create(dir, Dir::create_shared)?;
    temporary.fill(content)?;
    temporary.rename(name)
}

/// Makes the directories above the last of the names; gives that name, and the last directory if one was made. Somebody may
/// put another directory in the place of one that was just made, so each is judged when it is open.
pub(super) fn make_parents<'n>(
    roots: &Roots,
    dir: &Dir,
    names: &'n [OsString],
    path: &Path,
) -> Result<(&'n OsStr, Option<Dir>), Error> {
    let failed = |error| Error::of_system(path, "make the directory of", error);
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
        judged.map_err(|denied| Error::denied(path, denied))?;
        made = Some(below);
    }
    Ok((name, made))
}

fn replace(dir: &Dir, name: &OsStr, content: &str, old: File) -> io::Result<()> {
    let mut temporary = Temporary::create(dir, Dir::create_private)?;
    keep_owner_and_mode(&temporary.file, &old)?;
    // Some systems do not rename onto an open file.
    drop(old);
    temporary.fill(content)?;
    temporary.rename(name)
}

/// A file that is removed again unless it gets its name.
struct Temporary<'d> {
    dir: &'d Dir,
    name: OsString,
    file: File,
    is_renamed: bool,
}

impl<'d> Temporary<'d> {
    fn create(
        dir: &'d Dir,
        create: impl Fn(&Dir, &OsStr) -> io::Result<File>,
    ) -> io::Result<Temporary<'d>> {
        sweep(dir);
        let random = RandomState::new().build_hasher().finish();
        let name = OsString::from(format!("{PREFIX}{random:016x}{SUFFIX}"));
        Ok(Temporary {
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

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // The failure that brought us here is the one to report; `sweep` finds what stays.
            self.dir.remove(&self.name).ok();
        }
    }
}

/// Removes what writes that were killed have left here.
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

// Agents may not write names that begin so.
const PREFIX: &str = ".attache-write-";
const SUFFIX: &str = ".tmp";

/// No write takes that long.
const OLD: Duration = Duration::from_secs(10 * 60);
