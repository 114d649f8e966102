//! One call of a tool: understood, asked about where the mode wants that, carried out, shown.

use std::time::Duration;

use attache::json::Raw;
use attache::{CallError, v1};
use attache_model::{Input, Message, ToolCall, ToolResult};
use serde_json::json;
use tokio::select;
use tokio::time::{Instant, sleep_until};

use super::errand::Errand;
use super::{Open, Turn};
use crate::failure::Failure;
use crate::leave::{self, Answer, Cover, Decision};
use crate::modes::{Deed, Verdict};
use crate::slot::Slot;
use crate::store::Kind;
use crate::{Outcome, compaction, mcp, tools};

/// How a call goes on while it runs.
enum Progress {
    Ours(tools::Progress),
    Foreign(mcp::Progress),
}

impl Turn<'_> {
    /// Carries a call out. What it comes to is for the model; only the end of the turn is a failure.
    pub(super) async fn call(&mut self, call: &ToolCall) -> Result<(), Failure> {
        let Some(open) = self.open.iter().find(|open| open.id == call.id).cloned() else {
            return self.remember(call, &failed("there is no such call")).await;
        };
        let shown = v1::ToolCallUpdate::new(open.shown.clone()).raw_input(input(call));
        let outcome = match Errand::of(call, self.session).await {
            Ok(errand) => {
                self.session.show(errand.describe(shown)).await?;
                match self.refusal(&open, &errand).await? {
                    None => self.carry_on(&open, call, errand).await?,
                    Some(refusal) => failed(&refusal),
                }
            }
            Err(misfit) => {
                let mut shown = shown;
                shown.title = misfit.title;
                self.session.show(shown).await?;
                misfit.outcome
            }
        };
        let ended = json!({ "call": open.shown.as_str(), "failed": outcome.failed });
        self.session
            .journal
            .append(Kind::ToolEnded, ended.to_string())
            .await?;
        // Before the client sees it: what it has seen, the model knows.
        self.remember(call, &outcome).await?;
        self.finish(&open, outcome).await
    }

    async fn remember(&mut self, call: &ToolCall, outcome: &Outcome) -> Result<(), Failure> {
        let result = Message::Tools(vec![result(call, outcome)]);
        self.session.keep(self.history, result).await
    }

    /// Why the errand may not be carried out, for the model.
    async fn refusal(&self, open: &Open, errand: &Errand) -> Result<Option<String>, Failure> {
        let Some((deed, cover)) = errand.deed() else {
            return Ok(None);
        };
        match self.verdict(deed) {
            Verdict::Free => Ok(None),
            Verdict::Refuse => Ok(Some(self.impossible())),
            Verdict::Ask => match self.ask(open, errand, &cover).await? {
                // The person may have chosen another mode while the question stood there.
                Some(answer) if answer.is_leave() => match self.verdict(deed) {
                    Verdict::Refuse => Ok(Some(self.impossible())),
                    Verdict::Free | Verdict::Ask => Ok(None),
                },
                Some(_) => Ok(Some(self.refused())),
                None => Ok(Some(UNASKED.to_owned())),
            },
        }
    }

    fn verdict(&self, deed: Deed) -> Verdict {
        self.session.settings().mode.verdict(deed)
    }

    fn refused(&self) -> String {
        let card = self.session.card();
        match card.as_ref().is_some_and(compaction::is_embedded) {
            // Which only repeats it to the person.
            true => "it was not allowed".to_owned(),
            false => REFUSED.to_owned(),
        }
    }

    fn impossible(&self) -> String {
        format!(
            "not possible in {} mode: nothing may be changed; call `mode` to ask the person for another",
            self.session.settings().mode.id()
        )
    }

    /// What the person says; none if the client cannot ask.
    async fn ask(
        &self,
        open: &Open,
        errand: &Errand,
        cover: &Cover,
    ) -> Result<Option<Answer>, Failure> {
        if let Some(answer) = self.session.leave().of(cover) {
            return Ok(Some(answer));
        }
        let asked = errand.describe(v1::ToolCallUpdate::new(open.shown.clone()));
        let options = leave::options(cover);
        let answer = match self.permission(asked, options.into()).await? {
            Some(v1::RequestPermissionOutcome::Selected(chosen)) => {
                Answer::find(&chosen.option_id).unwrap_or(Answer::RejectOnce)
            }
            // Never taken for leave.
            Some(_) => Answer::RejectOnce,
            None => return Ok(None),
        };
        self.decided(open, &cover.key, answer).await?;
        Ok(Some(answer))
    }

    /// Asks the person; none if the client answers that it cannot.
    pub(super) async fn permission(
        &self,
        call: v1::ToolCallUpdate,
        options: Vec<v1::PermissionOption>,
    ) -> Result<Option<v1::RequestPermissionOutcome>, Failure> {
        match self.session.client.ask_permission(call, options).await {
            Ok(v1::RequestPermissionOutcome::Cancelled) => Err(Failure::Cancelled),
            Ok(outcome) => Ok(Some(outcome)),
            Err(gone @ CallError::Closed(_)) => Err(gone.into()),
            Err(_) => Ok(None),
        }
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

    async fn carry_on(
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
        let seen = Slot::new();
        match errand {
            Errand::Ours { prepared, .. } => {
                let note = |now| seen.put(Progress::Ours(now));
                let work = prepared.perform(&self.session.place, note);
                self.watch(open, &seen, work).await
            }
            Errand::Inner(inner) => self.inner(open, inner).await,
            Errand::Foreign(tool, _) => {
                let note = |now| seen.put(Progress::Foreign(now));
                let work = self
                    .session
                    .servers
                    .call(&tool.spec.name, &call.input, note);
                self.watch(open, &seen, work).await
            }
        }
    }

    /// Shows how the work goes on until it is done.
    async fn watch(
        &self,
        open: &Open,
        seen: &Slot<Progress>,
        work: impl Future<Output = Outcome>,
    ) -> Result<Outcome, Failure> {
        tokio::pin!(work);
        let mut rest = Instant::now();
        loop {
            // A server may tell of more steps than anybody wants to see or keep.
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
                // It is gone when the session is loaded again.
                true => self.session.tell(now).await?,
                false => self.session.show(now).await?,
            }
            rest = Instant::now() + PACE;
        }
    }

    async fn finish(&mut self, open: &Open, outcome: Outcome) -> Result<(), Failure> {
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
            let kept = shown.clone().content(words(outcome.told));
            self.session.show_for_now(shown, kept).await?;
        } else {
            self.session.show(shown).await?;
        }
        self.open.retain(|other| other.shown != open.shown);
        Ok(())
    }
}

impl Progress {
    fn shown(&self, open: &Open) -> v1::ToolCallUpdate {
        let call = v1::ToolCallUpdate::new(open.shown.clone());
        match self {
            Progress::Ours(now) => {
                let call = call.content(now.content.clone());
                match now.locations.is_empty() {
                    true => call,
                    false => call.locations(now.locations.clone()),
                }
            }
            Progress::Foreign(now) => {
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

/// What the model is told, for the person.
fn words(told: Vec<Input>) -> Vec<v1::ToolCallContent> {
    let words = told.into_iter().filter_map(|input| match input {
        Input::Text(text) => Some(v1::ContentBlock::from(text).into()),
        Input::Image { .. } | Input::Audio { .. } => None,
    });
    words.collect()
}

/// What the model wrote, as data where it is JSON.
pub(super) fn input(call: &ToolCall) -> Raw {
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

/// How often at most a call tells how it goes on.
const PACE: Duration = Duration::from_millis(50);
const UNASKED: &str = "the client could not ask the person, so this is not allowed; go on without it or say what you need";
const REFUSED: &str = "the person has refused this; do not try it in another way, go on without it or ask what to do instead";
