//! The programs that one exec runs: the one that it names, and those that this one runs in turn without another exec,
//! such as the script of an interpreter or a part of a multi-call program.

mod script_files;

use std::rc::Rc;

use attache_process::{Exec, ExecFile, ExecProcess, FileLookup};

use super::programs::{self, FileIdentity, Programs, is_loader};
use super::scripts::{self, LauncherTarget, Script, ScriptWord};
use super::text::{escaped, unescaped};
use crate::permissions::base_name;

/// A program and its arguments. Names and words are [`escaped`] text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Invocation {
    /// The names of the program: as it was given, as its first argument says, and as it is on the disk.
    pub(super) names: Vec<String>,
    /// The names without directories.
    bases: Vec<String>,
    /// The names that it was started by, without directories.
    pub(super) call_names: Vec<String>,
    pub(super) file: Option<FileIdentity>,
    /// Its arguments.
    pub(super) words: Vec<String>,
    /// Whether the program is an interpreter that an ELF file names. A dynamic loader in this place runs that file, not
    /// its first argument.
    is_elf_interpreter: bool,
}

impl Invocation {
    /// Whether the program has this name. `base` is the name without its directory. A name with a slash is an absolute
    /// path.
    pub(super) fn is(&self, program: &str, base: &str) -> bool {
        match program.contains('/') {
            true => self.names.iter().any(|name| name == program),
            false => self.is_called(|name| name == base),
        }
    }

    /// Whether the program is, or stands for, a program such as `git-push`, which takes no subcommand. Git acts on its
    /// first argument, so every name that it was started by counts.
    pub(super) fn is_dashed(&self) -> bool {
        let is_part = |name: &String| name.starts_with("git-");
        let all_dashed = !self.call_names.is_empty() && self.call_names.iter().all(is_part);
        all_dashed || (self.file.is_none() && self.names == ["git"])
    }

    /// Whether one of its names, without the directory, fits.
    pub(super) fn is_called(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.bases.iter().any(|name| fits(name))
    }

    fn new(names: Vec<String>, file: Option<&ExecFile>, words: Vec<String>) -> Invocation {
        let mut names = names;
        let call_names: Vec<String> = names.iter().map(|name| base_name(name)).collect();
        names.extend(file.map(|file| escaped(file.path.as_os_str())));
        names.retain(|name| !name.is_empty());
        names.dedup();
        let mut bases: Vec<String> = names.iter().map(|name| base_name(name)).collect();
        bases.dedup();
        Invocation {
            bases,
            names,
            call_names,
            file: file.map(FileIdentity::of),
            words,
            is_elf_interpreter: false,
        }
    }
}

/// Everything that an exec runs.
#[derive(Debug)]
pub(super) struct Invocations {
    /// The program that is executed first, then those within.
    pub(super) all: Vec<Rc<Invocation>>,
    /// Why some program may not have been inspected, in words for the user.
    pub(super) uninspected: Option<&'static str>,
}

/// Finds everything that an exec runs.
pub(super) fn invocations_of(
    exec: &Exec,
    programs: &Programs,
    process: &dyn ExecProcess,
) -> Invocations {
    let args: Vec<String> = exec.args.iter().flatten().map(|it| escaped(it)).collect();
    let (argv0, rest) = match args.split_first() {
        Some((argv0, rest)) => (argv0.clone(), rest.to_vec()),
        None => (String::new(), Vec::new()),
    };
    // Login shells have a dash in front.
    let argv0 = argv0.strip_prefix('-').map_or(argv0.clone(), str::to_owned);
    let given = escaped(&exec.given);
    let mut search = InvocationSearch {
        all: Vec::new(),
        uninspected: None,
        has_more: exec.more > 0,
        programs,
        process,
    };
    search.add(Invocation::new(
        vec![given.clone(), argv0.clone()],
        exec.file.as_ref(),
        rest.clone(),
    ));
    let mut words = rest.clone();
    let mut script = given;
    for interpreter in &exec.interpreters {
        let line: Vec<String> = interpreter.words.iter().map(|it| escaped(it)).collect();
        let Some((program, arg)) = line.split_first() else {
            continue;
        };
        words.insert(0, std::mem::replace(&mut script, program.clone()));
        words.splice(0..0, arg.iter().cloned());
        let file = interpreter.file.as_ref();
        search.add(Invocation::new(vec![program.clone()], file, words.clone()));
    }
    // The system's loader only loads the program that it is named by.
    let loaders = exec.loaders.iter().filter(|it| {
        let file = it.file.as_ref().map(FileIdentity::of);
        !programs.has_loader(file)
    });
    let (argv0, run_by_loaders) = match exec.interpreters.last() {
        None => (argv0, rest),
        Some(_) => (script, words),
    };
    for loader in loaders {
        let mut names: Vec<String> = loader.words.iter().map(|it| escaped(it)).collect();
        names.push(argv0.clone());
        let file = loader.file.as_ref();
        search.add(Invocation {
            is_elf_interpreter: true,
            ..Invocation::new(names, file, run_by_loaders.clone())
        });
    }
    search.run()
}

/// A search for the programs inside an exec. Programs that were found are analysed one after the other.
struct InvocationSearch<'a> {
    all: Vec<Rc<Invocation>>,
    uninspected: Option<&'static str>,
    /// Whether there are more words than were read.
    has_more: bool,
    programs: &'a Programs,
    process: &'a dyn ExecProcess,
}

impl InvocationSearch<'_> {
    fn run(mut self) -> Invocations {
        let mut next = 0;
        while let Some(outer) = self.all.get(next).cloned() {
            self.add_inner_programs(&outer);
            next += 1;
        }
        Invocations {
            all: self.all,
            uninspected: self.uninspected,
        }
    }

    fn add(&mut self, found: Invocation) {
        if self.all.iter().any(|known| **known == found) {
            return;
        }
        match self.all.len() < MAX_INVOCATIONS {
            true => self.all.push(Rc::new(found)),
            false => self.uninspected = Some(CUT),
        }
    }

    /// Records that a program may be named after the words that were read.
    fn mark_cut_if_more(&mut self) {
        if self.has_more {
            self.uninspected = Some(CUT);
        }
    }

    /// The file that a word leads to, as the process finds it. Records a failed lookup.
    fn find(&mut self, word: &str) -> Option<ExecFile> {
        match self.process.find_program(&unescaped(word)) {
            FileLookup::Found(file) => Some(file),
            FileLookup::Missing => None,
            FileLookup::Unknown => {
                self.uninspected = Some(NOT_FOUND);
                None
            }
        }
    }

    /// Adds the programs that this one runs without an exec.
    fn add_inner_programs(&mut self, outer: &Invocation) {
        let is_multi_call = outer.is_called(programs::is_multi_call);
        if is_multi_call || self.programs.has_multi_call(outer.file) {
            self.add_applet(outer);
        }
        let is_loader = outer.is_called(is_loader) || self.programs.has_loader(outer.file);
        if is_loader && !outer.is_elf_interpreter {
            self.add_loaded_program(outer);
        }
        let known = self.programs.interpreter_names(outer.file);
        for name in outer.bases.iter().map(String::as_str).chain(known) {
            if let Some(found) = scripts::scripts_run_by(name, &outer.words) {
                self.add_scripts(outer, 0, &found);
            }
            if let Some(subcommand) = name.strip_prefix("git-") {
                let words = outer.words.iter().cloned();
                let words = std::iter::once(subcommand.to_owned()).chain(words);
                let names = vec!["git".to_owned()];
                self.add(Invocation::new(names, None, words.collect()));
            }
        }
    }

    /// Adds the program in `busybox wget …`.
    fn add_applet(&mut self, outer: &Invocation) {
        let Some((first, rest)) = outer.words.split_first() else {
            self.mark_cut_if_more();
            return;
        };
        let name = first.strip_prefix("--coreutils-prog=");
        let name = name.or_else(|| first.strip_prefix("--coreutils-prog-shebang="));
        let name = name.unwrap_or(first);
        if !name.starts_with('-') {
            self.add(Invocation::new(vec![name.to_owned()], None, rest.to_vec()));
        }
    }

    /// Adds the program in `ld-linux-x86-64.so.2 --library-path … /usr/bin/curl …`.
    fn add_loaded_program(&mut self, outer: &Invocation) {
        let mut at = 0;
        let mut argv0: Vec<String> = Vec::new();
        let mut is_doubtful = false;
        while let Some(word) = outer.words.get(at) {
            if ONLY_LISTS.contains(&word.as_str()) {
                return;
            }
            if WITH_VALUE.contains(&word.as_str()) {
                if word == "--argv0" {
                    argv0.extend(outer.words.get(at + 1).cloned());
                }
                at += 2;
                continue;
            }
            at += 1;
            if word.starts_with("--") {
                // An unknown option may have a value.
                is_doubtful = word != "--" && word != "--inhibit-cache" && !word.contains('=');
                if let Some(name) = word.strip_prefix("--argv0=") {
                    argv0.push(name.to_owned());
                }
                continue;
            }
            let names = [vec![word.clone()], argv0.clone()].concat();
            let file = self.find(word);
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
        self.mark_cut_if_more();
    }

    /// Adds scripts, as in `sh -e /usr/bin/npm publish`: the script is the program. Positions count from `first`.
    fn add_scripts(&mut self, outer: &Invocation, first: usize, found: &scripts::FoundScripts<'_>) {
        if found.is_open {
            self.mark_cut_if_more();
        }
        if found.programs.len() > MAX_SCRIPTS {
            self.uninspected = Some(CUT);
        }
        let words = &outer.words[first..];
        for program in found.programs.iter().take(MAX_SCRIPTS) {
            match program {
                ScriptWord::Script(at) => {
                    let script = Script {
                        word: &words[*at],
                        search: found.search,
                        directory: found.directory,
                    };
                    if !self.add_script_files(script, &words[at + 1..]) {
                        let names = vec![words[*at].clone()];
                        self.add(Invocation::new(names, None, words[at + 1..].to_vec()));
                    }
                }
                ScriptWord::PossibleScript(at) => {
                    let script = Script {
                        word: &words[*at],
                        search: found.search,
                        directory: found.directory,
                    };
                    self.add_script_files(script, &words[at + 1..]);
                }
                ScriptWord::Preloaded(word, at) => {
                    self.add_preloaded_file(word, found, &words[*at..])
                }
                ScriptWord::Module(name, at) => self.add_module(outer, name, first + at),
            }
        }
    }

    /// Adds a file that runs before the script. It gets the words for the script, with or without the script's name in
    /// front.
    fn add_preloaded_file(
        &mut self,
        word: &str,
        found: &scripts::FoundScripts<'_>,
        words: &[String],
    ) {
        let behind = words.get(1..).unwrap_or_default();
        // Languages that load modules append an ending.
        let search = match found.is_exact {
            true => scripts::ScriptSearch::AsGiven,
            false => scripts::ScriptSearch::WithEndings,
        };
        let script = Script {
            word,
            search,
            directory: found.directory,
        };
        for words in [words, behind] {
            if !self.add_script_files(script, words) {
                let names = vec![word.to_owned()];
                self.add(Invocation::new(names, None, words.to_vec()));
            }
        }
    }

    /// Adds a module, as in `python3 -m pip install`: by each part of its name, and as a file in the directory of the
    /// process.
    fn add_module(&mut self, outer: &Invocation, module: &str, at: usize) {
        let words = &outer.words[at..];
        let parts = module.split('.').filter(|part| *part != "__main__");
        let mut names = vec![module.to_owned()];
        for part in parts {
            names.extend([part.to_owned(), format!("{part}3"), format!("{part}.py")]);
        }
        self.add(Invocation::new(names, None, words.to_vec()));
        let path = module.replace('.', "/");
        for file in [format!("{path}.py"), format!("{path}/__main__.py")] {
            let search = scripts::ScriptSearch::AsGiven;
            self.add_script_files(
                Script {
                    word: &file,
                    search,
                    directory: None,
                },
                words,
            );
        }
        match scripts::launched_by(module, words) {
            None => {}
            Some(LauncherTarget::Module(next)) => self.add_module(outer, next, at + 1),
            Some(LauncherTarget::Scripts(found)) => self.add_scripts(outer, at, &found),
        }
    }
}

const MAX_INVOCATIONS: usize = 24;
const MAX_SCRIPTS: usize = 64;
const CUT: &str = "it runs a program that is named behind more arguments than are read";
const NOT_FOUND: &str = "it runs a file that cannot be looked up as the process does";
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
