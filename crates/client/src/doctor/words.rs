//! What is seen of an agent, in words.

use std::time::Instant;

use attache::process::{Child, Custody};
use attache::v1;

use super::{Diagnosis, DoctorCheck};
use crate::agents::line;

pub(super) fn started(child: &Child) -> Diagnosis {
    let custody = match child.custody() {
        Custody::Guard => "in the custody of a guard",
        Custody::Direct => "without a guard",
    };
    Diagnosis::ok(DoctorCheck::Start, format!("runs, {custody}"))
}

pub(super) fn describe(answer: &v1::InitializeResponse, tell: &mut impl FnMut(Diagnosis)) {
    let version = answer.protocol_version.0;
    tell(Diagnosis::ok(
        DoctorCheck::Protocol,
        format!("version {version}"),
    ));
    let who = match &answer.agent_info {
        Some(info) => line(&format!("{} {}", info.name, info.version)),
        None => "it does not say its name".to_owned(),
    };
    tell(Diagnosis::ok(DoctorCheck::Agent, who));
    let offered = offered(&answer.agent_capabilities);
    let what = if offered.is_empty() {
        "nothing beyond the basics".to_owned()
    } else {
        offered.join(", ")
    };
    tell(Diagnosis::ok(DoctorCheck::Capabilities, what));
}

fn offered(can: &v1::AgentCapabilities) -> Vec<&'static str> {
    let session = &can.session_capabilities;
    let all = [
        (can.load_session, "load sessions"),
        (session.resume.is_some(), "resume sessions"),
        (session.list.is_some(), "list sessions"),
        (session.fork.is_some(), "fork sessions"),
        (session.close.is_some(), "close sessions"),
        (session.delete.is_some(), "delete sessions"),
        (session.additional_directories.is_some(), "more directories"),
        (can.prompt_capabilities.image, "images"),
        (can.prompt_capabilities.audio, "audio"),
        (can.prompt_capabilities.embedded_context, "embedded files"),
        (can.mcp_capabilities.http, "MCP over HTTP"),
        (can.mcp_capabilities.sse, "MCP over SSE"),
        (can.auth.logout.is_some(), "log out"),
    ];
    let offered = all.into_iter().filter(|(is_offered, _)| *is_offered);
    offered.map(|(_, name)| name).collect()
}

pub(super) fn names(methods: &[v1::AuthMethod]) -> String {
    let name = |method: &v1::AuthMethod| match method {
        v1::AuthMethod::Agent(method) => line(&method.name),
        v1::AuthMethod::Terminal(method) => format!("{} (in a terminal)", line(&method.name)),
        _ => "one that is not known here".to_owned(),
    };
    let names: Vec<String> = methods.iter().map(name).collect();
    names.join(", ")
}

pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(super) fn stderr(text: &str) -> Diagnosis {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let count = counted(lines.len() as u64, "line", "lines");
    // The end of a printed object says nothing.
    let mut words = lines.iter().rev();
    let last = words.find(|line| line.chars().any(char::is_alphanumeric));
    let what = match last {
        Some(last) => format!("{count}, last `{}`", line(last)),
        None if lines.is_empty() => "nothing".to_owned(),
        None => count,
    };
    Diagnosis::ok(DoctorCheck::Stderr, what)
}

pub(super) fn timed(check: DoctorCheck, what: &str, since: Instant) -> Diagnosis {
    let took = since.elapsed();
    let what = format!("{what} in {} ms", took.as_millis());
    if took.as_secs() < SLOW {
        return Diagnosis::ok(check, what);
    }
    let fix = "nothing is wrong, it is slow: installing it saves the download if it is started by npx or uvx";
    Diagnosis::warning(check, what, fix)
}

const SLOW: u64 = 15;
