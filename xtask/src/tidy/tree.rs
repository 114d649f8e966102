//! The repository as data: every text file, with Rust files parsed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;

use super::allow::Allow;
use super::map::Map;
use super::package::{self, Package};
use super::sdk_closure;

#[derive(Default)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
    pub(super) packages: Vec<Package>,
    pub(super) map: Map,
    pub(super) allow: Allow,
    /// The crates that the SDK builds, as [`sdk_closure`] resolves them.
    pub(super) sdk_closure: String,
}

pub(super) struct File {
    /// The path relative to the root, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) rust: Option<Rust>,
}

pub(super) struct Rust {
    pub(super) tokens: TokenStream,
    pub(super) syntax: syn::File,
}

impl Tree {
    pub(super) fn load(root: &Path) -> Result<Tree, String> {
        let ignored = ignored_paths(root)?;
        let mut texts = BTreeMap::new();
        read_folder(root, "", &ignored, &mut texts)?;
        let mut tree = Tree::from_texts(texts)?;
        tree.sdk_closure = sdk_closure::resolve(root)?;
        Ok(tree)
    }

    pub(super) fn from_texts(texts: BTreeMap<String, String>) -> Result<Tree, String> {
        let map = match texts.get(Map::PATH) {
            Some(text) => Map::parse(text)?,
            None => Map::default(),
        };
        let allow = match texts.get(Allow::PATH) {
            Some(text) => Allow::parse(text)?,
            None => Allow::default(),
        };
        Ok(Tree {
            packages: package::members(&texts)?,
            map,
            allow,
            sdk_closure: String::new(),
            files: texts
                .into_iter()
                .map(|(path, text)| File::parse(path, text))
                .collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn rust_files(&self) -> impl Iterator<Item = (&File, &Rust)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.rust.as_ref()?)))
    }
}

impl File {
    fn parse(path: String, text: String) -> Result<File, String> {
        let rust = if path.ends_with(".rs") {
            Some(Rust::parse(&text).map_err(|error| {
                let line = error.span().start().line;
                format!("{path}:{line}: not Rust: {error}")
            })?)
        } else {
            None
        };
        Ok(File { path, text, rust })
    }

    /// Whether the file is only used by tests, benchmarks or examples.
    pub(super) fn is_test(&self) -> bool {
        const FOLDERS: [&str; 4] = ["tests", "tests.rs", "benches", "examples"];
        self.path.split('/').any(|part| FOLDERS.contains(&part))
    }

    /// The directory under `crates/` whose `src/` contains this file.
    pub(super) fn source_of(&self) -> Option<&str> {
        let (folder, rest) = self.path.strip_prefix("crates/")?.split_once('/')?;
        rest.starts_with("src/").then_some(folder)
    }
}

impl Rust {
    fn parse(text: &str) -> Result<Rust, syn::Error> {
        Ok(Rust {
            tokens: text.parse()?,
            syntax: syn::parse_file(text)?,
        })
    }
}

fn read_folder(
    root: &Path,
    folder: &str,
    ignored: &[String],
    texts: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let fail = |error| format!("can't read `{folder}`: {error}");
    for entry in fs::read_dir(root.join(folder)).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let name = name
            .to_str()
            .ok_or_else(|| format!("a name in `{folder}` is not UTF-8: {}", name.display()))?;
        let path = match folder {
            "" => name.to_owned(),
            _ => format!("{folder}/{name}"),
        };
        if name == ".git" || ignored.contains(&path) {
            continue;
        }
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            read_folder(root, &path, ignored, texts)?;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).map_err(fail)?;
            if let Ok(text) = String::from_utf8(bytes) {
                texts.insert(path, text);
            }
        }
    }
    Ok(())
}

/// The ignored paths. Only lines anchored at the root are supported, so that no git is needed.
fn ignored_paths(root: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(root.join(".gitignore"))
        .map_err(|error| format!("can't read `.gitignore`: {error}"))?;
    Ok(text
        .lines()
        .filter_map(|line| line.trim_end_matches('/').strip_prefix('/'))
        .map(str::to_owned)
        .collect())
}
