//! Locks an open session with a system lock on a file of its own, which ends with the process.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use attache_disk::private;

use super::Error;

/// The lock of one session, held until it is dropped.
#[derive(Debug)]
pub(super) struct SessionLockFile {
    /// Closing the file releases the lock.
    _file: File,
    path: PathBuf,
}

impl SessionLockFile {
    /// Locks a session by its number in the database. Ids from a client are never part of a path.
    ///
    /// # Errors
    ///
    /// `InUse` when the session is locked.
    pub(super) fn take(dir: &Path, number: i64) -> Result<SessionLockFile, Error> {
        let path = dir.join(number.to_string());
        loop {
            let file = private::open_or_create(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Error::InUse { pid: owner(file) }),
                Err(TryLockError::Error(error)) => return Err(Error::file(&path, &error)),
            }
            match private::is_file_at(&file, &path) {
                Ok(true) => {
                    // A full disk must not prevent opening a session.
                    sign(&file).ok();
                    return Ok(SessionLockFile { _file: file, path });
                }
                // The last owner removed the file after we had opened it.
                Ok(false) => {}
                Err(error) => return Err(Error::file(&path, &error)),
            }
        }
    }
}

impl Drop for SessionLockFile {
    fn drop(&mut self) {
        if cfg!(unix) {
            // Remove the file while we still have the lock. A file that remains is harmless, because it is not locked.
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Writes our process id, so that a process which finds the file locked can name its owner.
fn sign(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(std::process::id().to_string().as_bytes())
}

/// The process id in the file. Waits briefly for an owner that has just locked it.
fn owner(file: File) -> Option<u32> {
    for _ in 0..PATIENCE {
        let mut text = String::new();
        (&file).rewind().ok()?;
        (&file).take(20).read_to_string(&mut text).ok()?;
        if let Ok(pid) = text.parse() {
            return Some(pid);
        }
        thread::sleep(PAUSE);
    }
    None
}

const PATIENCE: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);
