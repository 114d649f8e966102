//! What an exec runs: the program and its arguments, and every program that it will run in turn inside the same exec,
//! such as the script behind an interpreter or a part of a multi-call program.

use std::ffi::{OsStr, OsString};

use attache_transport::process::{Exec, ExecFile};

use super::programs::{Programs, is_loader};
use crate::permissions::base_name;

/// A program and its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Invocation {
    /// What the program is called: as it was given, as it is on the disk, as it is told.
    pub(super) names: Vec<String>,
    /// The names without directories.
    bases: Vec<String>,
    /// The file, by device and inode.
    pub(super) file: Option<(u64, u64)>,
    /// Its arguments.
    pub(super) words: Vec<String>,
}

impl Invocation {
    /// Whether it is called this. A name with a slash is a whole path.
    pub(super) fn is(&self, program: &str) -> bool {
        match program.contains('/') {
            true => self.names.iter().any(|name| name == program),
            false => {
                let program = base_name(program);
                self.is_called(|name| name == program)
            }
        }
    }

    /// Whether it stands for a program such as `git-push`.
    pub(super) fn is_dashed(&self) -> bool {
        self.file.is_none() && self.names == ["git"]
    }

    /// Whether one of its names, without the directory, fits.
    pub(super) fn is_called(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.bases.iter().any(|name| fits(name))
    }

    fn new(names: Vec<String>, file: Option<&ExecFile>, words: Vec<String>) -> Invocation {
        let mut names = names;
        names.extend(file.map(|file| text(file.path.as_os_str())));
        names.retain(|name| !name.is_empty());
        names.dedup();
        let mut bases: Vec<String> = names.iter().map(|name| base_name(name)).collect();
        bases.dedup();
        Invocation {
            bases,
            names,
            file: file.map(|file| file.id),
            words,
        }
    }
}

/// Everything that an exec runs.
pub(super) fn of(
    exec: &Exec,
    programs: &Programs,
    find: &dyn Fn(&OsStr) -> Option<ExecFile>,
) -> Vec<Invocation> {
    let args: Vec<String> = exec.args.iter().flatten().map(text_of).collect();
    let (told, rest) = match args.split_first() {
        Some((told, rest)) => (told.clone(), rest.to_vec()),
        None => (String::new(), Vec::new()),
    };
    // Login shells have a dash in front.
    let told = told.strip_prefix('-').map_or(told.clone(), str::to_owned);
    let given = text(&exec.given);
    let mut words = rest;
    let mut found = vec![Invocation::new(
        vec![given.clone(), told],
        exec.file.as_ref(),
        words.clone(),
    )];
    let mut script = given;
    for interpreter in &exec.interpreters {
        let line: Vec<String> = interpreter.words.iter().map(text_of).collect();
        let Some((program, arg)) = line.split_first() else {
            continue;
        };
        words.insert(0, std::mem::replace(&mut script, program.clone()));
        words.splice(0..0, arg.iter().cloned());
        found.push(Invocation::new(
            vec![program.clone()],
            interpreter.file.as_ref(),
            words.clone(),
        ));
    }
    let mut next = 0;
    while next < found.len() && found.len() < MOST {
        let inner = within(&found[next], programs, find);
        for invocation in inner {
            if !found.contains(&invocation) && found.len() < MOST {
                found.push(invocation);
            }
        }
        next += 1;
    }
    found
}

/// The programs that this one runs without an exec.
fn within(
    outer: &Invocation,
    programs: &Programs,
    find: &dyn Fn(&OsStr) -> Option<ExecFile>,
) -> Vec<Invocation> {
    let mut found = Vec::new();
    if outer.is_called(super::programs::is_multi_call) || programs.has_multi_call(outer.file) {
        found.extend(applet(outer));
    }
    if outer.is_called(is_loader) || programs.has_loader(outer.file) {
        found.extend(loaded(outer, find));
    }
    if outer.is_called(super::programs::reads_scripts) {
        found.extend(script(outer, find));
    }
    let dashed = outer
        .bases
        .iter()
        .filter_map(|name| name.strip_prefix("git-"));
    found.extend(dashed.map(|subcommand| {
        let words = std::iter::once(subcommand.to_owned()).chain(outer.words.iter().cloned());
        Invocation::new(vec!["git".to_owned()], None, words.collect())
    }));
    found
}

/// `busybox wget …`
fn applet(outer: &Invocation) -> Option<Invocation> {
    let (first, rest) = outer.words.split_first()?;
    let name = first.strip_prefix("--coreutils-prog=");
    let name = name.or_else(|| first.strip_prefix("--coreutils-prog-shebang="));
    let name = name.unwrap_or(first);
    let words = rest.to_vec();
    (!name.starts_with('-')).then(|| Invocation::new(vec![name.to_owned()], None, words))
}

/// `ld-linux-x86-64.so.2 --library-path … /usr/bin/curl …`
fn loaded(outer: &Invocation, find: &dyn Fn(&OsStr) -> Option<ExecFile>) -> Vec<Invocation> {
    const WITH_VALUE: &[&str] = &[
        "--library-path",
        "--inhibit-rpath",
        "--audit",
        "--preload",
        "--argv0",
        "--glibc-hwcaps-prepend",
        "--glibc-hwcaps-mask",
    ];
    const ONLY_LISTS: &[&str] = &[
        "--list",
        "--verify",
        "--help",
        "--version",
        "--list-tunables",
        "--list-diagnostics",
    ];
    let mut at = 0;
    let mut told = Vec::new();
    let mut found = Vec::new();
    while let Some(word) = outer.words.get(at) {
        if ONLY_LISTS.contains(&word.as_str()) {
            return found;
        }
        if WITH_VALUE.contains(&word.as_str()) {
            if word == "--argv0" {
                told.extend(outer.words.get(at + 1).cloned());
            }
            at += 2;
            continue;
        }
        if !word.starts_with("--") {
            let mut names = vec![word.clone()];
            names.append(&mut told);
            let file = find(OsStr::new(word));
            let words = outer.words[at + 1..].to_vec();
            found.push(Invocation::new(names, file.as_ref(), words));
            return found;
        }
        at += 1;
    }
    found
}

/// `sh /usr/bin/npm publish`: the script is the program.
fn script(outer: &Invocation, find: &dyn Fn(&OsStr) -> Option<ExecFile>) -> Option<Invocation> {
    const CODE: &[&str] = &["-c", "-e", "-E", "-p", "-pe", "-m", "--eval", "--print"];
    for (at, word) in outer.words.iter().enumerate().take(MOST_OPTIONS) {
        if CODE.contains(&word.as_str()) {
            return None;
        }
        if word.starts_with('-') {
            continue;
        }
        if let Some(file) = find(OsStr::new(word)) {
            let words = outer.words[at + 1..].to_vec();
            return Some(Invocation::new(vec![word.clone()], Some(&file), words));
        }
        // It may be the value of an option.
        let is_value = at > 0 && outer.words[at - 1].starts_with('-');
        if !is_value {
            return None;
        }
    }
    None
}

fn text_of(word: &OsString) -> String {
    text(word)
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

const MOST: usize = 24;
const MOST_OPTIONS: usize = 32;
