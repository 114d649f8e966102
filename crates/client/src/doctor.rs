//! Why an agent does not start, does not answer or lets nobody in: one look at everything from its file to its stop,
//! with what to do about each thing that is wrong. An agent that hangs is waited for no longer than allowed.

mod command;
mod conversation;
mod records;
mod sandbox;
mod stdout;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agents::Agent;

pub use records::{check_policy, check_records};
pub use sandbox::check_sandbox;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What was looked at.
    pub check: DoctorCheck,
    /// How it is.
    pub severity: Severity,
    /// What was seen, safe to show.
    pub what: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// What is looked at, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoctorCheck {
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
pub enum Severity {
    /// As it should be.
    Ok,
    /// Not quite as it should be; it works all the same.
    Warning,
    /// It does not work.
    Failure,
}

/// How an agent is looked at.
#[derive(Debug, Clone)]
pub struct ExamineOptions {
    /// The directory in which it works; absolute.
    pub cwd: PathBuf,
    /// How long it may take to answer, each time it is asked.
    pub patience: Duration,
}

/// Looks at an agent and tells each finding as soon as it is known. Nothing is left running.
pub async fn examine(
    agent: &Agent,
    conditions: &ExamineOptions,
    mut report: impl FnMut(Diagnosis),
) {
    let Some(file) = command::resolve(agent, &mut report) else {
        return;
    };
    if command::check_interpreter(agent, &file, &mut report) == Severity::Failure {
        return;
    }
    command::check_runtime(agent, &file, &mut report).await;
    conversation::check(agent, conditions, &mut report).await;
}

impl Diagnosis {
    fn ok(check: DoctorCheck, what: impl Into<String>) -> Diagnosis {
        Diagnosis {
            check,
            severity: Severity::Ok,
            what: what.into(),
            fix: None,
        }
    }

    fn warning(check: DoctorCheck, what: impl Into<String>, fix: impl Into<String>) -> Diagnosis {
        Diagnosis {
            severity: Severity::Warning,
            fix: Some(fix.into()),
            ..Diagnosis::ok(check, what)
        }
    }

    fn failure(check: DoctorCheck, what: impl Into<String>, fix: impl Into<String>) -> Diagnosis {
        Diagnosis {
            severity: Severity::Failure,
            fix: Some(fix.into()),
            ..Diagnosis::ok(check, what)
        }
    }
}

impl DoctorCheck {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            DoctorCheck::Command => "command",
            DoctorCheck::Interpreter => "interpreter",
            DoctorCheck::Runtime => "runtime",
            DoctorCheck::Start => "start",
            DoctorCheck::Handshake => "handshake",
            DoctorCheck::Protocol => "protocol",
            DoctorCheck::Agent => "agent",
            DoctorCheck::Capabilities => "capabilities",
            DoctorCheck::Authentication => "authentication",
            DoctorCheck::Session => "session",
            DoctorCheck::Stdout => "stdout",
            DoctorCheck::Stderr => "stderr",
            DoctorCheck::Stop => "stop",
            DoctorCheck::Policy => "policy",
            DoctorCheck::Sandbox => "sandbox",
            DoctorCheck::DeniedPaths => "denied paths",
            DoctorCheck::CommandRules => "command rules",
            DoctorCheck::Permissions => "permissions",
            DoctorCheck::Audit => "audit",
        }
    }
}

impl Severity {
    /// In a word: `ok`, `warn` or `fail`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Ok => "ok",
            Severity::Warning => "warn",
            Severity::Failure => "fail",
        }
    }
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
