//! Why an agent does not start, does not answer or lets nobody in: one look at everything from its file to its stop,
//! with what to do about each thing that is wrong. An agent that hangs is waited for no longer than allowed.

mod command;
mod conversation;
mod hint;
mod records;
mod runtime;
mod sandbox;
mod stdout;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agents::Agent;

pub use records::{policy, records};
pub use sandbox::sandbox;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub subject: Subject,
    /// How it is.
    pub level: Level,
    /// What was seen, safe to show.
    pub what: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// What is looked at, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The file that is started.
    Command,
    /// The interpreter that a script names.
    Interpreter,
    /// The version of node, uv or the like.
    Runtime,
    /// Whether it starts.
    Start,
    /// Whether it answers, and how fast.
    Handshake,
    /// The version of the protocol.
    Protocol,
    /// What it calls itself.
    Agent,
    /// What it offers.
    Capabilities,
    /// The ways to log in.
    Authentication,
    /// Whether it opens a session.
    Session,
    /// What it writes to standard output besides messages.
    Stdout,
    /// What it writes to standard error.
    Stderr,
    /// How it ends.
    Stop,
    /// Whether the rules of the policy do what they seem to.
    Policy,
    /// Whether commands can be confined.
    Sandbox,
    /// Whether the kernel enforces deny rules on paths.
    DeniedPaths,
    /// Whether command rules are enforced when a program is executed.
    CommandRules,
    /// Whether remembered decisions can be used.
    Permissions,
    /// Whether the audit log is whole.
    Audit,
}

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Fine,
    /// Not quite as it should be; it works all the same.
    Odd,
    /// It does not work.
    Bad,
}

/// How an agent is looked at.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// The directory in which it works; absolute.
    pub cwd: PathBuf,
    /// How long it may take to answer, each time it is asked.
    pub patience: Duration,
}

/// Looks at an agent and tells each finding as soon as it is known. Nothing is left running.
pub async fn examine(agent: &Agent, conditions: &Conditions, mut tell: impl FnMut(Finding)) {
    let Some(file) = command::resolve(agent, &mut tell) else {
        return;
    };
    if command::interpreter(agent, &file, &mut tell) == Level::Bad {
        return;
    }
    runtime::check(agent, &file, &mut tell).await;
    conversation::hold(agent, conditions, &mut tell).await;
}

impl Finding {
    fn fine(subject: Subject, what: impl Into<String>) -> Finding {
        Finding {
            subject,
            level: Level::Fine,
            what: what.into(),
            fix: None,
        }
    }

    fn odd(subject: Subject, what: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding {
            level: Level::Odd,
            fix: Some(fix.into()),
            ..Finding::fine(subject, what)
        }
    }

    fn bad(subject: Subject, what: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding {
            level: Level::Bad,
            fix: Some(fix.into()),
            ..Finding::fine(subject, what)
        }
    }
}

impl Subject {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Command => "command",
            Subject::Interpreter => "interpreter",
            Subject::Runtime => "runtime",
            Subject::Start => "start",
            Subject::Handshake => "handshake",
            Subject::Protocol => "protocol",
            Subject::Agent => "agent",
            Subject::Capabilities => "capabilities",
            Subject::Authentication => "authentication",
            Subject::Session => "session",
            Subject::Stdout => "stdout",
            Subject::Stderr => "stderr",
            Subject::Stop => "stop",
            Subject::Policy => "policy",
            Subject::Sandbox => "sandbox",
            Subject::DeniedPaths => "denied paths",
            Subject::CommandRules => "command rules",
            Subject::Permissions => "permissions",
            Subject::Audit => "audit",
        }
    }
}

impl Level {
    /// In a word: `ok`, `warn` or `fail`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Fine => "ok",
            Level::Odd => "warn",
            Level::Bad => "fail",
        }
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
