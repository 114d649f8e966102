//! Relative paths, which the draft allows and the protocol does not.

use attache_rpc::json::Object;

use crate::FilePath;
use crate::dialect::edit;

/// Makes a path member absolute. Only the text is joined: `..` stays, for the owner of the files to judge.
pub(super) fn resolve(object: &mut Object<'_>, name: &'static str, cwd: &str) {
    if let Some(path) = edit::string(object, name) {
        object.put(name, &absolute(&path, cwd));
    }
}

/// The path, from the directory if it is relative.
pub(super) fn absolute(path: &str, cwd: &str) -> String {
    if FilePath::from(path).is_absolute() {
        return path.to_owned();
    }
    let separator = if cwd.contains('\\') && !cwd.contains('/') {
        '\\'
    } else {
        '/'
    };
    let path = path.trim_start_matches("./");
    let path = if path == "." { "" } else { path };
    let cwd = cwd.trim_end_matches(['/', '\\']);
    format!("{cwd}{separator}{path}")
}
