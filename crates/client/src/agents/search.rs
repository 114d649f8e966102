//! Finds programs in `PATH` as a shell does, without starting them.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The file that a shell would start for a program: looked up in our `PATH`, unless the program contains a directory.
pub fn find_program(program: &Path) -> Option<PathBuf> {
    find_program_on(program, &env::var_os("PATH").unwrap_or_default())
}

/// The file that a shell with this `PATH` would start for a program.
pub fn find_program_on(program: &Path, path: &OsStr) -> Option<PathBuf> {
    if program.components().count() > 1 || program.is_absolute() {
        return with_ending(program);
    }
    env::split_paths(path).find_map(|folder| with_ending(&folder.join(program)))
}

/// The path of a program that a configuration file names. A relative path with a directory starts at the file's
/// directory, and `~/` is the home directory. A name without a directory stays as it is, to be looked up in `PATH`.
pub(crate) fn resolve_program(file: &Path, program: &str) -> PathBuf {
    if let (Some(rest), Some(home)) = (program.strip_prefix("~/"), env::home_dir()) {
        return home.join(rest);
    }
    match file.parent() {
        Some(folder) if program.contains(std::path::is_separator) => {
            folder.join(program.strip_prefix("./").unwrap_or(program))
        }
        _ => PathBuf::from(program),
    }
}

fn with_ending(file: &Path) -> Option<PathBuf> {
    let candidate = |ending: &&str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut candidates = ENDINGS.iter().map(candidate);
    candidates.find(|candidate| is_executable(candidate))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs::metadata(file);
    metadata.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| it.is_file())
}

const ENDINGS: &[&str] = if cfg!(windows) {
    &["", ".exe", ".cmd", ".bat"]
} else {
    &[""]
};
