//! A crate does not depend on what the last column of the crate table forbids.

use super::Violation;
use super::map::Map;
use super::package::Package;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for row in &tree.map.rows {
        let folder = &row.folder;
        let mut packages = tree.packages.iter();
        let Some(package) = packages.find(|package| package.crate_folder() == Some(folder)) else {
            continue;
        };
        for dependency in package.normal() {
            let name = table_name(tree, &dependency.package);
            if row.may_not_touch.iter().any(|forbidden| forbidden == name) {
                let message = format!(
                    "{} forbids `{folder}` to depend on `{name}`; move the code to another crate",
                    Map::PATH
                );
                found.push(Violation::new(&package.manifest, dependency.line, message));
            }
        }
    }
    found
}

/// Workspace crates are named by their directory, all others by their package.
fn table_name<'t>(tree: &'t Tree, package: &'t str) -> &'t str {
    let mut packages = tree.packages.iter();
    packages
        .find(|own| own.name == package)
        .and_then(Package::crate_folder)
        .unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn a_forbidden_dependency_is_named() {
        fixture::check(
            super::check,
            r#"
//- ARCHITECTURE.md
<!-- levels -->
<!-- /levels -->
<!-- crates -->
| folder | package | in one sentence | depends on | may not touch |
|---|---|---|---|---|
| `rpc` | `attache-rpc` | a conversation | nothing | `tokio`, `schema`, files |
<!-- /crates -->
//- Cargo.toml
[workspace]
members = ["crates/*"]
[workspace.dependencies]
runtime = { package = "tokio", version = "1" }
//- crates/rpc/Cargo.toml
[package]
name = "attache-rpc"
[dependencies]
files = "1"
runtime.workspace = true
attache-schema.workspace = true
[dev-dependencies]
tokio = "1"
//- crates/schema/Cargo.toml
[package]
name = "attache-schema"
"#,
            expect![[r#"
                crates/rpc/Cargo.toml:5: ARCHITECTURE.md forbids `rpc` to depend on `tokio`; move the code to another crate
                crates/rpc/Cargo.toml:6: ARCHITECTURE.md forbids `rpc` to depend on `schema`; move the code to another crate
            "#]],
        );
    }
}
