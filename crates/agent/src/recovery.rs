//! What a journal tells when a session is opened again: the conversation, the decisions, and the turn that was cut off.

use attache::json::Raw;
use attache::v1;
use attache_model::{Message, Output};
use serde::{Deserialize, Serialize};

use crate::history::{History, unfinished};
use crate::leave::{Decision, Leave};
use crate::store::{Entries, Entry, Error, Journal, Kind, Kinds};

/// What a journal tells.
#[derive(Debug, Default)]
pub(crate) struct Past {
    pub(crate) history: History,
    pub(crate) leave: Leave,
}

/// How a turn ended, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TurnEnd {
    /// The stop reason, or `failed` or `interrupted`.
    pub(crate) how: String,
    /// Whether the conversation is as if the turn had never been.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forgotten: bool,
}

/// A prompt as it is kept.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) message: v1::MessageId,
    pub(crate) content: Vec<v1::ContentBlock>,
}

impl Asked {
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

/// The updates that show a prompt which was kept.
pub(crate) fn shown(prompt: &[u8]) -> Vec<Raw> {
    let text = std::str::from_utf8(prompt).unwrap_or_default();
    Raw::parse(text)
        .and_then(|raw| raw.read::<Vec<Raw>>())
        .unwrap_or_default()
}

/// Reads a journal. A turn that was cut off is brought to an end, in the journal too.
pub(crate) async fn read(journal: &Journal) -> Result<Past, Error> {
    let mut reading = Reading::default();
    let mut entries = journal.entries(Kinds::of(&TOLD)).await?;
    while let Some(entry) = readable(&mut entries).await? {
        reading.take(entry.seq, entry.kind, &entry.body);
    }
    if let Some(cut) = reading.cut.take() {
        let shown = Shown::since(journal, cut.prompt, cut.answer).await?;
        mend(journal, &mut reading.history, shown).await?;
    }
    Ok(Past {
        history: History::of(reading.history),
        leave: reading.leave,
    })
}

/// The next entry that can be read. What is damaged is passed over: the rest is worth more than nothing.
pub(crate) async fn readable(entries: &mut Entries) -> Result<Option<Entry>, Error> {
    loop {
        match entries.next().await {
            Err(Error::Entries { .. }) => {}
            other => return other,
        }
    }
}

#[derive(Default)]
struct Reading {
    history: Vec<Message>,
    leave: Leave,
    /// The turn that has not ended.
    cut: Option<Cut>,
}

struct Cut {
    /// Where the prompt stands in the journal.
    prompt: u64,
    /// Where the last message of the turn stands: what was shown after it is in no message.
    answer: u64,
    /// How long the conversation was before.
    before: usize,
}

impl Reading {
    fn take(&mut self, seq: u64, kind: Kind, body: &[u8]) {
        match kind {
            Kind::Prompt => {
                let before = self.history.len();
                self.cut = Some(Cut {
                    prompt: seq,
                    answer: seq,
                    before,
                });
            }
            Kind::Message => {
                self.history.extend(serde_json::from_slice::<Message>(body));
                if let Some(cut) = &mut self.cut {
                    cut.answer = seq;
                }
            }
            Kind::Compacted => {
                self.history = serde_json::from_slice(body).unwrap_or_default();
                if let Some(cut) = &mut self.cut {
                    cut.before = self.history.len();
                }
            }
            Kind::Decision => {
                if let Ok(decision) = serde_json::from_slice::<Decision>(body) {
                    self.leave.note(&decision);
                }
            }
            Kind::TurnEnded => {
                let end = serde_json::from_slice::<TurnEnd>(body);
                if let (
                    Some(cut),
                    Ok(TurnEnd {
                        forgotten: true, ..
                    }),
                ) = (self.cut.take(), end)
                {
                    self.history.truncate(cut.before);
                }
                self.cut = None;
            }
            _ => {}
        }
    }
}

/// What the client was shown of the turn that was cut off.
#[derive(Default)]
struct Shown {
    /// What the model said and no message holds.
    text: String,
    /// The calls that were not settled.
    open: Vec<v1::ToolCallId>,
}

impl Shown {
    async fn since(journal: &Journal, prompt: u64, answer: u64) -> Result<Shown, Error> {
        let mut shown = Shown::default();
        let mut entries = journal
            .entries(Kinds::of(&[Kind::Update]))
            .await?
            .after(prompt);
        while let Some(entry) = readable(&mut entries).await? {
            let text = std::str::from_utf8(&entry.body).unwrap_or_default();
            if let Ok(update) = Raw::parse(text).and_then(|raw| raw.read::<v1::SessionUpdate>()) {
                shown.take(update, entry.seq > answer);
            }
        }
        Ok(shown)
    }

    fn take(&mut self, update: v1::SessionUpdate, in_no_message: bool) {
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
            _ => {}
        }
    }
}

fn is_open(status: &v1::ToolCallStatus) -> bool {
    matches!(
        status,
        v1::ToolCallStatus::Pending | v1::ToolCallStatus::InProgress
    )
}

/// Brings a turn that was cut off to an end: open calls have failed, and the model knows.
async fn mend(journal: &Journal, history: &mut Vec<Message>, shown: Shown) -> Result<(), Error> {
    for id in shown.open {
        let failed = v1::ToolCallUpdate::new(id).status(v1::ToolCallStatus::Failed);
        let failed = failed.content([v1::ToolCallContent::from(v1::ContentBlock::from(CUT_OFF))]);
        let update = Raw::of(&v1::SessionUpdate::ToolCallUpdate(failed));
        journal
            .append(Kind::Update, update.as_str().to_owned())
            .await?;
    }
    let mut fresh = Vec::new();
    let calls = History::of(history.clone()).open_calls();
    if !calls.is_empty() {
        let results = calls.iter().map(|call| unfinished(call, CUT_OFF));
        fresh.push(Message::Tools(results.collect()));
    }
    let last = fresh.last().or(history.last());
    match (shown.text, last) {
        (text, _) if !text.is_empty() => {
            fresh.push(Message::Model(vec![Output::Text(format!(
                "{text}\n[{CUT_OFF}]"
            ))]));
        }
        // A conversation goes on with a question only after an answer.
        (_, Some(Message::User(_) | Message::Tools(_))) => {
            fresh.push(Message::Model(vec![Output::Text(format!("[{CUT_OFF}]"))]));
        }
        _ => {}
    }
    for message in fresh {
        let kept = serde_json::to_vec(&message).unwrap_or_default();
        journal.append(Kind::Message, kept).await?;
        history.push(message);
    }
    let end = TurnEnd {
        how: "interrupted".to_owned(),
        forgotten: false,
    };
    let end = serde_json::to_vec(&end).unwrap_or_default();
    journal.commit(Kind::TurnEnded, end).await.map(drop)
}

/// What the conversation is made of.
const TOLD: [Kind; 5] = [
    Kind::Prompt,
    Kind::Message,
    Kind::Decision,
    Kind::TurnEnded,
    Kind::Compacted,
];
const CUT_OFF: &str = "Interrupted: the agent was ended before this was finished";
