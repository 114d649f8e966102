//! The words and variables that real shells give programs, compared with our reading of the line. A fake program
//! records its words and its environment. A line that counts as decidable and as setting nothing gives it no new
//! variable and no other `PATH`, and a line that a rule allows runs nothing but what the rule names.

mod lines;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::super::command::line::ShellLine;
use super::*;
use lines::{EXPORTS, GIVES, INVOCATIONS, LINES, OPTIONS, SETS, WRAPPERS};

/// A program that ran.
#[derive(Debug, PartialEq, Eq)]
struct ExecutedProgram {
    /// Its path and its arguments.
    words: Vec<String>,
    environment: Vec<(String, String)>,
}

/// A directory with fake programs, and shells to run lines with.
struct ShellSandbox {
    dir: tempfile::TempDir,
}

const SHELLS: [&str; 6] = ["bash", "dash", "sh", "zsh", "ksh", "mksh"];
const REAL: [&str; 12] = [
    "bash", "dash", "sh", "zsh", "ksh", "mksh", "env", "timeout", "nice", "nohup", "setsid",
    "stdbuf",
];
const FAKE: [&str; 4] = ["ls", "evil", "probe", "7"];

impl ShellSandbox {
    fn new() -> ShellSandbox {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        // A program of the same name where another `PATH` leads.
        for folder in ["bin", "other", "log", "home"] {
            fs::create_dir(at(folder)).unwrap();
        }
        let log = at("log").display().to_string();
        // The shell that runs it changes neither of them.
        let script = format!(
            "#!/bin/sh\n/bin/cat /proc/$$/environ >{log}/$$.env; /bin/cat /proc/$$/cmdline >{log}/$$\n"
        );
        for path in FAKE
            .iter()
            .flat_map(|name| [at("bin").join(name), at("other").join(name)])
        {
            fs::write(&path, &script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in REAL {
            if let Some(path) = found(name) {
                symlink(path, at("bin").join(name)).unwrap();
            }
        }
        ShellSandbox { dir }
    }

    /// Runs a command and returns the fake programs that ran, and the new files.
    fn run(&self, words: &[String]) -> (Vec<ExecutedProgram>, Vec<String>) {
        let work = tempfile::tempdir_in(self.dir.path()).unwrap();
        fs::write(work.path().join("f"), format!("{}\n", self.other())).unwrap();
        fs::write(work.path().join("rc"), "evil\n").unwrap();
        let program = self.dir.path().join("bin").join(&words[0]);
        Command::new("/usr/bin/timeout")
            .args(["-k1".as_ref(), "5".as_ref(), program.as_os_str()])
            .args(&words[1..])
            .current_dir(work.path())
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let files = fs::read_dir(work.path()).unwrap();
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let new = files.filter(|name| name != "f" && name != "rc").collect();
        (self.drain_log(), new)
    }

    fn drain_log(&self) -> Vec<ExecutedProgram> {
        let mut ran = Vec::new();
        for file in fs::read_dir(self.dir.path().join("log")).unwrap() {
            let path = file.unwrap().path();
            let texts = |path: &Path| -> Vec<String> {
                let bytes = fs::read(path).unwrap_or_default();
                let texts = String::from_utf8_lossy(&bytes).into_owned();
                texts.split_terminator('\0').map(str::to_owned).collect()
            };
            if path.extension().is_none() {
                let environment = path.with_extension("env");
                let pairs = texts(&environment).into_iter();
                let pairs = pairs.filter_map(|it| {
                    it.split_once('=')
                        .map(|(a, b)| (a.to_owned(), b.to_owned()))
                });
                ran.push(ExecutedProgram {
                    // The first one is the shell of the script.
                    words: texts(&path).split_off(1),
                    environment: pairs.collect(),
                });
                fs::remove_file(environment).unwrap();
                fs::remove_file(path).unwrap();
            }
        }
        ran
    }

    fn environment(&self) -> [(&'static str, String); 3] {
        let path = |name: &str| self.dir.path().join(name).display().to_string();
        [
            ("PATH", path("bin")),
            ("HOME", path("home")),
            ("TMPDIR", path("home")),
        ]
    }

    fn other(&self) -> String {
        self.dir.path().join("other").display().to_string()
    }

    fn shells(&self) -> Vec<&'static str> {
        let (here, missing): (Vec<_>, Vec<_>) = SHELLS
            .into_iter()
            .partition(|name| self.dir.path().join("bin").join(name).exists());
        if !missing.is_empty() {
            println!("skipped, as they are not installed: {}", missing.join(" "));
        }
        // It is one of the others.
        let real = |name: &str| found(name).and_then(|path| path.canonicalize().ok());
        let is_other = |name: &&str| {
            *name != "sh" || !here.iter().any(|it| *it != "sh" && real(it) == real("sh"))
        };
        here.iter().copied().filter(is_other).collect()
    }

    /// Whether a program got a variable that nobody gave to the shell, or was found elsewhere.
    fn is_changed(&self, ran: &ExecutedProgram, name: &str) -> bool {
        let given = self.environment();
        let given = given.iter().find(|(it, _)| *it == name).map(|it| &it.1);
        let got = ran.environment.iter().find(|(it, _)| it == name);
        let got = got.filter(|it| !it.1.ends_with("/libstdbuf.so"));
        got.map(|it| &it.1) != given || ran.words[0].contains("/other/")
    }
}

fn found(name: &str) -> Option<PathBuf> {
    let places = ["/bin", "/usr/bin"].map(|dir| Path::new(dir).join(name));
    places.into_iter().find(|path| path.exists())
}

fn execute(words: &[String]) -> Action {
    let words = serde_json::to_string(words).unwrap();
    action(&format!(
        r#"{{"kind":"execute","rawInput":{{"command":{words}}}}}"#
    ))
}

fn is_decided(line: &ShellLine) -> bool {
    line.is_decidable() && line.variables.is_empty()
}

/// The lines that set a variable in some way and then run the program.
fn setting_lines(name: &str, value: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for way in SETS {
        for (before, behind) in EXPORTS {
            lines.push(format!("{before}\n{way}\n{behind}\nprobe"));
        }
        lines.push(format!("g() {{\n{way}\n}}; g; export N; probe"));
        lines.push(format!("{{\n{way}\n}} >&1; probe"));
        lines.push(format!("if\n{way}\nthen :; fi; probe"));
    }
    lines.extend(GIVES.iter().map(|way| (*way).to_owned()));
    let fill = |line: String| {
        let letters: Vec<char> = line.chars().collect();
        let is_part = |at: Option<usize>| {
            let char = at.and_then(|at| letters.get(at));
            char.is_some_and(|char| char.is_ascii_alphanumeric() || *char == '_')
        };
        let word = |(at, char): (usize, &char)| match char {
            'N' if !is_part(at.checked_sub(1)) && !is_part(Some(at + 1)) => name.to_owned(),
            // Glued to an option.
            'N' if letters[at - 1] == 'v' || letters[at - 1] == 'a' => name.to_owned(),
            'V' if !is_part(at.checked_sub(1)) && !is_part(Some(at + 1)) => value.to_owned(),
            char => char.to_string(),
        };
        letters.iter().enumerate().map(word).collect()
    };
    lines.into_iter().map(fill).collect()
}

#[test]
fn attack_a_program_gets_no_variable_that_was_not_seen() {
    let sandbox = ShellSandbox::new();
    let shells = sandbox.shells();
    let (mut judged, mut changed) = (0, 0);
    let mut missed = Vec::new();
    for name in ["HOME", "PATH", "CANARY"] {
        for (index, line) in setting_lines(name, &sandbox.other()).iter().enumerate() {
            let invocations = ["-c", INVOCATIONS[index % INVOCATIONS.len()]];
            for options in &invocations {
                for shell in &shells {
                    judged += 1;
                    let words: Vec<String> = std::iter::once(*shell)
                        .chain(options.split(' ').filter(|it| !it.is_empty()))
                        .chain([line.as_str()])
                        .map(str::to_owned)
                        .collect();
                    let mut is_seen = !is_decided(&execute(&words).line().unwrap());
                    if *options == "-c" {
                        is_seen &= !is_decided(&run(line).line().unwrap());
                    }
                    // Some of the others show that the lines do what they are there for.
                    let is_sample = index % 9 == 0 && name == "HOME" && options.len() < 4;
                    if is_seen && !is_sample {
                        continue;
                    }
                    let (ran, _) = sandbox.run(&words);
                    let is_changed = ran.iter().any(|it| sandbox.is_changed(it, name));
                    changed += usize::from(is_changed);
                    if is_changed && !is_seen {
                        missed.push(words);
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} {missed:#?}", missed.len());
    println!("{judged} calls judged, {changed} of those that ran gave the variable");
    assert!(judged > 5000 && changed > 50, "{judged} {changed}");
}

#[test]
fn attack_a_rule_that_allows_one_program_runs_nothing_else() {
    let sandbox = ShellSandbox::new();
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","command":"ls **"}]}"#,
    );
    let shells = sandbox.shells();
    let mut seen = BTreeSet::new();
    let (mut judged, mut allowed) = (0, 0);
    let mut missed = Vec::new();
    let mut check = |words: Vec<String>| {
        judged += 1;
        let action = execute(&words);
        let is_allowed = matches!(permissions.judge(&action), Verdict::Allow(_));
        if !is_allowed || !seen.insert(words.clone()) {
            return;
        }
        allowed += 1;
        let words = match words.as_slice() {
            [line] => ["bash", "-c", line].map(str::to_owned).to_vec(),
            words => words.to_vec(),
        };
        let parts = action.line().unwrap().parts;
        let shown: Vec<_> = parts
            .iter()
            .filter_map(|part| part.literal_words())
            .collect();
        let (ran, files) = sandbox.run(&words);
        for it in &ran {
            let (program, arguments) = it.words.split_first().unwrap();
            let is_shown = |words: &&Vec<&str>| words[0] == "ls" && words[1..] == *arguments;
            let is_ours = program.ends_with("/bin/ls") && shown.iter().find(is_shown).is_some();
            let is_changed = ["PATH", "HOME", "LD_PRELOAD"]
                .iter()
                .any(|name| sandbox.is_changed(it, name));
            if !is_ours || is_changed {
                missed.push(format!("{words:?}: {ran:?}"));
            }
        }
        if !files.is_empty() {
            missed.push(format!("{words:?}: {files:?}"));
        }
    };
    for shell in &shells {
        for (index, options) in all_options().iter().enumerate() {
            for line in LINES.iter().skip(index % 3).step_by(3) {
                let call: Vec<String> = std::iter::once((*shell).to_owned())
                    .chain(options.iter().cloned())
                    .chain([(*line).to_owned(), "x".to_owned(), "a[$(evil)]".to_owned()])
                    .collect();
                check(call.clone());
                let wrapper = WRAPPERS[spread(&call) % WRAPPERS.len()];
                let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
                let text: Vec<String> = call.iter().map(quoted).collect();
                check(vec![format!("{wrapper} {}", text.join(" "))]);
            }
        }
    }
    for wrapper in WRAPPERS {
        for line in LINES {
            check(vec![format!("{wrapper} {line}")]);
            let quoted = line.replace('\'', r"'\''");
            check(vec![format!("{wrapper} sh -c '{quoted}'")]);
            check(vec![format!("{wrapper} sh -c '{quoted}' >out")]);
        }
    }
    assert!(missed.is_empty(), "{} {missed:#?}", missed.len());
    println!("{judged} calls judged, {allowed} allowed and run");
    assert!(judged > 5000 && allowed > 100, "{judged} {allowed}");
}

/// Spreads calls over the wrappers.
fn spread(call: &[String]) -> usize {
    call.iter()
        .flat_map(|word| word.bytes())
        .map(usize::from)
        .sum()
}

/// Each option in front of `-c`, behind it, and together with it.
fn all_options() -> Vec<Vec<String>> {
    let mut all = vec![vec!["-c".to_owned()]];
    for option in OPTIONS {
        let words: Vec<String> = option.split(' ').map(str::to_owned).collect();
        let line = || "-c".to_owned();
        all.push(words.iter().cloned().chain([line()]).collect());
        all.push(std::iter::once(line()).chain(words.clone()).collect());
        all.push(
            ["-e".to_owned()]
                .into_iter()
                .chain(words.clone())
                .chain(["-xc".to_owned()])
                .collect(),
        );
        if let Some(letters) = option.strip_prefix('-').filter(|it| !it.starts_with('-')) {
            for together in [format!("-c{letters}"), format!("-ec{letters}")] {
                all.push(together.split(' ').map(str::to_owned).collect());
            }
            let (first, rest) = words.split_first().unwrap();
            all.push(
                [format!("{first}c")]
                    .into_iter()
                    .chain(rest.iter().cloned())
                    .collect(),
            );
        }
    }
    all
}
