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
        let path = base.join(format!("attache-claude-{}", token()?));
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

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is empty or private; there is nobody left to tell.
        fs::remove_dir_all(&self.0).ok();
    }
}

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
