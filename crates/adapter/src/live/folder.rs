//! A folder of ours with what must not be seen by others: gone when the adapter ends.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A private folder. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> io::Result<Folder> {
        let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let base = base.filter(|base| base.is_dir());
        let base = base.unwrap_or_else(std::env::temp_dir);
        sweep(&base);
        let path = base.join(format!("{PREFIX}{}-{}", std::process::id(), token()?));
        let mut builder = DirBuilder::new();
        private_folder(&mut builder);
        builder.create(&path)?;
        Ok(Folder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file that only the user can read.
    pub(crate) fn write(&self, name: &str, content: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        private_file(&mut options);
        options.open(&path)?.write_all(content.as_bytes())?;
        Ok(path)
    }
}

impl Folder {
    /// Removes files of it.
    pub(crate) fn clear(&self, files: &[&Path]) {
        for file in files {
            // One that is gone needs no removal; the rest goes with the folder.
            fs::remove_file(file).ok();
        }
    }
}

/// Removes what adapters left behind that were killed.
fn sweep(base: &Path) {
    if !Path::new("/proc/self").exists() {
        return;
    }
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = owner
            .and_then(|rest| rest.split_once('-'))
            .map(|(owner, _)| owner);
        let is_number = |owner: &&str| owner.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(owner) = owner.filter(is_number)
            && !Path::new("/proc").join(owner).exists()
        {
            // That of another user stays.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is empty or private; there is nobody left to tell.
        fs::remove_dir_all(&self.0).ok();
    }
}

const PREFIX: &str = "attache-claude-";

/// Something that nobody can guess.
pub(crate) fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(unix)]
fn private_folder(builder: &mut DirBuilder) {
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
}

#[cfg(unix)]
fn private_file(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn private_folder(_: &mut DirBuilder) {}

#[cfg(not(unix))]
fn private_file(_: &mut OpenOptions) {}
