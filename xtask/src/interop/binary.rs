//! The binary with agents of others: the example agents of the official SDKs, and products with the model of
//! [`model`](super::model). What is checked is what a script sees: exit code, standard output, files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::pair::Outcome;
use super::{Place, Program, child};

/// An agent that `attache` drives.
pub(super) struct Agent {
    pub(super) name: &'static str,
    pub(super) program: Program,
    /// What its environment holds beside ours.
    pub(super) env: Vec<(&'static str, OsString)>,
    pub(super) errands: &'static [Errand],
}

/// One run of `attache`, and what must come of it.
pub(super) struct Errand {
    pub(super) name: &'static str,
    /// The words before `--`.
    words: &'static [&'static str],
    exit: i32,
    /// What standard output is, or holds.
    says: Says,
    /// A file of the working directory, and what it holds; `None` for a file that must not be there.
    leaves: Option<(&'static str, Option<&'static str>)>,
}

enum Says {
    Exactly(&'static str),
    /// Products have remarks of their own in front of it.
    InTheEnd(&'static str),
    Anything,
}

impl Says {
    /// What should have been said instead.
    fn fault(&self, said: &str) -> Option<String> {
        match *self {
            Says::Exactly(expected) if said != expected => {
                Some(format!("it printed {said:?}, not {expected:?}"))
            }
            Says::InTheEnd(expected) if !said.ends_with(expected) => Some(format!(
                "it printed {said:?}, which does not end with {expected:?}"
            )),
            _ => None,
        }
    }
}

pub(super) fn run(place: &Place, agent: &Agent, errand: &Errand) -> Result<Outcome, String> {
    let words = match &agent.program {
        Program::Ready(words) => words,
        Program::Skipped(reason) => return Ok(Outcome::Skipped(reason.clone())),
    };
    eprintln!("==> attache, {}: {}", agent.name, errand.name);
    let folder = place.installed.join("runs").join(format!(
        "attache-{}-{}",
        agent.name,
        errand.name.replace(' ', "-")
    ));
    let start = Instant::now();
    let fault = go(place, agent, errand, words, &folder)
        .map_err(|error| format!("cannot run attache in {}: {error}", folder.display()))?;
    Ok(match fault {
        None => Outcome::Ok(start.elapsed()),
        Some(fault) => {
            eprintln!("    failed: {fault}");
            Outcome::Failed(fault)
        }
    })
}

/// Runs it in a folder of its own, and tells what is wrong with what comes of it.
fn go(
    place: &Place,
    agent: &Agent,
    errand: &Errand,
    words: &[OsString],
    folder: &Path,
) -> io::Result<Option<String>> {
    let cwd = folder.join("cwd");
    child::empty(folder)?;
    fs::create_dir(&cwd)?;
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    let mut command = Command::new(place.target.join("release/attache"));
    command.args(errand.words).arg("--").args(words);
    command
        .current_dir(&cwd)
        .envs(agent.env.iter().map(|(name, value)| (name, value)));
    command
        .env("ATTACHE_HOME", folder.join("home"))
        .env(child::MARK, folder);
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?);
    let mut running = command.stderr(File::create(&stderr)?).spawn()?;
    let Some(status) = child::wait(&mut running, LIMIT)? else {
        return Ok(Some(format!("no end after {} s", LIMIT.as_secs())));
    };
    let said = fs::read_to_string(&stdout)?;
    let mut faults = Vec::new();
    if status.code() != Some(errand.exit) {
        faults.push(format!("it ended with {status}, not with {}", errand.exit));
    }
    faults.extend(errand.says.fault(&said));
    if let Some((name, expected)) = errand.leaves {
        let found = fs::read_to_string(cwd.join(name)).ok();
        if found.as_deref() != expected {
            faults.push(format!("{name} holds {found:?}, not {expected:?}"));
        }
    }
    let left = child::left_behind(folder);
    if !left.is_empty() {
        faults.push(format!("it left processes behind: {}", left.join(", ")));
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

/// For the agents of `interop/README.md`.
pub(super) const EXAMPLE: &[Errand] = &[
    Errand {
        name: "stream",
        words: &["run", "--format", "quiet", "stream 3"],
        exit: 0,
        says: Says::Exactly("chunk 0chunk 1chunk 2\n"),
        leaves: None,
    },
    Errand {
        name: "permission",
        words: &["run", "--format", "quiet", "--approve-all", "permission"],
        exit: 0,
        says: Says::Exactly("permission: selected allow\n"),
        leaves: None,
    },
    Errand {
        name: "denial",
        words: &["run", "--format", "quiet", "--deny-all", "permission"],
        exit: 5,
        says: Says::Exactly("permission: selected reject\n"),
        leaves: None,
    },
    Errand {
        name: "write",
        words: &[
            "run",
            "--format",
            "quiet",
            "--approve-all",
            "write note.txt hello",
        ],
        exit: 0,
        says: Says::Exactly("written\n"),
        leaves: Some(("note.txt", Some("hello"))),
    },
    Errand {
        name: "write denied",
        words: &["run", "--format", "quiet", "write note.txt hello"],
        exit: 1,
        says: Says::Anything,
        leaves: Some(("note.txt", None)),
    },
    Errand {
        name: "terminal",
        words: &["run", "--format", "quiet", "--approve-all", "terminal"],
        exit: 0,
        says: Says::Exactly("terminal: hello exit 0\n"),
        leaves: None,
    },
    Errand {
        name: "time up",
        words: &["run", "--format", "quiet", "--timeout", "1", "wait"],
        exit: 3,
        says: Says::Anything,
        leaves: None,
    },
];

/// For products with our model.
pub(super) const PRODUCT: &[Errand] = &[
    Errand {
        name: "text",
        words: &["run", "--format", "quiet", "Say hello"],
        exit: 0,
        says: Says::InTheEnd("Hello from the model.\n"),
        leaves: None,
    },
    Errand {
        name: "command allowed",
        words: &[
            "run",
            "--format",
            "quiet",
            "--approve-all",
            "<<run touch made.txt>>",
        ],
        exit: 0,
        says: Says::Exactly("It is done.\n"),
        leaves: Some(("made.txt", Some(""))),
    },
    Errand {
        name: "command denied",
        words: &["run", "--format", "quiet", "<<run touch made.txt>>"],
        exit: 5,
        says: Says::Anything,
        leaves: Some(("made.txt", None)),
    },
    Errand {
        name: "time up",
        words: &["run", "--format", "quiet", "--timeout", "4", "<<wait>>"],
        exit: 3,
        says: Says::Anything,
        leaves: None,
    },
    Errand {
        name: "doctor",
        words: &["doctor"],
        exit: 0,
        says: Says::Anything,
        leaves: None,
    },
];

/// For our own agent with the script of `interop/mcp/`.
pub(super) const SERVER: &[Errand] = &[Errand {
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
    says: Says::Exactly("The server has answered.\n"),
    leaves: None,
}];

const LIMIT: Duration = Duration::from_secs(60);
