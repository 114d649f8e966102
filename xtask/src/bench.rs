//! `cargo xtask bench [codec|engine] [--quick]`: what a message costs, and what a conversation costs, next to the
//! official crates.

mod codec;
mod engine;

use std::path::Path;

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (rest, effort) = match arguments {
        [rest @ .., "--quick"] => (rest, Effort::Quick),
        rest => (rest, Effort::Full),
    };
    match rest {
        [] => {
            codec::run(root, effort)?;
            engine::run(root, effort)
        }
        ["codec"] => codec::run(root, effort),
        ["engine"] => engine::run(root, effort),
        other => Err(format!(
            "bench takes `codec` or `engine`, and `--quick`, not `{}`",
            other.join(" ")
        )),
    }
}

#[derive(Clone, Copy)]
enum Effort {
    Full,
    Quick,
}
