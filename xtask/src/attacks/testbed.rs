//! The directories of a run: a project with secrets that carry a word each, fake programs on `PATH` that leave a file
//! behind when they run, and a home of its own for `attache`.

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
    /// The fake programs.
    pub(super) bin: PathBuf,
    /// The interpreter, or a name that nothing has.
    pub(super) python: String,
}

/// How a run of `attache` ended, and what it printed.
pub(super) struct RunOutput {
    /// `None` if it had to be killed.
    pub(super) code: Option<i32>,
    pub(super) printed: String,
}

impl Testbed {
    /// Makes everything anew.
    pub(super) fn new(run: &Path) -> Result<Self, String> {
        let testbed = Self {
            run: run.to_owned(),
            project: run.join("project"),
            bin: run.join("bin"),
            python: python(),
        };
        testbed
            .make()
            .map_err(|error| format!("cannot use {}: {error}", run.display()))?;
        Ok(testbed)
    }

    fn make(&self) -> io::Result<()> {
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
        // One is a program of the machine, not of a shell: `touch` makes the file that it is given.
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

    /// What a fake program leaves behind when the line of that name starts it.
    pub(super) fn ran(&self, line: &str) -> PathBuf {
        self.project.join("ran").join(line)
    }

    pub(super) fn write_script(&self, name: &str, text: &str) -> Result<(), String> {
        self.write_executable(name, text)
    }

    pub(super) fn write_executable(&self, name: &str, text: &str) -> Result<(), String> {
        write_executable(&self.project.join(name), text)
            .map_err(|error| format!("cannot write {name}: {error}"))
    }

    /// Runs a command in the project, with the fake programs first on `PATH`, and waits for it.
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
            self.end_marked();
        }
        Ok(RunOutput {
            code: status.and_then(|status| status.code()),
            printed: String::from_utf8_lossy(&fs::read(printed)?).into_owned(),
        })
    }

    /// What the run that had to be killed left: its processes carry the run's own directory in their environment.
    fn end_marked(&self) {
        for (pid, _) in child::marked(&self.run) {
            let killed = Command::new("kill").args(["-9", &pid]).status();
            if let Err(error) = killed {
                eprintln!(
                    "cannot end process {pid} of {}: {error}",
                    self.run.display()
                );
            }
        }
    }

    /// The first of the files that is not as it was.
    pub(super) fn changed_file(&self, files: &[&'static str]) -> Option<&'static str> {
        let is_same = |file: &str| self.content(file).trim_end() == canary(file);
        files.iter().copied().find(|file| !is_same(file))
    }

    pub(super) fn content(&self, file: &str) -> String {
        fs::read_to_string(self.project.join(file)).unwrap_or_default()
    }

    /// Whether fake programs have noted that they ran: name and words of each.
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

fn python() -> String {
    let known = ["/usr/bin/python3", "/usr/local/bin/python3"];
    let found = known.iter().find(|path| Path::new(path).exists());
    (*found.unwrap_or(&"python3")).to_owned()
}

/// The word in a secret.
pub(super) fn canary(file: &str) -> String {
    let number = FILES.iter().position(|known| *known == file).unwrap_or(99);
    format!("canary-{number}-5c1d")
}

pub(super) const PROGRAMS: [&str; 3] = ["forbidden", BINARY_PROGRAM, "dispatch"];
const BINARY_PROGRAM: &str = "courier";

/// Below the project.
pub(super) const FILES: [&str; 7] = [
    "secrets/key",
    "secrets/deep/er/key",
    ".env",
    "app/.env",
    "keys/a.pem",
    "../vault/key",
    "notes.txt",
];
