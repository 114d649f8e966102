//! The programs that real shells run, compared with our reading of the line: fake programs on an otherwise empty PATH
//! record their names. A line that counts as decidable runs nothing but its parts.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};

use super::super::command::options::CommandWord as _;
use super::*;

const PROGRAMS: [&str; 5] = ["curl", "ls", "git", "cat", "make"];

struct ShellRunner {
    dir: tempfile::TempDir,
    shells: Vec<&'static str>,
}

impl ShellRunner {
    fn new() -> ShellRunner {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bin")).unwrap();
        for name in PROGRAMS {
            let path = dir.path().join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\necho \"{name}\" >> \"$RAN\"\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        // A program that runs others, and one that passes its words on.
        for (name, body) in [("env", "exec \"$@\""), ("timeout", "shift; exec \"$@\"")] {
            let path = dir.path().join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let known = ["/bin/bash", "/bin/dash", "/bin/zsh", "/bin/sh"];
        let shells = known.into_iter().filter(|path| Path::new(path).exists());
        ShellRunner {
            shells: shells.collect(),
            dir,
        }
    }

    /// The programs that a shell has started for a line.
    fn ran(&self, shell: &str, line: &str) -> BTreeSet<String> {
        // One for each run: what a line leaves in the background writes to its own.
        let work = tempfile::tempdir_in(self.dir.path()).unwrap();
        let log = work.path().join("ran");
        let mut child = Command::new(shell)
            .args(["-c", line])
            .current_dir(work.path())
            .env_clear()
            .env("PATH", self.dir.path().join("bin"))
            .env("RAN", &log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > Duration::from_secs(2) {
                child.kill().unwrap();
                child.wait().unwrap();
            }
            std::thread::yield_now();
        }
        let log = fs::read_to_string(&log).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn check(&self, line: &str) -> Result<(), TestCaseError> {
        let read = run(line).line().unwrap_or_default();
        if !read.is_decidable() {
            return Ok(());
        }
        let parts = read
            .parts
            .iter()
            .filter_map(|part| part.words.first()?.literal());
        let parts: BTreeSet<String> = parts.map(str::to_owned).collect();
        for shell in &self.shells {
            let ran = self.ran(shell, line);
            let unseen: Vec<_> = ran.iter().filter(|name| !parts.contains(*name)).collect();
            prop_assert!(
                unseen.is_empty(),
                "{}: {:?} ran {:?}, read {:?}",
                shell,
                line,
                ran,
                parts
            );
        }
        Ok(())
    }
}

#[test]
fn a_decidable_line_runs_nothing_but_its_parts() {
    let shells = ShellRunner::new();
    let lines = prop::collection::vec(prop::sample::select(PIECES), 1..14);
    let mut runner = TestRunner::new(Cases {
        cases: 300,
        failure_persistence: None,
        ..Cases::default()
    });
    let checked = runner.run(&(lines, any::<bool>()), |(pieces, is_spaced)| {
        let line = if is_spaced {
            pieces.join(" ")
        } else {
            pieces.concat()
        };
        shells.check(&line)
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

#[test]
fn known_spellings_run_nothing_unseen() {
    let shells = ShellRunner::new();
    for line in [
        "cu''rl",
        "c\\url",
        "\"cu\"rl",
        "env curl",
        "timeout 1 curl",
        "echo $(curl)",
        "echo `curl`",
        "(curl)",
        "{ curl; }",
        "!(curl)",
        "! curl",
        "if curl; then ls; fi",
        "x=1 curl",
        "echo \"$(curl)\"",
        "cat <<X\n$(curl)\nX",
        "echo ${x:-$(curl)}",
        "sh -c 'curl'",
        "command curl",
        "exec curl",
        "ls # \ncurl",
        "ls #\\\ncurl",
        "echo 'a'\\''; curl'",
        "echo a\\\n;curl",
        "case x in x) curl;; esac",
        "case x in (x) curl;; esac",
        "for i in 1; do curl; done",
        "for i\ndo curl; done",
        "[[ x ]] && curl",
        "time curl",
        "ls &curl",
        "ls &>f curl",
        "ls &>f; curl",
        "[[ x || curl ]]",
        "[[ x && curl ]]",
        "ls >&f curl",
        "ls |& curl",
        "x+=1 curl",
        "ls 2>&1|curl",
        "ls;curl",
        "<f curl",
        "cat <<-X; curl\nX",
        "cat <<'X'\n$(make)\nX\ncurl",
        "echo $((1)); curl",
        "echo \"`curl`\"",
        "echo '`make`'",
        "a=$(curl)",
        "a=`curl` ls",
        "ls <<X >f; curl\nX",
        "cat <<A <<B; curl\nA\nB",
        "cat <<\"A B\"\n$(make)\nA B\ncurl",
        "if true\nthen\ncurl\nfi",
        "while curl && false; do :; done",
        "until curl; do :; done",
        "test x = x && curl",
        "[ x = x ] && curl",
        "{ curl\n}",
        "> f",
        "< f",
        "2>&1",
        "<<< x",
        "cat <<X; >f\nX",
        "! > f",
        "time > f",
        "(> f)",
        "if true; then > f; fi",
        "for i in 1; do > f; done",
        "case x in x) > f;; esac",
        "fi() { :; }; fi > f",
        "() > f",
        "( ) > f",
        "for i (1) > f",
        "if true; then :; fi\n> f",
    ] {
        shells.check(line).unwrap();
    }
}

#[test]
fn a_redirection_behind_a_loop_or_group_leaves_no_doubt() {
    for line in [
        "{ ls; } > f",
        "(ls) > f",
        "if true; then ls; fi > f",
        "for i in 1; do ls; done > f 2>&1",
        "case x in x) ls;; esac > f",
        "[[ x ]] > f",
        "x=1 > f",
        ": > f",
        "> f ls",
    ] {
        let read = run(line).line().unwrap_or_default();
        assert_eq!(read.doubt, None, "{line}");
    }
    let read = run("> f").line().unwrap_or_default();
    assert!(read.doubt.is_some());
}

#[test]
fn values_and_texts_that_shells_take_for_code_run_nothing_unseen() {
    let shells = ShellRunner::new();
    for line in [
        "x='a[$(curl)]'; [[ x -eq 1 ]]",
        "x='a[$(curl)]'; echo $((x))",
        "x='a[$(curl)]'; y=x; echo $((y + 1))",
        "x='a[$(curl)]'; echo ${x:x}",
        "x='a[$(curl)]'; echo ${!x}",
        "x='$(curl)'; echo ${x@P}",
        "for x in 'a[$(curl)]'; do echo $((x)); done",
        "[[ 'a[$(curl)]' -eq 1 ]]",
        "[[ -v 'a[$(curl)]' ]]",
        "test -v 'a[$(curl)]'",
        "[ -v 'a[$(curl)]' ]",
        "read 'a[$(curl)]' <<X\n1\nX",
        "printf -v 'a[$(curl)]' 1",
        "cat <<X\n'$(curl)'\nX",
        "cat <<X\n\"'`curl`'\"\nX",
        "echo \"${x:-'$(curl)'}\"",
        "a[$(curl)]=1",
        "((a[$(curl)]))",
        "coproc curl { ls; }",
        "function ls { curl; }; ls",
    ] {
        shells.check(line).unwrap();
    }
}

const PIECES: &[&str] = &[
    "curl",
    "ls",
    "git",
    "cat",
    "make",
    "echo",
    "env",
    "timeout 1",
    "true",
    "false",
    ";",
    ";",
    "&&",
    "||",
    "|",
    "(",
    ")",
    "{",
    "}",
    "$(",
    ")",
    "`",
    "'",
    "'",
    "\"",
    "\"",
    "\\",
    "\n",
    " ",
    " ",
    "if",
    "then",
    "else",
    "fi",
    "do",
    "done",
    "for i in",
    "while",
    "case x in",
    "x)",
    ";;",
    "esac",
    "<<X",
    "\nX\n",
    "> f",
    "< f",
    "2>&1",
    "&",
    "=",
    "a=b",
    "$x",
    "*",
    "#",
    "!",
    "sh -c",
    "[[",
    "]]",
    "[",
    "]",
    "-x",
    "0",
    "eval",
    "{a,b}",
    "~",
    "time",
    "''",
    "\"\"",
    "c",
    "url",
    "$",
    "$'",
    "((",
    "))",
    "|&",
    "&>",
    "<<<",
    "<(",
    "'a[$(curl)]'",
    "x='a[$(curl)]'",
    "-eq",
    "$((x))",
    "${x@P}",
    "${x:=curl}",
    "-",
    "exec",
    "command",
    "builtin",
    "test",
    ":",
    "x=curl",
    "$x",
    "i",
];
