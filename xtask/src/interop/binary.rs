//! Runs the binary with third-party agents: the example agents of the official SDKs, and products with the model of
//! [`model`](super::model). Checks what a script would see: exit code, standard output, files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::pair::Outcome;
use super::{InteropDirs, Program, child};

/// An agent that `attache` runs, with its tasks.
pub(super) struct Agent {
    pub(super) name: &'static str,
    pub(super) program: Program,
    /// Variables to add to our environment.
    pub(super) env: Vec<(&'static str, OsString)>,
    pub(super) tasks: &'static [RunTask],
}

/// One run of `attache` and its expected result.
pub(super) struct RunTask {
    pub(super) name: &'static str,
    /// The words before `--`.
    words: &'static [&'static str],
    exit: i32,
    /// The expected standard output.
    stdout: ExpectedOutput,
    /// A file in the working directory with its content; `None` for a file that must not exist.
    file: Option<(&'static str, Option<&'static str>)>,
}

enum ExpectedOutput {
    Exactly(&'static str),
    /// For products, which print remarks first.
    EndsWith(&'static str),
    Anything,
}

impl ExpectedOutput {
    /// Describes the difference to the expected output, if any.
    fn mismatch(&self, said: &str) -> Option<String> {
        match *self {
            ExpectedOutput::Exactly(expected) if said != expected => {
                Some(format!("printed {said:?} instead of {expected:?}"))
            }
            ExpectedOutput::EndsWith(expected) if !said.ends_with(expected) => Some(format!(
                "printed {said:?}, which does not end with {expected:?}"
            )),
            _ => None,
        }
    }
}

pub(super) fn run(dirs: &InteropDirs, agent: &Agent, task: &RunTask) -> Result<Outcome, String> {
    let words = match &agent.program {
        Program::Ready(words) => words,
        Program::Skipped(reason) => return Ok(Outcome::Skipped(reason.clone())),
    };
    eprintln!("==> attache, {}: {}", agent.name, task.name);
    let folder = dirs.installed.join("runs").join(format!(
        "attache-{}-{}",
        agent.name,
        task.name.replace(' ', "-")
    ));
    let start = Instant::now();
    let fault = run_and_check(dirs, agent, task, words, &folder)
        .map_err(|error| format!("can't run attache in {}: {error}", folder.display()))?;
    Ok(match fault {
        None => Outcome::Ok(start.elapsed()),
        Some(fault) => {
            eprintln!("    failed: {fault}");
            Outcome::Failed(fault)
        }
    })
}

/// Runs the task in its own directory and returns what is wrong with the result, if anything.
fn run_and_check(
    dirs: &InteropDirs,
    agent: &Agent,
    task: &RunTask,
    words: &[OsString],
    folder: &Path,
) -> io::Result<Option<String>> {
    let cwd = folder.join("cwd");
    child::empty(folder)?;
    fs::create_dir(&cwd)?;
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    let mut command = Command::new(dirs.target.join("release/attache"));
    command.args(task.words).arg("--").args(words);
    command
        .current_dir(&cwd)
        .envs(agent.env.iter().map(|(name, value)| (name, value)));
    command
        .env("ATTACHE_HOME", folder.join("home"))
        .env(child::MARK, folder);
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?);
    let mut running = command.stderr(File::create(&stderr)?).spawn()?;
    let Some(status) = child::wait(&mut running, LIMIT)? else {
        return Ok(Some(format!("still running after {} s", LIMIT.as_secs())));
    };
    let said = fs::read_to_string(&stdout)?;
    let mut faults = Vec::new();
    if status.code() != Some(task.exit) {
        faults.push(format!("ended with {status} instead of {}", task.exit));
    }
    faults.extend(task.stdout.mismatch(&said));
    if let Some((name, expected)) = task.file {
        let found = fs::read_to_string(cwd.join(name)).ok();
        if found.as_deref() != expected {
            faults.push(format!("{name} contains {found:?} instead of {expected:?}"));
        }
    }
    let left = child::left_behind(folder);
    if !left.is_empty() {
        faults.push(format!("left processes behind: {}", left.join(", ")));
    }
    if faults.is_empty() {
        return Ok(None);
    }
    faults.push(format!(
        "on stderr:\n{}",
        fs::read_to_string(&stderr)?.trim_end()
    ));
    Ok(Some(faults.join("\n")))
}

/// The tasks of the agents of `interop/README.md`.
pub(super) const EXAMPLE: &[RunTask] = &[
    RunTask {
        name: "stream",
        words: &["run", "--format", "quiet", "stream 3"],
        exit: 0,
        stdout: ExpectedOutput::Exactly("chunk 0chunk 1chunk 2\n"),
        file: None,
    },
    RunTask {
        name: "permission",
        words: &["run", "--format", "quiet", "--approve-all", "permission"],
        exit: 0,
        stdout: ExpectedOutput::Exactly("permission: selected allow\n"),
        file: None,
    },
    RunTask {
        name: "denial",
        words: &["run", "--format", "quiet", "--deny-all", "permission"],
        exit: 5,
        stdout: ExpectedOutput::Exactly("permission: selected reject\n"),
        file: None,
    },
    RunTask {
        name: "write",
        words: &[
            "run",
            "--format",
            "quiet",
            "--approve-all",
            "write note.txt hello",
        ],
        exit: 0,
        stdout: ExpectedOutput::Exactly("written\n"),
        file: Some(("note.txt", Some("hello"))),
    },
    RunTask {
        name: "write denied",
        words: &["run", "--format", "quiet", "write note.txt hello"],
        exit: 1,
        stdout: ExpectedOutput::Anything,
        file: Some(("note.txt", None)),
    },
    RunTask {
        name: "terminal",
        words: &["run", "--format", "quiet", "--approve-all", "terminal"],
        exit: 0,
        stdout: ExpectedOutput::Exactly("terminal: hello exit 0\n"),
        file: None,
    },
    RunTask {
        name: "time up",
        words: &["run", "--format", "quiet", "--timeout", "1", "wait"],
        exit: 3,
        stdout: ExpectedOutput::Anything,
        file: None,
    },
];

/// The tasks of products with our model.
pub(super) const PRODUCT: &[RunTask] = &[
    RunTask {
        name: "text",
        words: &["run", "--format", "quiet", "Say hello"],
        exit: 0,
        stdout: ExpectedOutput::EndsWith("Hello from the model.\n"),
        file: None,
    },
    RunTask {
        name: "command allowed",
        words: &[
            "run",
            "--format",
            "quiet",
            "--approve-all",
            "<<run touch made.txt>>",
        ],
        exit: 0,
        stdout: ExpectedOutput::Exactly("It is done.\n"),
        file: Some(("made.txt", Some(""))),
    },
    RunTask {
        name: "command denied",
        words: &["run", "--format", "quiet", "<<run touch made.txt>>"],
        exit: 5,
        stdout: ExpectedOutput::Anything,
        file: Some(("made.txt", None)),
    },
    RunTask {
        name: "time up",
        words: &["run", "--format", "quiet", "--timeout", "4", "<<wait>>"],
        exit: 3,
        stdout: ExpectedOutput::Anything,
        file: None,
    },
    RunTask {
        name: "doctor",
        words: &["doctor"],
        exit: 0,
        stdout: ExpectedOutput::Anything,
        file: None,
    },
];

/// The task of our own agent with the script of `interop/mcp/`.
pub(super) const SERVER: &[RunTask] = &[RunTask {
    name: "mcp",
    words: &[
        "run",
        "--format",
        "quiet",
        "--approve-all",
        "--mcp",
        r#"{"everything":{"command":"node","args":["../../../mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js","stdio"]}}"#,
        "Call the server",
    ],
    exit: 0,
    stdout: ExpectedOutput::Exactly("The server has answered.\n"),
    file: None,
}];

const LIMIT: Duration = Duration::from_secs(60);
