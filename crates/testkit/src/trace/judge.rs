//! The rules of the protocol on a recorded conversation, message by message.

mod odd;
mod session;

use std::collections::HashMap;
use std::fmt;

use attache_rpc::json::from_str;
use attache_rpc::{Error, Id};
use attache_schema::call::{AgentNotification, AgentRequest, ClientNotification, ClientRequest};
use attache_schema::rules::{self, Context, Violation, agent, client};
use attache_schema::v1;

use crate::heard::Heard;
use crate::{Side, Trace};
use session::Session;

/// A rule that a message breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The entry of the trace, counted from 0.
    pub entry: usize,
    /// Who sent the message.
    pub from: Side,
    /// The rule, and how it is broken.
    pub violation: Violation,
}

impl Trace {
    /// The rules that the conversation breaks, in its order. It is judged as it passed the place where it was
    /// recorded: an answer can have crossed a cancellation there, for which nobody is to blame.
    pub fn violations(&self) -> Vec<Finding> {
        let mut judge = Judge::default();
        let heard = self.heard();
        let entries = heard.iter().enumerate();
        entries
            .flat_map(|(entry, (from, heard))| judge.hear(entry, *from, heard))
            .collect()
    }

    /// The rules that one side breaks.
    pub fn violations_of(&self, side: Side) -> Vec<Finding> {
        let mut found = self.violations();
        found.retain(|finding| finding.from == side);
        found
    }
}

/// Judges a conversation by the rules of the protocol, message by message.
pub struct Judge {
    entry: (usize, Side),
    context: Context,
    initialized: bool,
    client_asked: HashMap<Id, Asked<ClientRequest>>,
    agent_asked: HashMap<Id, Asked<AgentRequest>>,
    sessions: HashMap<v1::SessionId, Session>,
    found: Vec<Finding>,
}

enum Asked<T> {
    Readable(T),
    /// One that is to fail with that code, by the rule of that number.
    Refusable(i32, &'static str),
    /// One that readers may read or not.
    Odd,
}

impl Judge {
    /// The rules that the next message breaks. Findings carry `entry` as its number.
    pub fn hear(&mut self, entry: usize, from: Side, heard: &Heard) -> Vec<Finding> {
        self.entry = (entry, from);
        match from {
            Side::Client => self.client(heard),
            Side::Agent => self.agent(heard),
        }
        std::mem::take(&mut self.found)
    }

    fn client(&mut self, heard: &Heard) {
        match heard {
            Heard::Request(id, method, params) => {
                self.add(rules::check_id(id));
                let asked = match ClientRequest::decode(method, params.as_deref()) {
                    Ok(request) => self.client_asks(request),
                    Err(error) => self.unreadable(method, &error),
                };
                self.client_asked.insert(id.clone(), asked);
            }
            Heard::Notification(method, params) => {
                let params = params.as_deref();
                match ClientNotification::decode(method, params) {
                    Ok(told) => {
                        self.add(client::check_notification(&told, &self.context));
                        if let ClientNotification::Cancel(cancel) = &told {
                            self.session(&cancel.session_id).cancel();
                        }
                    }
                    Err(error) => self.told_unreadable(method, params, &error),
                }
            }
            Heard::Answer(id, result) => self.client_answers(id, Ok(result)),
            Heard::Refusal(id, error) => {
                if let Ok(error) = from_str(error) {
                    self.client_answers(id, Err(&error));
                }
            }
            Heard::Raw(text) => {
                if let Some((id, asked)) = self.no_message(text) {
                    self.client_asked.insert(id, asked);
                }
            }
            Heard::Closed => {}
        }
    }

    fn agent(&mut self, heard: &Heard) {
        match heard {
            Heard::Request(id, method, params) => {
                self.add(rules::check_id(id));
                let asked = match AgentRequest::decode(method, params.as_deref()) {
                    Ok(request) => self.agent_asks(request),
                    Err(error) => self.unreadable(method, &error),
                };
                self.agent_asked.insert(id.clone(), asked);
            }
            Heard::Notification(method, params) => {
                let params = params.as_deref();
                match AgentNotification::decode(method, params) {
                    Ok(told) => {
                        self.add(agent::check_notification(&told, &self.context));
                        self.context.agent_told(&told);
                        if let AgentNotification::Session(news) = &told {
                            let found = self.session(&news.session_id).update(&news.update);
                            self.add(found);
                        }
                    }
                    Err(error) => self.told_unreadable(method, params, &error),
                }
            }
            Heard::Answer(id, result) => self.agent_answers(id, Ok(result)),
            Heard::Refusal(id, error) => {
                if let Ok(error) = from_str(error) {
                    self.agent_answers(id, Err(&error));
                }
            }
            Heard::Raw(text) => {
                if let Some((id, asked)) = self.no_message(text) {
                    self.agent_asked.insert(id, asked);
                }
            }
            Heard::Closed => {}
        }
    }

    fn client_asks(&mut self, request: ClientRequest) -> Asked<ClientRequest> {
        let early = !matches!(
            request,
            ClientRequest::Initialize(_) | ClientRequest::Extension(_)
        );
        if early && !self.initialized {
            return Asked::Refusable(Error::INVALID_REQUEST, "14a");
        }
        self.initialized |= matches!(request, ClientRequest::Initialize(_));
        self.add(client::check_request(&request, &self.context));
        self.context.client_asked(&request);
        if let Some(id) = session::of(&request) {
            self.session(&id.clone()).asked(&request);
        }
        Asked::Readable(request)
    }

    fn agent_answers(&mut self, id: &Id, outcome: Result<&str, &Error>) {
        match self.client_asked.remove(id) {
            Some(Asked::Readable(request)) => {
                self.add(agent::check_response(&request, outcome, &self.context));
                self.context.agent_answered(&request, outcome);
                if let Some(id) = session::of(&request) {
                    let found = self.session(&id.clone()).answered(&request, outcome);
                    self.add(found);
                }
            }
            Some(Asked::Refusable(code, rule)) => self.refused(code, rule, outcome),
            Some(Asked::Odd) => {}
            None => self.stray(),
        }
    }

    fn agent_asks(&mut self, request: AgentRequest) -> Asked<AgentRequest> {
        self.add(agent::check_request(&request, &self.context));
        self.context.agent_asked(&request);
        if let AgentRequest::ReleaseTerminal(release) = &request {
            self.session(&release.session_id)
                .release(&release.terminal_id);
        }
        Asked::Readable(request)
    }

    fn client_answers(&mut self, id: &Id, outcome: Result<&str, &Error>) {
        match self.agent_asked.remove(id) {
            Some(Asked::Readable(request)) => {
                self.add(client::check_response(&request, outcome, &self.context));
                self.context.client_answered(&request, outcome);
                if let (AgentRequest::RequestPermission(asked), Ok(result)) = (&request, outcome)
                    && let Ok(response) = from_str(result)
                {
                    let found = self.session(&asked.session_id).permission(&response);
                    self.add(found);
                }
            }
            Some(Asked::Refusable(code, rule)) => self.refused(code, rule, outcome),
            Some(Asked::Odd) => {}
            None => self.stray(),
        }
    }

    fn add(&mut self, violations: Vec<Violation>) {
        let (entry, from) = self.entry;
        let finding = |violation| Finding {
            entry,
            from,
            violation,
        };
        self.found.extend(violations.into_iter().map(finding));
    }

    fn session(&mut self, id: &v1::SessionId) -> &mut Session {
        self.sessions.entry(id.clone()).or_default()
    }
}

impl Default for Judge {
    fn default() -> Self {
        Judge {
            entry: (0, Side::Client),
            context: Context::default(),
            initialized: false,
            client_asked: HashMap::new(),
            agent_asked: HashMap::new(),
            sessions: HashMap::new(),
            found: Vec::new(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entry, from) = (self.entry + 1, self.from);
        write!(f, "message {entry}, {from}: {}", self.violation)
    }
}
