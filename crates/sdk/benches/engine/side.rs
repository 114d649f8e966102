//! The programs that can be one side of a pair.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt};

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
    /// The command that runs it as an agent; `None` where it is not installed.
    pub(crate) fn agent(self) -> Option<Command> {
        match self {
            Side::TypeScript => script("node", "typescript/bench_agent.mjs", "node_modules"),
            Side::Python => script("python/bin/python", "python/bench_agent.py", "python"),
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

/// A script of `interop/`, if what it needs is under `target/interop`.
fn script(interpreter: &str, path: &str, needs: &str) -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = root.join("target/interop");
    let script = root.join("interop").join(path);
    if !installed.join(needs).exists() || !script.exists() {
        return None;
    }
    let own = installed.join(interpreter);
    let interpreter = if own.exists() {
        own
    } else {
        PathBuf::from(interpreter)
    };
    let mut command = Command::new(interpreter);
    command.arg(script).env("INTEROP", installed);
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
