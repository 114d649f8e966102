//! Files that are protected because a configuration names them: the policy, and programs inside a project that a
//! trusted project file starts. Their names say nothing, so they are recognised by path and by identity. The set
//! belongs to the whole process and only grows.

use std::path::{Component, Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use crate::path_facts::real_path;
use crate::protected_names::fold;
use attache_disk::private;

/// Protects these files from now on: the user is asked about every change to one of them, and it is denied where nobody
/// can be asked.
pub fn protect(files: impl IntoIterator<Item = PathBuf>) {
    let files = files.into_iter().flat_map(|file| {
        let real = real_path(&file);
        [std::path::absolute(&file).unwrap_or(file), real]
    });
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    for file in files {
        if !known.contains(&file) && known.len() < MAX_FILES {
            known.push(file);
        }
    }
}

/// Whether an absolute path is one of these files, or lies below one that is a directory, by any of its names.
pub(crate) fn is_protected(path: &Path) -> bool {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if known.is_empty() {
        return false;
    }
    let (names, real) = (folded(path), folded(&real_path(path)));
    let identity = identity(path);
    known.iter().any(|file| {
        let file_names = folded(file);
        let is_at = |names: &[String]| !file_names.is_empty() && names.starts_with(&file_names);
        is_at(&names) || is_at(&real) || (identity.is_some() && identity == self::identity(file))
    })
}

/// Whether one of these files lies below a directory, so that moving or deleting the directory changes the file.
pub(crate) fn is_around_protected(directory: &Path) -> bool {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if known.is_empty() {
        return false;
    }
    let (names, real) = (folded(directory), folded(&real_path(directory)));
    known.iter().any(|file| {
        let file = folded(file);
        file.starts_with(&names) || file.starts_with(&real)
    })
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().as_ref().map(private::identity)
}

fn folded(path: &Path) -> Vec<String> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(fold(name)),
        _ => None,
    });
    names.collect()
}

static KNOWN: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());
/// Files that are remembered, counting both of their names.
const MAX_FILES: usize = 4096;

#[cfg(test)]
mod attack_protected_files;
