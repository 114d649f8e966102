//! Elicitation: the agent asks the person for data, by a form or by a page.

use std::collections::BTreeMap;

use attache_rpc::Id;
use attache_rpc::json::{Decode, Encode, Error, Kind, Members, Part, Problem, Reader, write};

use super::{ElicitationSchema, SessionId, ToolCallId};

ids! {
    /// Names a question that is answered on a page, among those open on this connection.
    ElicitationId
}

message! {
    /// Asks the person for data.
    pub struct CreateElicitationRequest {
        /// What to tell the person.
        message: String = "message",
        /// What the question belongs to.
        part scope: ElicitationScope,
        /// How it is asked.
        part mode: ElicitationMode,
    }
}

/// What a question belongs to. A session wins where both are named.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationScope {
    /// A session.
    Session(ElicitationSessionScope),
    /// A request that has no session, such as a login.
    Request(ElicitationRequestScope),
}

fragment! {
    /// A question that belongs to a session.
    pub struct ElicitationSessionScope {
        /// Which session.
        session_id: SessionId = "sessionId",
        ..
        /// Which tool call in it.
        tool_call_id: Option<ToolCallId> = "toolCallId" lenient,
    }
}

fragment! {
    /// A question that belongs to a request.
    pub struct ElicitationRequestScope {
        /// Which request.
        request_id: Id = "requestId",
    }
}

union! {
    /// How a question is asked.
    pub enum ElicitationMode by "mode" {
        /// By a form in the client; never for secrets.
        Form(ElicitationFormMode) = "form",
        /// By a page that the person opens.
        Url(ElicitationUrlMode) = "url",
    }
}

fragment! {
    /// A form.
    pub struct ElicitationFormMode {
        /// The fields.
        requested_schema: ElicitationSchema = "requestedSchema",
    }
}

fragment! {
    /// A page.
    pub struct ElicitationUrlMode {
        /// The question's id, for `elicitation/complete`.
        elicitation_id: ElicitationId = "elicitationId",
        /// Where the page is.
        url: String = "url",
    }
}

message! {
    /// What the person did.
    pub struct CreateElicitationResponse {
        /// What it was.
        part action: ElicitationAction,
    }
}

union! {
    /// What the person did. One that is not known must never be taken for a known one.
    pub enum ElicitationAction by "action" {
        /// Answered.
        Accept(ElicitationAcceptAction) = "accept",
        /// Said no.
        Decline = "decline",
        /// Closed the question.
        Cancel = "cancel",
    }
}

fragment! {
    /// The person's answer.
    pub struct ElicitationAcceptAction {
        ..
        /// The fields and their values; none for a page.
        content: Option<BTreeMap<String, ElicitationContentValue>> = "content",
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationContentValue {
    /// Text.
    String(String),
    /// A whole number.
    Integer(i64),
    /// Any number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// Several choices.
    StringArray(Vec<String>),
}

message! {
    /// The page has been dealt with.
    pub struct CompleteElicitationNotification {
        /// Which question.
        elicitation_id: ElicitationId = "elicitationId",
    }
}

impl Decode for ElicitationScope {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mark = reader.mark();
        let as_session = match ElicitationSessionScope::decode(reader) {
            Ok(scope) => return Ok(Self::Session(scope)),
            Err(error) => error,
        };
        reader.reset(mark);
        match ElicitationRequestScope::decode(reader) {
            Ok(scope) => Ok(Self::Request(scope)),
            Err(_) => Err(as_session),
        }
    }
}

impl Members for ElicitationScope {
    fn members(&self, out: &mut String) {
        match self {
            Self::Session(scope) => scope.members(out),
            Self::Request(scope) => scope.members(out),
        }
    }
}

impl Encode for ElicitationScope {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

impl Part for ElicitationScope {
    const OWNED: &[&str] = &["sessionId", "toolCallId", "requestId"];
}

impl Decode for ElicitationContentValue {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        match reader.kind()? {
            Kind::String => String::decode(reader).map(Self::String),
            Kind::Boolean => bool::decode(reader).map(Self::Boolean),
            Kind::Array => Vec::decode(reader).map(Self::StringArray),
            Kind::Number => {
                let mark = reader.mark();
                i64::decode(reader).map(Self::Integer).or_else(|_| {
                    reader.reset(mark);
                    f64::decode(reader).map(Self::Number)
                })
            }
            found => {
                let what = "a string, a number, a boolean or a list of strings";
                Err(reader.error(Problem::Expected(what, found)))
            }
        }
    }
}

impl Encode for ElicitationContentValue {
    fn encode(&self, out: &mut String) {
        match self {
            Self::String(value) => value.encode(out),
            Self::Integer(value) => value.encode(out),
            Self::Number(value) => value.encode(out),
            Self::Boolean(value) => value.encode(out),
            Self::StringArray(values) => values.encode(out),
        }
    }
}
