//! A type name means one thing within a crate: no two types of the same name outside tests.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use super::Violation;
use super::counted::{Site, compare};
use super::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut names: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for (file, rust) in tree.rust_files().filter(|(file, _)| !file.is_test()) {
        let Some(package) = package_of(file) else {
            continue;
        };
        let mut types = Types::default();
        types.visit_file(&rust.syntax);
        for (name, line) in types.0 {
            let key = format!("{package}::{name}");
            names
                .entry(key)
                .or_default()
                .push((file.path.clone(), line));
        }
    }
    names.retain(|_, places| places.len() > 1);
    let sites = names
        .iter()
        .map(|(key, places)| (key.clone(), sites(key, places)))
        .collect();
    compare("second type of this name", &sites, &tree.allow.type_names)
}

fn sites(key: &str, places: &[(String, usize)]) -> Vec<Site> {
    let name = key.rsplit("::").next().unwrap_or(key);
    let site = |(path, line): &(String, usize)| {
        let others: Vec<String> = places
            .iter()
            .filter(|(other, other_line)| (other, other_line) != (path, line))
            .map(|(other, line)| format!("{other}:{line}"))
            .collect();
        let message = format!(
            "`{name}` is also the name of another type of this crate ({}); say whose it is, or list \"{key}\" = {}",
            others.join(", "),
            places.len(),
        );
        Site::new(path, *line, message)
    };
    places.iter().map(site).collect()
}

/// The folder of the package whose library or binary contains this file.
fn package_of(file: &File) -> Option<&str> {
    let source = file.path.strip_prefix("xtask/src/").map(|_| "xtask");
    source.or_else(|| file.source_of())
}

#[derive(Default)]
struct Types(Vec<(String, usize)>);

impl Types {
    fn add(&mut self, name: &syn::Ident, attributes: &[syn::Attribute]) {
        if !attributes.iter().any(is_cfg) {
            self.0.push((name.to_string(), name.span().start().line));
        }
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !node.attrs.iter().any(is_cfg) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        self.add(&node.ident, &node.attrs);
    }

    fn visit_item_enum(&mut self, node: &'ast syn::ItemEnum) {
        self.add(&node.ident, &node.attrs);
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        self.add(&node.ident, &node.attrs);
        visit::visit_item_trait(self, node);
    }

    fn visit_item_type(&mut self, node: &'ast syn::ItemType) {
        self.add(&node.ident, &node.attrs);
    }
}

/// `#[cfg(…)]`: a test, or the same type once more for another system.
fn is_cfg(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn a_name_that_two_types_of_a_crate_have_is_named() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/a.rs
pub struct State;
enum Kind { A }
//- crates/rpc/src/b.rs
mod inner { type State = u8; }
//- crates/sdk/src/a.rs
trait State {}
"#,
            expect![[r#"
                crates/rpc/src/a.rs:1: `State` is also the name of another type of this crate (crates/rpc/src/b.rs:1); say whose it is, or list "rpc::State" = 2
                crates/rpc/src/b.rs:1: `State` is also the name of another type of this crate (crates/rpc/src/a.rs:1); say whose it is, or list "rpc::State" = 2
            "#]],
        );
    }

    #[test]
    fn tests_other_systems_and_the_list_may_repeat_a_name() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/a.rs
pub struct State;
#[cfg(unix)]
struct Pipe;
#[cfg(windows)]
struct Pipe;
struct Old;
#[cfg(test)]
mod tests { struct State; }
//- crates/rpc/src/b.rs
struct Old;
//- crates/rpc/src/tests/a.rs
struct State;
//- crates/rpc/examples/a.rs
struct State;
//- xtask/tidy-allow.toml
[type_names]
"rpc::Old" = 2
"#,
            expect![""],
        );
    }

    #[test]
    fn a_name_that_is_used_once_leaves_the_list() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/a.rs
pub struct State;
//- xtask/tidy-allow.toml
[type_names]
"rpc::State" = 2
"#,
            expect![[r#"
                xtask/tidy-allow.toml:2: rpc::State: no second type of this name left; remove the entry
            "#]],
        );
    }
}
