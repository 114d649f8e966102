//! A private folder for the files of one session, removed with the session.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_disk::private;

/// A folder that only the user can enter. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    /// The lock that keeps other adapters from removing the folder.
    _lock: Option<File>,
}

impl PrivateFolder {
    pub(crate) fn new() -> io::Result<PrivateFolder> {
        let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        // After `su` the variable may name another user's folder, whose owner could change what we write.
        let base = base.filter(|base| is_ours(base));
        let places = [std::env::temp_dir(), PathBuf::from(SYSTEM)];
        let mut places = base.into_iter().chain(places);
        let base = places.find(|base| fits_socket(base));
        PrivateFolder::create_in(&base.unwrap_or_else(std::env::temp_dir))
    }

    fn create_in(base: &Path) -> io::Result<PrivateFolder> {
        remove_abandoned(base);
        let token = &token()?[..NAME];
        let path = base.join(format!("{PREFIX}{token}"));
        // The folder gets its final name only once it is locked. Otherwise another adapter could take it for an
        // abandoned one.
        let fresh = base.join(format!("{UNLOCKED_PREFIX}{token}"));
        private::create_new_dir(&fresh).map_err(|failed| {
            let place = base.display();
            let words = format!("{failed} in {place}; set TMPDIR to a folder that can be written");
            io::Error::new(failed.kind(), words)
        })?;
        let lock = try_lock(&fresh);
        fs::rename(&fresh, &path)?;
        Ok(PrivateFolder { path, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file that only the user can read.
    pub(crate) fn write(&self, name: &str, content: &str) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        let mut file = private::open_or_create(&path).map_err(io::Error::other)?;
        file.set_len(0)?;
        file.write_all(content.as_bytes())?;
        Ok(path)
    }
}

/// Whether the path of a socket in a private folder there is short enough.
fn fits_socket(base: &Path) -> bool {
    let folder = base.as_os_str().len() + 1 + PREFIX.len() + NAME;
    cfg!(not(unix)) || folder + 1 + SOCKET_NAME.len() <= LONGEST
}

/// Removes folders of killed adapters, which nobody has locked.
fn remove_abandoned(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_left =
            name.starts_with(PREFIX) || name.starts_with(UNLOCKED_PREFIX) && is_old(&entry);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_left && is_folder && try_lock(&entry.path()).is_some() {
            // Fails for folders of other users, which stay.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// A folder that was just created may be about to be locked.
fn is_old(entry: &fs::DirEntry) -> bool {
    let changed = entry.metadata().and_then(|about| about.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > FRESH))
}

/// Locks a folder; `None` if another process has locked it.
fn try_lock(path: &Path) -> Option<File> {
    let folder = File::open(path).ok()?;
    folder.try_lock().ok()?;
    Some(folder)
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // Anything that can't be removed is empty or private, and there is nobody to report to.
        fs::remove_dir_all(&self.path).ok();
    }
}

/// A random token.
pub(crate) fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let user = rustix::process::geteuid().as_raw();
    fs::metadata(folder).is_ok_and(|about| about.is_dir() && about.uid() == user)
}

#[cfg(not(unix))]
fn is_ours(folder: &Path) -> bool {
    folder.is_dir()
}

/// File name of the shell listener's socket.
pub(crate) const SOCKET_NAME: &str = "door";
const LONGEST: usize = 107;
const NAME: usize = 16;
const SYSTEM: &str = "/tmp";
const PREFIX: &str = "attache-claude-";
const UNLOCKED_PREFIX: &str = "attache-new-";
const FRESH: Duration = Duration::from_secs(60);

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{PREFIX, PrivateFolder, UNLOCKED_PREFIX, fits_socket, remove_abandoned, try_lock};

    #[test]
    fn a_missing_base_folder_is_named_with_what_to_do() {
        let failed = PrivateFolder::create_in("/nowhere/at/all".as_ref()).expect_err("no folder");
        let words = failed.to_string();
        assert!(words.contains("in /nowhere/at/all; set TMPDIR"), "{words}");
    }

    #[tokio::test]
    async fn a_base_folder_fits_if_a_socket_in_it_can_be_opened() {
        let base = tempfile::tempdir().expect("a folder");
        let room = |length: usize| {
            let name = "x".repeat(length - base.path().as_os_str().len() - 1);
            let path = base.path().join(name);
            fs::create_dir(&path).expect("a folder");
            let folder = PrivateFolder::create_in(&path).expect("a folder in it");
            let door = crate::shell::ShellListener::bind(folder.path(), super::SOCKET_NAME);
            (fits_socket(&path), door.is_ok())
        };
        assert_eq!(room(70), (true, true));
        assert_eq!(room(71), (false, false));
    }

    #[test]
    fn only_abandoned_folders_are_removed() {
        let base = tempfile::tempdir().expect("a folder");
        let make = |name: &str, age: u64| {
            let path = base.path().join(name);
            fs::create_dir(&path).expect("a folder");
            let time = SystemTime::now() - Duration::from_secs(age);
            let folder = File::open(&path).expect("the folder");
            folder.set_modified(time).expect("a time");
            path
        };
        let left = make(&format!("{PREFIX}left"), 0);
        let held = make(&format!("{PREFIX}held"), 3600);
        let begun = make(&format!("{UNLOCKED_PREFIX}begun"), 3600);
        let fresh = make(&format!("{UNLOCKED_PREFIX}fresh"), 0);
        let other = make("other", 3600);
        let lock = try_lock(&held).expect("a lock");
        remove_abandoned(base.path());
        let there = [left, held, begun, fresh, other].map(|path| path.exists());
        assert_eq!(there, [false, true, false, true, true]);
        drop(lock);
    }
}
