//! Paths as text: inside a directory or not. Nothing here looks at the disk.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::names::fold;

/// A whole path without `.` and `..`.
pub(crate) fn normal_path(path: &Path) -> PathBuf {
    normal(Path::new("/"), path)
}

/// A path without `.` and `..`, from a directory on.
pub(super) fn normal(base: &Path, path: &Path) -> PathBuf {
    let whole = base.join(path);
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

/// Whether a path is without `.`, `..` and slashes that mean nothing, as far as a glance tells.
fn is_normal(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut pairs = bytes.windows(2);
    cfg!(unix)
        && bytes.starts_with(b"/")
        && !bytes.ends_with(b"/")
        && pairs.all(|pair| !matches!(pair, b"//" | b"/."))
}

/// Whether a path means what it says: without `..`, which depends on links, and without what some tools read as a shell
/// would.
pub(super) fn is_straight(path: &Path) -> bool {
    let mut components = path.components();
    let has_parent = components.any(|component| component == Component::ParentDir);
    !has_parent && !path.to_string_lossy().starts_with(['~', '$'])
}

/// The way from a directory to a path inside it; `None` if it lies outside.
pub(super) fn inside(base: &Path, path: &Path) -> Option<PathBuf> {
    let base = normal(Path::new("/"), base);
    let normal = normal(&base, path);
    normal.strip_prefix(&base).ok().map(Path::to_owned)
}

/// A name as the most forgiving file systems see it.
pub(super) fn folded(name: &str) -> String {
    fold(OsStr::new(name))
}
