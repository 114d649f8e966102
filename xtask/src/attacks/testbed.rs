//! The directories of a run: a project whose secrets contain one canary each, fake programs on `PATH` that leave a
//! marker file when they run, and a separate home for `attache`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::interop::child;

pub(super) struct Testbed {
    pub(super) run: PathBuf,
    pub(super) project: PathBuf,
    /// The directory of the fake programs.
    pub(super) bin: PathBuf,
    /// The Python interpreter, or a name that does not exist.
    pub(super) python: String,
}

/// The exit code and output of a run of `attache`.
pub(super) struct RunOutput {
    /// `None` if the run had to be killed.
    pub(super) code: Option<i32>,
    pub(super) printed: String,
}

impl Testbed {
    /// Creates all directories and files anew.
    pub(super) fn new(run: &Path) -> Result<Self, String> {
        let testbed = Self {
            run: run.to_owned(),
            project: run.join("project"),
            bin: run.join("bin"),
            python: python_path(),
        };
        testbed
            .create_files()
            .map_err(|error| format!("can't use {}: {error}", run.display()))?;
        Ok(testbed)
    }

    fn create_files(&self) -> io::Result<()> {
        child::empty(&self.run)?;
        for folder in ["bin", "home", "trace", "project/ran"] {
            fs::create_dir_all(self.run.join(folder))?;
        }
        for file in FILES {
            let path = self.project.join(file);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, format!("{}\n", canary(file)))?;
        }
        let record = self.run.join("project/record").display().to_string();
        for program in PROGRAMS {
            let text = format!(
                "#!/bin/sh\necho \"{program} $*\" >>'{record}'\nfor last; do :; done\n: >\"$last\"\n"
            );
            write_executable(&self.bin.join(program), &text)?;
        }
        // One of them is a binary instead of a script: `touch` creates the file that it is given.
        if Path::new("/usr/bin/touch").is_file() {
            let courier = self.bin.join(BINARY_PROGRAM);
            fs::copy("/usr/bin/touch", &courier)?;
            if !is_touch(&courier, &self.run.join("probe")) {
                fs::remove_file(&courier)?;
                fs::copy(self.bin.join(PROGRAMS[0]), &courier)?;
            }
        }
        Ok(())
    }

    /// The marker file that a fake program creates when this line starts it.
    pub(super) fn marker_file(&self, line: &str) -> PathBuf {
        self.project.join("ran").join(line)
    }

    pub(super) fn write_script(&self, name: &str, text: &str) -> Result<(), String> {
        self.write_executable(name, text)
    }

    pub(super) fn write_executable(&self, name: &str, text: &str) -> Result<(), String> {
        write_executable(&self.project.join(name), text)
            .map_err(|error| format!("can't write {name}: {error}"))
    }

    /// Runs a command in the project with the fake programs first on `PATH`, and waits for its end.
    pub(super) fn run(&self, words: &[OsString], limit: Duration) -> io::Result<RunOutput> {
        let mut path = self.bin.clone().into_os_string();
        path.push(":/usr/local/bin:/usr/bin:/bin");
        let printed = self.run.join("printed");
        let file = File::create(&printed)?;
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.project);
        command.env_clear().env("PATH", path);
        command.env("HOME", self.run.join("home"));
        command.env("ATTACHE_HOME", self.run.join("home/attache"));
        command.env("LANG", "C.UTF-8").env(child::MARK, &self.run);
        command.stdin(Stdio::null()).stdout(file.try_clone()?);
        let mut child = command.stderr(file).spawn()?;
        let status = child::wait(&mut child, limit)?;
        if status.is_none() {
            self.kill_marked_processes();
        }
        Ok(RunOutput {
            code: status.and_then(|status| status.code()),
            printed: String::from_utf8_lossy(&fs::read(printed)?).into_owned(),
        })
    }

    /// Kills the processes that a killed run left behind. They have the run's directory in their environment.
    fn kill_marked_processes(&self) {
        for (pid, _) in child::marked(&self.run) {
            let killed = Command::new("kill").args(["-9", &pid]).status();
            if let Err(error) = killed {
                eprintln!(
                    "can't kill process {pid} of {}: {error}",
                    self.run.display()
                );
            }
        }
    }

    /// The first of the files that has changed.
    pub(super) fn changed_file(&self, files: &[&'static str]) -> Option<&'static str> {
        let is_same = |file: &str| self.content(file).trim_end() == canary(file);
        files.iter().copied().find(|file| !is_same(file))
    }

    pub(super) fn content(&self, file: &str) -> String {
        fs::read_to_string(self.project.join(file)).unwrap_or_default()
    }

    /// The names and arguments of the fake programs that ran.
    pub(super) fn record(&self) -> String {
        fs::read_to_string(self.project.join("record")).unwrap_or_default()
    }
}

fn write_executable(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

fn is_touch(program: &Path, probe: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg(probe).stdout(Stdio::null());
    command.stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success()) && probe.exists()
}

fn python_path() -> String {
    let known = ["/usr/bin/python3", "/usr/local/bin/python3"];
    let found = known.iter().find(|path| Path::new(path).exists());
    (*found.unwrap_or(&"python3")).to_owned()
}

/// The canary in a secret.
pub(super) fn canary(file: &str) -> String {
    let number = FILES.iter().position(|known| *known == file).unwrap_or(99);
    format!("canary-{number}-5c1d")
}

pub(super) const PROGRAMS: [&str; 3] = ["forbidden", BINARY_PROGRAM, "dispatch"];
const BINARY_PROGRAM: &str = "courier";

/// The secrets, relative to the project.
pub(super) const FILES: [&str; 7] = [
    "secrets/key",
    "secrets/deep/er/key",
    ".env",
    "app/.env",
    "keys/a.pem",
    "../vault/key",
    "notes.txt",
];
