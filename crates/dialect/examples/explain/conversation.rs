//! One conversation, line by line.

mod initialization;
mod participant;
mod remarks;
mod response;

use std::borrow::Cow;
use std::collections::HashSet;

use attache_dialect::{Call, Role, TranslatedCall};
use attache_rpc::json::from_str;
use attache_rpc::{Error, Id, Message};
use attache_schema::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, ProtocolLevelNotification,
};
use attache_schema::method::MethodKind;
use attache_schema::rules::{self, Context};
use attache_schema::v1;

use crate::line;
use participant::{OpenRequest, Participant, TypedRequest, arrow, other, sender};

/// The state of the conversation. The sender of a line is shown by the line itself, by its method, or by the request it
/// responds to.
pub(crate) struct Conversation {
    client: Participant,
    agent: Participant,
    context: Context,
    /// Ids of lines that were not messages but get an error response.
    broken: HashSet<Id>,
    /// Number of requests so far.
    requests: usize,
    /// Whether `initialize` was sent, or its absence was reported.
    is_begun: bool,
    /// Whether both sides use a version that this program does not explain.
    is_foreign: bool,
    notes: Vec<String>,
    remarks: usize,
}

impl Default for Conversation {
    fn default() -> Self {
        Conversation {
            client: Participant::new(Role::Client),
            agent: Participant::new(Role::Agent),
            context: Context::default(),
            broken: HashSet::new(),
            requests: 0,
            is_begun: false,
            is_foreign: false,
            notes: Vec::new(),
            remarks: 0,
        }
    }
}

impl Conversation {
    /// Describes a line in a few words. [`take_notes`](Self::take_notes) returns the notes about it.
    pub(crate) fn headline(&mut self, line: &[u8]) -> String {
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => {
                self.problem("the message starts with a byte order mark; omit it");
                rest
            }
            None => line,
        };
        let text = match std::str::from_utf8(line) {
            Ok(text) => line::split(text),
            Err(error) => {
                let at = error.valid_up_to();
                self.problem(&format!(
                    "not UTF-8 at byte {at} (answer with -32700: Parse error)"
                ));
                return NO_MESSAGE.to_owned();
            }
        };
        match text {
            Ok((from, text)) => self.explain_message(from, &text),
            Err(remark) => {
                self.problem(remark);
                NO_MESSAGE.to_owned()
            }
        }
    }

    /// The notes about the last line.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Number of problems so far.
    pub(crate) fn remarks(&self) -> usize {
        self.remarks
    }

    fn explain_message(&mut self, from: Option<Role>, text: &str) -> String {
        match Message::parse_str(text) {
            Ok(Message::Request { id, method, params }) => {
                let from = from.or_else(|| sender(&method, MethodKind::Request));
                let supposed = self.supposed(from);
                self.request(supposed, &id, &method, params);
                format!("{} {method}  (request {id})", arrow(from))
            }
            Ok(Message::Notification { method, params }) => {
                let from = from
                    .or_else(|| sender(&method, MethodKind::Notification))
                    .or_else(|| self.canceller(&method, params));
                let supposed = self.supposed(from);
                self.notification(supposed, &method, params);
                format!("{} {method}", arrow(from))
            }
            Ok(Message::Response { id, result }) => self.answer(from, &id, Ok(result)),
            Ok(Message::Failure { id, error }) => self.answer(from, &id, Err(error)),
            Err(malformed) => {
                self.problem(&line::fault(text, &malformed));
                self.broken
                    .extend(malformed.error_response().map(|(id, _)| id));
                NO_MESSAGE.to_owned()
            }
        }
    }

    fn request(&mut self, from: Role, id: &Id, method: &str, params: Option<&str>) {
        self.violations(rules::check_id(id));
        self.observe_request(from, method, params);
        let mut open = OpenRequest {
            number: self.requests,
            method: method.to_owned(),
            request: TypedRequest::Unread,
        };
        self.requests += 1;
        if self.is_foreign {
            // The response may fall back to version 1.
            let request = ClientRequest::decode(method, params);
            open.request = request.map_or(TypedRequest::Unread, TypedRequest::ByClient);
        } else {
            let mut calls = self.official(from, Call::request(id, method, params));
            if let Some((method, params)) = calls.pop() {
                open.request = self.explain_request(from, &method, params.as_deref());
                open.method = method;
            }
        }
        self.participant(from).open.insert(id.clone(), open);
    }

    fn explain_request(&mut self, from: Role, method: &str, params: Option<&str>) -> TypedRequest {
        let request = match from {
            Role::Client => ClientRequest::decode(method, params).map(|request| {
                self.violations(rules::client::check_request(&request, &self.context));
                self.context.on_client_request(&request);
                TypedRequest::ByClient(request)
            }),
            Role::Agent => AgentRequest::decode(method, params).map(|request| {
                self.violations(rules::agent::check_request(&request, &self.context));
                self.context.on_agent_request(&request);
                TypedRequest::ByAgent(request)
            }),
        };
        request.unwrap_or_else(|error| {
            self.refused(from, method, MethodKind::Request, &error);
            TypedRequest::Unread
        })
    }

    fn notification(&mut self, from: Role, method: &str, params: Option<&str>) {
        if self.is_foreign {
            return;
        }
        for (method, params) in self.official(from, Call::notification(method, params)) {
            let params = params.as_deref();
            let told = match ProtocolLevelNotification::decode(&method, params) {
                Err(error) if error.code == Error::METHOD_NOT_FOUND => {
                    self.explain_notification(from, &method, params)
                }
                Ok(ProtocolLevelNotification::Extension(_)) => {
                    self.explain_notification(from, &method, params)
                }
                Ok(news) => {
                    self.violations(rules::check_protocol_notification(&news));
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = told {
                self.refused(from, &method, MethodKind::Notification, &error);
            }
        }
    }

    fn explain_notification(
        &mut self,
        from: Role,
        method: &str,
        params: Option<&str>,
    ) -> Result<(), Error> {
        match from {
            Role::Client => {
                let news = ClientNotification::decode(method, params)?;
                self.violations(rules::client::check_notification(&news, &self.context));
            }
            Role::Agent => {
                let news = AgentNotification::decode(method, params)?;
                self.violations(rules::agent::check_notification(&news, &self.context));
                self.context.on_agent_notification(&news);
                if let AgentNotification::Session(news) = news {
                    self.note(format!("update: {}", news.update.tag()));
                }
            }
        }
        Ok(())
    }

    /// The call as official JSON, shown in a note if it differs.
    fn official(&mut self, from: Role, call: Call<'_>) -> Vec<(String, Option<String>)> {
        let calls = match self.participant(from).translator.read_call(call) {
            Ok(TranslatedCall::Call { method, params }) => {
                vec![(method.into_owned(), params.map(Cow::into_owned))]
            }
            Ok(TranslatedCall::Calls(calls)) => calls,
            Ok(TranslatedCall::Response(_) | TranslatedCall::Nothing) => Vec::new(),
            Err(error) => {
                let kind = call
                    .id
                    .map_or(MethodKind::Notification, |_| MethodKind::Request);
                self.refused(from, call.method, kind, &error);
                return Vec::new();
            }
        };
        if calls.is_empty() {
            self.note("officially: nothing".to_owned());
        }
        for (method, params) in &calls {
            if (method.as_str(), params.as_deref()) != (call.method, call.params) {
                let shown = params.as_deref().unwrap_or("no params");
                self.note(format!("officially: {method} {shown}"));
            }
            // The receiver's translator needs the calls to read their responses.
            let (method, params, id) = (method.as_str(), params.as_deref(), call.id);
            let call = Call { id, method, params };
            self.participant(other(from))
                .translator
                .write_call(call)
                .ok();
        }
        calls
    }

    /// The sender of a cancellation: the side that sent the request.
    fn canceller(&self, method: &str, params: Option<&str>) -> Option<Role> {
        if method != "$/cancel_request" {
            return None;
        }
        let cancel: v1::CancelRequestNotification = from_str(params?).ok()?;
        self.requester(&cancel.request_id, None)
    }

    fn participant(&mut self, peer: Role) -> &mut Participant {
        match peer {
            Role::Client => &mut self.client,
            Role::Agent => &mut self.agent,
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const NO_MESSAGE: &str = "-- not a message";
