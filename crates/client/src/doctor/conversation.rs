//! The agent in conversation: start, handshake, session, and stop.

use std::time::Instant;

use attache::client::{self, AgentHandle, ClientCalls};
use attache::process::{Child, StopStep, StopTimeouts};
use attache::{CallError, CloseReason, v1};
use tokio::time::timeout;

use super::stdout::{Garbage, Watched};
use super::words::{counted, describe, names, started, stderr, timed};
use super::{Diagnosis, DoctorCheck, ExamineOptions, hint};
use crate::agents::{Agent, detecting, hello, line};

pub(super) async fn hold(
    agent: &Agent,
    conditions: &ExamineOptions,
    tell: &mut impl FnMut(Diagnosis),
) {
    let program = agent.program().cwd(&conditions.cwd);
    let (child, stdin, stdout) = match program.spawn_piped().await {
        Ok(started) => started,
        Err(error) => {
            let fix = "run the command by hand to see what the system says";
            tell(Diagnosis::failure(
                DoctorCheck::Start,
                error.to_string(),
                fix,
            ));
            return;
        }
    };
    tell(started(&child));
    let (stdout, garbage) = Watched::new(stdout);
    let (handle, calls) = client::connect(stdout, stdin, detecting());
    let mut talk = Talk {
        agent,
        conditions,
        handle,
        calls,
        child,
        garbage,
    };
    if let Some(answer) = talk.greet(tell).await {
        describe(&answer, tell);
        talk.authentication(&answer, tell).await;
        talk.session(&answer, tell).await;
    }
    talk.end(tell).await;
}

struct Talk<'a> {
    agent: &'a Agent,
    conditions: &'a ExamineOptions,
    handle: AgentHandle,
    calls: ClientCalls,
    child: Child,
    garbage: Garbage,
}

/// Why there is no answer.
enum NoAnswer {
    Late,
    Refused(CallError),
}

impl Talk<'_> {
    /// Asks, and serves nothing meanwhile.
    async fn ask<R: attache::schema::method::Request>(
        &mut self,
        request: R,
    ) -> Result<R::Response, NoAnswer> {
        let handle = self.handle.clone();
        let answer = self.calls.until(handle.request(request), drop);
        match timeout(self.conditions.patience, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(NoAnswer::Refused(error)),
            Err(_) => Err(NoAnswer::Late),
        }
    }

    async fn greet(&mut self, tell: &mut impl FnMut(Diagnosis)) -> Option<v1::InitializeResponse> {
        let since = Instant::now();
        let handle = self.handle.clone();
        let answer = self.calls.until(handle.initialize(hello()), drop);
        let finding = match timeout(self.conditions.patience, answer).await {
            Ok(Ok(answer)) => {
                tell(timed(
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
            Err(_) => self.silent(),
        };
        tell(finding);
        None
    }

    async fn ended(&self) -> Diagnosis {
        let Ok(ending) = timeout(self.conditions.patience, self.child.wait()).await else {
            let what = "the agent closed its standard output before it answered `initialize`";
            return Diagnosis::failure(DoctorCheck::Handshake, what, hint::after(""));
        };
        let what = format!("{ending}, before it answered `initialize`");
        let what = if ending.stderr.trim().is_empty() {
            what
        } else {
            ending.to_string()
        };
        Diagnosis::failure(DoctorCheck::Handshake, what, hint::after(&ending.stderr))
    }

    fn silent(&self) -> Diagnosis {
        let what = format!(
            "no answer to `initialize` within {} s",
            self.conditions.patience.as_secs()
        );
        let fix = if self.garbage.count() > 0 {
            "it prints text for people: check that it gets the argument that turns ACP on, such as `--acp`"
        } else {
            "it may wait for a person, or for the network: run the command by hand; if it is only slow, give it longer with --timeout"
        };
        Diagnosis::failure(DoctorCheck::Handshake, what, fix)
    }

    async fn authentication(
        &mut self,
        answer: &v1::InitializeResponse,
        tell: &mut impl FnMut(Diagnosis),
    ) {
        let mut what = match answer.auth_methods.as_slice() {
            [] => "no way to log in is offered".to_owned(),
            methods => format!("ways to log in: {}", names(methods)),
        };
        if answer.agent_capabilities.auth.status.is_some()
            && let Ok(status) = self.ask(v1::AuthStatusRequest::new()).await
        {
            what.push_str(match status.state {
                v1::AuthState::Authenticated => "; logged in",
                v1::AuthState::Unauthenticated => "; logged out",
                v1::AuthState::NotRequired => "; none is needed",
                _ => "; the agent cannot tell whether it is logged in",
            });
        }
        tell(Diagnosis::ok(DoctorCheck::Authentication, what));
    }

    async fn session(&mut self, answer: &v1::InitializeResponse, tell: &mut impl FnMut(Diagnosis)) {
        let Some(cwd) = self.conditions.cwd.to_str() else {
            let fix = "choose another directory with --cwd";
            tell(Diagnosis::failure(
                DoctorCheck::Session,
                "the directory's name is not UTF-8",
                fix,
            ));
            return;
        };
        let since = Instant::now();
        let finding = match self.ask(v1::NewSessionRequest::new(cwd, [])).await {
            Ok(new) => {
                tell(timed(DoctorCheck::Session, "opened a session", since));
                self.leave(new.session_id, answer).await;
                return;
            }
            Err(NoAnswer::Late) => Diagnosis::failure(
                DoctorCheck::Session,
                format!(
                    "no answer to `session/new` within {} s",
                    self.conditions.patience.as_secs()
                ),
                "it may wait for the network or for its model: see what it says on stderr; if it is only slow, give it longer with --timeout",
            ),
            Err(NoAnswer::Refused(error)) if error.requires_login() => Diagnosis::failure(
                DoctorCheck::Session,
                format!(
                    "the agent wants a login first: {}",
                    line(&error.to_string())
                ),
                self.login(answer),
            ),
            Err(NoAnswer::Refused(CallError::Closed(_))) => self.ended().await.of_session(),
            Err(NoAnswer::Refused(error)) => Diagnosis::failure(
                DoctorCheck::Session,
                format!("`session/new` failed: {}", line(&error.to_string())),
                "the message is the agent's own: see what it says on stderr, and its configuration",
            ),
        };
        tell(finding);
    }

    /// A session that was only opened to see whether that works is not to show up anywhere.
    async fn leave(&mut self, session: v1::SessionId, answer: &v1::InitializeResponse) {
        let offered = &answer.agent_capabilities.session_capabilities;
        if offered.close.is_some() {
            self.ask(v1::CloseSessionRequest::new(session.clone()))
                .await
                .ok();
        }
        if offered.delete.is_some() {
            self.ask(v1::DeleteSessionRequest::new(session)).await.ok();
        }
    }

    fn login(&self, answer: &v1::InitializeResponse) -> String {
        match (self.agent.login, answer.auth_methods.as_slice()) {
            (Some(login), _) => format!("log in: {login}"),
            (None, []) => "log in with the agent's own command, or set its API key".to_owned(),
            (None, methods) => format!("log in by one of: {}", names(methods)),
        }
    }

    async fn end(self, tell: &mut impl FnMut(Diagnosis)) {
        let since = Instant::now();
        self.handle.close();
        let ending = self.child.stop(StopTimeouts::default()).await;
        match self.garbage.count() {
            0 => tell(Diagnosis::ok(DoctorCheck::Stdout, "only messages")),
            count => tell(Diagnosis::warning(
                DoctorCheck::Stdout,
                format!(
                    "{} no message, first `{}`",
                    counted(count, "line that is", "lines that are"),
                    self.garbage.first()
                ),
                "stepped over; the agent should write this to stderr",
            )),
        }
        tell(stderr(&ending.stderr));
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
        tell(finding);
    }
}

impl Diagnosis {
    fn of_session(mut self) -> Diagnosis {
        self.check = DoctorCheck::Session;
        self.what = self.what.replace("`initialize`", "`session/new`");
        self
    }
}
