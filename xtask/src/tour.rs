//! `cargo xtask tour`: builds the binary and the example agent `tour`, and runs one with the other: in the terminal UI
//! if there is a terminal, otherwise for one turn.

use std::env;
use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::Command;

use crate::cargo;

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let builds: [&[&str]; 2] = [
        &["build", "--package", "attache-cli"],
        &["build", "--package", "attache", "--example", "tour"],
    ];
    for build in builds {
        finish(cargo::command(root).args(build))?;
    }
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let mut attache = Command::new(target.join("debug/attache"));
    match stdin().is_terminal() && stdout().is_terminal() {
        true => attache.arg("chat"),
        false => attache.args(["run", "--approve-all", "Show me around"]),
    };
    // The tour changes a file, so it gets its own directory.
    let project = target.join("tour");
    std::fs::create_dir_all(&project)
        .map_err(|error| format!("can't create {}: {error}", project.display()))?;
    let tour = target.join("debug/examples/tour");
    finish(attache.arg("--cwd").arg(project).arg("--").arg(tour))
}

fn finish(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(error) => Err(format!("can't start {name}: {error}")),
    }
}
