//! Programs judged at the moment they are executed: what a watched program is about to run, and what came of it.
//! The kernel stops each `execve` and `execveat` of the tree, the guard judges it, and the owner gets the record.
//! Only Linux on x86-64 and AArch64 can do this; [`exec_support`] tells.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::platform;

/// Rules to judge a program's tree by. Set it with [`Program::watch`](super::Program::watch).
#[derive(Clone, PartialEq, Eq)]
pub struct ExecWatch {
    /// The rules, in a form that the registered judge reads
    /// (see [`guard::judge_with`](super::guard::judge_with)).
    pub rules: Vec<u8>,
    /// How long a process waits for an answer to [`ExecEvent::Ask`] before it is denied.
    pub deadline: Duration,
}

impl ExecWatch {
    /// These rules, with 120 seconds to answer a request.
    pub fn new(rules: Vec<u8>) -> ExecWatch {
        ExecWatch {
            rules,
            deadline: DEADLINE,
        }
    }
}

impl fmt::Debug for ExecWatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ExecWatch({} bytes of rules)", self.rules.len())
    }
}

/// A file that is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecFile {
    /// Where it is, with links followed.
    pub path: PathBuf,
    /// The device and inode, which are the same under every name.
    pub id: (u64, u64),
    /// Whether it is set-user-id or set-group-id; a watched program does not gain rights from that.
    pub gains_rights: bool,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it has hard links.
    pub has_links: bool,
    /// Its size and when its content was changed.
    pub version: FileVersion,
    /// When it was changed in any way, in seconds and nanoseconds: nobody can set this time back.
    pub changed: (i64, u32),
    /// How its path and its id compare with those of files that we see.
    pub origin: FileOrigin,
}

/// The size of a file and when its content was last changed. An overlay file system shows them as they are below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct FileVersion {
    /// Its size in bytes.
    pub size: u64,
    /// The second of the last change.
    pub seconds: i64,
    /// And its fraction.
    pub nanoseconds: u32,
}

/// How the path and the id of a file compare with those of files that we see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileOrigin {
    /// They mean what they mean to us.
    #[default]
    Shared,
    /// The path leads us elsewhere: the process may see a file of ours under another path.
    Elsewhere,
    /// The file is on an overlay file system that we do not see, where files of ours have other ids and paths.
    Overlay,
}

/// What became of a search for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileLookup {
    /// There it is.
    Found(ExecFile),
    /// The process finds nothing there, either.
    Missing,
    /// The process may find a file there; we cannot look.
    Unknown,
}

/// An interpreter that the kernel runs in place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecInterpreter {
    /// The words of the `#!` line, at most two; of an ELF file, the path that it names.
    pub words: Vec<OsString>,
    /// The interpreter itself; `None` if it was not found.
    pub file: Option<ExecFile>,
}

/// What a process is about to execute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exec {
    /// The process or thread that asks.
    pub pid: u32,
    /// The path as the process wrote it.
    pub given: OsString,
    /// The file behind it; `None` if it could not be looked up.
    pub file: Option<ExecFile>,
    /// The interpreters behind `#!` lines, outermost script first.
    pub interpreters: Vec<ExecInterpreter>,
    /// The interpreters that ELF files name, other than the system's own dynamic loader. They get the arguments as they
    /// are.
    pub loaders: Vec<ExecInterpreter>,
    /// What could not be looked at, in words for the user: something else may run than what is told here.
    pub unseen: Option<&'static str>,
    /// The arguments with the name of the program first; `None` if they could not be read.
    pub args: Option<Vec<OsString>>,
    /// How many arguments there are beyond those in `args`.
    pub more: usize,
    /// The working directory, where the judge wants to know it.
    pub cwd: Option<PathBuf>,
}

/// What becomes of an exec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecVerdict {
    /// The program is executed.
    Continue,
    /// The call fails with `EACCES`.
    Deny {
        /// The rule, for the user and the log.
        why: String,
    },
    /// The process waits until the owner has answered.
    Ask {
        /// The rule, for the user and the log.
        why: String,
    },
}

/// Judges execs, inside the guard process. Everything on the machine's side of a call is bounded: be quick here, each
/// exec of the tree waits for it.
pub trait ExecJudge: Send {
    /// What becomes of this exec of a process.
    fn judge(&mut self, exec: &Exec, process: &dyn ExecProcess) -> ExecVerdict;

    /// Whether [`Exec::cwd`] is wanted for a verdict, which costs a look more.
    fn looks_at_directory(&self) -> bool {
        false
    }

    /// Whether any exec can be denied. If not, there is no second look at programs after their exec.
    fn is_enforcing(&self) -> bool;
}

/// The process behind an exec, for a judge that wants to know more. Each call costs time.
pub trait ExecProcess {
    /// A file by its path, looked up as the process would.
    fn find(&self, path: &OsStr) -> FileLookup;

    /// The `PATH` of the new program, empty if it has none; `None` if its variables cannot be read. If it is set more than
    /// once, all of them.
    fn search_path(&self) -> Option<OsString>;

    /// The variables for the new program, as `NAME=value`, other than those that the first program of the tree was started
    /// with; `None` if not all can be read.
    fn variables(&self) -> Option<Vec<OsString>>;
}

/// Makes a judge of the rules in an [`ExecWatch`]; `None` if they cannot be understood.
pub type JudgeFactory = fn(&[u8]) -> Option<Box<dyn ExecJudge>>;

/// An exec as it is reported to the owner. Lists are bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecRecord {
    /// The process.
    pub pid: u32,
    /// The program, with links followed if it could be found.
    pub program: PathBuf,
    /// The arguments with the name of the program first; empty if they could not be read.
    pub args: Vec<OsString>,
    /// How many more arguments there are.
    pub more: u32,
    /// The working directory; not of programs that simply ran.
    pub cwd: Option<PathBuf>,
    /// The names of the processes above it, nearest first, up to the program that was started.
    pub parents: Vec<OsString>,
    /// Its variables, as `NAME=value`, other than those that the first program of the tree was started with; only of a
    /// program that waits for an answer.
    pub variables: Vec<OsString>,
    /// Whether the program is set-user-id or set-group-id and therefore runs without the rights it expects.
    pub loses_rights: bool,
}

/// What happened at an exec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecEvent {
    /// Nothing is judged: another guard or supervisor outside already watches this program.
    AlreadyWatched,
    /// A program was executed.
    Ran(ExecRecord),
    /// A program was not executed.
    Denied {
        /// Which.
        exec: ExecRecord,
        /// The rule, or what else stopped it.
        why: String,
    },
    /// A process waits for an answer through [`ExecAnswers`].
    Ask {
        /// Names the request in the answer.
        id: u64,
        /// What it wants to execute.
        exec: ExecRecord,
        /// The rule that asks.
        why: String,
    },
    /// A request needs no answer any more: its process has ended, or the deadline has passed.
    Withdrawn {
        /// Which request.
        id: u64,
    },
    /// A program ran that is not what was judged, and was killed.
    Killed {
        /// What ran.
        exec: ExecRecord,
        /// The rule.
        why: String,
    },
    /// Records were dropped since the owner was too slow. Every exec was judged.
    Missed {
        /// How many.
        count: u64,
    },
}

/// The events of a watched program. If nobody takes them, records are dropped; if this is dropped, requests are denied.
pub struct Execs {
    events: mpsc::Receiver<ExecEvent>,
    answers: ExecAnswers,
}

impl Execs {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) fn new(events: mpsc::Receiver<ExecEvent>, answers: ExecAnswers) -> Execs {
        Execs { events, answers }
    }

    /// The next event; `None` when the tree has ended. Cancel safe.
    pub async fn next(&mut self) -> Option<ExecEvent> {
        self.events.recv().await
    }

    /// The way to answer requests.
    pub fn answers(&self) -> ExecAnswers {
        self.answers.clone()
    }
}

impl fmt::Debug for Execs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Execs")
    }
}

/// Answers requests of one watched program.
#[derive(Clone)]
pub struct ExecAnswers(pub(super) Arc<platform::AnswerSocket>);

impl ExecAnswers {
    /// Lets the exec happen. A request that was withdrawn, or whose arguments have changed since, is not executed.
    pub fn allow(&self, id: u64) {
        self.0.answer(id, true);
    }

    /// Has the exec fail with `EACCES`.
    pub fn deny(&self, id: u64) {
        self.0.answer(id, false);
    }
}

impl fmt::Debug for ExecAnswers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ExecAnswers")
    }
}

/// Whether this system can judge programs as they are executed. Printed, it reads as the end of a sentence about
/// command rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecSupport {
    /// It can.
    Full,
    /// It can, on an older kernel: a signal can repeat a request, which is then answered once.
    Restarting,
    /// It cannot, and no watched program starts.
    Missing {
        /// Why not.
        reason: &'static str,
    },
}

/// Whether this system can judge programs as they are executed. Costs a thread the first time.
pub fn exec_support() -> ExecSupport {
    platform::exec_support()
}

impl ExecSupport {
    /// Whether programs can be watched.
    pub fn is_available(self) -> bool {
        !matches!(self, ExecSupport::Missing { .. })
    }
}

impl fmt::Display for ExecSupport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExecSupport::Full => out.write_str("they are enforced when a program is executed"),
            ExecSupport::Restarting => out.write_str(
                "they are enforced when a program is executed (Linux 5.19 or later handles signals better while one waits)",
            ),
            ExecSupport::Missing { reason } => {
                write!(out, "they cannot be enforced when a program is executed: {reason}")
            }
        }
    }
}

const DEADLINE: Duration = Duration::from_secs(120);
