//! Mounts that tests make, where this user may mount.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn mount_bind(from: &Path, to: &Path) -> bool {
    let mut command = Command::new("mount");
    command.arg("--bind").arg(from).arg(to);
    command.status().is_ok_and(|status| status.success())
}

/// Takes a mount away in the end.
pub(super) struct Unmount(pub(super) PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}
