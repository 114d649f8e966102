//! Every path of this repository that a page names exists, in links and in code.

use super::Violation;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for page in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        // The changelog names what was there at the time.
        if page.path == "CHANGELOG.md" {
            continue;
        }
        let mut is_block = false;
        for (number, line) in (1..).zip(page.text.lines()) {
            if line.trim_start().starts_with("```") {
                is_block = !is_block;
                continue;
            }
            if is_block {
                continue;
            }
            let links = link_targets(line).map(|target| resolve(&page.path, target));
            let paths = inline_code(line).filter(|code| is_repository_path(code));
            for path in links.flatten().chain(paths.map(str::to_owned)) {
                if !exists(tree, &path) {
                    let message = format!("`{path}` does not exist; correct the path");
                    found.push(Violation::new(&page.path, number, message));
                }
            }
        }
    }
    found
}

/// The targets of Markdown links, without what follows `#`.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?;
        target.split('#').next().filter(|path| !path.is_empty())
    })
}

/// A link of a page as a path from the root; none if it leads out of the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    if target.contains(':') || target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What stands between single backticks in a line.
fn inline_code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_repository_path(code: &str) -> bool {
    FOLDERS.iter().any(|folder| code.starts_with(folder))
        && code
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

fn exists(tree: &Tree, path: &str) -> bool {
    let folder = format!("{}/", path.trim_end_matches('/'));
    let is_there = |file: &str| file == path || file.starts_with(&folder);
    tree.files.iter().any(|file| is_there(&file.path))
}

const FOLDERS: [&str; 6] = ["crates/", "docs/", "xtask/", "interop/", "fuzz/", ".ci/"];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::fixture;

    fn check(fixture: &str, expect: Expect) {
        fixture::check(super::check, fixture, expect);
    }

    #[test]
    fn a_path_that_a_page_names_exists() {
        check(
            "
//- docs/tools.md
See [the map](../README.md#map), [this](missing.md), [a site](https://example.com) and `crates/rpc/src`.
The table is in `crates/rpc/src/gone.rs`, and any of `crates/*/src` or `cargo xtask ci` is not a path.
```
crates/in/a/block.rs
```
//- crates/rpc/src/lib.rs
//- README.md
`xtask/src/none.rs`
",
            expect![[r#"
                README.md:1: `xtask/src/none.rs` does not exist; correct the path
                docs/tools.md:1: `docs/missing.md` does not exist; correct the path
                docs/tools.md:2: `crates/rpc/src/gone.rs` does not exist; correct the path
            "#]],
        );
    }
}
