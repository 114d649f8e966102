//! Why a command that failed was refused something, where the sandbox or the policy is the reason: a line under its output
//! that names the path and the setting. Nothing is said where it is not certain.

use std::path::{Path, PathBuf};

use attache_schema::v1;

use super::Terminals;
use crate::sandbox::Limits;

/// The line for what a command wrote last, if the sandbox or the policy kept it from a path that stands there.
pub(super) fn advice(limits: &Limits, cwd: &Path, output: &str) -> Option<String> {
    let lines = output.lines().rev().take(MOST_LINES);
    let refusals = lines.filter(|line| REFUSALS.iter().any(|refusal| line.contains(refusal)));
    for line in refusals {
        if limits.is_sandboxed && line.contains("no new privileges") {
            return Some(note(
                "programs that gain rights when they start, such as `sudo`, do not work in the sandbox; start attache with `--no-sandbox` to allow them",
            ));
        }
        let found = candidates(refused(line)).find_map(|text| reason(limits, &cwd.join(text)));
        if let Some(found) = found {
            return Some(note(&found));
        }
    }
    None
}

impl Limits {
    /// The file or directory, at the path or above it, that has appeared beside a secret since the command started.
    fn made_beside_secrets<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let is_beside = |path: &&Path| {
            let above = path.parent();
            let is_above = |secret: &PathBuf| above.is_some_and(|above| secret.starts_with(above));
            self.secret.iter().any(is_above)
        };
        let new = path.ancestors().find(is_beside)?;
        let made = new.metadata().and_then(|found| found.created()).ok()?;
        self.since.is_some_and(|since| since <= made).then_some(new)
    }
}

/// What a line says was refused, without the name of the program that says so in front.
fn refused(line: &str) -> &str {
    match line.split_once(": ") {
        Some((program, rest)) if rest.contains(": ") && !program.contains(' ') => rest,
        _ => line,
    }
}

impl Terminals {
    /// Adds a notice of missing variables to the output of a command that failed and names one of them. Any other output is
    /// the command's own.
    pub(crate) fn explain(&self, output: &mut v1::TerminalOutputResponse, notice: &str) {
        let status = output.exit_status.as_ref();
        let has_failed = status.is_some_and(|status| status.exit_code != Some(0));
        if has_failed && self.0.environment.is_missed_in(&output.output) {
            if !output.output.ends_with('\n') {
                output.output.push('\n');
            }
            output.output.push_str(&note(notice));
        }
    }
}

/// Paths that may stand in a line: what is quoted, and words with a slash.
fn candidates(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let words = line.split([' ', ',', ':', '(', ')', '\'', '"', '`', '‘', '’']);
    let words = words.filter(|word| word.contains('/'));
    let named = line.split(": ").filter_map(|part| part.rsplit(' ').next());
    let all = quoted.chain(words).chain(named).take(MOST_CANDIDATES);
    all.filter(|text| !text.is_empty() && text.len() < LONGEST)
}

fn reason(limits: &Limits, path: &Path) -> Option<String> {
    let path = existing(path)?;
    let shown = path.display();
    let is_below = |places: &[PathBuf]| places.iter().any(|place| path.starts_with(place));
    if is_below(&limits.denied) {
        return Some(format!("a deny rule of the policy covers `{shown}`"));
    }
    if let Some(secret) = limits.secret.iter().find(|it| path.starts_with(it)) {
        let secret = secret.display();
        return Some(format!(
            "the sandbox keeps `{secret}` unreadable; to allow it, add it to `sandbox.read` in the configuration"
        ));
    }
    if let Some(new) = limits.made_beside_secrets(&path) {
        return Some(format!(
            "`{}` was made while the command ran, beside places that the sandbox keeps unreadable, so only the next command can read it; make directories with a command of their own, or work in a directory without secrets",
            new.display()
        ));
    }
    let is_refused = limits.is_sandboxed && !is_below(&limits.writable) && could_write(&path);
    is_refused.then(|| {
        format!(
            "the sandbox does not let commands write `{shown}`, only the session's directories, temporary folders and caches of tools; to allow it, add it to `sandbox.write` in the configuration, or start attache with `--no-sandbox`"
        )
    })
}

/// The path without links, or that of the directory in which it would be made.
fn existing(path: &Path) -> Option<PathBuf> {
    let found = std::fs::canonicalize(path);
    found
        .or_else(|_| std::fs::canonicalize(path.parent().unwrap_or(path)))
        .ok()
        .filter(|path| path.parent().is_some())
}

/// Whether the user could write there: then it was not the system that refused.
#[cfg(unix)]
fn could_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn could_write(_: &Path) -> bool {
    false
}

fn note(text: &str) -> String {
    format!("[attache: {text}]\n")
}

const REFUSALS: [&str; 7] = [
    "ermission denied",
    "EACCES",
    "ead-only file system",
    "EROFS",
    "ot permitted",
    "EPERM",
    "no new privileges",
];
const MOST_LINES: usize = 200;
const MOST_CANDIDATES: usize = 64;
const LONGEST: usize = 4096;
