//! One tool call: prepared, permitted, carried out and shown.

use std::time::Duration;

use attache::json::Raw;
use attache::v1;
use attache_host::permissions::Verdict;
use attache_mcp as mcp;
use attache_model::{Input, Message, ToolCall, ToolResult};
use serde_json::json;
use tokio::select;
use tokio::time::{Instant, sleep_until};

use super::prepared_call::PreparedCall;
use super::{OpenCall, Turn};
use crate::entry_kinds;
use crate::failure::Failure;
use crate::latest_value::LatestValue;
use crate::permission::{self, JournaledDecision, PermissionAnswer, Proposal};
use crate::tools::Effect;
use crate::{ToolOutcome, compaction, mcp_content, tools};

/// Progress of a running call.
enum RunningProgress {
    Builtin(tools::ToolProgress),
    Mcp(mcp::Progress),
}

impl Turn<'_> {
    /// Carries out a call. Failures of the call are results for the model; an error ends the turn.
    pub(super) async fn call(&mut self, call: &ToolCall) -> Result<(), Failure> {
        let Some(open) = self.open.iter().find(|open| open.id == call.id).cloned() else {
            return self.remember(call, &failed("unknown tool call")).await;
        };
        let shown = v1::ToolCallUpdate::new(open.shown.clone()).raw_input(input(call));
        let outcome = match PreparedCall::of(call, self.session).await {
            Ok(prepared) => {
                let proposal = prepared.proposal(self.session, &open.shown).await;
                let shown = prepared.describe(shown, proposal.as_ref());
                self.session.show(shown).await?;
                let refusal = match &proposal {
                    Some(proposal) => self.refusal(&open, proposal).await?,
                    None => None,
                };
                match refusal {
                    None => self.run_call(&open, call, prepared).await?,
                    Some(refusal) => failed(&refusal),
                }
            }
            Err(impossible) => {
                let mut shown = shown;
                shown.title = impossible.title;
                self.session.show(shown).await?;
                impossible.outcome
            }
        };
        let ended = json!({ "call": open.shown.as_str(), "failed": outcome.failed });
        self.session
            .journal
            .append(entry_kinds::TOOL_ENDED, ended.to_string())
            .await?;
        // Before the client sees the result, so that the model knows everything the client has seen.
        self.remember(call, &outcome).await?;
        self.finish(&open, outcome).await
    }

    async fn remember(&mut self, call: &ToolCall, outcome: &ToolOutcome) -> Result<(), Failure> {
        let result = Message::Tools(vec![result(call, outcome)]);
        self.session.add_message(self.history, result).await
    }

    /// The reason for the model why the call is not allowed; `None` if it is allowed.
    async fn refusal(
        &self,
        open: &OpenCall,
        proposal: &Proposal,
    ) -> Result<Option<String>, Failure> {
        match self.verdict(proposal) {
            Verdict::Allow(_) => Ok(None),
            Verdict::Deny(_) => Ok(Some(self.denied(proposal))),
            Verdict::Ask => match self.ask(open, proposal).await? {
                // The user may have chosen another mode while the request waited.
                Some(true) => match self.verdict(proposal) {
                    Verdict::Deny(_) => Ok(Some(self.denied(proposal))),
                    Verdict::Allow(_) | Verdict::Ask => Ok(None),
                },
                Some(false) => Ok(Some(self.refused())),
                None => Ok(Some(UNASKED.to_owned())),
            },
        }
    }

    /// The verdict of the policy and the mode.
    fn verdict(&self, proposal: &Proposal) -> Verdict {
        let mode = self.session.settings().mode.verdict(proposal.effect());
        self.session.permissions.judge(proposal, mode)
    }

    fn denied(&self, proposal: &Proposal) -> String {
        match self.session.permissions.denying_rule(proposal) {
            Some(rule) => format!("{rule} denies this; do not try it in another way"),
            None if proposal.effect() == Effect::McpCall => format!(
                "not possible in {} mode: a tool of an MCP server may change something, whatever its description says; call `mode` to ask the user for another mode",
                self.session.settings().mode.id()
            ),
            None => self.impossible(),
        }
    }

    fn refused(&self) -> String {
        let info = self.session.model_info();
        match info.as_ref().is_some_and(compaction::is_embedded) {
            // The embedded model repeats it to the user.
            true => "it was not allowed".to_owned(),
            false => REFUSED.to_owned(),
        }
    }

    fn impossible(&self) -> String {
        format!(
            "not possible in {} mode: nothing may be changed; call `mode` to ask the user for another mode",
            self.session.settings().mode.id()
        )
    }

    /// Whether the user allows a call, now or for the whole session; `None` if the client can't ask.
    async fn ask(&self, open: &OpenCall, proposal: &Proposal) -> Result<Option<bool>, Failure> {
        let permissions = &self.session.permissions;
        if let Some(is_allowed) = permissions.remembered(proposal) {
            return Ok(Some(is_allowed));
        }
        let options = permission::options(proposal);
        let answer = match self.permission(proposal.call(), options.clone()).await? {
            Some(v1::RequestPermissionOutcome::Selected(chosen)) => {
                PermissionAnswer::of(&chosen.option_id, &options)
                    .unwrap_or(PermissionAnswer::RejectOnce)
            }
            // An unknown outcome is never permission.
            Some(_) => PermissionAnswer::RejectOnce,
            None => return Ok(None),
        };
        self.store_decision(permissions.decide(&open.shown, proposal, answer))
            .await?;
        Ok(Some(answer.allows()))
    }

    /// Sends a permission request; `None` if the client rejects it.
    pub(super) async fn permission(
        &self,
        call: v1::ToolCallUpdate,
        options: Vec<v1::PermissionOption>,
    ) -> Result<Option<v1::RequestPermissionOutcome>, Failure> {
        match self.session.client.request_permission(call, options).await {
            Ok(v1::RequestPermissionOutcome::Cancelled) => Err(Failure::Cancelled),
            Ok(outcome) => Ok(Some(outcome)),
            Err(gone) if gone.is_closed() => Err(gone.into()),
            Err(_) => Ok(None),
        }
    }

    /// Stores and applies a decision. It is on disk before the call runs.
    pub(super) async fn store_decision(&self, decision: JournaledDecision) -> Result<(), Failure> {
        let kept = serde_json::to_vec(&decision).unwrap_or_default();
        self.session
            .journal
            .commit(entry_kinds::DECISION, kept)
            .await?;
        self.session.permissions.restore(decision);
        Ok(())
    }

    async fn run_call(
        &self,
        open: &OpenCall,
        call: &ToolCall,
        prepared: PreparedCall,
    ) -> Result<ToolOutcome, Failure> {
        let started = json!({ "call": open.shown.as_str(), "tool": call.name });
        self.session
            .journal
            .commit(entry_kinds::TOOL_STARTED, started.to_string())
            .await?;
        let running = v1::ToolCallUpdate::new(open.shown.clone());
        self.session
            .show(running.status(v1::ToolCallStatus::InProgress))
            .await?;
        let seen = LatestValue::new();
        match prepared {
            PreparedCall::Builtin(prepared) => {
                let note = |now| seen.put(RunningProgress::Builtin(now));
                let work = prepared.perform(&self.session.place, note);
                self.watch(open, &seen, work).await
            }
            PreparedCall::Session(inner) => self.session_call(open, inner).await,
            PreparedCall::Resource(resource) => {
                Ok(match self.session.servers.read_unchanged(&resource).await {
                    Ok(content) => ToolOutcome {
                        for_model: mcp_content::inputs(content),
                        ..ToolOutcome::default()
                    },
                    Err(failure) => failed(&failure.to_string()),
                })
            }
            PreparedCall::Mcp(tool, _) => {
                let note = |now| seen.put(RunningProgress::Mcp(now));
                let servers = &self.session.servers;
                let called = servers.call_unchanged(&tool, &call.input, note);
                let work = async { mcp_content::outcome(called.await) };
                self.watch(open, &seen, work).await
            }
        }
    }

    /// Shows the progress of a call until it is done.
    async fn watch(
        &self,
        open: &OpenCall,
        seen: &LatestValue<RunningProgress>,
        work: impl Future<Output = ToolOutcome>,
    ) -> Result<ToolOutcome, Failure> {
        tokio::pin!(work);
        let mut rest = Instant::now();
        loop {
            // Limits the rate: a server may report more progress than is worth showing or storing.
            let next = async {
                sleep_until(rest).await;
                seen.take().await
            };
            let now = select! {
                biased;
                outcome = &mut work => return Ok(outcome),
                now = next => now.shown(open),
            };
            match has_terminal(now.content.as_deref()) {
                // The terminal does not exist any more when the session is replayed.
                true => self.session.send_update(now).await?,
                false => self.session.show(now).await?,
            }
            rest = Instant::now() + PACE;
        }
    }

    async fn finish(&mut self, open: &OpenCall, outcome: ToolOutcome) -> Result<(), Failure> {
        let status = match outcome.failed {
            true => v1::ToolCallStatus::Failed,
            false => v1::ToolCallStatus::Completed,
        };
        let mut shown = v1::ToolCallUpdate::new(open.shown.clone()).status(status);
        let is_for_now = has_terminal(Some(&outcome.content));
        if !outcome.content.is_empty() {
            shown = shown.content(outcome.content);
        }
        if !outcome.locations.is_empty() {
            shown = shown.locations(outcome.locations);
        }
        shown.raw_output = outcome.raw.map(Raw::from);
        if is_for_now {
            let kept = shown.clone().content(text_content(outcome.for_model));
            self.session.show_transient(shown, kept).await?;
        } else {
            self.session.show(shown).await?;
        }
        self.open.retain(|other| other.shown != open.shown);
        Ok(())
    }
}

impl RunningProgress {
    fn shown(&self, open: &OpenCall) -> v1::ToolCallUpdate {
        let call = v1::ToolCallUpdate::new(open.shown.clone());
        match self {
            RunningProgress::Builtin(now) => {
                let call = call.content(now.content.clone());
                match now.locations.is_empty() {
                    true => call,
                    false => call.locations(now.locations.clone()),
                }
            }
            RunningProgress::Mcp(now) => {
                let percent = now.percent.map(|percent| format!("{percent} %"));
                let parts: Vec<_> = percent.into_iter().chain(now.message.clone()).collect();
                let words = v1::ContentBlock::from(parts.join(": "));
                call.content([v1::ToolCallContent::from(words)])
            }
        }
    }
}

fn has_terminal(content: Option<&[v1::ToolCallContent]>) -> bool {
    let is_terminal = |one: &v1::ToolCallContent| matches!(one, v1::ToolCallContent::Terminal(_));
    content.is_some_and(|content| content.iter().any(is_terminal))
}

/// The text of a result for the model, as content for the user.
fn text_content(for_model: Vec<Input>) -> Vec<v1::ToolCallContent> {
    let words = for_model.into_iter().filter_map(|input| match input {
        Input::Text(text) => Some(v1::ContentBlock::from(text).into()),
        Input::Image { .. } | Input::Audio { .. } => None,
    });
    words.collect()
}

/// The input that the model wrote, as JSON if it is valid.
pub(super) fn input(call: &ToolCall) -> Raw {
    Raw::parse(&call.input).unwrap_or_else(|_| Raw::of(call.input.as_str()))
}

pub(super) fn failed(why: &str) -> ToolOutcome {
    ToolOutcome {
        content: vec![v1::ContentBlock::from(why).into()],
        for_model: vec![Input::Text(why.to_owned())],
        raw: Some(json!({ "error": why })),
        failed: true,
        ..ToolOutcome::default()
    }
}

fn result(call: &ToolCall, outcome: &ToolOutcome) -> ToolResult {
    ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: outcome.for_model.clone(),
        failed: outcome.failed,
    }
}

/// Minimum time between two progress updates of a call.
const PACE: Duration = Duration::from_millis(50);
const UNASKED: &str = "the client could not ask the user, so this is not allowed; continue without it or say what you need";
const REFUSED: &str = "the user rejected this; do not try it in another way; continue without it or ask what to do instead";
