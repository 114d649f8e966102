//! Options of shells in generated spellings, with the shells that are installed as the oracle: a file that one of them
//! really reads as its script, or before it, is found among the words.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{ScriptWord, scripts_run_by};

#[test]
fn attack_no_spelling_of_options_hides_a_script_from_real_shells() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("e")).unwrap();
    for name in ["S", "-S", "+S"] {
        // Not executable, so that it does not run as a command.
        fs::write(dir.path().join(name), "echo ran >>$RECORD\n").unwrap();
    }
    let is_whole = std::env::var_os("ATTACHE_TEST_ALL_SPELLINGS").is_some();
    let (mut runs, mut scripts) = (0, 0);
    let mut missed = Vec::new();
    for shell in SHELLS {
        if !is_there(dir.path(), shell) {
            continue;
        }
        for line in lines(is_whole) {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            runs += 1;
            if !reads_script(dir.path(), shell, &words) {
                continue;
            }
            scripts += 1;
            let name = shell.rsplit(' ').next().unwrap();
            if !is_found(name, &words) {
                missed.push(format!("{shell} {line}"));
            }
        }
    }
    assert!(missed.is_empty(), "{} of {runs}: {missed:#?}", missed.len());
    assert!(runs > 150 && scripts > 20, "{runs} {scripts}");
}

/// Every option alone, and some of all pairs and triples.
fn lines(is_whole: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let scripts: &[&str] = if is_whole { &["S", "-S", "+S"] } else { &["S"] };
    for script in scripts {
        lines.push(format!("{script} A"));
        lines.extend(OPTIONS.iter().map(|one| format!("{one} {script} A")));
    }
    lines.extend(FOUND_BEFORE.iter().map(|line| (*line).to_owned()));
    let mut next = 7_u64;
    let mut random = |below: usize| {
        next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(next >> 33).unwrap() % below
    };
    let more = if is_whole { 3000 } else { 60 };
    for _ in 0..more {
        let mut line = String::new();
        for _ in 0..2 + random(2) {
            line += OPTIONS[random(OPTIONS.len())];
            line += " ";
        }
        let script = ["S", "S", "S", "-S", "+S"][random(5)];
        lines.push(format!("{line}{script} A"));
    }
    lines
}

fn is_there(dir: &Path, shell: &str) -> bool {
    reads_script(dir, shell, &["./S".to_owned()])
}

/// Whether the shell reads the file.
fn reads_script(dir: &Path, shell: &str, words: &[String]) -> bool {
    // Some options leave a process behind, which must not be taken for the next one.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let record = dir.join(format!("record{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let mut shell = shell.split(' ');
    let mut command = Command::new(shell.next().unwrap());
    command
        .args(shell)
        .args(words)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", dir.join("e"))
        .env("RECORD", &record)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok() && record.exists()
}

/// Whether one of the files is found as what the shell runs.
fn is_found(shell: &str, words: &[String]) -> bool {
    let is_file = |word: &str| ["S", "-S", "+S", "./S"].contains(&word);
    let found = scripts_run_by(shell, words).unwrap();
    found.programs.iter().any(|program| match program {
        ScriptWord::Script(at) | ScriptWord::PossibleScript(at) => is_file(&words[*at]),
        ScriptWord::Preloaded(file, _) => is_file(file),
        ScriptWord::Module(..) => false,
    })
}

const SHELLS: &[&str] = &[
    "sh",
    "dash",
    "bash",
    "zsh",
    "ksh",
    "ksh93",
    "mksh",
    "lksh",
    "yash",
    "posh",
    "fish",
    "busybox sh",
    "busybox ash",
    "busybox hush",
];
/// Spellings that once hid a script.
const FOUND_BEFORE: &[&str] = &[
    "+- -S A",
    "+- +S A",
    "-b -S A",
    "-t +- -S A",
    "--rcfile -s S A",
    "-T -cs S A",
    "-oO errexit extglob S A",
    "-Oo extglob errexit S A",
    "+oO errexit extglob S A",
    "-oOe errexit extglob -x S A",
    "-o errexit +s S A",
    "+s -s +s S A",
];
const OPTIONS: &[&str] = &[
    "-e",
    "+e",
    "-s",
    "+s",
    "-c",
    "+c",
    "-cs",
    "-sc",
    "+cs",
    "-ec",
    "-c -c",
    "-c +c",
    "-s +s",
    "-o errexit",
    "+o errexit",
    "-oerrexit",
    "+oerrexit",
    "-eo errexit",
    "-oe errexit",
    "+eo errexit",
    "-o pathscript",
    "-o shinstdin",
    "+o shinstdin",
    "-o stdin",
    "+o stdin",
    "-o",
    "+o",
    "-O",
    "+O",
    "-O extglob",
    "+O extglob",
    "-A",
    "-A x",
    "-b",
    "+b",
    "-be",
    "-eb",
    "-",
    "+",
    "--",
    "-+",
    "+-",
    "---",
    "-i",
    "-l",
    "-x",
    "-T",
    "-T x",
    "-R x",
    "-R",
    "-D",
    "+D",
    "-E",
    "-G",
    "-H",
    "-I",
    "-K",
    "-L",
    "-M",
    "-N",
    "-P",
    "-Q",
    "-U",
    "-V",
    "-W",
    "-X",
    "-Y",
    "-Z",
    "-a",
    "-d",
    "-f",
    "-g",
    "-h",
    "-j",
    "-k",
    "-m",
    "-p",
    "-q",
    "-r",
    "-t",
    "-u",
    "-v",
    "-w",
    "-y",
    "-z",
    "-1",
    "-9",
    "--norc",
    "--posix",
    "--login",
    "--errexit",
    "--no-errexit",
    "--noerrexit",
    "--emulate sh",
    "--rcfile e",
    "--rcfile",
    "--init-file=e",
    "--init-file",
    "--shinstdin",
    "--stdin",
    "--stdin=0",
    "--no-config",
    "-C true",
    "--init-command=true",
    "--init-command true",
    "--features=x",
    "-d x",
    "--debug x",
    "-p x",
    "--profile=x",
    "-f x",
];
