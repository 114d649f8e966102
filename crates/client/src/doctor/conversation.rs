//! Checks a running agent: start, `initialize`, session and exit.

use std::time::Instant;

use attache::client::{self, AgentHandle, ClientCalls};
use attache::process::{Child, Custody, StopStep, StopTimeouts};
use attache::schema::method::RequestToAgent;
use attache::{CallError, CallErrorKind, CloseReason, v1};
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
            let fix = "run the command by hand to see the system's error";
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

/// Why a request failed.
enum RequestFailure {
    TimedOut,
    Failed(CallError),
}

impl ConversationCheck<'_> {
    /// Sends a request. Refuses the agent's requests meanwhile.
    async fn request<R: RequestToAgent>(
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
                    "responded to `initialize`",
                    since,
                ));
                return Some(answer);
            }
            Ok(Err(error)) => match error.kind() {
                CallErrorKind::Closed(CloseReason::PeerClosed | CloseReason::Io(_)) => {
                    self.ended().await
                }
                CallErrorKind::Version(version) => Diagnosis::failure(
                    DoctorCheck::Protocol,
                    format!(
                        "the agent speaks protocol version {version}; Attaché speaks version 1"
                    ),
                    "use a version of the agent that speaks protocol version 1",
                ),
                kind => Diagnosis::failure(
                    DoctorCheck::Handshake,
                    format!("`initialize` failed: {}", line(&kind.to_string())),
                    "update the agent, or report this to its authors",
                ),
            },
            Err(_) => self.no_response(),
        };
        report(finding);
        None
    }

    async fn ended(&self) -> Diagnosis {
        let Ok(ending) = timeout(self.conditions.patience, self.child.wait()).await else {
            let what = "the agent closed its standard output before it responded to `initialize`";
            return Diagnosis::failure(DoctorCheck::Handshake, what, exit_hint(""));
        };
        let what = format!("{ending}, before it responded to `initialize`");
        let what = if ending.stderr.trim().is_empty() {
            what
        } else {
            ending.to_string()
        };
        Diagnosis::failure(DoctorCheck::Handshake, what, exit_hint(&ending.stderr))
    }

    fn no_response(&self) -> Diagnosis {
        let what = format!(
            "no response to `initialize` within {} s",
            self.conditions.patience.as_secs()
        );
        let fix = if self.non_protocol.count() > 0 {
            "the agent prints text for people: check that its command has the argument that turns ACP on, such as `--acp`"
        } else {
            "the agent may wait for input or for the network: run the command by hand; if it is only slow, use a longer --timeout"
        };
        Diagnosis::failure(DoctorCheck::Handshake, what, fix)
    }

    async fn authentication(
        &mut self,
        answer: &v1::InitializeResponse,
        report: &mut impl FnMut(Diagnosis),
    ) {
        let mut what = match answer.auth_methods.as_slice() {
            [] => "no login methods".to_owned(),
            methods => format!("login methods: {}", names(methods)),
        };
        if answer.agent_capabilities.auth.status.is_some()
            && let Ok(status) = self.request(v1::AuthStatusRequest::new()).await
        {
            what.push_str(match status.state {
                v1::AuthState::Authenticated => "; logged in",
                v1::AuthState::Unauthenticated => "; logged out",
                v1::AuthState::NotRequired => "; no login needed",
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
                "the directory's path is not UTF-8",
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
                    "no response to `session/new` within {} s",
                    self.conditions.patience.as_secs()
                ),
                "the agent may wait for the network or its model: see its stderr; if it is only slow, use a longer --timeout",
            ),
            Err(RequestFailure::Failed(error)) if error.requires_login() => Diagnosis::failure(
                DoctorCheck::Session,
                format!(
                    "the agent requires a login first: {}",
                    line(&error.kind().to_string())
                ),
                self.login(answer),
            ),
            Err(RequestFailure::Failed(error)) if error.is_closed() => {
                self.ended().await.of_session()
            }
            Err(RequestFailure::Failed(error)) => Diagnosis::failure(
                DoctorCheck::Session,
                format!("`session/new` failed: {}", line(&error.kind().to_string())),
                "the message comes from the agent: see its stderr and its configuration",
            ),
        };
        report(finding);
    }

    /// Closes and deletes the session, which was opened only for this check.
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
            (None, methods) => format!("log in with one of: {}", names(methods)),
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
                    "{}, first `{}`",
                    counted(count, "line is not a message", "lines are not messages"),
                    self.non_protocol.first()
                ),
                "the lines were skipped; the agent should write them to stderr",
            )),
        }
        report(stderr(&ending.stderr));
        let took = since.elapsed().as_millis();
        let finding = match ending.step {
            _ if ending.survivors > 0 => Diagnosis::failure(
                DoctorCheck::Stop,
                format!(
                    "{} could not be stopped",
                    counted(u64::from(ending.survivors), "process", "processes")
                ),
                "stop them by hand; they may run as another user",
            ),
            StopStep::Own => Diagnosis::ok(DoctorCheck::Stop, "the agent had exited by itself"),
            StopStep::Close => Diagnosis::ok(
                DoctorCheck::Stop,
                format!("exited {took} ms after its input was closed"),
            ),
            StopStep::Term => Diagnosis::warning(
                DoctorCheck::Stop,
                format!(
                    "keeps running when its input is closed; SIGTERM stopped it after {took} ms"
                ),
                "nothing to do: attache stops the agent",
            ),
            StopStep::Kill => Diagnosis::warning(
                DoctorCheck::Stop,
                format!("keeps running after SIGTERM; it was killed after {took} ms"),
                "nothing to do: attache stops the agent",
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
        None => "the agent does not report its name".to_owned(),
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
        _ => "an unknown method".to_owned(),
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
    // Skips closing brackets of printed objects.
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
    let fix = "the agent works but is slow: if npx or uvx starts it, installing the agent avoids the download";
    Diagnosis::warning(check, what, fix)
}

/// What to do about an agent that exited before it responded, from its standard error.
fn exit_hint(stderr: &str) -> &'static str {
    let said = stderr.to_lowercase();
    let known = HINTS
        .iter()
        .find(|(signs, _)| signs.iter().any(|sign| said.contains(sign)));
    match known {
        Some((_, hint)) => hint,
        None if said.trim().is_empty() => {
            "the agent printed nothing: check that it speaks ACP and that its command has the argument that turns ACP on, such as `--acp`"
        }
        None => "its last output says why; run the command by hand to see all of it",
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
        "the agent does not know one of its arguments: update it, or look in its `--help` for the argument that turns ACP on",
    ),
    (
        &[
            "cannot find module",
            "module not found",
            "modulenotfounderror",
        ],
        "a part of the agent is missing: reinstall it",
    ),
    (
        &[
            "unsupported engine",
            "requires node",
            "requires a node",
            "syntaxerror",
        ],
        "the agent requires a newer Node.js",
    ),
    (
        &[
            "enotfound",
            "econnrefused",
            "getaddrinfo",
            "network is unreachable",
        ],
        "the agent cannot reach the network: check the connection and the proxy settings",
    ),
    (
        &[
            "api key",
            "api_key",
            "not logged in",
            "unauthorized",
            "authenticat",
        ],
        "the agent requires a login: use its own login command, or set its API key",
    ),
    (
        &["permission denied", "eacces"],
        "the agent may not read or write a file: check the permissions of the files in its message",
    ),
    (
        &["not found", "no such file"],
        "a program or file that the agent needs is not installed, or not on its PATH",
    ),
];

const SLOW: u64 = 15;
