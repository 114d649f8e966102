//! Programs started as children, and custody of everything they start in turn: when a [`Child`] ends, its whole
//! tree ends, and that of a command when it is told to. This is the only place that spawns processes. `docs/processes.md` says what holds on which system.

pub mod guard;
#[cfg(target_os = "linux")]
pub mod mount_table;

mod child;
mod confinement;
mod ending;
mod error;
mod exec;
mod held;
mod program;
mod stdio;
mod tail;

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
    Confinement, Cover, CoverKind, KeptAccess, KeptPath, Nesting, Network, Unsupported,
    namespace_support,
};
pub use ending::{Ending, Ladder, Rung, Signal, Status};
pub use error::Error;
pub use exec::{
    Exec, ExecAnswers, ExecEvent, ExecFile, ExecInterpreter, ExecJudge, ExecProcess, ExecRecord,
    ExecSupport, ExecVerdict, ExecWatch, Execs, FileLookup, FileOrigin, FileVersion, JudgeFactory,
    exec_support,
};
pub use held::Held;
pub use program::Program;
pub use stdio::{Stdin, Stdout};
pub use tail::Tail;

/// What the platform knows of a running agent, as it becomes known.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    looked: bool,
    status: Option<Status>,
    survivors: Option<u32>,
}

/// An agent that the platform has started.
struct Started {
    pid: u32,
    custody: Custody,
    leash: platform::Leash,
    progress: tokio::sync::watch::Receiver<Progress>,
    execs: Option<Execs>,
}

/// Our ends of its three pipes.
struct Pipes {
    stdin: platform::Input,
    stdout: platform::Output,
    stderr: platform::ErrorOutput,
}
