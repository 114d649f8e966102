//! The agent in conversation: start, handshake, session, and stop.

use std::time::Instant;

use attache::client::{self, AgentHandle, ClientCalls};
use attache::process::{Child, Custody, StopStep, StopTimeouts};
use attache::{CallError, CloseReason, v1};
use tokio::time::timeout;

use super::stdout::{InspectedStdout, NonProtocolLines};
use super::{Diagnosis, DoctorCheck, ExamineOptions, counted};
use crate::agents::{Agent, detecting_options, initialize_request, line};

pub(super) async fn check(
    agent: &Agent,
    conditions: &ExamineOptions,
    report: &mut impl FnMut(Diagnosis),
) {
    let program = agent.program().cwd(&conditions.cwd);
    let (child, stdin, stdout) = match program.spawn_piped().await {
        Ok(started) => started,
        Err(error) => {
            let fix = "run the command by hand to see what the system says";
            report(Diagnosis::failure(
                DoctorCheck::Start,
                error.to_string(),
                fix,
            ));
            return;
        }
    };
    report(started(&child));
    let (stdout, non_protocol) = InspectedStdout::new(stdout);
    let (handle, calls) = client::connect(stdout, stdin, detecting_options());
    let mut check = ConversationCheck {
        agent,
        conditions,
        handle,
        calls,
        child,
        non_protocol,
    };
    if let Some(answer) = check.initialize(report).await {
        describe(&answer, report);
        check.authentication(&answer, report).await;
        check.session(&answer, report).await;
    }
    check.end(report).await;
}

struct ConversationCheck<'a> {
    agent: &'a Agent,
    conditions: &'a ExamineOptions,
    handle: AgentHandle,
    calls: ClientCalls,
    child: Child,
    non_protocol: NonProtocolLines,
}

/// Why there is no answer.
enum RequestFailure {
    TimedOut,
    Failed(CallError),
}

impl ConversationCheck<'_> {
    /// Asks, and serves nothing meanwhile.
    async fn request<R: attache::schema::method::Request>(
        &mut self,
        request: R,
    ) -> Result<R::Response, RequestFailure> {
        let handle = self.handle.clone();
        let answer = self.calls.until(handle.request(request), drop);
        match timeout(self.conditions.patience, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(RequestFailure::Failed(error)),
            Err(_) => Err(RequestFailure::TimedOut),
        }
    }

    async fn initialize(
        &mut self,
        report: &mut impl FnMut(Diagnosis),
    ) -> Option<v1::InitializeResponse> {
        let since = Instant::now();
        let handle = self.handle.clone();
        let answer = self
            .calls
            .until(handle.initialize(initialize_request()), drop);
        let finding = match timeout(self.conditions.patience, answer).await {
            Ok(Ok(answer)) => {
                report(timed(
                    DoctorCheck::Handshake,
                    "answered `initialize`",
                    since,
                ));
                return Some(answer);
            }
            Ok(Err(CallError::Closed(CloseReason::PeerClosed | CloseReason::Io(_)))) => {
                self.ended().await
            }
            Ok(Err(CallError::Version(version))) => Diagnosis::failure(
                DoctorCheck::Protocol,
                format!("the agent speaks version {version} of the protocol, we speak version 1"),
                "use a version of the agent that speaks version 1",
            ),
            Ok(Err(error)) => Diagnosis::failure(
                DoctorCheck::Handshake,
                format!("`initialize` failed: {}", line(&error.to_string())),
                "update the agent, or report this to its authors",
            ),
            Err(_) => self.no_response(),
        };
        report(finding);
        None
    }

    async fn ended(&self) -> Diagnosis {
        let Ok(ending) = timeout(self.conditions.patience, self.child.wait()).await else {
            let what = "the agent closed its standard output before it answered `initialize`";
            return Diagnosis::failure(DoctorCheck::Handshake, what, exit_hint(""));
        };
        let what = format!("{ending}, before it answered `initialize`");
        let what = if ending.stderr.trim().is_empty() {
            what
        } else {
            ending.to_string()
        };
        Diagnosis::failure(DoctorCheck::Handshake, what, exit_hint(&ending.stderr))
    }

    fn no_response(&self) -> Diagnosis {
        let what = format!(
            "no answer to `initialize` within {} s",
            self.conditions.patience.as_secs()
        );
        let fix = if self.non_protocol.count() > 0 {
            "it prints text for people: check that it gets the argument that turns ACP on, such as `--acp`"
        } else {
            "it may wait for a person, or for the network: run the command by hand; if it is only slow, give it longer with --timeout"
        };
        Diagnosis::failure(DoctorCheck::Handshake, what, fix)
    }

    async fn authentication(
        &mut self,
        answer: &v1::InitializeResponse,
        report: &mut impl FnMut(Diagnosis),
    ) {
        let mut what = match answer.auth_methods.as_slice() {
            [] => "no way to log in is offered".to_owned(),
            methods => format!("ways to log in: {}", names(methods)),
        };
        if answer.agent_capabilities.auth.status.is_some()
            && let Ok(status) = self.request(v1::AuthStatusRequest::new()).await
        {
            what.push_str(match status.state {
                v1::AuthState::Authenticated => "; logged in",
                v1::AuthState::Unauthenticated => "; logged out",
                v1::AuthState::NotRequired => "; none is needed",
                _ => "; the agent cannot tell whether it is logged in",
            });
        }
        report(Diagnosis::ok(DoctorCheck::Authentication, what));
    }

    async fn session(
        &mut self,
        answer: &v1::InitializeResponse,
        report: &mut impl FnMut(Diagnosis),
    ) {
        let Some(cwd) = self.conditions.cwd.to_str() else {
            let fix = "choose another directory with --cwd";
            report(Diagnosis::failure(
                DoctorCheck::Session,
                "the directory's name is not UTF-8",
                fix,
            ));
            return;
        };
        let since = Instant::now();
        let finding = match self.request(v1::NewSessionRequest::new(cwd, [])).await {
            Ok(new) => {
                report(timed(DoctorCheck::Session, "opened a session", since));
                self.remove_session(new.session_id, answer).await;
                return;
            }
            Err(RequestFailure::TimedOut) => Diagnosis::failure(
                DoctorCheck::Session,
                format!(
                    "no answer to `session/new` within {} s",
                    self.conditions.patience.as_secs()
                ),
                "it may wait for the network or for its model: see what it says on stderr; if it is only slow, give it longer with --timeout",
            ),
            Err(RequestFailure::Failed(error)) if error.requires_login() => Diagnosis::failure(
                DoctorCheck::Session,
                format!(
                    "the agent wants a login first: {}",
                    line(&error.to_string())
                ),
                self.login(answer),
            ),
            Err(RequestFailure::Failed(CallError::Closed(_))) => self.ended().await.of_session(),
            Err(RequestFailure::Failed(error)) => Diagnosis::failure(
                DoctorCheck::Session,
                format!("`session/new` failed: {}", line(&error.to_string())),
                "the message is the agent's own: see what it says on stderr, and its configuration",
            ),
        };
        report(finding);
    }

    /// A session that was only opened to see whether that works is not to show up anywhere.
    async fn remove_session(&mut self, session: v1::SessionId, answer: &v1::InitializeResponse) {
        let offered = &answer.agent_capabilities.session_capabilities;
        if offered.close.is_some() {
            self.request(v1::CloseSessionRequest::new(session.clone()))
                .await
                .ok();
        }
        if offered.delete.is_some() {
            self.request(v1::DeleteSessionRequest::new(session))
                .await
                .ok();
        }
    }

    fn login(&self, answer: &v1::InitializeResponse) -> String {
        match (self.agent.login, answer.auth_methods.as_slice()) {
            (Some(login), _) => format!("log in: {login}"),
            (None, []) => "log in with the agent's own command, or set its API key".to_owned(),
            (None, methods) => format!("log in by one of: {}", names(methods)),
        }
    }

    async fn end(self, report: &mut impl FnMut(Diagnosis)) {
        let since = Instant::now();
        self.handle.close();
        let ending = self.child.stop(StopTimeouts::default()).await;
        match self.non_protocol.count() {
            0 => report(Diagnosis::ok(DoctorCheck::Stdout, "only messages")),
            count => report(Diagnosis::warning(
                DoctorCheck::Stdout,
                format!(
                    "{} no message, first `{}`",
                    counted(count, "line that is", "lines that are"),
                    self.non_protocol.first()
                ),
                "stepped over; the agent should write this to stderr",
            )),
        }
        report(stderr(&ending.stderr));
        let took = since.elapsed().as_millis();
        let finding = match ending.step {
            _ if ending.survivors > 0 => Diagnosis::failure(
                DoctorCheck::Stop,
                format!(
                    "{} could not be ended",
                    counted(u64::from(ending.survivors), "process", "processes")
                ),
                "end them by hand; they run as another user or cannot be reached",
            ),
            StopStep::Own => Diagnosis::ok(DoctorCheck::Stop, "it had ended by itself"),
            StopStep::Close => Diagnosis::ok(
                DoctorCheck::Stop,
                format!("ended {took} ms after its input was closed"),
            ),
            StopStep::Term => Diagnosis::warning(
                DoctorCheck::Stop,
                format!("goes on when its input is closed; SIGTERM ended it after {took} ms"),
                "nothing to do here: attache ends it",
            ),
            StopStep::Kill => Diagnosis::warning(
                DoctorCheck::Stop,
                format!("goes on after SIGTERM; it was killed after {took} ms"),
                "nothing to do here: attache ends it",
            ),
        };
        report(finding);
    }
}

impl Diagnosis {
    fn of_session(mut self) -> Diagnosis {
        self.check = DoctorCheck::Session;
        self.what = self.what.replace("`initialize`", "`session/new`");
        self
    }
}

fn started(child: &Child) -> Diagnosis {
    let custody = match child.custody() {
        Custody::Guard => "in the custody of a guard",
        Custody::Direct => "without a guard",
    };
    Diagnosis::ok(DoctorCheck::Start, format!("runs, {custody}"))
}

fn describe(answer: &v1::InitializeResponse, report: &mut impl FnMut(Diagnosis)) {
    let version = answer.protocol_version.0;
    report(Diagnosis::ok(
        DoctorCheck::Protocol,
        format!("version {version}"),
    ));
    let who = match &answer.agent_info {
        Some(info) => line(&format!("{} {}", info.name, info.version)),
        None => "it does not say its name".to_owned(),
    };
    report(Diagnosis::ok(DoctorCheck::Agent, who));
    let offered = offered(&answer.agent_capabilities);
    let what = if offered.is_empty() {
        "nothing beyond the basics".to_owned()
    } else {
        offered.join(", ")
    };
    report(Diagnosis::ok(DoctorCheck::Capabilities, what));
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

fn names(methods: &[v1::AuthMethod]) -> String {
    let name = |method: &v1::AuthMethod| match method {
        v1::AuthMethod::Agent(method) => line(&method.name),
        v1::AuthMethod::Terminal(method) => format!("{} (in a terminal)", line(&method.name)),
        _ => "one that is not known here".to_owned(),
    };
    let names: Vec<String> = methods.iter().map(name).collect();
    names.join(", ")
}

fn stderr(text: &str) -> Diagnosis {
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

fn timed(check: DoctorCheck, what: &str, since: Instant) -> Diagnosis {
    let took = since.elapsed();
    let what = format!("{what} in {} ms", took.as_millis());
    if took.as_secs() < SLOW {
        return Diagnosis::ok(check, what);
    }
    let fix = "nothing is wrong, it is slow: installing it saves the download if it is started by npx or uvx";
    Diagnosis::warning(check, what, fix)
}

/// What to do about an agent that ended before it answered.
fn exit_hint(stderr: &str) -> &'static str {
    let said = stderr.to_lowercase();
    let known = HINTS
        .iter()
        .find(|(signs, _)| signs.iter().any(|sign| said.contains(sign)));
    match known {
        Some((_, hint)) => hint,
        None if said.trim().is_empty() => {
            "it said nothing: check that it speaks ACP and that it gets the argument that turns it on, such as `--acp`"
        }
        None => "its last words say why; run the command by hand to see all of it",
    }
}

const HINTS: &[(&[&str], &str)] = &[
    (
        &[
            "unknown option",
            "unrecognized",
            "unexpected argument",
            "unknown argument",
            "unknown command",
        ],
        "it does not know one of its arguments: update it, or look in its `--help` for what turns ACP on",
    ),
    (
        &[
            "cannot find module",
            "module not found",
            "modulenotfounderror",
        ],
        "a part of it is missing: install it anew",
    ),
    (
        &[
            "unsupported engine",
            "requires node",
            "requires a node",
            "syntaxerror",
        ],
        "it wants a newer Node.js",
    ),
    (
        &[
            "enotfound",
            "econnrefused",
            "getaddrinfo",
            "network is unreachable",
        ],
        "it does not reach the network: check the connection and the proxy settings",
    ),
    (
        &[
            "api key",
            "api_key",
            "not logged in",
            "unauthorized",
            "authenticat",
        ],
        "it wants a login: see the agent's own command for that, or set its API key",
    ),
    (
        &["permission denied", "eacces"],
        "it may not read or write something: check the permissions of what it names",
    ),
    (
        &["not found", "no such file"],
        "something that it needs is not installed, or not on the PATH that it is given",
    ),
];

const SLOW: u64 = 15;
