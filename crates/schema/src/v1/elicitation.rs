//! Elicitation: the agent asks the user for input, with a form or on a web page.

use std::collections::BTreeMap;

use attache_rpc::Id;
use attache_rpc::json::{
    Decode, DecodeError, Encode, Flatten, Members, Problem, Reader, ValueKind, write,
};

use super::{ElicitationSchema, SessionId, ToolCallId};

ids! {
    /// Id of an elicitation on a web page, chosen by the agent. It MUST be unique among the open elicitations
    /// of the connection.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    ElicitationId
}

message! {
    /// Parameters of `elicitation/create`: the agent asks the user for input. The client MUST name the agent that asks
    /// and offer to decline and to cancel. A mode that the client does not advertise is an error (-32602).
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct CreateElicitationRequest {
        /// Text for the user: the input that the agent needs, and why.
        message: String = "message",
        /// The session or the request that the elicitation belongs to.
        part scope: ElicitationScope,
        /// How the client asks: with a form or on a web page.
        part mode: ElicitationMode,
    }
}

/// The session or the request that an elicitation belongs to. If both are present, the session counts.
///
/// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitationScope {
    /// A session.
    Session(ElicitationSessionScope),
    /// A request outside any session, such as a login.
    Request(ElicitationRequestScope),
}

fragment! {
    /// The elicitation belongs to a session.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct ElicitationSessionScope {
        /// The session.
        session_id: SessionId = "sessionId",
        ..
        /// The tool call in that session. Default: none.
        tool_call_id: Option<ToolCallId> = "toolCallId" lenient,
    }
}

fragment! {
    /// The elicitation belongs to a request outside any session.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct ElicitationRequestScope {
        /// The JSON-RPC id of the request.
        request_id: Id = "requestId",
    }
}

union! {
    /// How the client asks the user. The client MUST NOT treat an unknown mode as a known one.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub enum ElicitationMode by "mode" {
        /// With a form. The agent MUST NOT ask for secrets with it.
        Form(ElicitationFormMode) = "form",
        /// On a web page, which the client opens only after the user agrees.
        Url(ElicitationUrlMode) = "url",
    }
}

fragment! {
    /// The client shows a form. It SHOULD fill in the defaults and check the values before it sends them.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct ElicitationFormMode {
        /// The fields of the form.
        requested_schema: ElicitationSchema = "requestedSchema",
    }
}

fragment! {
    /// The client opens a web page. It MUST show the full URL and its host, ask the user first, and not fetch the page
    /// itself.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct ElicitationUrlMode {
        /// Id of the elicitation, for `elicitation/complete`.
        elicitation_id: ElicitationId = "elicitationId",
        /// URL of the page. It MUST NOT contain credentials or personal data, and SHOULD use HTTPS.
        url: String = "url",
    }
}

message! {
    /// Response to `elicitation/create`.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct CreateElicitationResponse {
        /// The decision of the user.
        part action: ElicitationAction,
    }
}

union! {
    /// The decision of the user. The agent MUST handle every action, and MUST NOT treat an unknown one as a known one.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub enum ElicitationAction by "action" {
        /// The user filled in the form, or agreed to open the page.
        Accept(ElicitationAcceptAction) = "accept",
        /// The user declined.
        Decline = "decline",
        /// The user closed the dialog without a decision.
        Cancel = "cancel",
    }
}

fragment! {
    /// The user's input.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct ElicitationAcceptAction {
        ..
        /// The values of the fields by name. Absent for a web page. The agent SHOULD check them again.
        content: Option<BTreeMap<String, ElicitationContentValue>> = "content",
    }
}

/// The value of a field of a form.
///
/// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitationContentValue {
    /// Text, or the value of a choice.
    String(String),
    /// A whole number.
    Integer(i64),
    /// A number that is not whole.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// Several choices.
    StringArray(Vec<String>),
}

message! {
    /// Parameters of `elicitation/complete`: the user has finished on the web page. The client MUST ignore an id that
    /// it does not know or that is already complete.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation#url-completion).
    pub struct CompleteElicitationNotification {
        /// The elicitation that is complete.
        elicitation_id: ElicitationId = "elicitationId",
    }
}

impl Decode for ElicitationScope {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
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

impl Flatten for ElicitationScope {
    const OWNED: &[&str] = &["sessionId", "toolCallId", "requestId"];
}

impl Decode for ElicitationContentValue {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.kind()? {
            ValueKind::String => String::decode(reader).map(Self::String),
            ValueKind::Boolean => bool::decode(reader).map(Self::Boolean),
            ValueKind::Array => Vec::decode(reader).map(Self::StringArray),
            ValueKind::Number => {
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
