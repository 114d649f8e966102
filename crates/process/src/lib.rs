//! Starts programs as child processes and keeps track of all processes they start in turn. When a [`Child`] ends, its
//! whole process tree is killed; the tree of a command is killed when you stop the command. No other crate spawns
//! processes. `docs/processes.md` describes the guarantees on each system.

pub mod guard;
#[cfg(target_os = "linux")]
pub mod mount_table;

mod child;
mod confinement;
mod diagnostics;
mod error;
mod exec;
mod exit;
mod foreign_process;
mod program;
mod program_name;
mod stderr_tail;
mod stdio;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as platform;

/// The example of the package's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use child::{Child, Custody};
pub use confinement::{
    Confinement, Cover, CoverAccess, CoverKind, CoveredPath, NestedMounts, Network, Unsupported,
    namespace_support,
};
pub use error::Error;
pub use exec::{
    Exec, ExecAnswers, ExecEvent, ExecEvents, ExecFile, ExecInterpreter, ExecJudge, ExecProcess,
    ExecRecord, ExecSupport, ExecVerdict, ExecWatch, FileLookup, FileOrigin, FileVersion,
    JudgeFactory, exec_support,
};
pub use exit::{ChildExit, ExitStatus, Signal, StopStep, StopTimeouts};
pub use foreign_process::ForeignProcess;
pub use program::Program;
pub use program_name::program_name;
pub use stderr_tail::StderrTail;
pub use stdio::{Stdin, Stdout};

/// The state of a running child, updated by the platform.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    descendants_noted: bool,
    status: Option<ExitStatus>,
    survivors: Option<u32>,
}

/// A child that the platform has started.
struct StartedProgram {
    pid: u32,
    custody: Custody,
    tree: platform::TreeHandle,
    progress: tokio::sync::watch::Receiver<Progress>,
    execs: Option<ExecEvents>,
}

/// The owner's ends of a child's three pipes.
struct Pipes {
    stdin: platform::Input,
    stdout: platform::Output,
    stderr: platform::ErrorOutput,
}
