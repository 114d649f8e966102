//! The file that is started, and the interpreter that its first line names.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Diagnosis, DoctorCheck, Severity, file_name};
use crate::agents::{Agent, AgentNotInstalled, find_program_on};

/// Finds the program, and says where it is or what is missing.
pub(super) fn resolve(agent: &Agent, tell: &mut impl FnMut(Diagnosis)) -> Option<PathBuf> {
    let file = match agent.locate() {
        Ok(file) => file,
        Err(AgentNotInstalled { what, fix }) => {
            tell(Diagnosis::failure(DoctorCheck::Command, what, fix));
            return None;
        }
    };
    let real = file.canonicalize().ok().filter(|real| *real != file);
    let what = match real {
        Some(real) => format!("{} → {}", file.display(), real.display()),
        None => file.display().to_string(),
    };
    tell(Diagnosis::ok(DoctorCheck::Command, what));
    Some(file)
}

/// Says whether the interpreter of a script is there. Of a program that is no script nothing is said.
pub(super) fn interpreter(
    agent: &Agent,
    file: &Path,
    tell: &mut impl FnMut(Diagnosis),
) -> Severity {
    let Some(named) = named_in(file) else {
        return Severity::Ok;
    };
    let finding = match find_program_on(Path::new(&named), &path_of(agent)) {
        Some(found) => Diagnosis::ok(DoctorCheck::Interpreter, found.display().to_string()),
        None => Diagnosis::failure(
            DoctorCheck::Interpreter,
            format!(
                "{} starts with `#!`, and its interpreter `{named}` was not found",
                file.display()
            ),
            install(&named),
        ),
    };
    let level = finding.severity;
    tell(finding);
    level
}

/// The interpreter that a file's first line names, looked through `env`.
pub(super) fn named_in(file: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(file)
        .ok()?
        .take(256)
        .read_to_end(&mut start)
        .ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if file_name(Path::new(first)) != "env" {
        return Some(first.to_owned());
    }
    let mut named = words.filter(|word| !word.starts_with('-') && !word.contains('='));
    Some(named.next().unwrap_or(first).to_owned())
}

/// The `PATH` that the agent is given.
pub(super) fn path_of(agent: &Agent) -> OsString {
    let own = agent.env.iter().rev().find(|(name, _)| name == "PATH");
    match own {
        Some((_, path)) => OsString::from(path.reveal()),
        None => std::env::var_os("PATH").unwrap_or_default(),
    }
}

fn install(interpreter: &str) -> String {
    match &*file_name(Path::new(interpreter)) {
        "node" => "install Node.js, or add it to the PATH that the agent is given".to_owned(),
        "bun" => "install Bun, or add it to the PATH that the agent is given".to_owned(),
        name if name.starts_with("python") => {
            "install Python, or install the agent anew if its environment has moved".to_owned()
        }
        name => format!("install `{name}`, or correct the first line of the script"),
    }
}
