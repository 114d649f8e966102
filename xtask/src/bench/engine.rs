//! Runs the `engine` benchmark, which prints its own tables. What is measured, and how, is in
//! `crates/sdk/benches/engine`.

use std::env;
use std::path::Path;
use std::process::Command;

use super::Effort;

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut bench = Command::new(cargo);
    bench.current_dir(root);
    bench.args(["bench", "-p", "attache", "--bench", "engine", "--"]);
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
