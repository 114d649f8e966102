//! Paths that must stay unreadable, by every name they have: other mounts show the same directories, and Landlock rules
//! apply to a directory wherever it is mounted.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use attache_process::mount_table::{self, Mount, join, mount_of};

/// The device and inode number of a file.
pub(super) type InodeId = (u64, u64);

/// The paths that must stay unreadable.
pub(super) struct ClosedPlaces {
    /// The paths without links; they need not exist.
    paths: BTreeSet<PathBuf>,
    /// All directories above the paths.
    above: HashSet<PathBuf>,
    /// The identities of the existing paths.
    files: HashSet<InodeId>,
    /// The directories above the paths by identity, each with one of its paths.
    directories: HashMap<InodeId, PathBuf>,
    /// The files inside with several hard links; searched on first use.
    inside: Option<HardLinkedFiles>,
}

/// Files with several hard links inside closed paths.
struct HardLinkedFiles {
    found: HashSet<InodeId>,
    is_complete: bool,
}

/// How a directory entry relates to the closed paths.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The entry is closed, or shows something closed.
    Closed,
    /// The entry is above a closed path; its content is known by this path.
    Above(PathBuf),
    /// The entry is unrelated.
    Beside,
}

impl ClosedPlaces {
    pub(super) fn of(closed: &[PathBuf]) -> Result<ClosedPlaces, String> {
        let mut paths: BTreeSet<PathBuf> = closed.iter().cloned().collect();
        let mounts = mount_table::read().map_err(|error| {
            format!("`/proc/self/mountinfo`, which lists the mounts, cannot be read: {error}")
        })?;
        add_views(&mut paths, &mounts)?;
        let above = paths.iter().flat_map(|path| path.ancestors().skip(1));
        let above: HashSet<PathBuf> = above.map(Path::to_owned).collect();
        let mut directories = HashMap::new();
        for path in &above {
            directories.extend(identity(path).map(|it| (it, path.clone())));
        }
        Ok(ClosedPlaces {
            files: paths.iter().filter_map(|path| identity(path)).collect(),
            directories,
            inside: None,
            above,
            paths,
        })
    }

    /// Classifies an entry by its name and identity.
    pub(super) fn relation(&mut self, path: &Path, found: &EntryStatus) -> Relation {
        if self.paths.contains(path) || self.files.contains(&found.identity) {
            return Relation::Closed;
        }
        if found.is_directory {
            return match self.directories.get(&found.identity) {
                _ if self.above.contains(path) => Relation::Above(path.to_owned()),
                Some(name) => Relation::Above(name.clone()),
                None => Relation::Beside,
            };
        }
        match found.has_other_names && self.has_inside(found.identity) {
            true => Relation::Closed,
            false => Relation::Beside,
        }
    }

    /// The entries of a directory that are above closed paths.
    pub(super) fn paths_toward_closed<'a>(
        &'a self,
        directory: &'a Path,
    ) -> impl Iterator<Item = PathBuf> + 'a {
        let above = self
            .above
            .iter()
            .filter(move |path| path.as_path() != directory);
        let children = above.filter(move |path| path.parent() == Some(directory));
        children.cloned()
    }

    /// Whether a file is, or may be, in a closed directory as well. A rule for the file would open it there too.
    fn has_inside(&mut self, file: InodeId) -> bool {
        let paths = &self.paths;
        let inside = self.inside.get_or_insert_with(|| linked_files(paths));
        inside.found.contains(&file) || !inside.is_complete
    }
}

/// The relevant metadata of a directory entry.
pub(super) struct EntryStatus {
    pub(super) identity: InodeId,
    pub(super) is_directory: bool,
    pub(super) has_other_names: bool,
}

/// Adds all other paths at which closed paths are visible: other mounts of the same file system, overlays that include
/// them, and the layers of an overlay.
fn add_views(paths: &mut BTreeSet<PathBuf>, mounts: &[Mount]) -> Result<(), String> {
    let mut waiting: Vec<PathBuf> = paths.iter().cloned().collect();
    while let Some(path) = waiting.pop() {
        if paths.len() >= MOST_PATHS {
            return Err(format!(
                "mounts show places that must stay unreadable under more than {MOST_PATHS} names, such as `{}`",
                path.display()
            ));
        }
        for view in views(&path, mounts) {
            if view.parent().is_some() && paths.insert(view.clone()) {
                waiting.push(view);
            }
        }
    }
    Ok(())
}

fn views(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Some(own) = nearest_existing(path)
        .and_then(|path| mount_of(path).ok())
        .and_then(|id| mounts.iter().find(|mount| mount.id == id))
    else {
        return found;
    };
    let Ok(below) = path.strip_prefix(&own.place) else {
        return found;
    };
    let inside = join(&own.root, below);
    let is_other = |it: &&Mount| it.device == own.device && it.id != own.id;
    let same = mounts.iter().filter(is_other);
    found.extend(same.filter_map(|mount| path_in_mount(&inside, &mount.root, mount)));
    for overlay in mounts {
        // An overlay does not show mounts inside its layers.
        let is_touched = |layer: &&PathBuf| path.starts_with(layer) || layer.starts_with(path);
        let touched = overlay.layers.iter().filter(is_touched);
        let whole = touched.filter(|layer| mount_of(layer).is_ok_and(|id| id == own.id));
        found.extend(whole.filter_map(|layer| path_in_mount(path, layer, overlay)));
    }
    for layer in own.layers.iter().filter(|layer| layer.is_dir()) {
        if let Ok(below) = inside.strip_prefix("/") {
            found.push(join(layer, below));
        }
    }
    found.retain(|view| view != path);
    found
}

/// The path at which a mount of `root` shows a path or its content; `None` if another mount hides it.
fn path_in_mount(place: &Path, root: &Path, mount: &Mount) -> Option<PathBuf> {
    let view = match (place.strip_prefix(root), root.strip_prefix(place)) {
        (Ok(below), _) => join(&mount.place, below),
        (_, Ok(_)) => mount.place.clone(),
        _ => return None,
    };
    let is_seen = nearest_existing(&view).is_some_and(|path| {
        path.starts_with(&mount.place) && mount_of(path).is_ok_and(|id| id == mount.id)
    });
    is_seen.then_some(view)
}

/// The nearest existing ancestor, or the path itself.
fn nearest_existing(path: &Path) -> Option<&Path> {
    let mut all = path.ancestors();
    all.find(|path| path.symlink_metadata().is_ok())
}

fn identity(path: &Path) -> Option<InodeId> {
    let found = path.symlink_metadata().ok()?;
    Some((found.dev(), found.ino()))
}

fn linked_files(paths: &BTreeSet<PathBuf>) -> HardLinkedFiles {
    let mut all = HardLinkedFiles {
        found: HashSet::new(),
        is_complete: true,
    };
    let mut waiting: Vec<PathBuf> = paths.iter().filter(|path| path.is_dir()).cloned().collect();
    let mut room = MOST_ENTRIES;
    while let Some(path) = waiting.pop() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            match room.checked_sub(1) {
                Some(left) => room = left,
                None => {
                    all.is_complete = false;
                    return all;
                }
            }
            if found.is_dir() {
                waiting.push(entry.path());
            } else if found.nlink() > 1 {
                all.found.insert((found.dev(), found.ino()));
            }
        }
    }
    all
}

/// Far more than any real system mounts. Without a limit, nested mounts could keep every command from starting.
const MOST_PATHS: usize = 4096;
/// The number of entries of closed paths that are searched for hard links.
const MOST_ENTRIES: usize = 16 * 1024;
