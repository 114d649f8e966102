//! The version of what runs the agent, where the agent does not run by itself.

use std::fs;
use std::path::{Path, PathBuf};

use attache::process::Program;

use super::command::{named_in, path_of};
use super::{Diagnosis, DoctorCheck, file_name};
use crate::agents::{Agent, find_program_on, first_line};

/// Says which version of node, uv or the like is used, and whether it is new enough for the package.
pub(super) async fn check(agent: &Agent, file: &Path, tell: &mut impl FnMut(Diagnosis)) {
    let Some(runtime) = runtime(agent, file) else {
        return;
    };
    let name = file_name(&runtime);
    let program = Program::new(&runtime).arg("--version");
    let Some(version) = first_line(&program).await else {
        let fix = format!("run `{name} --version` by hand, and install it anew if that fails too");
        tell(Diagnosis::warning(
            DoctorCheck::Runtime,
            format!("{name} does not tell its version"),
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
            format!("node {version}; the package wants {wanted}"),
            "install a newer Node.js",
        ),
        Some(wanted) => Diagnosis::ok(
            DoctorCheck::Runtime,
            format!("node {version}; the package wants {wanted}"),
        ),
        None => Diagnosis::ok(DoctorCheck::Runtime, format!("{name} {version}")),
    };
    tell(finding);
}

/// What runs the file: the interpreter of a script, the program itself, or the node behind npx.
fn runtime(agent: &Agent, file: &Path) -> Option<PathBuf> {
    let interpreter = named_in(file).unwrap_or_default();
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

/// The oldest node that the package of a file says it runs on.
fn wanted_node(file: &Path) -> Option<String> {
    let file = file.canonicalize().ok()?;
    for folder in file.ancestors().skip(1).take(DEPTH) {
        let Ok(text) = fs::read_to_string(folder.join("package.json")) else {
            continue;
        };
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        let range = package.get("engines")?.get("node")?.as_str()?.to_owned();
        // Of alternatives the first names the oldest.
        let least = range.split("||").next().unwrap_or(&range).trim();
        return least.starts_with(['>', '^', '~']).then(|| least.to_owned());
    }
    None
}

/// The numbers of a version, such as 22, 3 and 1 of `>=22.3.1`.
fn numbers(version: &str) -> Vec<u64> {
    let digits = version.trim_start_matches(|char: char| !char.is_ascii_digit());
    let end = digits.find(|char: char| !char.is_ascii_digit() && char != '.');
    let digits = &digits[..end.unwrap_or(digits.len())];
    digits
        .split('.')
        .map_while(|number| number.parse().ok())
        .collect()
}

const DEPTH: usize = 6;
