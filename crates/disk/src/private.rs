//! Files that only their owner can read or change. Files that others can change are refused.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as platform;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use other as platform;

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Creates a directory that only its owner can enter, and its missing parents.
///
/// # Errors
///
/// If the directory cannot be created, or others can change its contents.
pub fn create_dir(dir: &Path) -> Result<(), Error> {
    create_dir_unchecked(dir).map_err(|error| Error::new(dir, error))?;
    let metadata = dir.metadata();
    let metadata = metadata.map_err(|error| Error::new(dir, error))?;
    if !metadata.is_dir() {
        return Err(Error::refused(dir, "is not a directory"));
    }
    check_owner(dir, &metadata)
}

/// Creates a directory that only its owner can enter.
///
/// # Errors
///
/// When the directory exists or cannot be created.
pub fn create_new_dir(dir: &Path) -> io::Result<()> {
    platform::owner_only(&mut DirBuilder::new()).create(dir)
}

/// Creates a directory that only its owner can enter, and its missing parents. Accepts an existing directory whoever owns it.
///
/// # Errors
///
/// If the directory cannot be created.
pub fn create_dir_unchecked(dir: &Path) -> io::Result<()> {
    platform::owner_only(DirBuilder::new().recursive(true)).create(dir)
}

/// The permissions of a directory that only its owner can enter, for builders that create the directory themselves.
/// `None` where the system has no such permissions.
pub fn dir_permissions() -> Option<Permissions> {
    platform::dir_permissions()
}

/// Opens a file for reading and writing. Creates a missing file so that only its owner can read it.
///
/// # Errors
///
/// Like [`open`].
pub fn open_or_create(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    open(path, &mut options)?.ok_or_else(|| Error::refused(path, "cannot be made"))
}

/// Creates a file for writing, or empties the one that exists, so that only its owner can read it. The path is one that
/// the user has chosen: links are followed, and a named pipe is opened as it is.
///
/// # Errors
///
/// When the file cannot be created, or its mode cannot be changed.
pub fn create_or_truncate(path: &Path) -> io::Result<File> {
    let is_file = !path.exists() || path.is_file();
    let mut options = OpenOptions::new();
    // Opened both ways, a named pipe does not wait for a reader.
    options.write(true).read(!is_file);
    if is_file {
        options.create(true).truncate(true);
    }
    let file = platform::owner_only_file(&mut options).open(path)?;
    if is_file {
        // An existing file keeps its mode otherwise.
        platform::restrict_to_owner(&file)?;
    }
    Ok(file)
}

/// Opens a file. Returns `None` if the file does not exist.
///
/// # Errors
///
/// If the path is a symbolic link or not a regular file, or if the file belongs to another user or others can write to it.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, Error> {
    let file = match platform::no_follow(options).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if platform::is_link(&error) => {
            return Err(Error::refused(path, "is a symbolic link"));
        }
        Err(error) => return Err(Error::new(path, error)),
    };
    let metadata = file.metadata().map_err(|error| Error::new(path, error))?;
    if !metadata.is_file() {
        return Err(Error::refused(path, "is not a regular file"));
    }
    check_owner(path, &metadata)?;
    Ok(Some(file))
}

/// Reads a file of at most `limit` bytes. Returns `None` if the file does not exist.
///
/// # Errors
///
/// Like [`open`], and if the file is larger or not UTF-8 text.
pub fn read(path: &Path, limit: u64) -> Result<Option<(String, FileStamp)>, Error> {
    let Some(file) = open(path, OpenOptions::new().read(true))? else {
        return Ok(None);
    };
    let metadata = file.metadata().map_err(|error| Error::new(path, error))?;
    let mut text = String::new();
    let read = file.take(limit.saturating_add(1)).read_to_string(&mut text);
    read.map_err(|error| Error::new(path, error))?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > limit {
        return Err(Error::refused(path, "is too large"));
    }
    Ok(Some((text, FileStamp::of(&metadata))))
}

/// Creates or replaces a file atomically.
///
/// # Errors
///
/// If the file cannot be written.
pub fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = write_new(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| Error::new(path, error))
}

/// Reads a key from a file. Returns `None` if the file does not exist.
///
/// # Errors
///
/// Like [`open`], and if others can read the file or the file does not contain a key.
pub fn read_key(path: &Path) -> Result<Option<Key>, Error> {
    let Some(mut file) = open(path, OpenOptions::new().read(true))? else {
        return Ok(None);
    };
    let metadata = file.metadata().map_err(|error| Error::new(path, error))?;
    if platform::is_open_to_others(&metadata) {
        let fix = format!(
            "can be read by others, so it is no secret; run `chmod go-rwx {}`",
            path.display()
        );
        return Err(Error::refused(path, &fix));
    }
    let mut key = [0; 32];
    match file.read_exact(&mut key) {
        Ok(()) => Ok(Some(key)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(Error::refused(path, "is too short for a key; remove it"))
        }
        Err(error) => Err(Error::new(path, error)),
    }
}

/// Reads a key from a file. Creates a missing file with a new key. Only one process may call this for a file at a time.
///
/// # Errors
///
/// Like [`read_key`], and if the file cannot be created.
pub fn read_or_create_key(path: &Path) -> Result<Key, Error> {
    if let Some(key) = read_key(path)? {
        return Ok(key);
    }
    let mut key = [0; 32];
    let made = getrandom::fill(&mut key)
        .map_err(io::Error::other)
        .and_then(|()| create_new(path)?.write_all(&key));
    made.map_err(|error| Error::new(path, error))?;
    Ok(key)
}

/// Makes sure that new, renamed and removed files of a directory are on disk.
///
/// # Errors
///
/// If the system reports an error.
pub fn sync_dir(dir: &Path) -> Result<(), Error> {
    platform::sync_dir(dir).map_err(|error| Error::new(dir, error))
}

/// Whether a path still refers to this open file, and not to one that has replaced it.
///
/// # Errors
///
/// If the system reports an error.
pub fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    platform::is_file_at(file, path)
}

/// Locks a file against other processes until the returned value is dropped. Creates a missing file.
///
/// # Errors
///
/// If another process keeps the lock for longer than [`LOCK_TIMEOUT`].
pub fn lock(path: &Path) -> Result<File, Error> {
    let file = open_or_create(path)?;
    lock_file(path, &file, LOCK_TIMEOUT)?;
    Ok(file)
}

/// Locks an open file against other processes, waiting up to `patience`.
pub fn lock_file(path: &Path, file: &File, patience: Duration) -> Result<(), Error> {
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(Error::refused(path, "is locked by another process"));
            }
            Err(TryLockError::Error(error)) => return Err(Error::new(path, error)),
        }
    }
}

/// Identifies the contents of a file: the stamp differs after every change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    identity: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

impl FileStamp {
    /// The stamp of the file at a path, or `None` if there is no file.
    pub fn at(path: &Path) -> Option<FileStamp> {
        path.symlink_metadata().ok().as_ref().map(FileStamp::of)
    }

    fn of(metadata: &Metadata) -> FileStamp {
        FileStamp {
            identity: identity(metadata),
            size: metadata.len(),
            changed: platform::change_time(metadata),
        }
    }
}

/// A secret for keyed digests.
pub type Key = [u8; 32];

/// Why a private file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {why}", .path.display())]
pub struct Error {
    path: PathBuf,
    why: String,
}

impl Error {
    /// Creates an error from an error of the system.
    pub fn new(path: &Path, error: io::Error) -> Error {
        Error::refused(path, &format!("cannot be used: {error}"))
    }

    /// Returns the file or directory, and why it cannot be used.
    pub fn into_parts(self) -> (PathBuf, String) {
        (self.path, self.why)
    }

    /// Creates an error with a reason, which is shown after the path.
    pub fn refused(path: &Path, why: &str) -> Error {
        Error {
            path: path.to_owned(),
            why: why.to_owned(),
        }
    }
}

/// Identifies a file: its device and inode where the system has them.
pub fn identity(metadata: &Metadata) -> (u64, u64) {
    platform::identity(metadata)
}

fn check_owner(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    match platform::owner_fault(metadata) {
        Some(fault) => Err(Error::refused(path, fault)),
        None => Ok(()),
    }
}

fn create_new(path: &Path) -> io::Result<File> {
    platform::no_follow(OpenOptions::new().write(true).create_new(true)).open(path)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = match create_new(path) {
        // Left behind by a killed process with the same id.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            create_new(path)?
        }
        other => other?,
    };
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// How long to wait for a lock. Other processes keep a lock only for the time of a write, unless they are stopped, and a user
/// may be waiting.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);
