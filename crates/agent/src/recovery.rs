//! Reads the journal of a session that is opened again: the conversation, the decisions, and an interrupted turn, which
//! it ends.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use attache::json::Raw;
use attache::v1;
use attache_journal::{Entries, Entry, Error, Journal, Kind, Kinds};
use attache_model::{Input, Message, Output};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::commands;
use crate::entry_kinds;
use crate::history::{History, unfinished};
use crate::permission::JournaledDecision;

/// The state read from a journal.
#[derive(Debug, Default)]
pub(crate) struct JournalState {
    pub(crate) history: History,
    /// Decisions of the user, oldest first.
    pub(crate) decisions: Vec<JournaledDecision>,
}

/// How a turn ended, as stored in the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TurnEnd {
    /// The stop reason, or `failed` or `interrupted`.
    pub(crate) how: String,
    /// Whether the turn was removed from the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forgotten: bool,
    /// Whether images and audio were removed from the conversation at the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unseen: bool,
}

/// A prompt as stored in the journal.
#[derive(Debug)]
pub(crate) struct JournaledPrompt {
    pub(crate) message: v1::MessageId,
    pub(crate) content: Vec<v1::ContentBlock>,
}

impl JournaledPrompt {
    pub(crate) fn to_json(&self) -> String {
        let chunks: Vec<v1::SessionUpdate> = self.updates().collect();
        Raw::of(&chunks).as_str().to_owned()
    }

    fn updates(&self) -> impl Iterator<Item = v1::SessionUpdate> {
        self.content.iter().map(|block| {
            let chunk = v1::ContentChunk::new(block.clone()).message_id(self.message.clone());
            v1::SessionUpdate::UserMessageChunk(chunk)
        })
    }
}

/// The updates that show a stored prompt.
pub(crate) fn shown(prompt: &[u8]) -> Vec<Raw> {
    let text = std::str::from_utf8(prompt).unwrap_or_default();
    Raw::parse(text)
        .and_then(|raw| raw.read::<Vec<Raw>>())
        .unwrap_or_default()
}

/// Reads a journal. An interrupted turn is ended, in the journal too.
pub(crate) async fn read(journal: &Journal) -> Result<JournalState, Error> {
    let mut reading = JournalReader::default();
    let mut entries = journal.entries(Kinds::of(&CONVERSATION_KINDS)).await?;
    while let Some(entry) = readable(&mut entries).await? {
        reading.apply(entry);
    }
    if let Some(interrupted) = reading.interrupted.take() {
        end_interrupted_turn(journal, &mut reading.history, &interrupted).await?;
    }
    Ok(JournalState {
        history: reading.history,
        decisions: reading.decisions,
    })
}

/// Reads the journal only if its last turn was interrupted. Otherwise it is read when the first prompt comes.
pub(crate) async fn read_if_interrupted(journal: &Journal) -> Result<Option<JournalState>, Error> {
    let is_interrupted = match journal.newest(Kinds::of(&TURN_KINDS)).await {
        Ok(newest) => newest.is_some_and(|entry| entry.kind == entry_kinds::PROMPT),
        // `read` skips damaged entries.
        Err(Error::Entries { .. }) => true,
        Err(fault) => return Err(fault),
    };
    match is_interrupted {
        true => read(journal).await.map(Some),
        false => Ok(None),
    }
}

/// The next entry that can be read. Damaged entries are skipped.
pub(crate) async fn readable(entries: &mut Entries) -> Result<Option<Entry>, Error> {
    loop {
        match entries.next().await {
            Err(Error::Entries { .. }) => {}
            other => return other,
        }
    }
}

#[derive(Default)]
struct JournalReader {
    history: History,
    decisions: Vec<JournaledDecision>,
    /// The turn that has not ended.
    interrupted: Option<InterruptedTurn>,
}

struct InterruptedTurn {
    /// The number of the prompt's entry.
    prompt: u64,
    /// The number of the turn's last message entry. Updates after it are in no message.
    last_message: u64,
    /// The length of the conversation before the turn.
    length_before: usize,
    /// The stored prompt.
    stored_prompt: Bytes,
}

impl InterruptedTurn {
    /// Whether the turn has added a message to the conversation.
    fn has_begun(&self) -> bool {
        self.last_message > self.prompt
    }

    /// The prompt as a message; `None` for a slash command, which was not for the model.
    fn prompt_message(&self) -> Option<Message> {
        let updates = shown(&self.stored_prompt).into_iter();
        let blocks = updates.filter_map(|update| {
            let Ok(v1::SessionUpdate::UserMessageChunk(chunk)) = update.read() else {
                return None;
            };
            Some(chunk.content)
        });
        let inputs = blocks.map(|block| match block.as_text() {
            Some(text) => text.to_owned(),
            None => ATTACHED.to_owned(),
        });
        let inputs: Vec<String> = inputs.collect();
        let first = inputs.first()?;
        match commands::parse(first, &[]) {
            Some(_) => None,
            None => Some(Message::User(inputs.into_iter().map(Input::Text).collect())),
        }
    }
}

impl JournalReader {
    fn apply(&mut self, entry: Entry) {
        let Entry {
            seq, kind, body, ..
        } = entry;
        match kind {
            entry_kinds::PROMPT => {
                self.interrupted = Some(InterruptedTurn {
                    prompt: seq,
                    last_message: seq,
                    length_before: self.history.messages().len(),
                    stored_prompt: body,
                });
            }
            entry_kinds::MESSAGE => {
                if let Ok(message) = serde_json::from_slice::<Message>(&body) {
                    self.history.push(message);
                }
                if let Some(interrupted) = &mut self.interrupted {
                    interrupted.last_message = seq;
                }
            }
            entry_kinds::COMPACTED => {
                let messages = serde_json::from_slice(&body).unwrap_or_default();
                self.history.replace(messages);
                if let Some(interrupted) = &mut self.interrupted {
                    interrupted.last_message = seq;
                    interrupted.length_before = self.history.messages().len();
                }
            }
            entry_kinds::DECISION => {
                // A decision that can't be read is dropped, so the user is asked again.
                self.decisions.extend(serde_json::from_slice(&body).ok());
            }
            entry_kinds::TURN_ENDED => {
                let interrupted = self.interrupted.take();
                if let Ok(end) = serde_json::from_slice::<TurnEnd>(&body) {
                    if let Some(interrupted) = interrupted.filter(|_| end.forgotten) {
                        self.history.truncate(interrupted.length_before);
                    }
                    if end.unseen {
                        self.history.leave_out_media();
                    }
                }
            }
            _ => {}
        }
    }
}

/// The part of an interrupted turn that the client was shown.
#[derive(Default)]
struct ShownUpdates {
    /// Text of the model that is in no message.
    text: String,
    /// The calls that were not settled.
    open: Vec<v1::ToolCallId>,
    /// The compaction that was not settled.
    compaction: Option<v1::CompactionId>,
}

impl ShownUpdates {
    async fn read_after(
        journal: &Journal,
        interrupted: &InterruptedTurn,
    ) -> Result<ShownUpdates, Error> {
        let mut shown = ShownUpdates::default();
        let mut entries = journal
            .entries(Kinds::of(&[entry_kinds::UPDATE]))
            .await?
            .after(interrupted.prompt);
        while let Some(entry) = readable(&mut entries).await? {
            let text = std::str::from_utf8(&entry.body).unwrap_or_default();
            if let Ok(update) = Raw::parse(text).and_then(|raw| raw.read::<v1::SessionUpdate>()) {
                // Before the first request to the model, all text is the agent's own.
                shown.apply(
                    update,
                    interrupted.has_begun() && entry.seq > interrupted.last_message,
                );
            }
        }
        Ok(shown)
    }

    fn apply(&mut self, update: v1::SessionUpdate, in_no_message: bool) {
        match update {
            v1::SessionUpdate::AgentMessageChunk(chunk) if in_no_message => {
                self.text
                    .push_str(chunk.content.as_text().unwrap_or_default());
            }
            v1::SessionUpdate::ToolCall(call) if is_open(&call.status) => {
                self.open.push(call.tool_call_id);
            }
            v1::SessionUpdate::ToolCallUpdate(call)
                if call.status.as_ref().is_some_and(|status| !is_open(status)) =>
            {
                self.open.retain(|id| *id != call.tool_call_id);
            }
            v1::SessionUpdate::CompactionUpdate(compaction) => {
                let is_open = compaction.status == v1::CompactionStatus::InProgress;
                self.compaction = is_open.then_some(compaction.compaction_id);
            }
            // Nothing to settle: text that is in a message, ended calls, and updates that leave nothing open.
            v1::SessionUpdate::AgentMessageChunk(_)
            | v1::SessionUpdate::ToolCall(_)
            | v1::SessionUpdate::ToolCallUpdate(_)
            | v1::SessionUpdate::UserMessageChunk(_)
            | v1::SessionUpdate::AgentThoughtChunk(_)
            | v1::SessionUpdate::Plan(_)
            | v1::SessionUpdate::PlanUpdate(_)
            | v1::SessionUpdate::PlanRemoved(_)
            | v1::SessionUpdate::AvailableCommandsUpdate(_)
            | v1::SessionUpdate::CurrentModeUpdate(_)
            | v1::SessionUpdate::ConfigOptionUpdate(_)
            | v1::SessionUpdate::SessionInfoUpdate(_)
            | v1::SessionUpdate::UsageUpdate(_)
            | v1::SessionUpdate::Notice(_)
            | v1::SessionUpdate::CompactionSummaryChunk(_)
            | v1::SessionUpdate::SubagentUpdate(_)
            | v1::SessionUpdate::SessionMessage(_)
            | v1::SessionUpdate::SessionMessageChunk(_)
            | v1::SessionUpdate::Other(_) => {}
            // An update that a later version has shown leaves nothing open that this version could settle.
            unknown => drop(unknown),
        }
    }
}

impl ShownUpdates {
    /// The updates that mark everything open as failed.
    fn failures(&self) -> Vec<v1::SessionUpdate> {
        let calls = self.open.iter().map(|id| {
            let failed = v1::ToolCallUpdate::new(id.clone()).status(v1::ToolCallStatus::Failed);
            let why = v1::ToolCallContent::from(v1::ContentBlock::from(CUT_OFF));
            v1::SessionUpdate::ToolCallUpdate(failed.content([why]))
        });
        let compaction = self.compaction.iter().map(|id| {
            let status = v1::CompactionStatus::Failed;
            let mut failed = v1::CompactionUpdate::new(id.clone(), status);
            failed.error = CUT_OFF.to_owned().into();
            v1::SessionUpdate::CompactionUpdate(failed)
        });
        calls.chain(compaction).collect()
    }
}

fn is_open(status: &v1::ToolCallStatus) -> bool {
    matches!(
        status,
        v1::ToolCallStatus::Pending | v1::ToolCallStatus::InProgress
    )
}

/// Ends an interrupted turn: marks everything open as failed, for the client and for the model.
async fn end_interrupted_turn(
    journal: &Journal,
    history: &mut History,
    interrupted: &InterruptedTurn,
) -> Result<(), Error> {
    let shown = ShownUpdates::read_after(journal, interrupted).await?;
    for update in shown.failures() {
        let update = Raw::of(&update).as_str().to_owned();
        journal.append(entry_kinds::UPDATE, update).await?;
    }
    for message in missing_messages(history, interrupted, shown.text) {
        let kept = serde_json::to_vec(&message).unwrap_or_default();
        journal.append(entry_kinds::MESSAGE, kept).await?;
        history.push(message);
    }
    let end = TurnEnd {
        how: "interrupted".to_owned(),
        forgotten: false,
        unseen: false,
    };
    let end = serde_json::to_vec(&end).unwrap_or_default();
    journal.commit(entry_kinds::TURN_ENDED, end).await.map(drop)
}

/// The messages that an interrupted conversation lacks: the prompt, results, the end of the answer.
fn missing_messages(
    history: &History,
    interrupted: &InterruptedTurn,
    text: String,
) -> Vec<Message> {
    let mut fresh = Vec::new();
    if !interrupted.has_begun() {
        fresh.extend(interrupted.prompt_message());
    }
    let calls = history.open_calls();
    if !calls.is_empty() {
        let results = calls.iter().map(|call| unfinished(call, CUT_OFF));
        fresh.push(Message::Tools(results.collect()));
    }
    let newest = history.messages().last().map(AsRef::as_ref);
    let answer = match fresh.last().or(newest) {
        _ if !text.is_empty() => format!("{text}\n[{CUT_OFF}]"),
        // A prompt can only follow an answer.
        Some(Message::User(_) | Message::Tools(_)) => format!("[{CUT_OFF}]"),
        Some(Message::Model(_)) | None => return fresh,
    };
    fresh.push(Message::Model(vec![Output::Text(answer)]));
    fresh
}

/// The kinds that make up the conversation.
const CONVERSATION_KINDS: [Kind; 5] = [
    entry_kinds::PROMPT,
    entry_kinds::MESSAGE,
    entry_kinds::DECISION,
    entry_kinds::TURN_ENDED,
    entry_kinds::COMPACTED,
];
/// The kinds that begin and end a turn.
const TURN_KINDS: [Kind; 2] = [entry_kinds::PROMPT, entry_kinds::TURN_ENDED];
const ATTACHED: &str = "[an attachment that was not read]";
const CUT_OFF: &str = "Interrupted: the agent stopped before this was finished";
