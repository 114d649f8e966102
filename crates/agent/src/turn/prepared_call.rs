//! Prepares the tool calls of the model: which tool it is, and what it would do.

use attache::json::Raw;
use attache::v1;
use attache_mcp as mcp;
use attache_model::ToolCall;

use crate::ToolOutcome;
use crate::permission::Proposal;
use crate::session::Session;
use crate::session_call::{self, SessionCall};
use crate::tools::{self, BuiltinCall, PreparedTool};

use super::call::{failed, input};

/// A tool call of the model, ready to be carried out.
pub(super) enum PreparedCall {
    Builtin(Box<PreparedTool>),
    /// Affects only the session.
    Session(SessionCall),
    /// Reads a resource of an MCP server.
    Resource(mcp::Resource),
    /// Calls a tool of an MCP server with the model's input.
    Mcp(Box<mcp::Tool>, Raw),
}

/// A call that cannot be carried out.
pub(super) struct ImpossibleCall {
    /// The title of the call, if it was understood.
    pub(super) title: Option<String>,
    pub(super) outcome: ToolOutcome,
}

impl PreparedCall {
    pub(super) async fn of(
        call: &ToolCall,
        session: &Session,
    ) -> Result<PreparedCall, ImpossibleCall> {
        if let Some(parsed) = tools::parse(&call.name, &call.input) {
            let parsed = parsed.map_err(|misfit| ImpossibleCall::of(&misfit.to_string()))?;
            return PreparedCall::builtin(parsed, session).await;
        }
        if let Some(parsed) = session_call::parse(&call.name, &call.input) {
            let inner = parsed.map_err(|misfit| ImpossibleCall::of(&misfit))?;
            return PreparedCall::session(inner, session).await;
        }
        match session.servers.current_tool(&call.name).await {
            Ok(Some(tool)) => Ok(PreparedCall::Mcp(Box::new(tool), input(call))),
            Ok(None) => Err(ImpossibleCall::of(
                "there is no such tool; use one of those you were given",
            )),
            Err(failure) => Err(ImpossibleCall::of(&failure.to_string())),
        }
    }

    async fn builtin(call: BuiltinCall, session: &Session) -> Result<PreparedCall, ImpossibleCall> {
        let title = call.title();
        match call.prepare(&session.place).await {
            Ok(prepared) => Ok(PreparedCall::Builtin(Box::new(prepared))),
            Err(outcome) => Err(ImpossibleCall {
                title: Some(title),
                outcome,
            }),
        }
    }

    async fn session(
        inner: SessionCall,
        session: &Session,
    ) -> Result<PreparedCall, ImpossibleCall> {
        let SessionCall::Resource(uri) = &inner else {
            return Ok(PreparedCall::Session(inner));
        };
        match session.servers.resource(uri).await {
            Ok(resource) => Ok(PreparedCall::Resource(resource)),
            Err(failure) => Err(ImpossibleCall {
                title: Some(inner.title()),
                outcome: failed(&failure.to_string()),
            }),
        }
    }

    /// The proposal for rules and the user; `None` for a call that affects only the session.
    pub(super) async fn proposal(
        &self,
        session: &Session,
        id: &v1::ToolCallId,
    ) -> Option<Proposal> {
        let call = v1::ToolCallUpdate::new(id.clone());
        let permissions = &session.permissions;
        match self {
            PreparedCall::Builtin(prepared) => {
                Some(Proposal::builtin(permissions, session.cwd(), call, prepared).await)
            }
            PreparedCall::Session(_) => None,
            PreparedCall::Resource(resource) => {
                Some(Proposal::mcp_resource(permissions, call, resource).await)
            }
            PreparedCall::Mcp(tool, input) => {
                Some(Proposal::mcp_tool(permissions, call, tool, input).await)
            }
        }
    }

    /// The update that shows the call before it is carried out.
    pub(super) fn describe(
        &self,
        call: v1::ToolCallUpdate,
        proposal: Option<&Proposal>,
    ) -> v1::ToolCallUpdate {
        match (self, proposal) {
            (PreparedCall::Session(inner), _) => call.title(inner.title()),
            (_, None) => call,
            (_, Some(proposal)) => {
                let mut shown = proposal.call();
                shown.raw_input = call.raw_input;
                shown.name = None;
                shown
            }
        }
    }
}

impl ImpossibleCall {
    fn of(why: &str) -> ImpossibleCall {
        ImpossibleCall {
            title: None,
            outcome: failed(why),
        }
    }
}
