//! The temporary directory of a session's commands. It is locked while its process lives. Directories of processes that
//! were killed are removed by the next process.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::thread;

use attache_disk::private;
use tempfile::TempDir;

/// A directory that only its owner can enter, removed on drop.
pub(super) struct TemporaryDirectory {
    folder: TempDir,
    /// Locked while the directory is in use. Commands cannot remove the lock.
    _lock: Option<File>,
}

impl TemporaryDirectory {
    /// Creates a directory. The first call in a process also starts to remove abandoned ones.
    pub(super) fn create() -> io::Result<TemporaryDirectory> {
        static SWEEP: Once = Once::new();
        SWEEP.call_once(|| {
            let sweep = || sweep(&std::env::temp_dir());
            // Without a thread, the directories stay until the next time.
            thread::Builder::new()
                .name("temporary folders".to_owned())
                .spawn(sweep)
                .ok();
        });
        TemporaryDirectory::create_in(&std::env::temp_dir())
    }

    fn create_in(base: &Path) -> io::Result<TemporaryDirectory> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(RANDOM);
        if let Some(permissions) = private::dir_permissions() {
            builder.permissions(permissions);
        }
        let folder = builder.tempdir_in(base)?;
        // If directories cannot be locked, none is removed.
        let lock = File::open(folder.path()).ok();
        let lock = lock.filter(|file| file.try_lock().is_ok());
        Ok(TemporaryDirectory {
            folder,
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes directories of this user that no process has locked.
fn sweep(base: &Path) {
    let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| is_ours(&entry.file_name().to_string_lossy()));
    let paths: Vec<PathBuf> = ours.take(MOST_SWEPT).map(|entry| entry.path()).collect();
    for path in paths {
        if let Some(_lock) = lock_if_abandoned(&path) {
            // Directories that cannot be removed stay.
            std::fs::remove_dir_all(&path).ok();
        }
    }
}

fn is_ours(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX);
    random.is_some_and(|it| it.len() == RANDOM && it.bytes().all(|it| it.is_ascii_alphanumeric()))
}

/// Locks one of our directories if no process has locked it. A new directory may not be locked yet.
#[cfg(unix)]
fn lock_if_abandoned(path: &Path) -> Option<File> {
    use std::os::unix::fs::MetadataExt;
    let found = path.symlink_metadata().ok()?;
    let is_own = found.is_dir()
        && found.uid() == rustix::process::geteuid().as_raw()
        && found.mode() & 0o7777 == 0o700;
    let is_old = found.created().or_else(|_| found.modified());
    let is_old = is_old.is_ok_and(|made| made.elapsed().is_ok_and(|age| age >= YOUNGEST));
    let file = File::open(path).ok().filter(|_| is_own && is_old)?;
    let open = file.metadata().ok()?;
    let is_same = (open.dev(), open.ino()) == (found.dev(), found.ino());
    (is_same && file.try_lock().is_ok()).then_some(file)
}

#[cfg(not(unix))]
fn lock_if_abandoned(_: &Path) -> Option<File> {
    None
}

const PREFIX: &str = "attache-tmp-";
const RANDOM: usize = 12;
/// The number of directories inspected when a process creates its first one.
const MOST_SWEPT: usize = 64;
#[cfg(all(unix, not(test)))]
const YOUNGEST: std::time::Duration = std::time::Duration::from_secs(60);
#[cfg(all(unix, test))]
const YOUNGEST: std::time::Duration = std::time::Duration::ZERO;

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{TemporaryDirectory, sweep};
    use crate::scratch::Scratch;

    /// The symptom: `/tmp/attache-*` stayed when the owner was killed, and everyone could enter.
    #[test]
    fn only_unlocked_directories_are_removed() {
        let base = Scratch::new();
        let held = TemporaryDirectory::create_in(&base).unwrap();
        let mode = fs::metadata(held.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        let make = |name: &str, mode: u32| {
            let path = base.join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("file"), "x").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let killed = make("attache-tmp-abcdefABCDEF", 0o700);
        let outside = make("outside", 0o700);
        symlink(&outside, killed.join("link")).unwrap();
        symlink(&outside, base.join("attache-tmp-linklinklink")).unwrap();
        let kept = [
            make("attache-tmp-abcdef", 0o700),
            make("attache-tmp-abcdefABCDE-", 0o700),
            make("attache-backup", 0o700),
            make("attache-tmp-openopenopen", 0o755),
        ];
        sweep(&base);
        assert!(!killed.exists() && held.path().exists());
        assert!(outside.join("file").exists());
        for path in kept {
            assert!(path.join("file").exists(), "{}", path.display());
        }
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
    }
}
