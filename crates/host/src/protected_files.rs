//! Files that are protected because a configuration names them: the policy, and programs in a project that a trusted
//! project file starts. Their names are ordinary, so they are recognised by path and identity. The list is global to
//! the process and only grows.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use crate::path_facts::real_path;
use crate::protected_names::folded_names;
use attache_disk::private;

/// Protects these files from now on. The user is asked about every change to them; without a user, the change is
/// denied.
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

/// Whether an absolute path is a protected file, or is below a protected directory, by any of its names.
pub(crate) fn is_protected(path: &Path) -> bool {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if known.is_empty() {
        return false;
    }
    let real = real_path(path);
    let (names, real) = (folded_names(path), folded_names(&real));
    let identity = identity(path);
    known.iter().any(|file| {
        let file_names = folded_names(file);
        let is_at =
            |names: &[Cow<'_, str>]| !file_names.is_empty() && names.starts_with(&file_names);
        is_at(&names) || is_at(&real) || (identity.is_some() && identity == self::identity(file))
    })
}

/// Whether a directory contains a protected file, so that moving or deleting the directory would change the file.
pub(crate) fn is_around_protected(directory: &Path) -> bool {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if known.is_empty() {
        return false;
    }
    let real = real_path(directory);
    let (names, real) = (folded_names(directory), folded_names(&real));
    known.iter().any(|file| {
        let file = folded_names(file);
        file.starts_with(&names) || file.starts_with(&real)
    })
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().as_ref().map(private::identity)
}

static KNOWN: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());
/// The maximum number of protected paths. A file has up to two.
const MAX_FILES: usize = 4096;

#[cfg(test)]
mod attack_protected_files;
