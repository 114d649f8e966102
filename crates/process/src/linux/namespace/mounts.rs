//! Reads from the mounts of this process where else covered files are visible, and which directories lead to them.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::process::geteuid;

use crate::mount_table::{self, Mount, join, mount_of};
use crate::{Cover, CoverKind};

/// The covers, plus covers for all other mounts that show the covered files or a part of them.
pub(super) fn all_views(covers: &[Cover]) -> io::Result<Vec<Cover>> {
    let mut all: Vec<Cover> = Vec::new();
    let mut add = |cover: Cover| {
        if !all.contains(&cover) {
            all.push(cover);
        }
    };
    covers.iter().cloned().for_each(&mut add);
    let mounts = mount_table::read()?;
    for cover in covers {
        // A file that has been removed meanwhile is reported when it is covered.
        let Ok(id) = mount_of(&cover.path) else {
            continue;
        };
        let Some(own) = mounts.iter().find(|mount| mount.id == id) else {
            continue;
        };
        let Ok(below) = cover.path.strip_prefix(&own.place) else {
            continue;
        };
        let inside = join(&own.root, below);
        for mount in mounts.iter().filter(|it| it.device == own.device) {
            if let Some(view) = view(cover, &inside, mount) {
                add(view);
            }
        }
    }
    Ok(all)
}

/// The cover for the path at which one mount shows `inside` of its file system. Returns `None` if another mount hides it.
fn view(cover: &Cover, inside: &Path, mount: &Mount) -> Option<Cover> {
    let (path, is_whole) = match (
        inside.strip_prefix(&mount.root),
        mount.root.strip_prefix(inside),
    ) {
        (Ok(below), _) => (join(&mount.place, below), true),
        (_, Ok(_)) => (mount.place.clone(), false),
        _ => return None,
    };
    if path.parent().is_none() || path == cover.path {
        return None;
    }
    let found = std::fs::symlink_metadata(&path).ok()?;
    let is_same = (found.dev(), found.ino()) == (cover.device, cover.inode);
    let is_seen = match is_whole {
        true => is_same,
        false => mount_of(&path).is_ok_and(|id| id == mount.id),
    };
    let kind = match (cover.kind, found.is_dir()) {
        (CoverKind::ReadOnly, _) => CoverKind::ReadOnly,
        (_, true) => CoverKind::HiddenDirectory,
        (_, false) => CoverKind::HiddenFile,
    };
    is_seen.then(|| Cover {
        path,
        device: found.dev(),
        inode: found.ino(),
        kind,
    })
}

/// The directories above covered files that this user can rename.
pub(super) fn above(covers: &[Cover]) -> Vec<PathBuf> {
    let above = covers
        .iter()
        .flat_map(|cover| cover.path.ancestors().skip(1));
    let above: BTreeSet<&Path> = above.filter(|path| can_be_renamed(path)).collect();
    above.into_iter().map(Path::to_owned).collect()
}

/// Whether this user can write to the parent directory, or can give themselves permission to.
fn can_be_renamed(path: &Path) -> bool {
    let Some(parent) = path.parent() else {
        return false;
    };
    let is_own =
        |parent: &Path| std::fs::metadata(parent).is_ok_and(|it| it.uid() == geteuid().as_raw());
    is_own(parent) || rustix::fs::access(parent, Access::WRITE_OK).is_ok()
}
