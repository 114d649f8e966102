//! `cargo xtask bench [codec|engine|screen|record|trace|start|exec|verdict|journal|agent|build] [--quick]`: measures messages
//! and conversations next to the official crates, frames of the terminal UI, recording, what the binary adds to an
//! agent, our own agent with its journal, and the build of an agent on the SDK.

mod agent;
mod build;
mod codec;
mod start;
mod trace;

use std::path::Path;

use crate::cargo;

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (rest, effort) = match arguments {
        [rest @ .., "--quick"] => (rest, Effort::Quick),
        rest => (rest, Effort::Full),
    };
    match rest {
        [] => {
            codec::run(root, effort)?;
            run_cargo_bench(root, "attache", "engine", effort)?;
            run_cargo_bench(root, "attache-tui", "screen", effort)?;
            run_cargo_bench(root, "attache-recording", "record", effort)?;
            trace::run(root, effort)?;
            start::run(root, effort)?;
            run_cargo_bench(root, "attache-host", "exec", effort)?;
            run_cargo_bench(root, "attache-host", "verdict", effort)?;
            run_cargo_bench(root, "attache-journal", "journal", effort)?;
            agent::run(root, effort)?;
            build::run(root, effort)
        }
        ["codec"] => codec::run(root, effort),
        ["engine"] => run_cargo_bench(root, "attache", "engine", effort),
        ["screen"] => run_cargo_bench(root, "attache-tui", "screen", effort),
        ["record"] => run_cargo_bench(root, "attache-recording", "record", effort),
        ["trace"] => trace::run(root, effort),
        ["start"] => start::run(root, effort),
        ["exec"] => run_cargo_bench(root, "attache-host", "exec", effort),
        ["verdict"] => run_cargo_bench(root, "attache-host", "verdict", effort),
        ["journal"] => run_cargo_bench(root, "attache-journal", "journal", effort),
        ["agent"] => agent::run(root, effort),
        ["build"] => build::run(root, effort),
        other => Err(format!(
            "unknown benchmark `{}`; bench takes `codec`, `engine`, `screen`, `record`, `trace`, `start`, `exec`, `verdict`, `journal`, `agent` or `build`, and `--quick`",
            other.join(" ")
        )),
    }
}

/// Runs a benchmark that prints its own tables. The `benches` directory of its crate says what is measured, and how.
fn run_cargo_bench(root: &Path, package: &str, name: &str, effort: Effort) -> Result<(), String> {
    let mut bench = cargo::command(root);
    bench.args(["bench", "-p", package, "--bench", name, "--"]);
    if let Effort::Quick = effort {
        bench.arg("--quick");
    }
    let status = bench.status();
    let status = status.map_err(|error| format!("can't start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("the benchmark ended with {status}"));
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Effort {
    Full,
    Quick,
}
