//! Relative paths, which the draft allows and the protocol does not.

use attache_rpc::json::Object;
use attache_schema::FilePath;

use crate::edit;

/// Makes a path member absolute, if the directory is known.
pub(super) fn resolve(object: &mut Object<'_>, name: &'static str, cwd: Option<&str>) {
    if let Some(path) = edit::string(object, name) {
        object.put(name, &absolute(&path, cwd));
    }
}

/// The path, joined to the directory if it is relative. Joins text only and keeps `..`, which the owner of the files
/// checks.
pub(super) fn absolute(path: &str, cwd: Option<&str>) -> String {
    let Some(cwd) = cwd.filter(|_| !path.is_empty() && !is_absolute(path)) else {
        return path.to_owned();
    };
    let inner = path.trim_start_matches("./");
    if inner.is_empty() || inner == "." {
        return cwd.to_owned();
    }
    let windows = cwd.contains('\\') && !cwd.contains('/');
    let separator = if windows { '\\' } else { '/' };
    let cwd = cwd.trim_end_matches(['/', '\\']);
    format!("{cwd}{separator}{inner}")
}

/// The URI of a file, if its absolute path is known.
pub(super) fn file_uri(path: &str, cwd: Option<&str>) -> Option<String> {
    let path = absolute(path, cwd);
    if !is_absolute(&path) {
        return None;
    }
    let mut uri = String::from("file://");
    if !path.starts_with(['/', '\\']) {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'/' | b':' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(uri)
}

fn is_absolute(path: &str) -> bool {
    FilePath::from(path).is_absolute()
}
