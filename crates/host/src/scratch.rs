//! A directory for one test, removed on drop.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use attache_disk::private;

/// A directory for one test that only its owner can enter, removed on drop.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        let mut builder = tempfile::Builder::new();
        builder.prefix("attache-scratch-");
        if let Some(permissions) = private::dir_permissions() {
            builder.permissions(permissions);
        }
        let path = builder.tempdir().unwrap().keep();
        Scratch(path.canonicalize().unwrap())
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}
