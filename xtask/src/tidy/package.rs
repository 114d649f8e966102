//! Reads the manifests of the workspace members.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) struct Package {
    pub(super) manifest: String,
    /// The directory relative to the root, such as `crates/rpc`.
    pub(super) folder: String,
    pub(super) name: String,
    /// The line of a `[features]` section.
    pub(super) features: Option<usize>,
    pub(super) dependencies: Vec<Dependency>,
}

pub(super) struct Dependency {
    /// The name on the registry, even if the manifest renames it.
    pub(super) package: String,
    pub(super) kind: DependencyKind,
    pub(super) presence: Presence,
    pub(super) line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DependencyKind {
    Normal,
    Build,
    Dev,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Always,
    Optional,
}

pub(super) fn members(texts: &BTreeMap<String, String>) -> Result<Vec<Package>, String> {
    let Some(root) = texts.get("Cargo.toml") else {
        return Ok(Vec::new());
    };
    let root = Manifest::parse("Cargo.toml", root)?;
    let workspace = root.section("workspace");
    let members: Vec<&str> = workspace
        .and_then(|workspace| workspace.get("members")?.get_ref().as_array())
        .into_iter()
        .flatten()
        .filter_map(|member| member.get_ref().as_str())
        .collect();
    let shared = workspace.and_then(|workspace| table(workspace, "dependencies"));

    texts
        .iter()
        .filter_map(|(path, text)| Some((path, path.strip_suffix("/Cargo.toml")?, text)))
        .filter(|(_, folder, _)| members.iter().any(|member| covers(member, folder)))
        .map(|(path, folder, text)| Manifest::parse(path, text)?.package(folder, shared))
        .collect()
}

impl Package {
    /// `rpc` for `crates/rpc`; `None` for `xtask`.
    pub(super) fn crate_folder(&self) -> Option<&str> {
        self.folder.strip_prefix("crates/")
    }

    pub(super) fn normal(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
    }
}

pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text
        .bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
}

struct Manifest<'t> {
    path: &'t str,
    text: &'t str,
    table: DeTable<'t>,
}

impl<'t> Manifest<'t> {
    fn parse(path: &'t str, text: &'t str) -> Result<Manifest<'t>, String> {
        let table = DeTable::parse(text)
            .map_err(|error| format!("{path}: {error}"))?
            .into_inner();
        Ok(Manifest { path, text, table })
    }

    fn section(&self, name: &str) -> Option<&DeTable<'t>> {
        table(&self.table, name)
    }

    fn package(&self, folder: &str, shared: Option<&DeTable<'_>>) -> Result<Package, String> {
        let name = self
            .section("package")
            .and_then(|package| package.get("name")?.get_ref().as_str())
            .ok_or_else(|| format!("{}: no package name", self.path))?;
        let mut dependencies = self.dependencies(&self.table, shared);
        for target in self.section("target").into_iter().flat_map(DeTable::values) {
            if let Some(target) = target.get_ref().as_table() {
                dependencies.extend(self.dependencies(target, shared));
            }
        }
        Ok(Package {
            manifest: self.path.to_owned(),
            folder: folder.to_owned(),
            name: name.to_owned(),
            features: self
                .table
                .get_key_value("features")
                .map(|(key, _)| self.line(key)),
            dependencies,
        })
    }

    fn dependencies(&self, from: &DeTable<'_>, shared: Option<&DeTable<'_>>) -> Vec<Dependency> {
        let mut found = Vec::new();
        for (section, kind) in SECTIONS {
            for (key, value) in table(from, section).into_iter().flatten() {
                let alias: &str = key.get_ref();
                let value = value.get_ref();
                let inherited = shared
                    .and_then(|shared| shared.get(alias))
                    .filter(|_| flag(value, "workspace"));
                let package = renamed(value).or(inherited.and_then(|own| renamed(own.get_ref())));
                found.push(Dependency {
                    package: package.unwrap_or(alias).to_owned(),
                    kind,
                    presence: if flag(value, "optional") {
                        Presence::Optional
                    } else {
                        Presence::Always
                    },
                    line: self.line(key),
                });
            }
        }
        found
    }

    fn line<T>(&self, spanned: &Spanned<T>) -> usize {
        line_of(self.text, spanned.span().start)
    }
}

fn table<'a, 't>(from: &'a DeTable<'t>, name: &str) -> Option<&'a DeTable<'t>> {
    from.get(name)?.get_ref().as_table()
}

fn renamed<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    value.get("package")?.get_ref().as_str()
}

fn flag(value: &DeValue<'_>, name: &str) -> bool {
    value.get(name).and_then(|flag| flag.get_ref().as_bool()) == Some(true)
}

fn covers(member: &str, folder: &str) -> bool {
    match member.strip_suffix("/*") {
        Some(parent) => folder
            .rsplit_once('/')
            .is_some_and(|(above, _)| above == parent),
        None => member == folder,
    }
}

const SECTIONS: [(&str, DependencyKind); 3] = [
    ("dependencies", DependencyKind::Normal),
    ("build-dependencies", DependencyKind::Build),
    ("dev-dependencies", DependencyKind::Dev),
];
