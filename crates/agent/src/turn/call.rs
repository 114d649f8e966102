//! One call of a tool: understood, asked about where the mode wants that, carried out, shown.

use attache::json::Raw;
use attache::v1;
use attache_model::{Input, ToolCall, ToolResult};
use serde_json::json;
use tokio::select;
use tokio::sync::watch;

use super::{Open, Turn};
use crate::failure::Failure;
use crate::inner::{self, Inner};
use crate::leave::{self, Answer, Cover, Decision};
use crate::modes::{Deed, Verdict};
use crate::store::Kind;
use crate::tools::{self, Prepared, Progress};
use crate::{Outcome, mcp};

/// What the model wants done, ready to be done.
enum Errand {
    Ours(Box<Prepared>),
    Inner(Inner),
    Foreign(mcp::Tool),
}

impl Turn<'_> {
    /// Carries a call out. What it comes to is for the model; only the end of the turn is a failure.
    pub(super) async fn call(&mut self, call: &ToolCall) -> Result<ToolResult, Failure> {
        let Some(open) = self.open.iter().find(|open| open.id == call.id).cloned() else {
            return Ok(result(call, &failed("there is no such call")));
        };
        let outcome = match self.understand(call).await {
            Ok(errand) => {
                self.present(&open, call, &errand).await?;
                match self.may(&open, &errand).await? {
                    None => self.carry(&open, call, errand).await?,
                    Some(refusal) => failed(&refusal),
                }
            }
            Err(misfit) => {
                let shown = v1::ToolCallUpdate::new(open.shown.clone()).raw_input(input(call));
                self.session.show(shown).await?;
                misfit
            }
        };
        self.finish(&open, &outcome).await?;
        Ok(result(call, &outcome))
    }

    async fn understand(&self, call: &ToolCall) -> Result<Errand, Outcome> {
        if let Some(parsed) = tools::parse(&call.name, &call.input) {
            let parsed = parsed.map_err(|misfit| failed(&misfit.to_string()))?;
            let prepared = parsed.prepare(&self.session.place).await?;
            return Ok(Errand::Ours(Box::new(prepared)));
        }
        if let Some(parsed) = inner::parse(&call.name, &call.input) {
            return parsed.map(Errand::Inner).map_err(|misfit| failed(&misfit));
        }
        let foreign = self.session.servers.tools().into_iter();
        match foreign.into_iter().find(|tool| tool.spec.name == call.name) {
            Some(tool) => Ok(Errand::Foreign(tool)),
            None => Err(failed(
                "there is no such tool; use one of those you were given",
            )),
        }
    }

    /// Shows what is going to happen.
    async fn present(&self, open: &Open, call: &ToolCall, errand: &Errand) -> Result<(), Failure> {
        let shown = v1::ToolCallUpdate::new(open.shown.clone()).raw_input(input(call));
        self.session.show(described(shown, errand)).await
    }

    /// Whether the errand may be carried out; why not, for the model.
    async fn may(&self, open: &Open, errand: &Errand) -> Result<Option<String>, Failure> {
        let (deed, cover) = match errand {
            Errand::Ours(prepared) => (prepared.deed(), prepared.cover()),
            Errand::Inner(_) => return Ok(None),
            Errand::Foreign(tool) => (foreign_deed(tool), foreign_cover(tool)),
        };
        let mode = self.session.settings().mode;
        match mode.verdict(deed) {
            Verdict::Free => Ok(None),
            Verdict::Refuse => Ok(Some(format!(
                "not possible in {} mode: nothing may be changed; call `mode` to ask the person for another",
                mode.id()
            ))),
            Verdict::Ask => match self.ask(open, errand, &cover).await? {
                answer if answer.is_leave() => Ok(None),
                _ => Ok(Some(REFUSED.to_owned())),
            },
        }
    }

    async fn ask(&self, open: &Open, errand: &Errand, cover: &Cover) -> Result<Answer, Failure> {
        if let Some(answer) = self.session.leave().of(cover) {
            return Ok(answer);
        }
        let asked = described(v1::ToolCallUpdate::new(open.shown.clone()), errand);
        let outcome = self
            .session
            .client
            .ask_permission(asked, leave::options(cover))
            .await?;
        let answer = match outcome {
            v1::RequestPermissionOutcome::Selected(chosen) => {
                Answer::find(&chosen.option_id).unwrap_or(Answer::RejectOnce)
            }
            v1::RequestPermissionOutcome::Cancelled => return Err(Failure::Cancelled),
            // Never taken for leave.
            _ => Answer::RejectOnce,
        };
        self.decided(open, &cover.key, answer).await?;
        Ok(answer)
    }

    /// A decision is on disk before anything comes of it.
    pub(super) async fn decided(
        &self,
        open: &Open,
        key: &str,
        answer: Answer,
    ) -> Result<(), Failure> {
        let decision = Decision {
            call: open.shown.as_str().to_owned(),
            key: key.to_owned(),
            answer,
        };
        let kept = serde_json::to_vec(&decision).unwrap_or_default();
        self.session.journal.commit(Kind::Decision, kept).await?;
        self.session.leave().note(&decision);
        Ok(())
    }

    async fn carry(
        &self,
        open: &Open,
        call: &ToolCall,
        errand: Errand,
    ) -> Result<Outcome, Failure> {
        let started = json!({ "call": open.shown.as_str(), "tool": call.name });
        self.session
            .journal
            .commit(Kind::ToolStarted, started.to_string())
            .await?;
        let running = v1::ToolCallUpdate::new(open.shown.clone());
        self.session
            .show(running.status(v1::ToolCallStatus::InProgress))
            .await?;
        let (progress, seen) = watch::channel(Progress::default());
        let note = move |now: Progress| {
            progress.send_replace(now);
        };
        match errand {
            Errand::Ours(prepared) => {
                let work = prepared.perform(&self.session.place, note);
                self.watch(open, seen, work).await
            }
            Errand::Inner(inner) => self.inner(open, inner).await,
            Errand::Foreign(tool) => {
                let work = self
                    .session
                    .servers
                    .call(&tool.spec.name, &call.input, note);
                self.watch(open, seen, work).await
            }
        }
    }

    /// Shows how the work goes on until it is done.
    async fn watch(
        &self,
        open: &Open,
        mut seen: watch::Receiver<Progress>,
        work: impl Future<Output = Outcome>,
    ) -> Result<Outcome, Failure> {
        tokio::pin!(work);
        loop {
            select! {
                biased;
                outcome = &mut work => return Ok(outcome),
                Ok(()) = seen.changed() => {
                    let now = seen.borrow_and_update().clone();
                    let mut shown = v1::ToolCallUpdate::new(open.shown.clone());
                    shown.content = now.content;
                    shown.locations = now.locations;
                    shown.title = now.title;
                    self.session.show(shown).await?;
                }
            }
        }
    }

    async fn finish(&mut self, open: &Open, outcome: &Outcome) -> Result<(), Failure> {
        let ended = json!({ "call": open.shown.as_str(), "failed": outcome.failed });
        self.session
            .journal
            .append(Kind::ToolEnded, ended.to_string())
            .await?;
        let status = match outcome.failed {
            true => v1::ToolCallStatus::Failed,
            false => v1::ToolCallStatus::Completed,
        };
        let mut shown = v1::ToolCallUpdate::new(open.shown.clone()).status(status);
        if !outcome.content.is_empty() {
            shown = shown.content(outcome.content.clone());
        }
        if !outcome.locations.is_empty() {
            shown = shown.locations(outcome.locations.clone());
        }
        shown.raw_output = outcome.raw.clone().map(Raw::from);
        self.open.retain(|other| other.shown != open.shown);
        self.session.show(shown).await
    }
}

/// A call with what the errand tells of it.
fn described(call: v1::ToolCallUpdate, errand: &Errand) -> v1::ToolCallUpdate {
    match errand {
        Errand::Ours(prepared) => {
            let call = call.title(prepared.title()).kind(prepared.kind());
            let call = call.locations(prepared.locations());
            match prepared.content() {
                content if content.is_empty() => call,
                content => call.content(content),
            }
        }
        Errand::Inner(inner) => call.title(inner.title()),
        Errand::Foreign(tool) => call.title(tool.title.clone()),
    }
}

fn foreign_deed(tool: &mcp::Tool) -> Deed {
    match tool.read_only {
        true => Deed::ForeignLook,
        false => Deed::Foreign,
    }
}

fn foreign_cover(tool: &mcp::Tool) -> Cover {
    Cover {
        key: format!("mcp:{}", tool.spec.name),
        words: format!("`{}` of {}", tool.title, tool.server),
    }
}

/// What the model wrote, as data where it is JSON.
fn input(call: &ToolCall) -> Raw {
    Raw::parse(&call.input).unwrap_or_else(|_| Raw::of(call.input.as_str()))
}

pub(super) fn failed(why: &str) -> Outcome {
    Outcome {
        content: vec![v1::ContentBlock::from(why).into()],
        told: vec![Input::Text(why.to_owned())],
        raw: Some(json!({ "error": why })),
        failed: true,
        ..Outcome::default()
    }
}

fn result(call: &ToolCall, outcome: &Outcome) -> ToolResult {
    ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: outcome.told.clone(),
        failed: outcome.failed,
    }
}

const REFUSED: &str = "the person has refused this; do not try it in another way, go on without it or ask what to do instead";
