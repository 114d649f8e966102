//! Finds out why an agent does not start, respond or let you log in: checks everything from its file to its exit, and says
//! how to fix each problem. All waiting is limited in time.

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

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The check.
    pub check: DoctorCheck,
    /// The result's severity.
    pub severity: Severity,
    /// The result in words, safe to show.
    pub what: String,
    /// How to fix the problem.
    pub fix: Option<String>,
}

/// The checks, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoctorCheck {
    /// The agent's program.
    Command,
    /// The interpreter of a script.
    Interpreter,
    /// The version of Node.js, uv or another runtime.
    Runtime,
    /// Whether the agent starts.
    Start,
    /// Whether the agent responds to `initialize`, and how fast.
    Handshake,
    /// The protocol version.
    Protocol,
    /// The agent's name and version.
    Agent,
    /// The agent's capabilities.
    Capabilities,
    /// The login methods.
    Authentication,
    /// Whether the agent opens a session.
    Session,
    /// Output on standard output that is not a message.
    Stdout,
    /// Output on standard error.
    Stderr,
    /// How the agent exits.
    Stop,
    /// Whether the policy's rules do what they seem to do.
    Policy,
    /// Whether commands can run in a sandbox.
    Sandbox,
    /// Whether the kernel enforces deny rules on paths.
    DeniedPaths,
    /// Whether command rules are enforced when a program is executed.
    CommandRules,
    /// Whether remembered decisions can be used.
    Permissions,
    /// Whether the audit log is intact.
    Audit,
}

/// The severity of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No problem.
    Ok,
    /// A problem, but the agent works.
    Warning,
    /// The agent does not work.
    Failure,
}

/// Options for examining an agent.
#[derive(Debug, Clone)]
pub struct ExamineOptions {
    /// The working directory, as an absolute path.
    pub cwd: PathBuf,
    /// Time limit for each response.
    pub patience: Duration,
}

/// Examines an agent and reports each result as soon as it is known. Leaves nothing running.
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
    /// The check's name, as `attache doctor` shows it.
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
    /// The severity as one word: `ok`, `warn` or `fail`.
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
