//! The programs that can be one side of a pair.

use std::path::Path;
use std::process::Command;
use std::{env, fmt, fs};

/// One side, by the name of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    /// The official SDK on its own standard input and output.
    Official,
    /// The official SDK on pipes that the runtime waits for.
    OfficialPipe,
    /// A loop over blocking pipes, with the official types.
    Raw,
    /// The official SDK for TypeScript.
    TypeScript,
    /// The official SDK for Python.
    Python,
}

impl Side {
    /// The command that runs this side as an agent; `None` if it is not installed.
    pub(crate) fn agent(self) -> Option<Command> {
        match self {
            Side::TypeScript => script("node", "typescript", "bench_agent.mjs", "node_modules"),
            Side::Python => script("venv/bin/python", "python", "bench_agent.py", "venv"),
            _ => Some(own(&["agent", self.name()])),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Ours => "ours",
            Side::Official => "official",
            Side::OfficialPipe => "official-pipe",
            Side::Raw => "raw",
            Side::TypeScript => "typescript",
            Side::Python => "python",
        }
    }
}

/// This program in another role.
pub(crate) fn own(words: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(words);
    command
}

/// A script of `interop/`, put where `cargo xtask interop` has installed what it needs.
fn script(interpreter: &str, folder: &str, file: &str, needs: &str) -> Option<Command> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop");
    let program = env::current_exe().unwrap();
    let target = program.ancestors().nth(3)?;
    let installed = target.join("interop").join(folder);
    if !installed.join(needs).exists() {
        return None;
    }
    fs::copy(source.join(folder).join(file), installed.join(file)).unwrap();
    let own = installed.join(interpreter);
    let mut command = match own.exists() {
        true => Command::new(own),
        false => Command::new(interpreter),
    };
    command.arg(installed.join(file));
    Some(command)
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::OfficialPipe => "official on pipes",
            other => other.name(),
        })
    }
}
