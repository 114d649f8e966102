//! Compaction: a conversation that would no longer fit becomes a summary.

use std::sync::Arc;

use attache::v1;
use attache_model::{Card, Event, Input, Message, Request, embedded};
use futures_util::StreamExt;

use crate::failure::Failure;
use crate::history::{History, unfinished};
use crate::ids;
use crate::session::{Session, can};
use crate::store::Kind;

/// Shortens the conversation to a summary, with this in mind. What to say about it to the person.
pub(crate) async fn compact(
    session: &Session,
    history: &mut History,
    emphasis: &str,
) -> Result<String, Failure> {
    if history.messages().is_empty() {
        return Ok("There is nothing to shorten.".to_owned());
    }
    let before = history.size();
    let screen = Screen::new(session);
    screen.show(v1::CompactionStatus::InProgress, None).await?;
    match summary(session, history, emphasis, &screen).await {
        Ok(text) => {
            let question = last_question(history);
            replace(session, history, told(&text, question)).await?;
            screen.show(v1::CompactionStatus::Completed, None).await?;
            let after = history.size();
            Ok(format!(
                "The conversation is shortened from about {before} to {after} tokens."
            ))
        }
        Err(failure) => {
            let status = match failure {
                Failure::Cancelled => v1::CompactionStatus::Cancelled,
                _ => v1::CompactionStatus::Failed,
            };
            screen.show(status, Some(failure.to_string())).await?;
            Err(failure)
        }
    }
}

/// Forgets the conversation.
pub(crate) async fn clear(session: &Session, history: &mut History) -> Result<(), Failure> {
    replace(session, history, Vec::new()).await
}

async fn replace(
    session: &Session,
    history: &mut History,
    messages: Vec<Message>,
) -> Result<(), Failure> {
    let kept = serde_json::to_vec(&messages).unwrap_or_default();
    session.journal.commit(Kind::Compacted, kept).await?;
    history.replace(messages);
    Ok(())
}

/// What the person sees of a compaction, where the client shows it.
struct Screen<'a> {
    session: &'a Session,
    id: v1::CompactionId,
    shown: bool,
}

impl<'a> Screen<'a> {
    fn new(session: &'a Session) -> Screen<'a> {
        Screen {
            session,
            id: ids::fresh("compaction_").into(),
            shown: can(session.client.client(), |client| {
                client.compaction.is_some()
            }),
        }
    }

    async fn show(
        &self,
        status: v1::CompactionStatus,
        error: Option<String>,
    ) -> Result<(), Failure> {
        if !self.shown {
            return Ok(());
        }
        let mut update = v1::CompactionUpdate::new(self.id.clone(), status);
        if let Some(error) = error {
            update.error = error.into();
        }
        self.session.show(update).await
    }

    async fn piece(&self, text: &str) -> Result<(), Failure> {
        if !self.shown {
            return Ok(());
        }
        let chunk = v1::CompactionSummaryChunk::new(self.id.clone(), text);
        self.session.show(chunk).await
    }
}

async fn summary(
    session: &Session,
    history: &History,
    emphasis: &str,
    screen: &Screen<'_>,
) -> Result<String, Failure> {
    let model = session.model()?;
    if is_embedded(model.card()) {
        let text = outline(history);
        screen.piece(&text).await?;
        return Ok(text);
    }
    let mut messages = history.messages().to_vec();
    let calls = history.open_calls();
    if !calls.is_empty() {
        let results = calls
            .iter()
            .map(|call| unfinished(call, "not carried out yet"));
        messages.push(Arc::new(Message::Tools(results.collect())));
    }
    let wish = match emphasis {
        "" => WISH.to_owned(),
        emphasis => format!("{WISH} What matters most: {emphasis}"),
    };
    messages.push(Arc::new(Message::User(vec![Input::Text(wish)])));
    let mut events = model.answer(Request {
        instructions: "You summarise conversations between a person and a coding agent.".into(),
        messages,
        ..Request::default()
    });
    let mut text = String::new();
    while let Some(event) = events.next().await {
        match event? {
            Event::Text(piece) => {
                screen.piece(&piece).await?;
                text.push_str(&piece);
            }
            Event::End(_) => break,
            _ => {}
        }
    }
    match text.trim() {
        "" => Err(Failure::Model(attache_model::Error::Provider {
            provider: model.card().name.clone(),
            reason: "the summary is empty".to_owned(),
        })),
        _ => Ok(text),
    }
}

/// Whether a model understands nothing but its grammar.
pub(crate) fn is_embedded(card: &Card) -> bool {
    card.id == embedded::ID
}

/// What can be said of a conversation without understanding it: what the person asked.
fn outline(history: &History) -> String {
    let mut text = "What the person asked so far:\n".to_owned();
    let asked = history
        .messages()
        .iter()
        .filter_map(|message| question(message));
    for question in asked {
        let line = question.lines().next().unwrap_or_default();
        let end = line.floor_char_boundary(MOST_OUTLINED);
        text.push_str(&format!("- {}\n", &line[..end]));
    }
    text
}

fn question(message: &Message) -> Option<&str> {
    let Message::User(inputs) = message else {
        return None;
    };
    inputs.iter().find_map(|input| match input {
        Input::Text(text) => Some(text.as_str()),
        Input::Image { .. } | Input::Audio { .. } => None,
    })
}

/// The question that has no answer yet, if the conversation ends with one.
fn last_question(history: &History) -> Option<Vec<Input>> {
    match history.messages().last().map(AsRef::as_ref) {
        Some(Message::User(inputs)) => Some(inputs.clone()),
        _ => None,
    }
}

fn told(summary: &str, question: Option<Vec<Input>>) -> Vec<Message> {
    let opening = format!("This is what happened before, in short:\n\n{summary}");
    let mut inputs = vec![Input::Text(opening)];
    match question {
        Some(question) => inputs.extend(question),
        None => inputs.push(Input::Text(
            "Go on from there when something is left to do.".to_owned(),
        )),
    }
    vec![Message::User(inputs)]
}

const WISH: &str = "Summarise the conversation so far for yourself, since you will go on with nothing but the summary: what the person wants, what was decided and why, which files matter and what was changed in them, what was tried and failed, what is left to do. Be exact about names and paths. Do not call tools.";
const MOST_OUTLINED: usize = 200;
