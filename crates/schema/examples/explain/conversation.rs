//! One conversation, line by line.

use std::borrow::Cow;
use std::collections::HashMap;

use attache_rpc::{Error, Id, Message};
use attache_schema::call::{AgentNotification, AgentRequest, ClientNotification, ClientRequest};
use attache_schema::dialect::{Border, Call, Dialect, Passage, Peer};
use attache_schema::method::{Direction, Kind, Method};
use attache_schema::rules::{self, Context, Violation};

/// What has been said so far. Which side says a line is seen from its method, or from the request that it answers.
pub(crate) struct Conversation {
    client: Border,
    agent: Border,
    context: Context,
    asked: HashMap<Id, Asked>,
    notes: Vec<String>,
}

enum Asked {
    ByClient(ClientRequest),
    ByAgent(AgentRequest),
}

impl Default for Conversation {
    fn default() -> Self {
        Conversation {
            client: Border::new(Dialect::Official, Peer::Client),
            agent: Border::new(Dialect::Official, Peer::Agent),
            context: Context::default(),
            asked: HashMap::new(),
            notes: Vec::new(),
        }
    }
}

impl Conversation {
    /// What a line is, in a few words. What there is to say about it comes with [`take_notes`](Self::take_notes).
    pub(crate) fn headline(&mut self, line: &str) -> String {
        match Message::parse_str(line) {
            Ok(Message::Request { id, method, params }) => {
                self.request(&id, &method, params);
                format!("{} {method}  (request {id})", arrow(&method))
            }
            Ok(Message::Notification { method, params }) => {
                self.notification(&method, params);
                format!("{} {method}", arrow(&method))
            }
            Ok(Message::Response { id, result }) => self.answer(&id, Ok(result)),
            Ok(Message::Failure { id, error }) => self.answer(&id, Err(error)),
            Err(malformed) => {
                self.problem(&format!(
                    "{} (answer with {})",
                    malformed.reason, malformed.code
                ));
                "-- not a message".to_owned()
            }
        }
    }

    /// What there was to say about the last line.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn request(&mut self, id: &Id, method: &str, params: Option<&str>) {
        if method == "initialize" {
            let dialect = params.and_then(Dialect::of_client).unwrap_or_default();
            self.client = Border::new(dialect, Peer::Client);
            self.notes
                .push(format!("the client speaks the {dialect} dialect"));
        }
        let call = Call::request(id, method, params);
        let Some((method, params)) = self.official(call) else {
            return;
        };
        if is_agents(&method, Kind::Request) {
            match AgentRequest::decode(&method, params.as_deref()) {
                Ok(request) => {
                    self.violations(rules::agent::check_request(&request, &self.context));
                    self.context.agent_asked(&request);
                    self.asked.insert(id.clone(), Asked::ByAgent(request));
                }
                Err(error) => self.problem(&error.to_string()),
            }
        } else {
            match ClientRequest::decode(&method, params.as_deref()) {
                Ok(request) => {
                    self.violations(rules::client::check_request(&request, &self.context));
                    self.context.client_asked(&request);
                    self.asked.insert(id.clone(), Asked::ByClient(request));
                }
                Err(error) => self.problem(&error.to_string()),
            }
        }
    }

    fn notification(&mut self, method: &str, params: Option<&str>) {
        let call = Call::notification(method, params);
        let Some((method, params)) = self.official(call) else {
            return;
        };
        if is_agents(&method, Kind::Notification) {
            match AgentNotification::decode(&method, params.as_deref()) {
                Ok(news) => {
                    self.violations(rules::agent::check_notification(&news, &self.context));
                    self.context.agent_told(&news);
                    if let AgentNotification::Session(news) = news {
                        self.notes.push(format!("update: {}", news.update.tag()));
                    }
                }
                Err(error) => self.problem(&error.to_string()),
            }
        } else if let Err(error) = ClientNotification::decode(&method, params.as_deref()) {
            self.problem(&error.to_string());
        }
    }

    fn answer(&mut self, id: &Id, outcome: Result<&str, Error>) -> String {
        let Some(asked) = self.asked.remove(id) else {
            self.problem("nobody has asked this");
            return format!("-- an answer  (to {id})");
        };
        match asked {
            Asked::ByClient(request) => {
                let outcome = self.agents_answer(id, &request, outcome);
                let outcome = outcome.as_ref().map(String::as_str);
                self.violations(rules::agent::check_response(
                    &request,
                    outcome,
                    &self.context,
                ));
                self.context.agent_answered(&request, outcome);
                format!("<- {}  (answer to {id})", request.method())
            }
            Asked::ByAgent(request) => {
                let outcome = self.clients_answer(id, &request, outcome);
                let outcome = outcome.as_ref().map(String::as_str);
                self.violations(rules::client::check_response(
                    &request,
                    outcome,
                    &self.context,
                ));
                self.context.client_answered(&request, outcome);
                format!("-> {}  (answer to {id})", request.method())
            }
        }
    }

    fn agents_answer(
        &mut self,
        id: &Id,
        request: &ClientRequest,
        outcome: Result<&str, Error>,
    ) -> Result<String, Error> {
        let method = request.method();
        if let (ClientRequest::Initialize(_), Ok(result)) = (request, &outcome) {
            let dialect = Dialect::of_agent(result).unwrap_or_default();
            self.agent = Border::new(dialect, Peer::Agent);
            self.notes
                .push(format!("the agent speaks the {dialect} dialect"));
        }
        match outcome {
            Ok(result) => self
                .agent
                .read_result(id, method, result)
                .map(Cow::into_owned),
            Err(error) => Err(self.agent.read_error(id, method, error)),
        }
    }

    fn clients_answer(
        &mut self,
        id: &Id,
        request: &AgentRequest,
        outcome: Result<&str, Error>,
    ) -> Result<String, Error> {
        match outcome {
            Ok(result) => self
                .client
                .read_result(id, request.method(), result)
                .map(Cow::into_owned),
            Err(error) => Err(self.client.read_error(id, request.method(), error)),
        }
    }

    /// The call as official JSON; a note shows it where it differs.
    fn official(&mut self, call: Call<'_>) -> Option<(String, Option<String>)> {
        let from_agent =
            is_agents(call.method, Kind::Request) || is_agents(call.method, Kind::Notification);
        let border = if from_agent {
            &mut self.agent
        } else {
            &mut self.client
        };
        match border.read_call(call) {
            Ok(Passage::Call {
                method: official,
                params: translated,
            }) => {
                if translated.as_deref() != call.params {
                    let shown = translated.as_deref().unwrap_or("no params");
                    self.notes.push(format!("officially: {official} {shown}"));
                }
                Some((official.into_owned(), translated.map(Cow::into_owned)))
            }
            Ok(Passage::Calls(mut calls)) => calls.pop(),
            Ok(Passage::Answer(_) | Passage::Nothing) => None,
            Err(error) => {
                self.problem(&error.to_string());
                None
            }
        }
    }

    fn violations(&mut self, violations: Vec<Violation>) {
        for violation in violations {
            self.problem(&violation.to_string());
        }
    }

    fn problem(&mut self, what: &str) {
        self.notes.push(format!("! {what}"));
    }
}

fn arrow(method: &str) -> &'static str {
    let from_agent = is_agents(method, Kind::Request) || is_agents(method, Kind::Notification);
    if from_agent { "<-" } else { "->" }
}

fn is_agents(method: &str, kind: Kind) -> bool {
    Method::find(method, kind, Direction::ToClient).is_some()
}
