//! A type name means one thing within a crate: no two types of the same name outside tests. The same type in two
//! modules of which a system compiles only one counts once.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use super::Violation;
use super::counted::{Site, compare};
use super::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let gates = module_gates(tree);
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
    for places in names.values_mut() {
        *places = without_alternatives(&gates, std::mem::take(places));
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

/// A module file that is compiled only under a condition: `#[cfg(condition)] mod name;`.
struct ModuleGate {
    /// The path of the module's file without `.rs`, which is also the folder of its submodules.
    module: String,
    condition: String,
}

impl ModuleGate {
    fn applies_to(&self, path: &str) -> bool {
        path.strip_prefix(&self.module)
            .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    }

    fn is_opposite_of(&self, other: &ModuleGate) -> bool {
        let negates = |one: &str, of: &str| one == format!("not({of})");
        negates(&self.condition, &other.condition) || negates(&other.condition, &self.condition)
    }
}

fn module_gates(tree: &Tree) -> Vec<ModuleGate> {
    let mut gates = Vec::new();
    for (file, rust) in tree.rust_files() {
        for item in &rust.syntax.items {
            if let syn::Item::Mod(declaration) = item
                && declaration.content.is_none()
            {
                let module = module_path(&file.path, declaration);
                let conditions = declaration.attrs.iter().filter_map(condition);
                gates.extend(conditions.map(|condition| ModuleGate {
                    module: module.clone(),
                    condition,
                }));
            }
        }
    }
    gates
}

/// Where the file of a module lies, without `.rs`.
fn module_path(declared_in: &str, declaration: &syn::ItemMod) -> String {
    let (folder, name) = declared_in.rsplit_once('/').unwrap_or(("", declared_in));
    if let Some(path) = declaration.attrs.iter().find_map(path_attribute) {
        return format!("{folder}/{}", path.trim_end_matches(".rs"));
    }
    let folder = match name {
        "lib.rs" | "main.rs" => folder,
        _ => declared_in.trim_end_matches(".rs"),
    };
    format!("{folder}/{}", declaration.ident)
}

fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let value = &attribute.meta.require_name_value().ok()?.value;
    match value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(path),
            ..
        }) if attribute.path().is_ident("path") => Some(path.value()),
        _ => None,
    }
}

/// The text between the parentheses of `#[cfg(…)]`, without spaces.
fn condition(attribute: &syn::Attribute) -> Option<String> {
    let list = attribute.meta.require_list().ok()?;
    let text = list.tokens.to_string();
    is_cfg(attribute).then(|| text.split_whitespace().collect())
}

/// The places of a name without those that are never compiled together with an earlier one.
fn without_alternatives(
    gates: &[ModuleGate],
    places: Vec<(String, usize)>,
) -> Vec<(String, usize)> {
    let gates_of = |path: &str| -> Vec<&ModuleGate> {
        gates.iter().filter(|gate| gate.applies_to(path)).collect()
    };
    let mut kept: Vec<(String, usize)> = Vec::new();
    for place in places {
        let own_gates = gates_of(&place.0);
        let is_alternative = kept.iter().any(|(path, _)| {
            gates_of(path)
                .iter()
                .any(|gate| own_gates.iter().any(|own| own.is_opposite_of(gate)))
        });
        if !is_alternative {
            kept.push(place);
        }
    }
    kept
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
    fn types_in_modules_of_opposite_cfg_count_once() {
        fixture::check(
            super::check,
            r#"
//- crates/process/src/lib.rs
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
//- crates/process/src/linux.rs
#[cfg(unix)]
mod socket;
#[cfg(not(unix))]
#[path = "linux/no_socket.rs"]
mod socket;
pub struct Input;
struct Handle;
//- crates/process/src/linux/pipes.rs
pub struct Output;
struct Probe;
//- crates/process/src/linux/socket.rs
struct Probe;
struct Socket;
//- crates/process/src/linux/no_socket.rs
struct Socket;
//- crates/process/src/other.rs
pub struct Input;
pub struct Output;
//- crates/process/src/other_handle.rs
struct Handle;
"#,
            expect![[r#"
                crates/process/src/linux.rs:7: `Handle` is also the name of another type of this crate (crates/process/src/other_handle.rs:1); say whose it is, or list "process::Handle" = 2
                crates/process/src/linux/pipes.rs:2: `Probe` is also the name of another type of this crate (crates/process/src/linux/socket.rs:1); say whose it is, or list "process::Probe" = 2
                crates/process/src/linux/socket.rs:1: `Probe` is also the name of another type of this crate (crates/process/src/linux/pipes.rs:2); say whose it is, or list "process::Probe" = 2
                crates/process/src/other_handle.rs:1: `Handle` is also the name of another type of this crate (crates/process/src/linux.rs:7); say whose it is, or list "process::Handle" = 2
            "#]],
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
