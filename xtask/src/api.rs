//! `cargo xtask api`: compares the public API of the libraries with the snapshots in `docs/api`, one line per item.

mod listing;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use public_api::Builder;

use crate::cargo;

/// Documents only the libraries, and compares or updates their snapshots.
pub(crate) fn run(root: &Path, snapshots: Snapshots) -> Result<(), String> {
    let libraries = LIBRARIES.iter().flat_map(|library| ["-p", library]);
    run_cargo_doc(root, &libraries.collect::<Vec<_>>())?;
    compare(root, snapshots)
}

/// Documents the whole workspace, which checks its pages, and compares the snapshots.
pub(crate) fn run_with_all_pages(root: &Path) -> Result<(), String> {
    run_cargo_doc(root, &["--workspace"])?;
    compare(root, Snapshots::Compare)
}

#[derive(Clone, Copy)]
pub(crate) enum Snapshots {
    Compare,
    Update,
}

/// Stands in for rustdoc if cargo was told so by [`run_cargo_doc`]; otherwise `None`.
pub(crate) fn run_as_rustdoc(arguments: &[&str]) -> Option<Result<(), String>> {
    let rustdoc = env::var_os(REAL_RUSTDOC)?;
    let ours = arguments.iter().filter(|argument| **argument != WITH_JSON);
    let ours: Vec<&str> = ours.copied().collect();
    let mut outcome = finish(Command::new(&rustdoc).args(&ours));
    if outcome.is_ok() && ours.len() < arguments.len() && documents_library(&ours) {
        let mut json = Command::new(&rustdoc);
        json.args(&ours)
            .args(["-Zunstable-options", "--output-format=json"]);
        // The pages have reported all warnings.
        json.args(["--cap-lints", "allow"]);
        outcome = finish(json.env("RUSTC_BOOTSTRAP", "1"));
    }
    Some(outcome)
}

/// Writes the pages of the packages, and beside them JSON about the libraries. A stable rustdoc writes JSON only with
/// `RUSTC_BOOTSTRAP`. In cargo's environment that would recompile dependencies, so cargo starts this program as rustdoc,
/// which sets it for rustdoc alone. Because of the marker, pages that a plain `cargo doc` has written are not up to date.
fn run_cargo_doc(root: &Path, packages: &[&str]) -> Result<(), String> {
    let this = env::current_exe().map_err(|error| format!("can't find this program: {error}"))?;
    let rustdoc = env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let mut doc = cargo::command(root);
    doc.args(["doc", "--no-deps"]).args(packages);
    doc.env("RUSTDOCFLAGS", format!("-D warnings {WITH_JSON}"));
    finish(doc.env("RUSTDOC", this).env(REAL_RUSTDOC, rustdoc))
}

fn compare(root: &Path, snapshots: Snapshots) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        eprintln!("    snapshots not compared: they show the API on Linux");
        return Ok(());
    }
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let mut changed = Vec::new();
    for library in LIBRARIES {
        let json = target.join(format!("doc/{}.json", library.replace('-', "_")));
        let api = public_api(&json)?;
        let path = format!("docs/api/{library}.txt");
        let snapshot = fs::read_to_string(root.join(&path)).unwrap_or_default();
        if api == snapshot {
            continue;
        }
        match snapshots {
            Snapshots::Compare => changed.push(difference(&path, &snapshot, &api)),
            Snapshots::Update => fs::write(root.join(&path), api)
                .map_err(|error| format!("can't write `{path}`: {error}"))?,
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let changed = changed.concat();
    Err(format!(
        "the public API has changed:\n{changed}if you mean it, run `cargo xtask api --update` and commit docs/api"
    ))
}

fn public_api(json: &Path) -> Result<String, String> {
    let name = json.file_stem().unwrap_or_default().to_string_lossy();
    let api = Builder::from_rustdoc_json(json).omit_blanket_impls(true);
    let api = api.build().map_err(|error| {
        format!(
            "can't read `{}`: {error}; does `public-api` in xtask/Cargo.toml fit the toolchain?",
            json.display()
        )
    })?;
    Ok(listing::write(&name, api.items()))
}

/// The lines of only one side. Lines are unique and sorted by item, so no more is needed to find them.
fn difference(path: &str, old: &str, new: &str) -> String {
    let before: BTreeSet<&str> = old.lines().collect();
    let after: BTreeSet<&str> = new.lines().collect();
    let gone = old.lines().filter(|line| !after.contains(line));
    let added = new.lines().filter(|line| !before.contains(line));
    let lines = gone.map(|line| format!("- {line}\n"));
    let lines = lines.chain(added.map(|line| format!("+ {line}\n")));
    format!("{path}\n{}", lines.collect::<String>())
}

fn documents_library(arguments: &[&str]) -> bool {
    let mut pairs = arguments.windows(2);
    pairs.any(|pair| {
        pair.first() == Some(&"--crate-name")
            && pair
                .last()
                .is_some_and(|name| LIBRARIES.contains(&name.replace('_', "-").as_str()))
    })
}

fn finish(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` ended with {status}")),
        Err(error) => Err(format!("can't start `{program}`: {error}")),
    }
}

/// The crates that other projects build on.
pub(crate) const LIBRARIES: [&str; 8] = [
    "attache",
    "attache-dialect",
    "attache-host",
    "attache-process",
    "attache-rpc",
    "attache-schema",
    "attache-testkit",
    "attache-transport",
];
const REAL_RUSTDOC: &str = "XTASK_REAL_RUSTDOC";
const WITH_JSON: &str = "--with-json";

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_difference_has_the_lines_of_one_side() {
        expect![[r"
            docs/api/sdk.txt
            - pub fn old()
            + pub fn new()
        "]]
        .assert_eq(&difference(
            "docs/api/sdk.txt",
            "pub mod sdk\npub fn old()\n",
            "pub mod sdk\npub fn new()\n",
        ));
    }

    #[test]
    fn only_libraries_get_a_list() {
        assert!(documents_library(&[
            "--crate-name",
            "attache_rpc",
            "src/lib.rs"
        ]));
        assert!(!documents_library(&[
            "--crate-name",
            "attache_tui",
            "src/lib.rs"
        ]));
    }
}
