//! Checks the agent's program, its interpreter and its runtime.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use attache::process::Program;

use super::{Diagnosis, DoctorCheck, Severity, file_name};
use crate::agents::{Agent, AgentNotInstalled, find_program_on, first_line};

/// Finds the program and reports its path, or what is missing.
pub(super) fn resolve(agent: &Agent, report: &mut impl FnMut(Diagnosis)) -> Option<PathBuf> {
    let file = match agent.locate() {
        Ok(file) => file,
        Err(AgentNotInstalled { what, fix }) => {
            report(Diagnosis::failure(DoctorCheck::Command, what, fix));
            return None;
        }
    };
    let real = file.canonicalize().ok().filter(|real| *real != file);
    let what = match real {
        Some(real) => format!("{} → {}", file.display(), real.display()),
        None => file.display().to_string(),
    };
    report(Diagnosis::ok(DoctorCheck::Command, what));
    Some(file)
}

/// Reports whether the interpreter of a script is installed. Reports nothing for other programs.
pub(super) fn check_interpreter(
    agent: &Agent,
    file: &Path,
    report: &mut impl FnMut(Diagnosis),
) -> Severity {
    let Some(named) = shebang_interpreter(file) else {
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
    report(finding);
    level
}

/// Reports the version of Node.js, uv or another runtime, and whether it is new enough for the package.
pub(super) async fn check_runtime(agent: &Agent, file: &Path, report: &mut impl FnMut(Diagnosis)) {
    let Some(runtime) = runtime(agent, file) else {
        return;
    };
    let name = file_name(&runtime);
    let program = Program::new(&runtime).arg("--version");
    let Some(version) = first_line(&program).await else {
        let fix = format!("run `{name} --version` by hand; reinstall it if that fails too");
        report(Diagnosis::warning(
            DoctorCheck::Runtime,
            format!("{name} does not report its version"),
            fix,
        ));
        return;
    };
    let wanted = if name == "node" {
        wanted_node(file)
    } else {
        None
    };
    let finding = match wanted {
        Some(wanted) if numbers(&version) < numbers(&wanted) => Diagnosis::failure(
            DoctorCheck::Runtime,
            format!("node {version}; the package requires {wanted}"),
            "install a newer Node.js",
        ),
        Some(wanted) => Diagnosis::ok(
            DoctorCheck::Runtime,
            format!("node {version}; the package requires {wanted}"),
        ),
        None => Diagnosis::ok(DoctorCheck::Runtime, format!("{name} {version}")),
    };
    report(finding);
}

/// The runtime of a program: the interpreter of a script, the program itself, or Node.js for npx.
fn runtime(agent: &Agent, file: &Path) -> Option<PathBuf> {
    let interpreter = shebang_interpreter(file).unwrap_or_default();
    let candidates = [file_name(file), file_name(Path::new(&interpreter))];
    for candidate in candidates {
        let name = match &*candidate {
            "npx" | "npm" | "node" | "nodejs" => "node",
            "uvx" | "uv" => "uv",
            "bun" | "bunx" => "bun",
            _ => continue,
        };
        return find_program_on(Path::new(name), &path_of(agent));
    }
    None
}

/// The oldest version of Node.js that a file's package supports.
fn wanted_node(file: &Path) -> Option<String> {
    let file = file.canonicalize().ok()?;
    for folder in file.ancestors().skip(1).take(DEPTH) {
        let Ok(text) = fs::read_to_string(folder.join("package.json")) else {
            continue;
        };
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        let range = package.get("engines")?.get("node")?.as_str()?.to_owned();
        // The first alternative is the oldest.
        let least = range.split("||").next().unwrap_or(&range).trim();
        return least.starts_with(['>', '^', '~']).then(|| least.to_owned());
    }
    None
}

/// The numbers of a version: 22, 3 and 1 for `>=22.3.1`.
fn numbers(version: &str) -> Vec<u64> {
    let digits = version.trim_start_matches(|char: char| !char.is_ascii_digit());
    let end = digits.find(|char: char| !char.is_ascii_digit() && char != '.');
    let digits = &digits[..end.unwrap_or(digits.len())];
    digits
        .split('.')
        .map_while(|number| number.parse().ok())
        .collect()
}

/// The interpreter in the first line of a script; for `env`, the program that `env` starts.
fn shebang_interpreter(file: &Path) -> Option<String> {
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

/// The agent's `PATH`.
fn path_of(agent: &Agent) -> OsString {
    let own = agent.env.iter().rev().find(|(name, _)| name == "PATH");
    match own {
        Some((_, path)) => OsString::from(path.reveal()),
        None => std::env::var_os("PATH").unwrap_or_default(),
    }
}

fn install(interpreter: &str) -> String {
    match &*file_name(Path::new(interpreter)) {
        "node" => "install Node.js, or add it to the agent's PATH".to_owned(),
        "bun" => "install Bun, or add it to the agent's PATH".to_owned(),
        name if name.starts_with("python") => {
            "install Python, or reinstall the agent if its environment has moved".to_owned()
        }
        name => format!("install `{name}`, or correct the first line of the script"),
    }
}

const DEPTH: usize = 6;
