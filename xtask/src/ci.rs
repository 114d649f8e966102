//! All checks of a change, the cheapest first.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::{api, cargo, package, tidy};

pub(crate) fn run(root: &Path) -> Result<(), String> {
    in_order(&STEPS, |step| step.run(root))
}

enum Step {
    Cargo(&'static str),
    Tidy,
    Package,
    /// Compiles for a system that the tests don't run on, if the toolchain can.
    Target(&'static str),
    DocumentationAndApi,
}

const STEPS: [Step; 8] = [
    Step::Cargo("fmt --all -- --check"),
    Step::Cargo("clippy --workspace --all-targets -- -D warnings"),
    Step::Tidy,
    Step::Package,
    Step::Target("x86_64-apple-darwin"),
    Step::Target("x86_64-pc-windows-gnu"),
    Step::Cargo("test --workspace"),
    Step::DocumentationAndApi,
];

fn in_order(
    steps: &[Step],
    mut run: impl FnMut(&Step) -> Result<(), String>,
) -> Result<(), String> {
    for step in steps {
        let name = step.name();
        eprintln!("==> {name}");
        let start = Instant::now();
        let outcome = run(step);
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => eprintln!("    ok in {seconds:.1} s"),
            Err(reason) => return Err(format!("`{name}` failed after {seconds:.1} s: {reason}")),
        }
    }
    Ok(())
}

impl Step {
    fn name(&self) -> String {
        match self {
            Step::Cargo(arguments) => format!("cargo {arguments}"),
            Step::Tidy => "cargo xtask tidy".to_owned(),
            Step::Package => "cargo xtask package".to_owned(),
            Step::Target(target) => format!("cargo check --target {target}"),
            Step::DocumentationAndApi => "cargo doc and cargo xtask api".to_owned(),
        }
    }

    fn run(&self, root: &Path) -> Result<(), String> {
        match self {
            Step::Cargo(arguments) => finish(cargo_with(root, arguments)),
            Step::Tidy => tidy::run(root),
            Step::Package => package::run(root),
            Step::DocumentationAndApi => api::run_with_all_pages(root),
            Step::Target(target) if !is_installed(target) => {
                eprintln!("    skipped: run `rustup target add {target}` to enable this check");
                Ok(())
            }
            Step::Target(target) => {
                let packages = "check -p attache-cli -p attache -p attache-process --target";
                let mut check = cargo_with(root, &format!("{packages} {target}"));
                // Some dependencies contain C code. A check links nothing, so `true` can replace the C compiler.
                let name = target.replace('-', "_");
                check.env(format!("CC_{name}"), "true");
                check.env(format!("AR_{name}"), "true");
                finish(check)
            }
        }
    }
}

fn is_installed(target: &str) -> bool {
    let listed = Command::new("rustup")
        .args(["target", "list", "--installed"])
        .output();
    listed.is_ok_and(|listed| {
        let listed = String::from_utf8_lossy(&listed.stdout);
        listed.lines().any(|line| line.trim() == target)
    })
}

fn cargo_with(root: &Path, arguments: &str) -> Command {
    let mut command = cargo::command(root);
    command.args(arguments.split_whitespace());
    command
}

fn finish(mut command: Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(format!("can't start cargo: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_first_failure_and_names_it() {
        let mut ran = Vec::new();
        let outcome = in_order(&STEPS, |step| {
            ran.push(step.name());
            match step {
                Step::Tidy => Err("2 violations".to_owned()),
                _ => Ok(()),
            }
        });
        assert_eq!(
            ran,
            [
                "cargo fmt --all -- --check",
                "cargo clippy --workspace --all-targets -- -D warnings",
                "cargo xtask tidy",
            ]
        );
        let message = outcome.err().unwrap_or_default();
        assert!(
            message.starts_with("`cargo xtask tidy` failed after "),
            "{message}"
        );
        assert!(message.ends_with(" s: 2 violations"), "{message}");
    }
}
