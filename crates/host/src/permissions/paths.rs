//! Paths as text: normalised, and inside a directory or not. Nothing here looks at the disk.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::protected_names::fold;

/// An absolute path without `.` and `..`.
pub(crate) fn normal_path(path: &Path) -> PathBuf {
    normal(Path::new("/"), path)
}

/// A path, relative to a directory, as an absolute path without `.` and `..`.
pub(super) fn normal(base: &Path, path: &Path) -> PathBuf {
    let whole = joined(base, path);
    if is_normal(&whole) {
        return whole;
    }
    let mut normal = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// Whether a path has no `.`, `..` or redundant slashes, by a quick check.
fn is_normal(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut slashes = memchr::memchr_iter(b'/', bytes);
    cfg!(unix)
        && bytes.starts_with(b"/")
        && slashes.all(|at| !matches!(bytes.get(at + 1), None | Some(b'/' | b'.')))
}

/// The rest of a path below a directory, both as [`normal`] returns them; `None` if it lies elsewhere.
#[cfg(unix)]
pub(super) fn below<'p>(path: &'p Path, directory: &Path) -> Option<&'p Path> {
    use std::os::unix::ffi::OsStrExt;
    // Comparing bytes is enough where each name has one spelling, and takes a tenth of the time.
    let start = directory.as_os_str().as_bytes();
    let rest = path.as_os_str().as_bytes().strip_prefix(start)?;
    let rest = match rest {
        [b'/', rest @ ..] => rest,
        rest if rest.is_empty() || start == b"/" => rest,
        _ => return None,
    };
    Some(Path::new(OsStr::from_bytes(rest)))
}

#[cfg(not(unix))]
pub(super) fn below<'p>(path: &'p Path, directory: &Path) -> Option<&'p Path> {
    path.strip_prefix(directory).ok()
}

/// A path relative to a directory, joined in one allocation.
pub(super) fn joined(directory: &Path, path: &Path) -> PathBuf {
    let length = directory.as_os_str().len() + path.as_os_str().len();
    let mut whole = PathBuf::with_capacity(length + 1);
    if !path.is_absolute() {
        whole.push(directory);
    }
    whole.push(path);
    whole
}

/// Whether a path means what it says: it has no `..`, which depends on links, and nothing that some tools expand as a
/// shell would.
pub(super) fn is_straight(path: &Path) -> bool {
    let mut components = path.components();
    let has_parent = components.any(|component| component == Component::ParentDir);
    !has_parent && !path.to_string_lossy().starts_with(['~', '$'])
}

/// The path relative to a directory that contains it; `None` if it lies outside.
pub(super) fn inside(base: &Path, path: &Path) -> Option<PathBuf> {
    let base = normal(Path::new("/"), base);
    let normal = normal(&base, path);
    normal.strip_prefix(&base).ok().map(Path::to_owned)
}

/// A name as the most lenient file systems compare it.
pub(super) fn folded(name: &str) -> String {
    fold(OsStr::new(name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{below, normal, normal_path};

    const NAMES: [&str; 9] = ["a", "ab", "b", ".a", "..", ".", "", "a/b", "~"];

    proptest! {
        #[test]
        fn a_path_lies_below_a_directory_if_its_names_begin_with_those_of_it(
            path in prop::collection::vec(prop::sample::select(&NAMES), 0..5),
            directory in prop::collection::vec(prop::sample::select(&NAMES), 0..4),
        ) {
            let directory = normal_path(Path::new(&directory.join("/")));
            let path = normal(&directory, Path::new(&path.join("/")));
            prop_assert_eq!(below(&path, &directory), path.strip_prefix(&directory).ok());
            let absolute = normal_path(&path);
            prop_assert_eq!(below(&absolute, &directory), absolute.strip_prefix(&directory).ok());
            let elsewhere = normal_path(Path::new("/a/b"));
            prop_assert_eq!(below(&elsewhere, &directory), elsewhere.strip_prefix(&directory).ok());
        }
    }
}
