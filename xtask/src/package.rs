//! `cargo xtask package`: whether every crate could be published.

use std::path::Path;

use serde_json::Value;

use crate::api::LIBRARIES;
use crate::cargo;

/// Packages the published crates without building them again. Works without a network.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut metadata = cargo::command(root);
    metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
    let output = metadata.output();
    let output = output.map_err(|error| format!("can't start cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("can't read `cargo metadata`: {error}"))?;
    let missing = missing(&metadata, &|path| root.join(path).exists());
    if !missing.is_empty() {
        return Err(missing.join("\n"));
    }

    let mut package = cargo::command(root);
    package.args(["package", "--workspace", "--exclude", "xtask"]);
    // `--quiet` because cargo warns of each test that `exclude` leaves out.
    package.args(["--no-verify", "--offline", "--allow-dirty", "--quiet"]);
    let status = package.status();
    let status = status.map_err(|error| format!("can't start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("`cargo package` ended with {status}"));
    }
    Ok(())
}

/// What the registry, or a user who looks for a crate there, would miss.
fn missing(metadata: &Value, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let published = packages.filter(|package| package["publish"].is_null());
    let mut missing = Vec::new();
    for package in published {
        let name = package["name"].as_str().unwrap_or_default();
        let folder = package["manifest_path"].as_str().unwrap_or_default();
        let folder = folder.trim_end_matches("Cargo.toml");
        for member in ["description", "license", "rust_version"] {
            if package[member].is_null() {
                missing.push(format!("{name} has no {member}; set it in its Cargo.toml"));
            }
        }
        for member in ["keywords", "categories"] {
            if package[member].as_array().is_none_or(Vec::is_empty) {
                missing.push(format!(
                    "{name} has no {member}; set them in its Cargo.toml"
                ));
            }
        }
        if !exists(&format!("{folder}LICENSE")) {
            missing.push(format!(
                "{name} has no LICENSE; link to the one of the repository"
            ));
        }
        if LIBRARIES.contains(&name) && package["readme"].is_null() {
            missing.push(format!(
                "{name} has no README.md; say in it who needs the crate"
            ));
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_published_crate_needs_a_licence_and_a_library_a_page() {
        let complete = json!({
            "name": "attache", "manifest_path": "/sdk/Cargo.toml", "publish": null, "description": "d", "license": "l",
            "rust_version": "1.88", "keywords": ["k"], "categories": ["c"], "readme": "README.md",
        });
        let bare = json!({ "name": "attache-rpc", "manifest_path": "/rpc/Cargo.toml", "publish": null, "keywords": [] });
        let private =
            json!({ "name": "xtask", "manifest_path": "/xtask/Cargo.toml", "publish": [] });
        let metadata = json!({ "packages": [complete, bare, private] });
        let missing = missing(&metadata, &|path| path == "/sdk/LICENSE");
        expect![[r#"
            attache-rpc has no description; set it in its Cargo.toml
            attache-rpc has no license; set it in its Cargo.toml
            attache-rpc has no rust_version; set it in its Cargo.toml
            attache-rpc has no keywords; set them in its Cargo.toml
            attache-rpc has no categories; set them in its Cargo.toml
            attache-rpc has no LICENSE; link to the one of the repository
            attache-rpc has no README.md; say in it who needs the crate"#]]
        .assert_eq(&missing.join("\n"));
    }
}
