//! Compaction: replaces a conversation that would not fit the window by a summary.

mod excerpt;

use std::sync::Arc;

use attache::agent::ClientHandle;
use attache::v1;
use attache_model::{self as model, Event, Input, Message, Model, ModelInfo, Request, embedded};
use futures_util::StreamExt;

use crate::entry_kinds;
use crate::failure::Failure;
use crate::history::History;
use crate::ids;
use crate::session::{Session, has_session_capability};
use excerpt::Excerpt;

/// A compaction to run.
pub(crate) struct Compaction<'a> {
    pub(crate) session: &'a Session,
    /// The model that writes the summary.
    pub(crate) model: &'a dyn Model,
    /// What the summary must keep above all.
    pub(crate) emphasis: &'a str,
    pub(crate) display: &'a mut CompactionDisplay,
    /// Usage of the summary.
    pub(crate) usage: &'a mut model::Usage,
}

impl Compaction<'_> {
    pub(crate) async fn shorten(mut self, history: &mut History) -> Result<(), Failure> {
        self.display.start(self.session).await?;
        let status = match self.summarize(history).await {
            Ok(text) => {
                let prompt = unanswered_prompt(history);
                replace(self.session, history, summary_messages(&text, prompt)).await?;
                v1::CompactionStatus::Completed
            }
            Err(failure) => {
                self.display.fail(self.session, &failure).await?;
                return Err(failure);
            }
        };
        self.display.close(self.session, status).await
    }

    async fn summarize(&mut self, history: &History) -> Result<String, Failure> {
        if is_embedded(self.model.info()) {
            let text = outline(history);
            self.display.append(self.session, &text).await?;
            return Ok(text);
        }
        let window = self.model.info().window;
        let mut outcome = Ok(String::new());
        for excerpt in Excerpt::ALL {
            outcome = self.request_summary(excerpt.of(history, window)).await;
            match &outcome {
                // A shorter excerpt may fit.
                Err(Failure::Model(model::Error::TooLong { .. })) => {}
                Ok(_) | Err(_) => break,
            }
        }
        outcome
    }

    async fn request_summary(
        &mut self,
        mut messages: Vec<Arc<Message>>,
    ) -> Result<String, Failure> {
        let prompt = match self.emphasis {
            "" => SUMMARY_PROMPT.to_owned(),
            emphasis => format!("{SUMMARY_PROMPT} What matters most: {emphasis}"),
        };
        messages.push(Arc::new(Message::User(vec![Input::Text(prompt)])));
        let mut events = self.model.answer(Request {
            instructions: "You summarise conversations between a user and a coding agent.".into(),
            messages,
            ..Request::default()
        });
        let mut text = String::new();
        while let Some(event) = events.next().await {
            match event? {
                Event::Text(piece) => {
                    self.display.append(self.session, &piece).await?;
                    text.push_str(&piece);
                }
                Event::Usage(now) => *self.usage = now,
                Event::End(_) => break,
                // Only the text counts as the summary.
                Event::Thought(_)
                | Event::ThoughtSignature(_)
                | Event::CallStarted { .. }
                | Event::Call(_)
                | Event::Retry { .. } => {}
            }
        }
        match text.trim() {
            "" => Err(Failure::Model(model::Error::Provider {
                provider: self.model.info().name.clone(),
                reason: "the summary is empty".to_owned(),
            })),
            _ => Ok(text),
        }
    }
}

/// Clears the conversation.
pub(crate) async fn clear(session: &Session, history: &mut History) -> Result<(), Failure> {
    replace(session, history, Vec::new()).await
}

async fn replace(
    session: &Session,
    history: &mut History,
    messages: Vec<Message>,
) -> Result<(), Failure> {
    let kept = serde_json::to_vec(&messages).unwrap_or_default();
    session.journal.append(entry_kinds::COMPACTED, kept).await?;
    // Before the wait for the disk, so that a caller that stops waiting leaves the same state as in the journal.
    history.replace(messages);
    Ok(session.journal.flush().await?)
}

/// Shows a compaction to clients that support it.
#[derive(Debug, Default)]
pub(crate) struct CompactionDisplay(Option<v1::CompactionId>);

impl CompactionDisplay {
    async fn start(&mut self, session: &Session) -> Result<(), Failure> {
        if !is_shown(session.client.client()) {
            return Ok(());
        }
        let id = v1::CompactionId::from(ids::fresh("compaction_"));
        self.0 = Some(id.clone());
        let begun = v1::CompactionUpdate::new(id, v1::CompactionStatus::InProgress);
        session.show(begun).await
    }

    async fn append(&self, session: &Session, text: &str) -> Result<(), Failure> {
        match &self.0 {
            Some(id) => {
                let chunk = v1::CompactionSummaryChunk::new(id.clone(), text);
                session.show(chunk).await
            }
            None => Ok(()),
        }
    }

    async fn fail(&mut self, session: &Session, failure: &Failure) -> Result<(), Failure> {
        let Some(id) = self.0.take() else {
            return Ok(());
        };
        let mut failed = v1::CompactionUpdate::new(id, v1::CompactionStatus::Failed);
        failed.error = failure.to_string().into();
        session.show(failed).await
    }

    /// Ends the compaction that is shown, if there is one.
    pub(crate) async fn close(
        &mut self,
        session: &Session,
        status: v1::CompactionStatus,
    ) -> Result<(), Failure> {
        match self.0.take() {
            Some(id) => session.show(v1::CompactionUpdate::new(id, status)).await,
            None => Ok(()),
        }
    }
}

/// Whether the client shows compactions.
pub(crate) fn is_shown(client: &ClientHandle) -> bool {
    has_session_capability(client, |session| session.compaction.is_some())
}

/// Whether this is the embedded model, which understands only its grammar.
pub(crate) fn is_embedded(info: &ModelInfo) -> bool {
    info.id == embedded::ID
}

/// A summary without a language model: the first line of each prompt.
fn outline(history: &History) -> String {
    let mut text = "What the user asked so far:\n".to_owned();
    let prompts = history
        .messages()
        .iter()
        .filter_map(|message| prompt(message));
    for prompt in prompts {
        let line = prompt.lines().next().unwrap_or_default();
        let end = line.floor_char_boundary(MAX_OUTLINE_LINE);
        text.push_str(&format!("- {}\n", &line[..end]));
    }
    text
}

fn prompt(message: &Message) -> Option<&str> {
    let Message::User(inputs) = message else {
        return None;
    };
    inputs.iter().find_map(|input| match input {
        Input::Text(text) => Some(text.as_str()),
        Input::Image { .. } | Input::Audio { .. } => None,
    })
}

/// The prompt at the end of the conversation that has no answer yet.
fn unanswered_prompt(history: &History) -> Option<Vec<Input>> {
    match history.messages().last().map(AsRef::as_ref) {
        Some(Message::User(inputs)) => Some(inputs.clone()),
        _ => None,
    }
}

fn summary_messages(summary: &str, prompt: Option<Vec<Input>>) -> Vec<Message> {
    let opening = format!("Summary of the conversation so far:\n\n{summary}");
    let mut inputs = vec![Input::Text(opening)];
    match prompt {
        Some(prompt) => inputs.extend(prompt),
        None => inputs.push(Input::Text(
            "Continue from there if something is left to do.".to_owned(),
        )),
    }
    vec![Message::User(inputs)]
}

const SUMMARY_PROMPT: &str = "Summarise the conversation so far for yourself, since you will continue with nothing but the summary: what the user wants, what was decided and why, which files matter and what was changed in them, what was tried and failed, what is left to do. Be exact about names and paths. Do not call tools.";
const MAX_OUTLINE_LINE: usize = 200;
