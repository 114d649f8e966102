//! The commands around conversations as scripts see them: `agents`, `config`, `sessions`, `doctor`, `trace`, `replay`,
//! `mock`, `completions` and `man`. Agents are shell scripts.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod agents;
mod audit;
mod check;
mod claude;
mod completions;
mod config;
mod dialects;
mod doctor;
#[cfg(target_os = "linux")]
#[path = "../run/ordinary_user.rs"]
mod ordinary_user;
mod permissions;
mod recording;
mod scripts;
mod sessions;
mod trace;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::Expect;

/// A machine of a test: a home, a project to work in, and a folder of programs.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Machine {
        let machine = Machine(tempfile::tempdir().unwrap());
        for folder in ["home", "project", "bin"] {
            fs::create_dir(machine.path(folder)).unwrap();
        }
        machine
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        // The path of the system's temporary directory may contain a link.
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn file(&self, name: &str, text: &str) -> &Machine {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    fn program(&self, name: &str, text: &str) -> &Machine {
        self.file(name, text);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(name), executable).unwrap();
        self
    }

    fn attache(&self, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        self.attache_with(arguments, &path)
    }

    fn attache_with(&self, arguments: &[&str], path: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
        command.args(arguments).current_dir(self.path("project"));
        command.env("ATTACHE_HOME", self.path("home/attache"));
        command.env("HOME", self.path("home")).env("PATH", path);
        command.output().unwrap()
    }

    /// Runs the command and shows everything that a caller sees.
    fn check(&self, arguments: &[&str], expected: &Expect) {
        expected.assert_eq(&self.shown(&self.attache(arguments)));
    }

    fn shown(&self, output: &Output) -> String {
        let (out, err) = (&output.stdout, &output.stderr);
        let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
        let code = output.status.code().unwrap();
        let out = without_kernel(&out);
        let shown = format!("{out}{}exit: {code}\n", err.replace("attache: ", "err: "));
        let root = self.path("").display().to_string();
        steady(&shown.replace(root.trim_end_matches('/'), "~"))
    }
}

/// The text without the doctor's findings about the kernel, which differ between machines.
fn without_kernel(text: &str) -> String {
    let mut is_left_out = false;
    let lines = text.split_inclusive('\n').filter(|line| {
        let is_fix = line.starts_with(' ');
        let is_kernel = ["sandbox ", "denied paths ", "command rules "]
            .iter()
            .any(|subject| line.get(6..).is_some_and(|rest| rest.starts_with(subject)));
        is_left_out = is_kernel || (is_fix && is_left_out);
        !is_left_out
    });
    lines.collect()
}

/// The text with placeholders for times, which differ each time.
fn steady(text: &str) -> String {
    let word = |(index, word): (usize, &str)| {
        let next = text.split(' ').nth(index + 1).unwrap_or_default();
        let is_time = next.starts_with("ms") && word.chars().all(|char| char.is_ascii_digit());
        if is_time { "N" } else { word }.to_owned()
    };
    let words: Vec<String> = text.split(' ').enumerate().map(word).collect();
    words.join(" ")
}
