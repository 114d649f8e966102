//! The agents of `interop/` on the official SDKs, which only stream and keep nothing, where `cargo xtask interop` has
//! installed what they need.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program that says a given number of chunks is run.
pub(super) struct Other {
    pub(super) name: &'static str,
    interpreter: PathBuf,
    script: PathBuf,
}

impl Other {
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.arg(&self.script);
        command
    }
}

/// Those that are installed.
pub(super) fn installed(root: &Path) -> Vec<Other> {
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let folder = target.join("interop");
    let node = folder.join("typescript/node_modules").is_dir();
    let python = folder.join("python/venv/bin/python");
    let mut others = Vec::new();
    if node && let Ok(script) = copied(root, &folder, "typescript", "bench_agent.mjs") {
        others.push(Other {
            name: "TypeScript SDK",
            interpreter: "node".into(),
            script,
        });
    }
    if python.is_file() {
        others.push(Other {
            name: "Python SDK",
            interpreter: python,
            script: root.join("interop/python/bench_agent.py"),
        });
    }
    others
}

/// A script of TypeScript finds its packages only beside itself.
fn copied(root: &Path, folder: &Path, name: &str, file: &str) -> std::io::Result<PathBuf> {
    let script = folder.join(name).join(file);
    fs::copy(root.join("interop").join(name).join(file), &script)?;
    Ok(script)
}
