//! Diagnosis a program the way a shell does, without starting it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The file that would be started, looked up in our own `PATH` unless the program is named with its folder.
pub fn find_program(program: &Path) -> Option<PathBuf> {
    find_program_on(program, &env::var_os("PATH").unwrap_or_default())
}

/// The same with another `PATH`.
pub fn find_program_on(program: &Path, path: &OsStr) -> Option<PathBuf> {
    if program.components().count() > 1 || program.is_absolute() {
        return with_ending(program);
    }
    env::split_paths(path).find_map(|folder| with_ending(&folder.join(program)))
}

/// The program that a file names. One with a folder in it is meant from the file's folder, not from wherever we are; `~/`
/// is the home directory. Any other is a name to look up.
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
