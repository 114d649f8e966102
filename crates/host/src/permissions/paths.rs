//! Paths as text: normalised, and inside a directory or not. Nothing here looks at the disk.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::protected_names::fold;

/// An absolute path without `.` and `..`.
pub(crate) fn normal_path(path: &Path) -> PathBuf {
    normal(Path::new("/"), path)
}

/// A path, relative to a directory, as an absolute path without `.` and `..`.
pub(super) fn normal(base: &Path, path: &Path) -> PathBuf {
    normal_or_same(base, path).into_owned()
}

/// The same, without a copy of a path that is absolute and normal already.
pub(super) fn normal_or_same<'p>(base: &Path, path: &'p Path) -> Cow<'p, Path> {
    if is_normal(path) {
        return Cow::Borrowed(path);
    }
    let whole = joined(base, path);
    if is_normal(&whole) {
        return Cow::Owned(whole);
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
    Cow::Owned(normal)
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

/// The rest of a path below a directory, like [`Path::strip_prefix`] but faster where both begin with the same bytes.
pub(super) fn rest_below<'p>(path: &'p Path, directory: &Path) -> Option<&'p Path> {
    let has_names = |rest: &&Path| {
        let first = rest.as_os_str().as_encoded_bytes().first();
        cfg!(unix) && !matches!(first, Some(b'/' | b'.')) && directory.as_os_str().len() > 1
    };
    match below(path, directory) {
        Some(rest) if has_names(&rest) => Some(rest),
        None if is_normal(path) && is_normal(directory) => None,
        _ => path.strip_prefix(directory).ok(),
    }
}

/// Whether two paths have the same names, like `==` but faster where they have the same bytes.
pub(super) fn are_same(one: &Path, other: &Path) -> bool {
    one.as_os_str() == other.as_os_str() || one == other
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
    if is_normal(path) {
        return true;
    }
    let mut components = path.components();
    let has_parent = components.any(|component| component == Component::ParentDir);
    !has_parent && !path.to_string_lossy().starts_with(['~', '$'])
}

/// The path relative to a directory that contains it; `None` if it lies outside.
pub(super) fn inside(base: &Path, path: &Path) -> Option<PathBuf> {
    let base = normal_or_same(Path::new("/"), base);
    let normal = normal_or_same(&base, path);
    rest_below(&normal, &base).map(Path::to_owned)
}

/// A name as the most lenient file systems compare it.
pub(super) fn folded(name: &str) -> String {
    fold(OsStr::new(name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{below, normal, normal_path, rest_below};

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

        #[test]
        fn the_rest_below_a_directory_is_what_the_standard_library_finds(
            path in prop::collection::vec(prop::sample::select(&NAMES), 0..6),
            directory in prop::collection::vec(prop::sample::select(&NAMES), 0..4),
            behind in prop::collection::vec(prop::sample::select(&NAMES), 0..4),
        ) {
            let directory = directory.join("/");
            let below = format!("{directory}/{}", behind.join("/"));
            for path in [path.join("/"), format!("/{}", path.join("/")), below] {
                for directory in [directory.clone(), format!("/{directory}")] {
                    let (path, directory) = (Path::new(&path), Path::new(&directory));
                    prop_assert_eq!(rest_below(path, directory), path.strip_prefix(directory).ok());
                }
            }
        }
    }
}
