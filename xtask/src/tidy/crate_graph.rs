//! ARCHITECTURE.md shows the real crate graph, and dependencies only point to lower levels, which rules out cycles.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::map::{CrateRow, Map};
use super::package::Package;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let graph = Graph::new(tree);
    let mut found = graph.unlisted();
    found.extend(graph.unknown());
    for row in &tree.map.rows {
        found.extend(graph.wrong_row(row));
    }
    for (folder, package) in &graph.crates {
        found.extend(graph.upward(folder, package));
    }
    found
}

struct Graph<'t> {
    map: &'t Map,
    crates: BTreeMap<&'t str, &'t Package>,
}

impl<'t> Graph<'t> {
    fn new(tree: &'t Tree) -> Graph<'t> {
        let crates = tree.packages.iter();
        Graph {
            map: &tree.map,
            crates: crates
                .filter_map(|package| Some((package.crate_folder()?, package)))
                .collect(),
        }
    }

    fn unlisted(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        for (folder, package) in &self.crates {
            if !self.map.rows.iter().any(|row| row.folder == *folder) {
                let message = format!(
                    "`{folder}` has no row in the crate table; add it to {}",
                    Map::PATH
                );
                found.push(Violation::new(&package.manifest, 1, message));
            }
            if self.map.height(folder).is_none() {
                let message = format!(
                    "`{folder}` is missing from the map; add it to a level in {}",
                    Map::PATH
                );
                found.push(Violation::new(&package.manifest, 1, message));
            }
        }
        found
    }

    fn unknown(&self) -> Vec<Violation> {
        let rows = self.map.rows.iter().map(|row| (row.line, &row.folder));
        let levels = self.map.levels.iter();
        let on_levels =
            levels.flat_map(|level| level.folders.iter().map(|folder| (level.line, folder)));
        rows.chain(on_levels)
            .filter(|(_, folder)| !self.crates.contains_key(folder.as_str()))
            .map(|(line, folder)| {
                let message = format!("crates/{folder} does not exist; remove it");
                Violation::new(Map::PATH, line, message)
            })
            .collect()
    }

    fn wrong_row(&self, row: &CrateRow) -> Vec<Violation> {
        let Some(package) = self.crates.get(row.folder.as_str()) else {
            return Vec::new();
        };
        let folder = &row.folder;
        let mut messages = Vec::new();
        if row.package != package.name {
            messages.push(format!(
                "crates/{folder} is `{}`, not `{}`; write its name",
                package.name, row.package
            ));
        }
        let below = self.below(package);
        let real: BTreeSet<&str> = below.into_iter().map(|(other, _)| other).collect();
        let shown: BTreeSet<&str> = row.depends_on.iter().map(String::as_str).collect();
        for missing in real.difference(&shown) {
            messages.push(format!(
                "`{folder}` depends on `{missing}`; add it to the row"
            ));
        }
        for surplus in shown.difference(&real) {
            messages.push(format!(
                "`{folder}` does not depend on `{surplus}`; remove it from the row"
            ));
        }
        messages
            .into_iter()
            .map(|message| Violation::new(Map::PATH, row.line, message))
            .collect()
    }

    fn upward(&self, folder: &str, package: &Package) -> Vec<Violation> {
        let mut found = Vec::new();
        for (other, line) in self.below(package) {
            if let (Some(own), Some(others)) = (self.map.height(folder), self.map.height(other))
                && others >= own
            {
                let message = format!(
                    "`{folder}` on level {own} depends on `{other}` on level {others}; depend on lower levels only"
                );
                found.push(Violation::new(&package.manifest, line, message));
            }
        }
        found
    }

    /// The workspace crates that this one depends on, by directory, with the line of the dependency.
    fn below(&self, package: &Package) -> Vec<(&'t str, usize)> {
        package
            .normal()
            .filter_map(|dependency| {
                let mut crates = self.crates.iter();
                let (folder, _) = crates.find(|(_, other)| other.name == dependency.package)?;
                Some((*folder, dependency.line))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture;

    const WORKSPACE: &str = r#"
//- Cargo.toml
[workspace]
members = ["crates/*"]
//- crates/rpc/Cargo.toml
[package]
name = "attache-rpc"
//- crates/schema/Cargo.toml
[package]
name = "attache-schema"
[dependencies]
attache-rpc.workspace = true
"#;

    fn check(map: &str, more: &str, expect: Expect) {
        fixture::check(super::check, &format!("{WORKSPACE}{map}{more}"), expect);
    }

    fn map(levels: &str, rows: &str) -> String {
        format!(
            "//- ARCHITECTURE.md
<!-- levels -->
```
{levels}
```
<!-- /levels -->
<!-- crates -->
| folder | package | in one sentence | depends on | may not touch |
|---|---|---|---|---|
{rows}
<!-- /crates -->
"
        )
    }

    const LEVELS: &str = "1  schema  |  messages\n0  rpc  |  conversation";
    const ROWS: &str = "\
| `rpc` | `attache-rpc` | a conversation | nothing | |
| `schema` | `attache-schema` | messages | `rpc` | |";

    #[test]
    fn a_correct_map_passes() {
        check(&map(LEVELS, ROWS), "", expect![""]);
    }

    #[test]
    fn a_crate_without_row_and_level_is_named() {
        check(
            &map(
                "0  rpc",
                "| `rpc` | `attache-rpc` | a conversation | nothing | |",
            ),
            "",
            expect![[r#"
                crates/schema/Cargo.toml:1: `schema` has no row in the crate table; add it to ARCHITECTURE.md
                crates/schema/Cargo.toml:1: `schema` is missing from the map; add it to a level in ARCHITECTURE.md
            "#]],
        );
    }

    #[test]
    fn a_row_for_a_missing_crate_is_named() {
        let rows = format!("{ROWS}\n| `cli` | `attache-cli` | ties them | `schema` | |");
        check(
            &map(&format!("2  cli\n{LEVELS}"), &rows),
            "",
            expect![[r#"
                ARCHITECTURE.md:3: crates/cli does not exist; remove it
                ARCHITECTURE.md:13: crates/cli does not exist; remove it
            "#]],
        );
    }

    #[test]
    fn a_wrong_package_name_is_named() {
        let rows = ROWS.replace("attache-rpc", "rpc");
        check(
            &map(LEVELS, &rows),
            "",
            expect![[r#"
                ARCHITECTURE.md:10: crates/rpc is `attache-rpc`, not `rpc`; write its name
            "#]],
        );
    }

    #[test]
    fn a_dependency_missing_from_the_row_is_named() {
        let rows = ROWS.replace("`rpc` | |", "nothing | |");
        check(
            &map(LEVELS, &rows),
            "",
            expect![[r#"
            ARCHITECTURE.md:11: `schema` depends on `rpc`; add it to the row
        "#]],
        );
    }

    #[test]
    fn a_dependency_only_in_the_row_is_named() {
        let rows = ROWS.replace("conversation | nothing", "conversation | `schema`");
        check(
            &map(LEVELS, &rows),
            "",
            expect![[r#"
                ARCHITECTURE.md:10: `rpc` does not depend on `schema`; remove it from the row
            "#]],
        );
    }

    #[test]
    fn a_dependency_for_tests_is_not_in_the_graph() {
        let dev = "[dev-dependencies]\nattache-schema.workspace = true\n";
        let package = "//- crates/rpc/Cargo.toml\n[package]\nname = \"attache-rpc\"\n";
        check(&map(LEVELS, ROWS), &format!("{package}{dev}"), expect![""]);
    }

    #[test]
    fn a_dependency_on_the_same_level_is_named() {
        check(
            &map("1  rpc  schema", ROWS),
            "",
            expect![[r#"
                crates/schema/Cargo.toml:4: `schema` on level 1 depends on `rpc` on level 1; depend on lower levels only
            "#]],
        );
    }

    #[test]
    fn a_cycle_is_named_where_it_points_up() {
        let rows = ROWS.replace("conversation | nothing", "conversation | `schema`");
        let rpc = "//- crates/rpc/Cargo.toml
[package]
name = \"attache-rpc\"
[target.'cfg(unix)'.dependencies]
messages = { package = \"attache-schema\", path = \"../schema\" }
";
        check(
            &map(LEVELS, &rows),
            rpc,
            expect![[r#"
                crates/rpc/Cargo.toml:4: `rpc` on level 0 depends on `schema` on level 1; depend on lower levels only
            "#]],
        );
    }
}
