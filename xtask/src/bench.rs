//! `cargo xtask bench [codec|engine|screen|record|trace|start|exec|journal|agent] [--quick]`: what a message costs and what a
//! conversation costs, next to the official crates, how long a frame of the terminal UI takes, what recording costs, what
//! the binary adds to an agent, and what our own agent and its journal cost.

mod agent;
mod codec;
mod printed;
mod start;
mod trace;

use std::path::Path;

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (rest, effort) = match arguments {
        [rest @ .., "--quick"] => (rest, Effort::Quick),
        rest => (rest, Effort::Full),
    };
    match rest {
        [] => {
            codec::run(root, effort)?;
            printed::run(root, "attache", "engine", effort)?;
            printed::run(root, "attache-tui", "screen", effort)?;
            printed::run(root, "attache-recording", "record", effort)?;
            trace::run(root, effort)?;
            start::run(root, effort)?;
            printed::run(root, "attache-host", "exec", effort)?;
            printed::run(root, "attache-host", "verdict", effort)?;
            printed::run(root, "attache-journal", "journal", effort)?;
            agent::run(root, effort)
        }
        ["codec"] => codec::run(root, effort),
        ["engine"] => printed::run(root, "attache", "engine", effort),
        ["screen"] => printed::run(root, "attache-tui", "screen", effort),
        ["record"] => printed::run(root, "attache-recording", "record", effort),
        ["trace"] => trace::run(root, effort),
        ["start"] => start::run(root, effort),
        ["exec"] => printed::run(root, "attache-host", "exec", effort),
        ["verdict"] => printed::run(root, "attache-host", "verdict", effort),
        ["journal"] => printed::run(root, "attache-journal", "journal", effort),
        ["agent"] => agent::run(root, effort),
        other => Err(format!(
            "bench takes `codec`, `engine`, `screen`, `record`, `trace`, `start`, `exec`, `verdict`, `journal` or `agent`, and `--quick`, not `{}`",
            other.join(" ")
        )),
    }
}

#[derive(Clone, Copy)]
enum Effort {
    Full,
    Quick,
}
