//! Who has a session open: a lock of the system on a file of its own, so that it ends with its process.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use attache_disk::private;

use super::Error;

/// The lock of one session, held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    /// Closing it gives the lock back.
    _file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of a session by its number in the database: what a client calls it is never part of a path.
    ///
    /// # Errors
    ///
    /// `InUse` when somebody has it.
    pub(super) fn take(dir: &Path, number: i64) -> Result<Lock, Error> {
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
                    // A disk without room is no reason not to open a session.
                    sign(&file).ok();
                    return Ok(Lock { _file: file, path });
                }
                // Its last owner removed it after we had opened it.
                Ok(false) => {}
                Err(error) => return Err(Error::file(&path, &error)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if cfg!(unix) {
            // While it is locked, so that it is ours. A file that stays is no harm: nobody holds its lock.
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Leaves the number of this process for those who find it locked.
fn sign(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(std::process::id().to_string().as_bytes())
}

/// Who has signed; whoever took it this moment gets some time to do so.
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
