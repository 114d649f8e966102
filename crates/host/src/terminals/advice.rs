//! Explains refusals by the sandbox or the policy: a line below the output names the path and the remedy. Only certain
//! cases are explained.

use std::path::{Component, Path, PathBuf};

use attache_schema::v1;

use super::Terminals;
use crate::config_command;
use crate::sandbox::SandboxLimits;

/// The line to add to a command's output, if the sandbox or the policy refused access to a path that the output names.
/// The exit code does not matter: `command | cat` hides it.
pub(super) fn advice(limits: &SandboxLimits, cwd: &Path, output: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().rev().take(MOST_LINES).collect();
    for (index, line) in lines.iter().enumerate() {
        if !REFUSALS.iter().any(|refusal| line.contains(refusal)) {
            continue;
        }
        if limits.is_sandboxed && line.contains("no new privileges") {
            return Some(format_note(
                "programs that gain rights when they start, such as `sudo`, do not work in the sandbox; start attache with `--no-sandbox` to allow them",
            ));
        }
        // Many tools print the path and the error on separate lines.
        let before = lines.iter().skip(index + 1).take(AROUND);
        let after = lines[..index].iter().rev().take(AROUND);
        let around = before.chain(after).map(|line| (*line, *line));
        let all = std::iter::once((refusal_part(line), *line)).chain(around);
        for (part, line) in all {
            let found = candidates(part).find_map(|text| reason(limits, &cwd.join(text), line));
            if let Some(found) = found {
                return Some(format_note(&found));
            }
        }
    }
    None
}

impl SandboxLimits {
    /// The file or directory, at or above the path, that was created beside a secret since the command started.
    fn created_beside_secret<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let is_beside = |path: &&Path| path.parent().is_some_and(|above| self.has_secret_in(above));
        let new = path.ancestors().find(is_beside)?;
        let made = new.metadata().and_then(|found| found.created()).ok()?;
        self.since.is_some_and(|since| since <= made).then_some(new)
    }

    fn has_secret_in(&self, path: &Path) -> bool {
        self.secret.iter().any(|secret| secret.starts_with(path))
    }

    /// The path to add to `sandbox.write` to make a path writable: the path if it exists, or its parent directory.
    /// `None` if that would allow too much: secrets, a home directory, or programs that git runs.
    fn path_to_open(&self, path: &Path, line: &str) -> Option<PathBuf> {
        // A lock is a new file beside the one that will be changed.
        let changes_directory = line.to_lowercase().contains("lock") || removes(line);
        let exists = path.symlink_metadata().is_ok() && !changes_directory;
        let place = if exists { path } else { path.parent()? };
        let is_home = Some(place) == std::env::home_dir().as_deref();
        let is_dangerous = place.components().count() <= 2
            || is_home
            || self.has_secret_in(place)
            || place
                .components()
                .any(|part| part == Component::Normal(".git".as_ref()));
        (!is_dangerous && place.exists()).then(|| place.to_owned())
    }
}

/// The refusal in a line, without the name of the program at its start.
fn refusal_part(line: &str) -> &str {
    match line.split_once(": ") {
        Some((program, rest)) if rest.contains(": ") && !program.contains(' ') => rest,
        _ => line,
    }
}

impl Terminals {
    /// Adds a notice about withheld variables to the output of a failed command that names some of them. Other output
    /// stays unchanged.
    pub(crate) fn append_missing_variables(&self, output: &mut v1::TerminalOutputResponse) {
        let status = output.exit_status.as_ref();
        let has_failed = status.is_some_and(|status| status.exit_code != Some(0));
        if !has_failed {
            return;
        }
        if let Some(notice) = self.0.environment.missing_variables_notice(&output.output) {
            if !output.output.ends_with('\n') {
                output.output.push('\n');
            }
            output.output.push_str(&format_note(&notice));
        }
    }
}

/// Possible paths in a line: quoted text, and words with a slash.
fn candidates(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let words = line.split([' ', ',', ':', '(', ')', '\'', '"', '`', '‘', '’']);
    let words = words.filter(|word| word.contains('/'));
    let named = line.split(": ").filter_map(|part| part.rsplit(' ').next());
    // Shells print line numbers.
    let named = named.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    let all = quoted.chain(words).chain(named).take(MOST_CANDIDATES);
    all.filter(|text| !text.is_empty() && text.len() < LONGEST)
}

fn reason(limits: &SandboxLimits, path: &Path, line: &str) -> Option<String> {
    let path = resolve_links(path)?;
    let shown = path.display();
    let is_below = |places: &[PathBuf]| places.iter().any(|place| path.starts_with(place));
    if is_below(&limits.denied) {
        return Some(format!("a deny rule of the policy covers `{shown}`"));
    }
    if let Some(secret) = limits.secret.iter().find(|it| path.starts_with(it)) {
        let secret = secret.display().to_string();
        let line = setting("sandbox.read", &limits.settings.read, &secret);
        return Some(format!(
            "the sandbox keeps `{secret}` unreadable; to allow it: {line}"
        ));
    }
    if is_below(&limits.read_only) {
        return Some(format!(
            "`{shown}` decides what agents may do, so commands cannot change it; change it yourself"
        ));
    }
    if let Some(new) = limits.created_beside_secret(&path) {
        return Some(format!(
            "`{}` was made while the command ran, beside places that the sandbox keeps unreadable, so only the next command can read it; make directories with a command of their own, or work in a directory without secrets",
            new.display()
        ));
    }
    // Removing or renaming a file changes its directory.
    let changed = match path.parent() {
        Some(directory) if removes(line) => directory,
        _ => &path,
    };
    let is_writable = limits.writable.iter().any(|it| changed.starts_with(it));
    if !limits.is_sandboxed || is_writable || !could_write(changed) {
        return None;
    }
    let help = match limits.path_to_open(&path, line) {
        Some(place) => {
            let place = place.display().to_string();
            let line = setting("sandbox.write", &limits.settings.write, &place);
            format!("to allow it: {line} (or start attache with `--no-sandbox`)")
        }
        None => "to write there, run the command yourself or start attache with `--no-sandbox`"
            .to_owned(),
    };
    Some(format!(
        "the sandbox does not let commands write `{shown}`, only the session's directories, temporary folders and caches of tools; {help}"
    ))
}

/// Whether a tool could not remove or rename a file.
fn removes(line: &str) -> bool {
    let line = line.to_lowercase();
    REMOVALS.iter().any(|word| line.contains(word))
}

fn setting(key: &str, listed: &[PathBuf], added: &str) -> String {
    let listed: Vec<String> = listed.iter().map(|it| it.display().to_string()).collect();
    config_command::adding_to_list(key, &listed, &[added])
}

/// The path with links resolved, if it or its parent directory exists.
fn resolve_links(path: &Path) -> Option<PathBuf> {
    let found = std::fs::canonicalize(path).or_else(|error| {
        let (parent, name) = (path.parent(), path.file_name());
        match (parent, name) {
            (Some(parent), Some(name)) => Ok(std::fs::canonicalize(parent)?.join(name)),
            _ => Err(error),
        }
    });
    found.ok().filter(|path| path.parent().is_some())
}

/// Whether the user could write there, so that the system was not the one that refused.
#[cfg(unix)]
fn could_write(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    let above = path.parent().filter(|_| path.symlink_metadata().is_err());
    access(above.unwrap_or(path), Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn could_write(_: &Path) -> bool {
    false
}

fn format_note(text: &str) -> String {
    format!("[attache: {text}]\n")
}

const REFUSALS: [&str; 12] = [
    "ermission denied",
    "PermissionError",
    "permission_denied",
    "EACCES",
    "ead-only file system",
    "eadonly database",
    "nable to open database",
    "EROFS",
    "ot permitted",
    "ccess is denied",
    "EPERM",
    "no new privileges",
];
/// Words of tools that remove or rename files.
const REMOVALS: [&str; 6] = [
    "remove",
    "unlink",
    "rename",
    "delete",
    "rmdir",
    "cannot move",
];
const MOST_LINES: usize = 200;
/// The number of lines around a refusal that are searched for its path.
const AROUND: usize = 4;
const MOST_CANDIDATES: usize = 64;
const LONGEST: usize = 4096;

#[cfg(test)]
#[cfg(unix)]
mod tests;
