//! Runs a benchmark that prints its own tables. What is measured, and how, is in `benches` of its crate.

use std::path::Path;

use super::Effort;
use crate::cargo;

pub(super) fn run(root: &Path, package: &str, name: &str, effort: Effort) -> Result<(), String> {
    let mut bench = cargo::command(root);
    bench.args(["bench", "-p", package, "--bench", name, "--"]);
    if let Effort::Quick = effort {
        bench.arg("--quick");
    }
    let status = bench.status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("the benchmark ended with {status}"));
    }
    Ok(())
}
