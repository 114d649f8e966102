//! Checks a recorded conversation against the rules of the protocol, message by message.

mod session_rules;
mod unreadable;

use std::collections::HashMap;
use std::fmt;

use attache_rpc::json::from_str;
use attache_rpc::{Error, Id};
use attache_schema::call::{AgentNotification, AgentRequest, ClientNotification, ClientRequest};
use attache_schema::rules::{self, Context, Violation, agent, client};
use attache_schema::v1;

use crate::wire_message::WireMessage;
use crate::{Side, Trace};
use session_rules::{SessionRules, session_id};

/// A rule that a message breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceViolation {
    /// The entry of the trace, counted from 0.
    pub entry: usize,
    /// The side that sent the message.
    pub from: Side,
    /// The rule, and how the message breaks it.
    pub violation: Violation,
}

impl Trace {
    /// The violations of the conversation, in its order. Messages are judged in the order in which they were recorded: a
    /// response that crosses a cancellation is not a violation.
    pub fn violations(&self) -> Vec<TraceViolation> {
        let mut rule_checker = RuleChecker::default();
        let messages = self.messages();
        let entries = messages.iter().enumerate();
        entries
            .flat_map(|(entry, (from, message))| rule_checker.check(entry, *from, message))
            .collect()
    }

    /// The violations of one side.
    pub fn violations_of(&self, side: Side) -> Vec<TraceViolation> {
        let mut found = self.violations();
        found.retain(|finding| finding.from == side);
        found
    }
}

/// Checks a conversation against the rules of the protocol, message by message.
pub struct RuleChecker {
    entry: (usize, Side),
    context: Context,
    initialized: bool,
    client_requests: HashMap<Id, OpenRequest<ClientRequest>>,
    agent_requests: HashMap<Id, OpenRequest<AgentRequest>>,
    sessions: HashMap<v1::SessionId, SessionRules>,
    found: Vec<TraceViolation>,
}

enum OpenRequest<T> {
    Decoded(T),
    /// A request whose response must be an error with this code, by the rule with this number.
    MustFail(i32, &'static str),
    /// A request that readers may accept or reject.
    Unspecified,
}

impl RuleChecker {
    /// The violations of the next message, whose number is `entry`.
    pub fn check(
        &mut self,
        entry: usize,
        from: Side,
        message: &WireMessage,
    ) -> Vec<TraceViolation> {
        self.entry = (entry, from);
        match from {
            Side::Client => self.check_client_message(message),
            Side::Agent => self.check_agent_message(message),
        }
        std::mem::take(&mut self.found)
    }

    fn check_client_message(&mut self, message: &WireMessage) {
        match message {
            WireMessage::Request(id, method, params) => {
                self.add(rules::check_id(id));
                let asked = match ClientRequest::decode(method, params.as_deref()) {
                    Ok(request) => self.client_request(request),
                    Err(error) => self.unreadable_request(method, &error),
                };
                self.client_requests.insert(id.clone(), asked);
            }
            WireMessage::Notification(method, params) => {
                let params = params.as_deref();
                match ClientNotification::decode(method, params) {
                    Ok(notification) => {
                        self.add(client::check_notification(&notification, &self.context));
                        if let ClientNotification::Cancel(cancel) = &notification {
                            self.session(&cancel.session_id).cancel();
                        }
                    }
                    Err(error) => self.unreadable_notification(method, params, &error),
                }
            }
            WireMessage::Response(id, result) => self.client_response(id, Ok(result)),
            WireMessage::Failure(id, error) => {
                if let Ok(error) = from_str(error) {
                    self.client_response(id, Err(&error));
                }
            }
            WireMessage::Raw(text) => {
                if let Some((id, asked)) = self.not_a_message(text) {
                    self.client_requests.insert(id, asked);
                }
            }
            WireMessage::Closed => {}
        }
    }

    fn check_agent_message(&mut self, message: &WireMessage) {
        match message {
            WireMessage::Request(id, method, params) => {
                self.add(rules::check_id(id));
                let asked = match AgentRequest::decode(method, params.as_deref()) {
                    Ok(request) => self.agent_request(request),
                    Err(error) => self.unreadable_request(method, &error),
                };
                self.agent_requests.insert(id.clone(), asked);
            }
            WireMessage::Notification(method, params) => {
                let params = params.as_deref();
                match AgentNotification::decode(method, params) {
                    Ok(notification) => {
                        self.add(agent::check_notification(&notification, &self.context));
                        self.context.on_agent_notification(&notification);
                        if let AgentNotification::Session(update) = &notification {
                            let found = self.session(&update.session_id).update(&update.update);
                            self.add(found);
                        }
                    }
                    Err(error) => self.unreadable_notification(method, params, &error),
                }
            }
            WireMessage::Response(id, result) => self.agent_response(id, Ok(result)),
            WireMessage::Failure(id, error) => {
                if let Ok(error) = from_str(error) {
                    self.agent_response(id, Err(&error));
                }
            }
            WireMessage::Raw(text) => {
                if let Some((id, asked)) = self.not_a_message(text) {
                    self.agent_requests.insert(id, asked);
                }
            }
            WireMessage::Closed => {}
        }
    }

    fn client_request(&mut self, request: ClientRequest) -> OpenRequest<ClientRequest> {
        let early = !matches!(
            request,
            ClientRequest::Initialize(_) | ClientRequest::Extension(_)
        );
        if early && !self.initialized {
            return OpenRequest::MustFail(Error::INVALID_REQUEST, "14a");
        }
        self.initialized |= matches!(request, ClientRequest::Initialize(_));
        self.add(client::check_request(&request, &self.context));
        self.context.on_client_request(&request);
        if let Some(id) = session_id(&request) {
            self.session(&id.clone()).request(&request);
        }
        OpenRequest::Decoded(request)
    }

    fn agent_response(&mut self, id: &Id, response: Result<&str, &Error>) {
        match self.client_requests.remove(id) {
            Some(OpenRequest::Decoded(request)) => {
                self.add(agent::check_response(&request, response, &self.context));
                self.context.on_agent_response(&request, response);
                if let Some(id) = session_id(&request) {
                    let found = self.session(&id.clone()).response(&request, response);
                    self.add(found);
                }
            }
            Some(OpenRequest::MustFail(code, rule)) => self.expect_error(code, rule, response),
            Some(OpenRequest::Unspecified) => {}
            None => self.stray_response(),
        }
    }

    fn agent_request(&mut self, request: AgentRequest) -> OpenRequest<AgentRequest> {
        self.add(agent::check_request(&request, &self.context));
        self.context.on_agent_request(&request);
        if let AgentRequest::ReleaseTerminal(release) = &request {
            self.session(&release.session_id)
                .release(&release.terminal_id);
        }
        OpenRequest::Decoded(request)
    }

    fn client_response(&mut self, id: &Id, response: Result<&str, &Error>) {
        match self.agent_requests.remove(id) {
            Some(OpenRequest::Decoded(request)) => {
                self.add(client::check_response(&request, response, &self.context));
                self.context.on_client_response(&request, response);
                if let (AgentRequest::RequestPermission(asked), Ok(result)) = (&request, response)
                    && let Ok(response) = from_str(result)
                {
                    let found = self.session(&asked.session_id).permission(&response);
                    self.add(found);
                }
            }
            Some(OpenRequest::MustFail(code, rule)) => self.expect_error(code, rule, response),
            Some(OpenRequest::Unspecified) => {}
            None => self.stray_response(),
        }
    }

    fn add(&mut self, violations: Vec<Violation>) {
        let (entry, from) = self.entry;
        let finding = |violation| TraceViolation {
            entry,
            from,
            violation,
        };
        self.found.extend(violations.into_iter().map(finding));
    }

    fn session(&mut self, id: &v1::SessionId) -> &mut SessionRules {
        self.sessions.entry(id.clone()).or_default()
    }
}

impl Default for RuleChecker {
    fn default() -> Self {
        RuleChecker {
            entry: (0, Side::Client),
            context: Context::default(),
            initialized: false,
            client_requests: HashMap::new(),
            agent_requests: HashMap::new(),
            sessions: HashMap::new(),
            found: Vec::new(),
        }
    }
}

impl fmt::Display for TraceViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entry, from) = (self.entry + 1, self.from);
        write!(f, "message {entry}, {from}: {}", self.violation)
    }
}
