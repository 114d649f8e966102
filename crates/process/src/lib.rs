//! Programs started as children, and custody of everything they start in turn: when a [`Child`] ends, its whole
//! tree ends, and that of a command when it is told to. This is the only place that spawns processes. `docs/processes.md` says what holds on which system.

pub mod guard;
#[cfg(target_os = "linux")]
pub mod mount_table;

mod child;
mod confinement;
mod error;
mod exec;
mod exit;
mod foreign_process;
mod program;
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
pub use stderr_tail::StderrTail;
pub use stdio::{Stdin, Stdout};

/// What the platform knows of a running agent, as it becomes known.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    descendants_noted: bool,
    status: Option<ExitStatus>,
    survivors: Option<u32>,
}

/// An agent that the platform has started.
struct StartedProgram {
    pid: u32,
    custody: Custody,
    tree: platform::TreeHandle,
    progress: tokio::sync::watch::Receiver<Progress>,
    execs: Option<ExecEvents>,
}

/// Our ends of its three pipes.
struct Pipes {
    stdin: platform::Input,
    stdout: platform::Output,
    stderr: platform::ErrorOutput,
}
