//! What programs really get from shells, against what was read in the line. A fake program writes down its words and its
//! environment. A line that counts as decidable and as setting nothing gives it no new variable and no other `PATH`, and a
//! line that a rule allows runs nothing but what the rule names.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::command::line::ShellLine;
use super::*;

/// A program that ran.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    /// Its path and its arguments.
    words: Vec<String>,
    environment: Vec<(String, String)>,
}

/// A directory with fake programs, and shells to run lines with.
struct Laboratory {
    dir: tempfile::TempDir,
}

const SHELLS: [&str; 6] = ["bash", "dash", "sh", "zsh", "ksh", "mksh"];
const REAL: [&str; 12] = [
    "bash", "dash", "sh", "zsh", "ksh", "mksh", "env", "timeout", "nice", "nohup", "setsid",
    "stdbuf",
];
const FAKE: [&str; 4] = ["ls", "evil", "probe", "7"];

impl Laboratory {
    fn new() -> Laboratory {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        // A program of the same name where another `PATH` leads.
        for folder in ["bin", "other", "log", "home"] {
            fs::create_dir(at(folder)).unwrap();
        }
        let log = at("log").display().to_string();
        // The shell that runs it changes neither of both.
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
        Laboratory { dir }
    }

    /// Runs a command and tells which of the fake programs ran, and which files are new.
    fn run(&self, words: &[String]) -> (Vec<Ran>, Vec<String>) {
        let work = tempfile::tempdir_in(self.dir.path()).unwrap();
        fs::write(work.path().join("f"), format!("{}\n", self.other())).unwrap();
        fs::write(work.path().join("rc"), "evil\n").unwrap();
        let mut child = Command::new(self.dir.path().join("bin").join(&words[0]))
            .args(&words[1..])
            .current_dir(work.path())
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > Duration::from_secs(5) {
                child.kill().unwrap();
                child.wait().unwrap();
            }
            std::thread::yield_now();
        }
        let files = fs::read_dir(work.path()).unwrap();
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let new = files.filter(|name| name != "f" && name != "rc").collect();
        (self.take_log(), new)
    }

    fn take_log(&self) -> Vec<Ran> {
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
                ran.push(Ran {
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
    fn is_changed(&self, ran: &Ran, name: &str) -> bool {
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
    let laboratory = Laboratory::new();
    let shells = laboratory.shells();
    let (mut judged, mut changed) = (0, 0);
    let mut missed = Vec::new();
    for name in ["HOME", "PATH", "CANARY"] {
        for (index, line) in setting_lines(name, &laboratory.other()).iter().enumerate() {
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
                    let (ran, _) = laboratory.run(&words);
                    let is_changed = ran.iter().any(|it| laboratory.is_changed(it, name));
                    changed += usize::from(is_changed);
                    if is_changed && !is_seen {
                        missed.push(words);
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} {missed:#?}", missed.len());
    assert!(judged > 5000 && changed > 50, "{judged} {changed}");
}

#[test]
fn attack_a_rule_that_allows_one_program_runs_nothing_else() {
    let laboratory = Laboratory::new();
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","command":"ls **"}]}"#,
    );
    let shells = laboratory.shells();
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
        let (ran, files) = laboratory.run(&words);
        for it in &ran {
            let (program, arguments) = it.words.split_first().unwrap();
            let is_shown = |words: &&Vec<&str>| words[0] == "ls" && words[1..] == *arguments;
            let is_ours = program.ends_with("/bin/ls") && shown.iter().find(is_shown).is_some();
            let is_changed = ["PATH", "HOME", "LD_PRELOAD"]
                .iter()
                .any(|name| laboratory.is_changed(it, name));
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

const INVOCATIONS: &[&str] = &[
    "-ac",
    "-kc",
    "-o allexport -c",
    "-lc",
    "-c -a",
    "-o pipefail -c",
];

/// How the variable `N` gets the value `V`, or a number.
const SETS: &[&str] = &[
    "N=V",
    "N+=V",
    ">g N=V",
    "{fd}>&1 N=V",
    "N=V :",
    "N=V cd .",
    "N=V eval :",
    ": ${N:=V}",
    "unset N; : ${N:=V}",
    "unset N; : \"${N=V}\"",
    ": ${y:-${N=V}}",
    ": $((N=7))",
    ": $((N+=7))",
    ": $((1?N=7:2))",
    ": $((x=N=7))",
    ": $((\"N\"=7))",
    ": $((${x-N}=7))",
    ": $((a[N=7]))",
    ": $[N=7]",
    ": \"$((N=7))\"",
    "let N=7",
    "let 'N = 7'",
    "let x=1 N=7",
    "let $((1)),N=7",
    "((N=7))",
    "((1,N=7))",
    "((N=1,N++))",
    "(( (N=7) ))",
    "a[N=7]=1",
    "a=([N=7]=1)",
    "a=(1); : ${a[N=7]}",
    "a=12; : ${a:N=1}",
    "a=12; : ${a:0:N=1}",
    "[[ N=7 -eq 7 ]]",
    "[[ 7 -eq N=7 ]]",
    "[[ 'N=7' -eq 7 ]]",
    "[[ -v a[N=7] ]]",
    "test -v 'a[N=7]'",
    "[ -v 'a[N=7]' ]",
    "[ 'N=7' -eq 7 ]",
    "test 7 -eq N=7",
    "exec {N}<f",
    ": {N}<f",
    "for N in V; do :; done",
    "for N in V\ndo :; done",
    "for ((N=7;N<8;N++)); do :; done",
    "select N in V; do break; done <<<1",
    "read N <f",
    "read -r N <f",
    "read -rN <f",
    "read -aN <f",
    "read -a N <f",
    "read -pd N <f",
    "read -d 7 N <f",
    "read 'a[N=7]' <f",
    "x=N; read $x <f",
    "echo V | while read N; do probe; done",
    "IFS= read N <f",
    "printf -v N V",
    "printf -vN V",
    "printf -v 'a[N=7]' x",
    "x=-vN; printf \"$x\" V",
    "x='-v N'; printf $x V",
    "mapfile N <f",
    "mapfile -t N <f",
    "readarray -t N <f",
    "getopts 7 N -7",
    "x=N; getopts 7 $x -7",
    "coproc N { :; }",
    "coproc N (:)",
    "sleep 0 & wait -n -p N",
    "function g { N=V; }; g",
    "g() { N=V; }; g",
    "g() (N=V; probe); g",
    "case ${N:=V} in *) ;; esac",
    "unset N; case ${N:=V} in *) ;; esac",
    "case x in x) N=V;; esac",
    ": <<X\n${N:=V}\nX",
    "unset N; : <<X\n'${N:=V}'\nX",
    "unset N; : <<<${N:=V}",
    ": <<X\n$((N=7))\nX",
    ": <<X\n'$((N=7))'\nX",
    "declare N=V",
    "typeset N=V",
    "readonly N=V",
    "declare -g N=V",
    "declare -i N=7",
    "declare -n r=N; r=V",
    "declare -i x; x=N=7",
    "declare 'a[N=7]=1'",
    "unset 'a[N=7]'",
    "unset N",
    "x=N=7; : $((x))",
    "x=N=7; : $(($x))",
    "x=N; : $(($x=7))",
    "x=N=7; [[ x -eq 7 ]]",
    "x=N=7; [[ $x -eq 7 ]]",
    "for x in N=7; do : $((x)); done",
    "for x in N=7; do [[ x -eq 7 ]]; done",
    "x=N=7; y=12; : ${y:x}",
    "x=N=7; : ${a[x]}",
    "set -- N=7; : $(($1))",
    "x=N; unset $x; : ${!x:=V}",
    "unset N; x='${N:=V}'; : ${x@P}",
    "eval N=V",
    "eval 'N=V'",
    "echo 'N=V' >g; . ./g",
    "trap 'N=V' DEBUG; :",
    "time N=V",
    "time -p N=V",
    "! N=V",
    "if N=V; then :; fi",
    "while N=V; do break; done",
    "until N=V; do :; done",
    "{ N=V; }",
    "true && N=V",
    "false || N=V",
    "N=V >g",
    "2>&1 N=V",
    "command export N=V",
    "builtin export N=V",
    "local N=V",
    "x=1 N=V",
    "N=V x=1",
    "N=V\\\n",
    "cd /; cd - >g",
];

/// What stands before and behind to export a variable of the shell, or nothing.
const EXPORTS: &[(&str, &str)] = &[
    ("", ""),
    ("export N", ""),
    ("", "export N"),
    ("set -a", ""),
    ("set -o allexport", ""),
    ("set -o posix -a", ""),
    ("", "declare -x N"),
    ("typeset -x N", ""),
];

/// How a program gets the variable `N` with the value `V`.
const GIVES: &[&str] = &[
    "N=V probe",
    ">g N=V probe",
    "{fd}>&1 N=V probe",
    "N=V eval probe",
    "N=V command probe",
    "N=V exec probe",
    "N=V sh -c probe",
    "N=V x=1 probe",
    "N=V >g probe",
    "time N=V probe",
    "time -p N=V probe",
    "time -- N=V probe",
    "! N=V probe",
    "coproc N=V probe; wait",
    "coproc x { N=V probe; }; wait",
    "function g { N=V probe; }; g",
    "function g() { N=V probe; }; g",
    "function g\n{ N=V probe; }; g",
    "function g (N=V probe); g",
    "g() { probe; }; N=V g",
    "read() { probe; }; N=V read",
    "env N=V probe",
    "env -u x N=V probe",
    "env -- N=V probe",
    "env -S 'N=V probe'",
    "env - N=V probe",
    "exec env N=V probe",
    "exec -a x env N=V probe",
    "command -p env N=V probe",
    "command env N=V probe",
    "timeout 5 env N=V probe",
    "nohup env N=V probe",
    "bash -c 'N=V probe'",
    "bash -kc 'probe N=V'",
    "bash -o keyword -c 'probe N=V'",
    "bash -ac 'N=V; probe'",
    "bash +o posix -ac 'N=V; probe'",
    "bash -O extdebug -kc 'probe N=V'",
    "sh -a -c 'N=V; probe'",
    "timeout 5 bash -kc 'probe N=V'",
    "set -k; probe N=V",
    "set -o keyword; probe N=V",
    "set -ek; probe N=V",
    "probe N=V",
    "probe x N=V y",
    "env probe N=V",
    "echo $(N=V probe)",
    "echo `N=V probe`",
    "echo \"$(N=V probe)\"",
    ": <(N=V probe); sleep 0.1",
    "echo x > >(N=V probe); sleep 0.1",
    "case x in x) N=V probe;; esac",
    "case x in (x) N=V probe;; esac",
    "for x in 1; do N=V probe; done",
    "for x\ndo :; done; N=V probe",
    "select x in 1; do N=V probe; break; done <<<1",
    "if true; then N=V probe; fi",
    "(N=V probe)",
    "((1)) && N=V probe",
    "[[ x ]] && N=V probe",
    "N=V probe &\nwait",
    "echo x | N=V probe",
    "trap 'N=V probe' EXIT",
    "shopt -s expand_aliases\nalias p='N=V probe'\np",
    "cat <<X\n$(N=V probe)\nX",
    ": <<X\n'$(N=V probe)'\nX",
    ": ${x:-$(N=V probe)}",
    ": \"${x:-'$(N=V probe)'}\"",
    ": $((1 + $(N=V probe; echo 1)))",
    "x='a[$(N=V probe)]'; : $((x))",
    "for x in 'a[$(N=V probe)]'; do [[ x -eq 1 ]]; done",
    "set -- 'a[$(N=V probe)]'; [[ $1 -eq 1 ]]",
    "[[ 'a[$(N=V probe)]' -eq 1 ]]",
    "[[ -v 'a[$(N=V probe)]' ]]",
    "x='$(N=V probe)'; : ${x@P}",
    "PS4='$(N=V probe)'; set -x; :",
];

const OPTIONS: &[&str] = &[
    "-l",
    "-i",
    "-e",
    "-u",
    "-x",
    "-v",
    "-f",
    "-k",
    "-a",
    "-T",
    "-s",
    "-m",
    "-n",
    "-h",
    "-b",
    "-t",
    "-p",
    "-r",
    "-B",
    "-C",
    "-D",
    "-E",
    "-H",
    "-P",
    "-o pipefail",
    "-o errexit",
    "-o nounset",
    "-o keyword",
    "-o allexport",
    "-o posix",
    "-o noexec",
    "-o x",
    "-okeyword",
    "-oerrexit",
    "-eo keyword",
    "-oe keyword",
    "-oo keyword allexport",
    "-O extdebug",
    "-O expand_aliases",
    "-Oo extdebug keyword",
    "+k",
    "+e",
    "+o posix",
    "+O extdebug",
    "+c",
    "--login",
    "--norc",
    "--noprofile",
    "--posix",
    "--rcfile rc",
    "--init-file rc",
    "-i --rcfile rc",
    "--rcfile rc -i",
    "--restricted",
    "--debugger",
    "--dump-strings",
    "--version",
    "--",
    "-",
    "-- -c",
    "--unknown",
    "-c",
    "-Z",
];

/// What is behind `-c`.
const LINES: &[&str] = &[
    "ls",
    "ls -l x",
    "ls a | ls b && ls c; ls d",
    "ls LD_PRELOAD=./e.so",
    "ls x PATH=./e HOME=7",
    "LD_PRELOAD=./e.so ls",
    "ls $1",
    "ls; evil",
    "l\\s 'a b'",
    "[[ $2 -eq 1 ]]; ls",
    "[[ 'a[$(evil)]' -eq 1 ]]; ls",
    "[[ -v 'a[$(evil)]' ]] || ls",
    "for x in 'a[$(evil)]'; do [[ x -eq 1 ]]; ls; done",
    "for x in 'a[$(evil)]'; do ls <<<$((x)); done",
    "for x in 'a[$(evil)]'; do ls <<<${x:x}; done",
    "for x in '$(evil)'; do ls <<<${x@P}; done",
    "for x in 'a[$(evil)]'; do ls <<<${!x}; done",
    "for ls in evil; do ls; done",
    "for PATH in /; do ls; done",
    "ls <<X\n'$(evil)'\nX",
    "ls <<X\n$(evil)\nX",
    "ls <<'X'\n$(evil)\nX",
    "ls <<<\"${x:-'$(evil)'}\"",
    "ls <<<${HOME:=7}$((HOME=7))",
    "{HOME}<f ls",
    "ls {HOME}<f; ls",
    "case x in x) ls;; esac",
    "case $(evil) in x) ls;; esac; ls",
    "select x in 1; do ls; break; done",
    "ls >/dev/null 2>&1",
    "ls >out",
    "time ls",
    "time -p ls",
    "! ls",
    "function ls { evil; }; ls",
    "ls() { evil; }; ls",
    "coproc ls { evil; }; ls",
];

const WRAPPERS: &[&str] = &[
    "",
    "env",
    "env -i",
    "env -u PATH",
    "env -u x",
    "env -C /",
    "env -S",
    "env LD_PRELOAD=./e.so",
    "env CI=1",
    "env --",
    "timeout 5",
    "timeout -k 1 5",
    "timeout --foreground 5",
    "nice",
    "nice -n 5",
    "nohup",
    "setsid -w",
    "stdbuf -oL",
    "command",
    "command -p",
    "builtin",
    "exec",
    "exec -a evil",
    "exec -c",
    "time",
    "time -p",
    "/usr/bin/time -o out -f evil",
    "env time -f evil -o out",
    "env timeout 5 nice",
    "{fd}>&1",
    "</dev/null",
    "! time",
    "CI=1",
    "PATH=./e",
    "noglob",
    "eval",
    "set -k;",
    "set -o keyword;",
    "set -e;",
    "shopt -s extdebug;",
    "hash -p /bin/evil ls;",
    "alias ls=evil;",
    "enable -n ls;",
    "trap evil EXIT;",
    "trap evil DEBUG;",
    "ls &&",
];
