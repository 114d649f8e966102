//! Permission for a tool call: the call as rules judge it, what a lasting answer covers, and the decisions of a session.
//! The host's `Permissions` judge and remember.

mod mcp_text;
mod proposal;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use attache::v1;
use attache_host::permissions::{
    Action, Decision, Permissions, Reason, RememberedDecision, Scope, Verdict,
};
use attache_mcp::{self as mcp, DefinitionPart, ToolSnapshot};
use serde::{Deserialize, Serialize};

pub(crate) use mcp_text::tool_title;
pub(crate) use proposal::{Coverage, Proposal};

/// The name of this agent in rules.
pub(crate) const AGENT: &str = "builtin";

/// The user's answer to a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PermissionAnswer {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

/// A decision as the journal stores it. Journals of earlier versions have a key instead of the record; those decisions
/// no longer apply.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct JournaledDecision {
    call: String,
    answer: PermissionAnswer,
    /// The record of a lasting answer, with what it covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<RememberedDecision>,
    /// The MCP tool that was allowed, as its server defined it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<AllowedTool>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct AllowedTool {
    server: String,
    name: String,
    seen: ToolSnapshot,
}

/// The rules and decisions that count in one session.
#[derive(Debug)]
pub(crate) struct SessionPermissions {
    permissions: Permissions,
    session: v1::SessionId,
    workspace: PathBuf,
    /// MCP tools that were allowed for the session, to show the user what has changed since.
    allowed: Mutex<HashMap<(String, String), ToolSnapshot>>,
}

impl SessionPermissions {
    pub(crate) fn new(
        permissions: Permissions,
        session: &v1::SessionId,
        workspace: &Path,
    ) -> SessionPermissions {
        SessionPermissions {
            permissions,
            session: session.clone(),
            workspace: workspace.to_owned(),
            allowed: Mutex::default(),
        }
    }

    /// The action of a call, with the current state of its files on disk.
    pub(crate) async fn action(&self, call: v1::ToolCallUpdate) -> Action {
        let none: [v1::PermissionOption; 0] = [];
        let request = v1::RequestPermissionRequest::new(self.session.clone(), call, none);
        let action = Action::from_request(AGENT, self.workspace.clone(), &request, None);
        let (permissions, looked_at) = (self.permissions.clone(), action.clone());
        let looked = tokio::task::spawn_blocking(move || permissions.with_disk(looked_at));
        looked.await.unwrap_or(action)
    }

    /// The verdict of the policy and the mode. Rules that allow are for the client, which answers permission requests: here
    /// rules only deny or ask.
    pub(crate) fn judge(&self, proposal: &Proposal, mode: Verdict) -> Verdict {
        let action = proposal.action();
        if let Some(reason) = self.permissions.denying_rule(action) {
            return Verdict::Deny(reason);
        }
        match mode {
            Verdict::Allow(_) if action.is_asked_each_time() => Verdict::Ask,
            Verdict::Allow(_) if self.permissions.asking_rule(action).is_some() => Verdict::Ask,
            mode => mode,
        }
    }

    /// The rule that denies a call. No answer of the user overrides it.
    pub(crate) fn denying_rule(&self, proposal: &Proposal) -> Option<Reason> {
        self.permissions.denying_rule(proposal.action())
    }

    /// The user's lasting decision that applies to this call: whether it is allowed; `None` if there is none.
    pub(crate) fn remembered(&self, proposal: &Proposal) -> Option<bool> {
        let recall = |covered: &Coverage| {
            let found = self.permissions.recall(covered.action())?;
            Some(found.is_allowed)
        };
        let refused = recall(proposal.reject()).filter(|is_allowed| !is_allowed);
        // A rejection may cover more than one class of calls, for example everything about a file.
        let refused = refused.or_else(|| {
            let found = self.permissions.recall(proposal.action())?;
            (!found.is_allowed).then_some(false)
        });
        refused.or_else(|| proposal.allow().and_then(recall))
    }

    /// The decision to write to the journal. It applies only after [`restore`](Self::restore).
    pub(crate) fn decide(
        &self,
        call: &v1::ToolCallId,
        proposal: &Proposal,
        answer: PermissionAnswer,
    ) -> JournaledDecision {
        let lasting = |is_allowed: bool, covered: &Coverage| {
            let decision = Decision {
                is_allowed,
                scope: Scope::Session,
                expires: None,
            };
            self.permissions.record(covered.action(), &decision)
        };
        let record = match answer {
            PermissionAnswer::AllowOnce | PermissionAnswer::RejectOnce => None,
            PermissionAnswer::AllowAlways => {
                proposal.allow().and_then(|covered| lasting(true, covered))
            }
            PermissionAnswer::RejectAlways => lasting(false, proposal.reject()),
        };
        let tool = proposal
            .tool()
            .filter(|_| answer == PermissionAnswer::AllowAlways);
        JournaledDecision {
            tool: tool.map(|tool| AllowedTool {
                server: tool.server.clone(),
                name: tool.name.clone(),
                seen: tool.identity.seen(),
            }),
            record,
            ..JournaledDecision::once(call, answer)
        }
    }

    /// Applies a decision from the journal. Decisions of the session that this one was forked from apply too.
    pub(crate) fn restore(&self, decision: JournaledDecision) {
        if let Some(mut record) = decision.record {
            if record.session.is_some() {
                record.session = Some(self.session.as_str().to_owned());
            }
            self.permissions.restore(record);
        }
        if let Some(tool) = decision.tool {
            self.allowed().insert((tool.server, tool.name), tool.seen);
        }
    }

    /// The parts of a tool's definition that changed since the user allowed it for the session. Empty if the user did not
    /// allow it.
    pub(crate) fn changed(&self, tool: &mcp::Tool) -> Vec<DefinitionPart> {
        let key = (tool.server.clone(), tool.name.clone());
        let allowed = self.allowed();
        let seen = allowed.get(&key);
        seen.map(|seen| seen.changed(&tool.identity))
            .unwrap_or_default()
    }

    /// Forgets the session.
    pub(crate) fn end(&self) {
        self.permissions.end_session(&self.session);
    }

    fn allowed(&self) -> MutexGuard<'_, HashMap<(String, String), ToolSnapshot>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournaledDecision {
    /// An answer that covers nothing but its own request.
    pub(crate) fn once(call: &v1::ToolCallId, answer: PermissionAnswer) -> JournaledDecision {
        JournaledDecision {
            call: call.as_str().to_owned(),
            answer,
            record: None,
            tool: None,
        }
    }
}

impl PermissionAnswer {
    pub(crate) fn allows(self) -> bool {
        matches!(
            self,
            PermissionAnswer::AllowOnce | PermissionAnswer::AllowAlways
        )
    }

    /// The answer for an option's id; `None` for an option that was not offered.
    pub(crate) fn of(
        chosen: &v1::PermissionOptionId,
        offered: &[v1::PermissionOption],
    ) -> Option<PermissionAnswer> {
        let all = [
            PermissionAnswer::AllowOnce,
            PermissionAnswer::AllowAlways,
            PermissionAnswer::RejectOnce,
            PermissionAnswer::RejectAlways,
        ];
        let is_offered = offered.iter().any(|option| option.option_id == *chosen);
        let chosen = all
            .into_iter()
            .find(|answer| answer.id() == chosen.as_str());
        chosen.filter(|_| is_offered)
    }

    fn id(self) -> &'static str {
        match self {
            PermissionAnswer::AllowOnce => "allow_once",
            PermissionAnswer::AllowAlways => "allow_always",
            PermissionAnswer::RejectOnce => "reject_once",
            PermissionAnswer::RejectAlways => "reject_always",
        }
    }
}

/// The options of a permission request. The name of each says what it covers.
pub(crate) fn options(proposal: &Proposal) -> Vec<v1::PermissionOption> {
    use v1::PermissionOptionKind as Kind;
    let option = |answer: PermissionAnswer, name: String, kind: Kind| {
        v1::PermissionOption::new(answer.id(), name, kind)
    };
    let always = |verb: &str, covered: &Coverage| {
        let words = covered.words();
        format!("Always {verb} {words} in this session")
    };
    let mut options = vec![option(
        PermissionAnswer::AllowOnce,
        "Allow once".to_owned(),
        Kind::AllowOnce,
    )];
    if let Some(covered) = proposal.allow() {
        let name = always("allow", covered);
        options.push(option(
            PermissionAnswer::AllowAlways,
            name,
            Kind::AllowAlways,
        ));
    }
    options.push(option(
        PermissionAnswer::RejectOnce,
        "Reject once".to_owned(),
        Kind::RejectOnce,
    ));
    let name = always("reject", proposal.reject());
    options.push(option(
        PermissionAnswer::RejectAlways,
        name,
        Kind::RejectAlways,
    ));
    options
}
