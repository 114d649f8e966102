//! What an exec runs: the program and its arguments, and every program that it will run in turn inside the same exec,
//! such as the script behind an interpreter or a part of a multi-call program.

use std::ffi::{OsStr, OsString};

use attache_transport::process::{Exec, ExecFile, ExecProcess};

use super::programs::{self, Programs, is_loader};
use super::scripts::{self, Program};
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
#[derive(Debug)]
pub(super) struct Calls {
    /// The program that is executed first, then those within.
    pub(super) all: Vec<Invocation>,
    /// Whether there may be a program behind what was looked at.
    pub(super) is_cut: bool,
}

/// Finds everything that an exec runs.
pub(super) fn of(exec: &Exec, programs: &Programs, process: &dyn ExecProcess) -> Calls {
    let args: Vec<String> = exec.args.iter().flatten().map(text_of).collect();
    let (told, rest) = match args.split_first() {
        Some((told, rest)) => (told.clone(), rest.to_vec()),
        None => (String::new(), Vec::new()),
    };
    // Login shells have a dash in front.
    let told = told.strip_prefix('-').map_or(told.clone(), str::to_owned);
    let given = text(&exec.given);
    let mut search = Search {
        all: Vec::new(),
        is_cut: false,
        has_more: exec.more > 0,
        programs,
        process,
    };
    search.add(Invocation::new(
        vec![given.clone(), told],
        exec.file.as_ref(),
        rest.clone(),
    ));
    let mut words = rest.clone();
    let mut script = given;
    for interpreter in &exec.interpreters {
        let line: Vec<String> = interpreter.words.iter().map(text_of).collect();
        let Some((program, arg)) = line.split_first() else {
            continue;
        };
        words.insert(0, std::mem::replace(&mut script, program.clone()));
        words.splice(0..0, arg.iter().cloned());
        let file = interpreter.file.as_ref();
        search.add(Invocation::new(vec![program.clone()], file, words.clone()));
    }
    // A real loader only loads the program that it is named by.
    let loaders = exec.loaders.iter().filter(|it| !programs.is_loader(it));
    let run_by_loaders = match exec.interpreters.is_empty() {
        true => rest,
        false => words,
    };
    for loader in loaders {
        let names = loader.words.iter().map(text_of).collect();
        let file = loader.file.as_ref();
        search.add(Invocation::new(names, file, run_by_loaders.clone()));
    }
    search.run()
}

/// Programs that were found, to be looked into one after the other.
struct Search<'a> {
    all: Vec<Invocation>,
    is_cut: bool,
    /// Whether there are words behind those that were read.
    has_more: bool,
    programs: &'a Programs,
    process: &'a dyn ExecProcess,
}

impl Search<'_> {
    fn run(mut self) -> Calls {
        let mut next = 0;
        while let Some(outer) = self.all.get(next).cloned() {
            self.look_into(&outer);
            next += 1;
        }
        Calls {
            all: self.all,
            is_cut: self.is_cut,
        }
    }

    fn add(&mut self, found: Invocation) {
        if self.all.contains(&found) {
            return;
        }
        match self.all.len() < MOST {
            true => self.all.push(found),
            false => self.is_cut = true,
        }
    }

    /// The programs that this one runs without an exec.
    fn look_into(&mut self, outer: &Invocation) {
        let is_multi_call = outer.is_called(programs::is_multi_call);
        if is_multi_call || self.programs.has_multi_call(outer.file) {
            self.applet(outer);
        }
        if outer.is_called(is_loader) || self.programs.has_loader(outer.file) {
            self.loaded(outer);
        }
        for name in &outer.bases {
            self.scripts(outer, name);
            if let Some(subcommand) = name.strip_prefix("git-") {
                let words = outer.words.iter().cloned();
                let words = std::iter::once(subcommand.to_owned()).chain(words);
                let names = vec!["git".to_owned()];
                self.add(Invocation::new(names, None, words.collect()));
            }
        }
    }

    /// `busybox wget …`
    fn applet(&mut self, outer: &Invocation) {
        let Some((first, rest)) = outer.words.split_first() else {
            self.is_cut |= self.has_more;
            return;
        };
        let name = first.strip_prefix("--coreutils-prog=");
        let name = name.or_else(|| first.strip_prefix("--coreutils-prog-shebang="));
        let name = name.unwrap_or(first);
        if !name.starts_with('-') {
            self.add(Invocation::new(vec![name.to_owned()], None, rest.to_vec()));
        }
    }

    /// `ld-linux-x86-64.so.2 --library-path … /usr/bin/curl …`
    fn loaded(&mut self, outer: &Invocation) {
        let mut at = 0;
        let mut told: Vec<String> = Vec::new();
        let mut is_doubtful = false;
        while let Some(word) = outer.words.get(at) {
            if ONLY_LISTS.contains(&word.as_str()) {
                return;
            }
            if WITH_VALUE.contains(&word.as_str()) {
                if word == "--argv0" {
                    told.extend(outer.words.get(at + 1).cloned());
                }
                at += 2;
                continue;
            }
            at += 1;
            if word.starts_with("--") {
                // One that we do not know may have a value.
                is_doubtful = word != "--" && word != "--inhibit-cache" && !word.contains('=');
                if let Some(name) = word.strip_prefix("--argv0=") {
                    told.push(name.to_owned());
                }
                continue;
            }
            let names = [vec![word.clone()], told.clone()].concat();
            let file = self.process.find(OsStr::new(word));
            let is_program = !is_doubtful || file.is_some();
            if is_program {
                let words = outer.words[at..].to_vec();
                self.add(Invocation::new(names, file.as_ref(), words));
            }
            if !is_doubtful {
                return;
            }
            is_doubtful = false;
        }
        self.is_cut |= self.has_more;
    }

    /// `sh -e /usr/bin/npm publish`: the script is the program.
    fn scripts(&mut self, outer: &Invocation, name: &str) {
        let Some(found) = scripts::run_by(name, &outer.words) else {
            return;
        };
        self.is_cut |= found.is_open && self.has_more;
        self.is_cut |= found.programs.len() > MOST;
        for program in found.programs.into_iter().take(MOST) {
            match program {
                Program::Script(at) | Program::Perhaps(at) => {
                    let word = &outer.words[at];
                    let file = self.process.find(OsStr::new(word));
                    if file.is_none() && matches!(program, Program::Perhaps(_)) {
                        continue;
                    }
                    self.script(word, file.as_ref(), &outer.words[at + 1..]);
                }
                Program::Loaded(word, at) => {
                    let file = self.process.find(OsStr::new(word));
                    // It gets the words for the script, with the name of that in front or without.
                    self.script(word, file.as_ref(), &outer.words[at..]);
                    let behind = outer.words.get(at + 1..).unwrap_or_default();
                    self.script(word, file.as_ref(), behind);
                }
                Program::Module(name, at) => {
                    let name = name.split('.').next().unwrap_or(name);
                    let names = vec![name.to_owned(), format!("{name}3")];
                    let words = outer.words[at..].to_vec();
                    self.add(Invocation::new(names, None, words));
                }
            }
        }
    }

    fn script(&mut self, word: &str, file: Option<&ExecFile>, words: &[String]) {
        let mut names = vec![word.to_owned()];
        // Python runs a directory, or the file in it.
        if let Some(directory) = word.strip_suffix("/__main__.py") {
            names.push(directory.to_owned());
        }
        self.add(Invocation::new(names, file, words.to_vec()));
    }
}

fn text_of(word: &OsString) -> String {
    text(word)
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

const MOST: usize = 24;
/// Options of dynamic loaders.
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
