//! The test and example binaries of the workspace. Building them with the same selection as `cargo xtask ci` reuses
//! that build: a smaller selection of targets would change the features of some crates and recompile everything that
//! needs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::InteropDirs;
use crate::cargo;

/// The test and example binaries of the workspace.
pub(super) struct BuiltTargets(Vec<Executable>);

struct Executable {
    /// The name of the target.
    name: String,
    /// `example`, `test`, …
    kind: String,
    path: PathBuf,
    /// The directory of the package.
    package: PathBuf,
}

impl BuiltTargets {
    pub(super) fn new(dirs: &InteropDirs) -> Result<BuiltTargets, String> {
        let mut build = cargo::command(&dirs.root);
        build.args(BUILD).arg(&dirs.target);
        build.stdin(Stdio::null());
        let name = BUILD.join(" ");
        eprintln!("==> cargo {name} {}", dirs.target.display());
        let start = Instant::now();
        let output = build.stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| format!("can't start `cargo {name}`: {error}"))?;
        if !output.status.success() {
            return Err(format!("`cargo {name}` ended with {}", output.status));
        }
        eprintln!("    ok in {:.1} s", start.elapsed().as_secs_f64());
        Ok(BuiltTargets::from_messages(&String::from_utf8_lossy(
            &output.stdout,
        )))
    }

    /// Reads cargo's messages, one JSON object per line.
    fn from_messages(lines: &str) -> BuiltTargets {
        let messages = lines.lines().filter_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let manifest = Path::new(message["manifest_path"].as_str()?);
            Some(Executable {
                name: message["target"]["name"].as_str()?.to_owned(),
                kind: message["target"]["kind"][0].as_str()?.to_owned(),
                path: message["executable"].as_str()?.into(),
                package: manifest.parent()?.to_owned(),
            })
        });
        BuiltTargets(messages.collect())
    }

    pub(super) fn example(&self, name: &str) -> Result<PathBuf, String> {
        Ok(self.find("example", name)?.path.clone())
    }

    /// A command that runs tests as cargo does: in the directory of their package.
    pub(super) fn test(&self, name: &str) -> Result<Command, String> {
        let test = self.find("test", name)?;
        let mut command = Command::new(&test.path);
        command.current_dir(&test.package);
        command.env("CARGO_MANIFEST_DIR", &test.package);
        Ok(command)
    }

    fn find(&self, kind: &str, name: &str) -> Result<&Executable, String> {
        let mut all = self.0.iter();
        let found = all.find(|one| one.kind == kind && one.name == name);
        found.ok_or_else(|| format!("cargo built no {kind} `{name}`"))
    }
}

/// The selection of `cargo xtask ci`.
const BUILD: [&str; 5] = [
    "test",
    "--workspace",
    "--no-run",
    "--message-format=json-render-diagnostics",
    "--target-dir",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn executables_are_found_by_kind_and_name() {
        let message = |kind: &str, name: &str, executable: Value| {
            let target = json!({ "kind": [kind], "name": name });
            let manifest = "/p/crates/mcp/Cargo.toml";
            json!({ "reason": "compiler-artifact", "manifest_path": manifest, "target": target, "executable": executable })
        };
        let lines = [
            message("lib", "mcp", Value::Null),
            message("test", "mcp", json!("/t/mcp-1")),
            message("example", "client", json!("/t/client")),
            json!({ "reason": "build-finished", "success": true }),
        ];
        let lines = lines.map(|line| line.to_string()).join("\n");
        let built = BuiltTargets::from_messages(&lines);
        assert_eq!(built.example("client"), Ok("/t/client".into()));
        assert!(built.example("mcp").is_err());
        let test = built.test("mcp");
        let at = test.map(|test| test.get_current_dir().map(Path::to_owned));
        assert_eq!(at, Ok(Some("/p/crates/mcp".into())));
    }
}
