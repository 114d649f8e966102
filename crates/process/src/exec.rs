//! Judges programs at the moment they are executed. The kernel stops each `execve` and `execveat` in the process tree of a
//! watched program, the guard judges the call, and the owner gets a record.
//!
//! Supported on Linux on x86-64 and AArch64 only; check with [`exec_support`].

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::platform;

/// Rules for the programs that a process tree may execute. Set them with [`Program::watch`](super::Program::watch).
#[derive(Clone, PartialEq, Eq)]
pub struct ExecWatch {
    /// The rules, in a form that the registered judge reads
    /// (see [`guard::judge_with`](super::guard::judge_with)).
    pub rules: Vec<u8>,
    /// How long a process waits for the answer to [`ExecEvent::Ask`] before its exec is denied.
    pub deadline: Duration,
}

impl ExecWatch {
    /// Creates a watch with these rules and 120 seconds to answer a request.
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

/// A file that a process executes, or an interpreter of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecFile {
    /// The path of the file, with symbolic links resolved.
    pub path: PathBuf,
    /// The device and inode of the file, which are the same for all its names.
    pub id: (u64, u64),
    /// Whether the file is set-user-id or set-group-id. A watched program gains no rights from it.
    pub gains_rights: bool,
    /// Whether the file is a directory.
    pub is_directory: bool,
    /// Whether the file has more than one hard link.
    pub has_links: bool,
    /// The size of the file and the time when its content was last changed.
    pub version: FileVersion,
    /// The time of the last change of any kind (`ctime`), in seconds and nanoseconds. Programs cannot set it back.
    pub changed: (i64, u32),
    /// Whether the path and the id mean the same file to this process.
    pub origin: FileOrigin,
}

/// The size of a file and the time when its content was last changed. An overlay file system shows the values of the file
/// in the layer below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct FileVersion {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change, in seconds since 1970.
    pub seconds: i64,
    /// The nanoseconds within that second.
    pub nanoseconds: u32,
}

/// Whether the path and the id of a watched process's file mean the same file to this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileOrigin {
    /// The path and the id mean the same file.
    #[default]
    Shared,
    /// The path leads elsewhere in this process. The file may be visible here under another path.
    Elsewhere,
    /// The file is on an overlay file system that is not visible here. The same file may have another id and path here.
    Overlay,
}

/// The result of looking up a file as a watched process would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileLookup {
    /// The file was found.
    Found(ExecFile),
    /// The file does not exist for the process.
    Missing,
    /// The lookup failed here, but the process may find a file.
    Unknown,
}

/// An interpreter that the kernel runs instead of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecInterpreter {
    /// The words of the `#!` line, at most two. For an ELF file, the path of its loader.
    pub words: Vec<OsString>,
    /// The interpreter's file, or `None` if it was not found.
    pub file: Option<ExecFile>,
}

/// An exec that a process is about to make.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exec {
    /// The id of the process or thread that calls exec.
    pub pid: u32,
    /// The path as the process wrote it.
    pub given: OsString,
    /// The file at this path, or `None` if it could not be looked up.
    pub file: Option<ExecFile>,
    /// The interpreters named in `#!` lines, outermost script first.
    pub interpreters: Vec<ExecInterpreter>,
    /// The loaders named in ELF files, other than the system's own dynamic loader. They get the arguments unchanged.
    pub loaders: Vec<ExecInterpreter>,
    /// Why a program other than the one described here may run, in words for the user. `None` if everything could be
    /// inspected.
    pub unseen: Option<&'static str>,
    /// The arguments, beginning with the name of the program, or `None` if they could not be read.
    pub args: Option<Vec<OsString>>,
    /// The number of arguments that are not in `args`.
    pub more: usize,
    /// The working directory, if [`ExecJudge::needs_cwd`] asks for it.
    pub cwd: Option<PathBuf>,
}

/// The judge's decision about an exec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecVerdict {
    /// The program is executed.
    Continue,
    /// The call fails with `EACCES`.
    Deny {
        /// The rule that denies the exec, for the user and the log.
        why: String,
    },
    /// The process waits until the owner has answered.
    Ask {
        /// The rule that asks, for the user and the log.
        why: String,
    },
}

/// Decides about execs, inside the guard process. Be quick: every exec of the process tree waits for the decision.
pub trait ExecJudge: Send {
    /// Decides about an exec of a process.
    fn judge(&mut self, exec: &Exec, process: &dyn ExecProcess) -> ExecVerdict;

    /// Whether [`judge`](Self::judge) needs [`Exec::cwd`], which takes an extra lookup.
    fn needs_cwd(&self) -> bool {
        false
    }

    /// Whether this judge can deny any exec. If not, programs are not checked again after their exec.
    fn is_enforcing(&self) -> bool;
}

/// Access to the process that calls exec, for a judge that needs more information. Each call takes time.
pub trait ExecProcess {
    /// Looks up a path as the process would.
    fn find(&self, path: &OsStr) -> FileLookup;

    /// Looks up a file that the program will run, such as a script. If the judge asks, the answer counts only if the
    /// lookup has the same result then.
    fn find_program(&self, path: &OsStr) -> FileLookup {
        self.find(path)
    }

    /// Returns the `PATH` of the new program, which is empty if the variable is not set. If it is set more than once,
    /// returns all values. Returns `None` if the environment cannot be read.
    fn search_path(&self) -> Option<OsString>;

    /// Returns the environment variables of the new program, as `NAME=value`, without those that the first program of the
    /// tree was started with. Returns `None` if any of them cannot be read.
    fn variables(&self) -> Option<Vec<OsString>>;
}

/// A function that makes a judge from the rules in an [`ExecWatch`]. Returns `None` if the rules are not valid.
pub type JudgeFactory = fn(&[u8]) -> Option<Box<dyn ExecJudge>>;

/// An exec as reported to the owner. The lists are limited in length.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExecRecord {
    /// The id of the process.
    pub pid: u32,
    /// The path of the program, with symbolic links resolved if the file was found.
    pub program: PathBuf,
    /// The arguments, beginning with the name of the program. Empty if they could not be read.
    pub args: Vec<OsString>,
    /// The number of arguments that are not in `args`.
    pub more: u32,
    /// The working directory. `None` for programs that were allowed without asking.
    pub cwd: Option<PathBuf>,
    /// The names of the programs that the parent processes run (see [`program_name`](super::program_name)), nearest first,
    /// up to the program that was started.
    pub parents: Vec<OsString>,
    /// The environment variables, as `NAME=value`, without those that the first program of the tree was started with. Only
    /// set for a program that waits for an answer.
    pub variables: Vec<OsString>,
    /// Whether the program is set-user-id or set-group-id, and therefore runs without the rights it expects.
    pub loses_rights: bool,
}

/// An event of a watched program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecEvent {
    /// The program is not watched here, because a guard or supervisor outside already watches it.
    AlreadyWatched,
    /// A program was executed.
    Ran(ExecRecord),
    /// A program was not executed.
    Denied {
        /// The exec that was denied.
        exec: ExecRecord,
        /// The rule, or another reason why the program was not executed.
        why: String,
    },
    /// A process waits for an answer through [`ExecAnswers`].
    Ask {
        /// The id of the request, for the answer.
        id: u64,
        /// The exec that the process wants to make.
        exec: ExecRecord,
        /// The rule that asks.
        why: String,
    },
    /// A request no longer needs an answer: its process has ended, or the deadline has passed.
    Withdrawn {
        /// The id of the request.
        id: u64,
    },
    /// A program other than the judged one was running, and was killed.
    Killed {
        /// The program that was running.
        exec: ExecRecord,
        /// The rule.
        why: String,
    },
    /// Records were dropped because the owner was too slow. All execs were judged nevertheless.
    Missed {
        /// The number of dropped records.
        count: u64,
    },
}

/// The events of a watched program. If you do not read them, records are dropped. If you drop this value, requests are
/// denied.
pub struct ExecEvents {
    events: mpsc::Receiver<ExecEvent>,
    answers: ExecAnswers,
}

impl ExecEvents {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) fn new(events: mpsc::Receiver<ExecEvent>, answers: ExecAnswers) -> ExecEvents {
        ExecEvents { events, answers }
    }

    /// Waits for the next event. Returns `None` when the process tree has ended. This method is cancel safe.
    pub async fn next(&mut self) -> Option<ExecEvent> {
        self.events.recv().await
    }

    /// Returns a handle for answering requests.
    pub fn answers(&self) -> ExecAnswers {
        self.answers.clone()
    }
}

impl fmt::Debug for ExecEvents {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ExecEvents")
    }
}

/// Answers requests of one watched program.
#[derive(Clone)]
pub struct ExecAnswers(pub(super) Arc<platform::AnswerSocket>);

impl ExecAnswers {
    /// Allows the exec. It still fails if the request was withdrawn or the arguments have changed since.
    pub fn allow(&self, id: u64) {
        self.0.answer(id, true);
    }

    /// Denies the exec, which fails with `EACCES`.
    pub fn deny(&self, id: u64) {
        self.0.answer(id, false);
    }
}

impl fmt::Debug for ExecAnswers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ExecAnswers")
    }
}

/// Whether this system can judge programs when they are executed. The `Display` text completes a sentence about command
/// rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecSupport {
    /// Supported.
    Full,
    /// Supported, on an older kernel where a signal can repeat a request. Repeated requests are answered once.
    Restarting,
    /// Not supported. Watched programs do not start.
    Missing {
        /// Why this system does not support it.
        reason: &'static str,
    },
}

/// Checks whether this system can judge programs when they are executed. The first call starts a thread to try it.
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
