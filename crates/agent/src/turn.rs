//! A turn: from a prompt, through the model's answers and its tool calls, to a stop reason.

mod answer;
mod call;
mod command;
mod prepared_call;
mod session_call;

use std::sync::Arc;

use attache::schema::error;
use attache::{Error, Reply, v1};
use attache_journal::TitleSource;
use attache_model::{self as model, Message, Model, Output, Stop, ToolCall};
use futures_util::future::join;
use tokio::select;

use crate::compaction::{Compaction, CompactionDisplay};
use crate::entry_kinds;
use crate::failure::Failure;
use crate::history::{History, unfinished};
use crate::recovery::{JournaledPrompt, TurnEnd};
use crate::session::Session;
use crate::turn_queue::TurnTicket;
use crate::{ids, instructions, prompt};

/// Queues a prompt. The response is sent when its turn has ended.
pub(crate) fn take(
    session: &Arc<Session>,
    request: v1::PromptRequest,
    reply: Reply<v1::PromptResponse>,
) {
    if request.prompt.iter().all(is_blank) {
        return reply.fail(error::unusable_params("the prompt is empty"));
    }
    let is_known = |block: &v1::ContentBlock| !matches!(block, v1::ContentBlock::Other(_));
    if !request.prompt.iter().all(is_known) {
        let reason = "the prompt contains content of an unknown type";
        return reply.fail(error::unusable_params(reason));
    }
    match session.turns.enter() {
        Some(ticket) => drop(tokio::spawn(wait(
            Arc::clone(session),
            ticket,
            request,
            reply,
        ))),
        None => {
            let reason = "too many prompts are waiting in this session";
            reply.fail(error::invalid_request("busy", reason));
        }
    }
}

async fn wait(
    session: Arc<Session>,
    mut ticket: TurnTicket<Option<History>>,
    request: v1::PromptRequest,
    reply: Reply<v1::PromptResponse>,
) {
    let held = select! {
        biased;
        () = cancelled_or_closed(&session, &reply) => return reply.ok(cancelled()),
        turn = ticket.turn() => match turn {
            Some(held) => held,
            None => return reply.fail(error::internal("the session has ended")),
        },
    };
    let history = select! {
        biased;
        () = cancelled_or_closed(&session, &reply) => return reply.ok(cancelled()),
        recalled = session.history(held) => match recalled {
            Ok(history) => history,
            Err(failure) => return reply.fail(failure),
        },
    };
    let mut turn = Turn::new(&session, history);
    let outcome = turn.take(request.prompt, &reply).await;
    reply.with(outcome);
}

/// Waits until the client cancels the prompt or closes its session.
async fn cancelled_or_closed(session: &Session, reply: &Reply<v1::PromptResponse>) {
    select! {
        biased;
        () = reply.cancelled() => {}
        () = session.wait_until_closing() => {}
    }
}

/// A running turn.
pub(crate) struct Turn<'a> {
    session: &'a Arc<Session>,
    history: &'a mut History,
    /// How long the conversation was before the prompt.
    before: usize,
    /// The current answer of the model so far.
    said: Vec<Output>,
    /// The message that the next chunk of this kind continues.
    kind: Option<(ChunkKind, v1::MessageId)>,
    /// Tool calls that the client has seen and that have not ended.
    open: Vec<OpenCall>,
    /// The running compaction.
    display: CompactionDisplay,
    /// Instructions from the project's files and from MCP servers.
    notes: String,
    /// Usage of the current answer so far.
    usage_so_far: model::Usage,
    /// Usage of the turn, and the part of it that is not in the session's settings yet.
    spent: model::Usage,
    unpaid: model::Usage,
}

/// A tool call that the client has seen.
#[derive(Debug, Clone)]
struct OpenCall {
    /// The model's id of the call.
    id: String,
    /// The id of the call on the wire.
    shown: v1::ToolCallId,
    /// The tool's name.
    name: String,
    /// Whether the client is sure to have got the call.
    announced: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkKind {
    Message,
    Thought,
}

/// How a turn ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnOutcome {
    Done,
    Length,
    TooManyRequests,
    Refusal,
}

impl<'a> Turn<'a> {
    fn new(session: &'a Arc<Session>, history: &'a mut History) -> Turn<'a> {
        history.settle();
        Turn {
            session,
            before: history.messages().len(),
            history,
            said: Vec::new(),
            kind: None,
            open: Vec::new(),
            display: CompactionDisplay::default(),
            notes: String::new(),
            usage_so_far: model::Usage::default(),
            spent: model::Usage::default(),
            unpaid: model::Usage::default(),
        }
    }

    async fn take(
        &mut self,
        content: Vec<v1::ContentBlock>,
        reply: &Reply<v1::PromptResponse>,
    ) -> Result<v1::PromptResponse, Error> {
        let asked = JournaledPrompt {
            message: ids::fresh("msg_").into(),
            content,
        };
        let session = Arc::clone(self.session);
        // The disk and the files of the project are waited for together.
        let notes = session.place.notes();
        let title = match command::is_command(&asked.content) {
            true => None,
            false => self.new_title(&asked.content),
        };
        let (committed, title) = join(
            session.journal.commit(entry_kinds::PROMPT, asked.to_json()),
            self.store_title(title),
        )
        .await;
        committed.map_err(Failure::from)?;
        let outcome = select! {
            biased;
            () = cancelled_or_closed(&session, reply) => Err(Failure::Cancelled),
            outcome = self.run(asked.content, title, notes) => outcome,
        };
        self.end(outcome).await
    }

    async fn run(
        &mut self,
        content: Vec<v1::ContentBlock>,
        title: Result<Option<String>, Failure>,
        notes: impl Future<Output = String>,
    ) -> Result<TurnOutcome, Failure> {
        if !command::is_builtin_command(&content) {
            self.session.servers.ready().await;
            // Lets the task that reports failed servers run first.
            tokio::task::yield_now().await;
        }
        for aside in self.session.take_queued_messages() {
            self.session.send_message(aside).await?;
        }
        self.notes = notes.await;
        let servers = self.session.servers.instructions();
        self.notes.push_str(&instructions::server_notes(&servers));
        match self.command(&content).await? {
            command::CommandOutcome::Done => Ok(TurnOutcome::Done),
            command::CommandOutcome::Ask(words) => {
                let title = self.new_title(&content);
                self.show_title(self.store_title(title).await?).await?;
                self.session
                    .add_message(self.history, Message::User(words))
                    .await?;
                self.converse().await
            }
            command::CommandOutcome::Go => {
                self.show_title(title?).await?;
                let info = self.session.model()?.info().clone();
                let words = prompt::inputs(&self.session.place, &info, &content).await;
                self.session
                    .add_message(self.history, Message::User(words))
                    .await?;
                self.converse().await
            }
        }
    }

    /// Sends requests to the model until it calls no more tools.
    async fn converse(&mut self) -> Result<TurnOutcome, Failure> {
        let most = self.session.agent.limits.requests;
        for _ in 0..most {
            let model = self.session.model()?;
            self.compact_if_nearly_full(model.as_ref()).await?;
            let stop = match self.answer(model.as_ref()).await {
                Err(Failure::Model(model::Error::TooLong { .. })) if self.said.is_empty() => {
                    self.shorten("").await?;
                    self.answer(model.as_ref()).await?
                }
                other => other?,
            };
            let calls = self.finish_answer(model.as_ref()).await?;
            match stop {
                Stop::Refusal => return Ok(TurnOutcome::Refusal),
                Stop::Length if calls.is_empty() => return Ok(TurnOutcome::Length),
                _ if calls.is_empty() => return Ok(TurnOutcome::Done),
                Stop::Done | Stop::Tools | Stop::Length => self.carry_out(calls).await?,
            }
        }
        Ok(TurnOutcome::TooManyRequests)
    }

    /// Compacts the conversation when the window is nearly full.
    async fn compact_if_nearly_full(&mut self, model: &dyn Model) -> Result<(), Failure> {
        let window = model.info().window;
        let full = window.saturating_sub(model.info().max_output.min(window / 4));
        if self.history.size() > full / 100 * FULL_PERCENT && self.history.messages().len() > 1 {
            self.shorten("").await?;
        }
        Ok(())
    }

    /// Compacts the conversation; `emphasis` says what the summary must keep.
    async fn shorten(&mut self, emphasis: &str) -> Result<(), Failure> {
        let model = self.session.model()?;
        let compaction = Compaction {
            session: self.session,
            model: model.as_ref(),
            emphasis,
            display: &mut self.display,
            usage: &mut self.usage_so_far,
        };
        let outcome = compaction.shorten(self.history).await;
        self.count();
        outcome?;
        // The prompt is part of the summary now. A refusal must not remove the summary.
        self.before = self.history.messages().len();
        self.send_usage(model.info()).await
    }

    /// Stores the complete answer and returns the calls to carry out.
    async fn finish_answer(&mut self, model: &dyn Model) -> Result<Vec<ToolCall>, Failure> {
        let said = std::mem::take(&mut self.said);
        self.kind = None;
        if said.is_empty() {
            return Ok(Vec::new());
        }
        self.session
            .add_message(self.history, Message::Model(said))
            .await?;
        self.send_usage(model.info()).await?;
        // A call that started and was never completed, for example at the maximum length.
        let calls = self.history.open_calls();
        let lost: Vec<OpenCall> = self.open.clone();
        for open in lost
            .iter()
            .filter(|open| calls.iter().all(|call| call.id != open.id))
        {
            self.settle(open, "The call was cut off").await?;
        }
        Ok(calls)
    }

    async fn carry_out(&mut self, calls: Vec<ToolCall>) -> Result<(), Failure> {
        for call in &calls {
            self.call(call).await?;
        }
        Ok(())
    }

    /// Ends the turn. Nothing stays open, and the end is in the journal before the client gets the response.
    async fn end(
        &mut self,
        outcome: Result<TurnOutcome, Failure>,
    ) -> Result<v1::PromptResponse, Error> {
        let (reason, how) = match &outcome {
            Ok(TurnOutcome::Done) => (v1::StopReason::EndTurn, "end_turn"),
            Ok(TurnOutcome::Length) => (v1::StopReason::MaxTokens, "max_tokens"),
            Ok(TurnOutcome::TooManyRequests) => {
                (v1::StopReason::MaxTurnRequests, "max_turn_requests")
            }
            Ok(TurnOutcome::Refusal) => (v1::StopReason::Refusal, "refusal"),
            Err(Failure::Cancelled) => (v1::StopReason::Cancelled, "cancelled"),
            Err(_) => (v1::StopReason::EndTurn, "failed"),
        };
        if outcome.is_err() {
            self.session.place.wait_for_closing_terminals().await;
        }
        self.settle_all(&outcome).await;
        let forgotten = matches!(outcome, Ok(TurnOutcome::Refusal));
        if forgotten {
            self.history.truncate(self.before);
        }
        let unseen = matches!(&outcome, Err(failure) if failure.is_about_media());
        if unseen {
            self.history.leave_out_media();
        }
        let end = TurnEnd {
            how: how.to_owned(),
            forgotten,
            unseen,
        };
        let end = serde_json::to_vec(&end).unwrap_or_default();
        let kept = self
            .session
            .journal
            .commit(entry_kinds::TURN_ENDED, end)
            .await;
        kept.map_err(Failure::from)?;
        match outcome {
            Ok(_) | Err(Failure::Cancelled) => {
                Ok(v1::PromptResponse::new(reason).usage(usage(&self.spent)))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Settles everything open, for the model and for the client. Continues when something can't be stored or sent.
    async fn settle_all(&mut self, outcome: &Result<TurnOutcome, Failure>) {
        let (why, status) = match outcome {
            Err(Failure::Cancelled) => (CANCELLED, v1::CompactionStatus::Cancelled),
            _ => (FAILED, v1::CompactionStatus::Failed),
        };
        let said = std::mem::take(&mut self.said);
        if !said.is_empty() {
            drop(
                self.session
                    .add_message(self.history, Message::Model(said))
                    .await,
            );
        }
        let left = self.history.open_calls();
        if !left.is_empty() {
            let results = left.iter().map(|call| unfinished(call, why)).collect();
            let results = Message::Tools(results);
            drop(self.session.add_message(self.history, results).await);
        }
        for open in self.open.clone() {
            drop(self.settle(&open, why).await);
        }
        drop(self.display.close(self.session, status).await);
        if self.usage_so_far != model::Usage::default() {
            self.count();
            if let Some(info) = self.session.model_info() {
                drop(self.send_usage(&info).await);
            }
        }
    }

    /// Marks a call as failed that was not carried out.
    async fn settle(&mut self, open: &OpenCall, why: &str) -> Result<(), Failure> {
        self.open.retain(|other| other.shown != open.shown);
        let why = serde_json::json!({ "error": why });
        let failed: v1::SessionUpdate = match open.announced {
            true => v1::ToolCallUpdate::new(open.shown.clone())
                .status(v1::ToolCallStatus::Failed)
                .raw_output(why)
                .into(),
            false => v1::ToolCall::new(open.shown.clone(), open.name.as_str())
                .name(open.name.as_str())
                .status(v1::ToolCallStatus::Failed)
                .raw_output(why)
                .into(),
        };
        match self.session.show(failed.clone()).await {
            // The client gets the update even if the disk is full.
            Err(Failure::Store(_)) => Ok(self.session.send_update(failed).await?),
            shown => shown,
        }
    }

    /// The title that the first prompt gives the session.
    fn new_title(&self, content: &[v1::ContentBlock]) -> Option<String> {
        if self.before > 0 {
            return None;
        }
        let text = content.iter().find_map(v1::ContentBlock::as_text);
        text.and_then(prompt::title)
    }

    /// Stores a title, if there is one, and returns the title that the session has then.
    async fn store_title(&self, title: Option<String>) -> Result<Option<String>, Failure> {
        let Some(title) = title else {
            return Ok(None);
        };
        let (store, id) = (&self.session.agent.store, self.session.id());
        let stored = store.set_title(id.as_str(), &title, TitleSource::Agent);
        Ok(Some(stored.await?))
    }

    async fn show_title(&self, title: Option<String>) -> Result<(), Failure> {
        if let Some(title) = title {
            let update = v1::SessionInfoUpdate::new().title(title);
            self.session.send_update(update).await?;
        }
        Ok(())
    }
}

/// Whether a block contains nothing but white space.
fn is_blank(block: &v1::ContentBlock) -> bool {
    block.as_text().is_some_and(|text| text.trim().is_empty())
}

fn cancelled() -> v1::PromptResponse {
    v1::PromptResponse::new(v1::StopReason::Cancelled)
}

fn usage(spent: &model::Usage) -> v1::Usage {
    let read = spent.input + spent.cache_read + spent.cache_write;
    let mut usage = v1::Usage::new(read + spent.output, spent.input, spent.output);
    usage.thought_tokens = Some(spent.thought).filter(|count| *count > 0);
    usage.cached_read_tokens = Some(spent.cache_read).filter(|count| *count > 0);
    usage.cached_write_tokens = Some(spent.cache_write).filter(|count| *count > 0);
    usage
}

const CANCELLED: &str = "Cancelled by the user";
const FAILED: &str = "Not finished: the turn failed";
/// How full the window may become before the conversation is compacted.
const FULL_PERCENT: u64 = 85;
