//! The file that an interpreter takes for the script that a word names: as it is, on `PATH`, or with an ending added.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;

use attache_process::{ExecFile, FileOrigin};
use percent_encoding::percent_decode_str;

use super::{Invocation, InvocationSearch};
use crate::exec::scripts::{Script, ScriptSearch};
use crate::exec::text::{escaped, escaped_bytes};

impl InvocationSearch<'_> {
    /// Adds every file that the interpreter may take for a script, with these arguments. Returns whether there is one.
    pub(super) fn add_script_files(&mut self, script: Script<'_>, words: &[String]) -> bool {
        let mut ids = Vec::new();
        for (path, file) in self.candidates(script) {
            if ids.contains(&file.id) {
                continue;
            }
            ids.push(file.id);
            let mut names = vec![script.word.to_owned()];
            if path != script.word {
                names.push(path.clone());
            }
            // Python runs a directory, or the file in it.
            for path in [path, escaped(file.path.as_os_str())] {
                if let Some(directory) = path.strip_suffix("/__main__.py") {
                    let directory = directory.trim_end_matches(['/', '.']);
                    names.push(directory.to_owned());
                }
            }
            self.add(Invocation::new(names, Some(&file), words.to_vec()));
        }
        !ids.is_empty()
    }

    fn candidates(&mut self, script: Script<'_>) -> Vec<(String, ExecFile)> {
        let mut found = self.candidates_at(script.word, script.search);
        let path = url_path(script.word);
        if let Some(path) = &path {
            found.extend(self.candidates_at(path, script.search));
        }
        let word = path.as_deref().unwrap_or(script.word);
        if let Some(directory) = script.directory.filter(|_| !word.starts_with('/')) {
            found.extend(self.candidates_at(&format!("{directory}/{word}"), script.search));
        }
        found
    }

    fn candidates_at(&mut self, word: &str, search: ScriptSearch) -> Vec<(String, ExecFile)> {
        let mut found = Vec::new();
        let first = self.find(word);
        let is_file = first.as_ref().is_some_and(|file| !file.is_directory);
        found.extend(first.map(|file| (word.to_owned(), file)));
        let mut look = |search: &mut Self, path: String| {
            let file = search.find(&path);
            found.extend(file.map(|file| (path, file)));
        };
        match search {
            ScriptSearch::AsGiven => {}
            ScriptSearch::OnPath if word.contains('/') || word.starts_with(['-', '+']) => {}
            ScriptSearch::OnPath => {
                for directory in self.search_path() {
                    look(self, format!("{directory}/{word}"));
                }
            }
            ScriptSearch::WithEndings => {
                for ending in ENDINGS.iter().filter(|_| !is_file) {
                    look(self, format!("{word}{ending}"));
                }
            }
            ScriptSearch::InDirectory => {}
        }
        let is_directory = |(path, file): &(String, ExecFile)| path == word && file.is_directory;
        if !found.iter().any(is_directory) {
            return found;
        }
        match search {
            ScriptSearch::AsGiven | ScriptSearch::OnPath => {}
            ScriptSearch::InDirectory => {
                let path = format!("{word}/__main__.py");
                let file = self.find(&path);
                found.extend(file.map(|file| (path, file)));
            }
            ScriptSearch::WithEndings => {
                let mains = [vec!["index".to_owned()], self.mains(word)].concat();
                for main in mains {
                    for ending in [&[""], ENDINGS, INDEXES].concat() {
                        let path = format!("{word}/{main}{ending}");
                        let file = self.find(&path);
                        found.extend(file.map(|file| (path, file)));
                    }
                }
            }
        }
        found
    }

    /// The directories in which the new program looks for scripts; an empty one is its own directory.
    fn search_path(&mut self) -> Vec<String> {
        let Some(path) = self.process.search_path() else {
            self.uninspected = Some(NO_PATH);
            return Vec::new();
        };
        let path = match path.is_empty() {
            true => OsString::from(DEFAULT_PATH),
            false => path,
        };
        let path = escaped(&path);
        let mut directories: Vec<String> = Vec::new();
        for directory in path
            .split(':')
            .map(|it| if it.is_empty() { "." } else { it })
        {
            if !directories.iter().any(|it| it == directory) {
                directories.push(directory.to_owned());
            }
        }
        if directories.len() > MAX_DIRECTORIES {
            self.uninspected = Some(NO_PATH);
            directories.truncate(MAX_DIRECTORIES);
        }
        directories
    }

    /// What the `package.json` in a directory names as its program.
    fn mains(&mut self, directory: &str) -> Vec<String> {
        let Some(file) = self.find(&format!("{directory}/package.json")) else {
            return Vec::new();
        };
        let text = read(&file).filter(|_| file.origin == FileOrigin::Shared);
        let Some(text) = text else {
            self.uninspected = Some(NO_PACKAGE);
            return Vec::new();
        };
        let package: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        let main = package.as_ref().and_then(|package| package.get("main"));
        main.and_then(|main| main.as_str())
            .map(str::to_owned)
            .into_iter()
            .collect()
    }
}

/// The path in an address such as `file:///srv/a%2Ejs`.
fn url_path(word: &str) -> Option<String> {
    let scheme = word.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = word[5..].split(['?', '#']).next()?;
    let path = match rest.strip_prefix("//") {
        // There may be a host before the path, which can only be this one.
        Some(rest) => &rest[rest.find('/')?..],
        None => rest,
    };
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    Some(escaped_bytes(&bytes))
}

/// The text of a file at a known path; `None` if it is too long or not a regular file any more.
fn read(file: &ExecFile) -> Option<Vec<u8>> {
    let mut options = File::options();
    options.read(true);
    // Reading a pipe would wait for a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NONBLOCK);
    let opened = options.open(&file.path).ok()?;
    let meta = opened.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut text = Vec::new();
    opened.take(MAX_TEXT).read_to_end(&mut text).ok()?;
    (meta.len() < MAX_TEXT).then_some(text)
}

#[cfg(unix)]
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
const MAX_TEXT: u64 = 1 << 20;
const MAX_DIRECTORIES: usize = 64;
/// Where shells look by default.
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:.";
/// Endings that interpreters of JavaScript, and others for modules, append to the name of a file.
const ENDINGS: &[&str] = &[
    ".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".rb", ".lua",
];
const INDEXES: &[&str] = &["/index.js", "/index.json", "/index.node"];
const NO_PATH: &str = "where it looks for its script cannot be read";
const NO_PACKAGE: &str = "the `package.json` of what it runs cannot be read";
