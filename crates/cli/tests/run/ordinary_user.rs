//! Commands as an ordinary user starts them. Tests often run as the superuser, who is allowed too much.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Has an ordinary user start the command, who owns these folders and everything in them. Where the tests run as one
/// already nothing changes.
pub(crate) fn by_ordinary_user(command: &mut Command, folders: &[&Path]) {
    if !is_superuser() {
        return;
    }
    for folder in folders {
        give_away(folder);
    }
    command.uid(NOBODY).gid(NOBODY);
}

/// Whether such a user can make namespaces here, as a program that is not ours sees it.
pub(crate) fn has_namespaces() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["-Urmn", "mount", "-t", "tmpfs", "none", "/mnt"]);
    by_ordinary_user(&mut unshare, &[]);
    let has = unshare.output().is_ok_and(|it| it.status.success());
    if !has {
        eprintln!("skipped: an ordinary user cannot mount in a namespace here");
    }
    has
}

fn is_superuser() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn give_away(path: &Path) {
    let metadata = std::fs::symlink_metadata(path).unwrap();
    if metadata.is_symlink() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

const NOBODY: u32 = 65534;
