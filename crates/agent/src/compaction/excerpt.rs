//! Excerpts of a conversation for its summary: all of it, or less if that does not fit.

use std::sync::Arc;

use attache_model::{Input, Message, ToolResult};

use crate::history::{BYTES_PER_TOKEN, History, bytes};

/// How much of the conversation the summary is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excerpt {
    Whole,
    /// Everything, with tool results cut short.
    Terse,
    /// Only the newer part, with everything cut short.
    Newer,
}

impl Excerpt {
    /// All excerpts, the largest first.
    pub(super) const ALL: [Excerpt; 3] = [Excerpt::Whole, Excerpt::Terse, Excerpt::Newer];

    /// The excerpt of a conversation, for a model with this window.
    pub(super) fn of(self, history: &History, window: u64) -> Vec<Arc<Message>> {
        let messages = history.messages();
        match self {
            Excerpt::Whole => messages.to_vec(),
            Excerpt::Terse => messages.iter().map(terse).collect(),
            Excerpt::Newer => newer(messages, window),
        }
    }
}

/// A message with the results of tools cut short.
fn terse(message: &Arc<Message>) -> Arc<Message> {
    match &**message {
        Message::Tools(results) => {
            let results = results.iter().map(|result| ToolResult {
                content: result.content.iter().map(short).collect(),
                ..result.clone()
            });
            Arc::new(Message::Tools(results.collect()))
        }
        Message::User(_) | Message::Model(_) => Arc::clone(message),
    }
}

/// The newest messages that fit half of the window, after a note that older ones are left out.
fn newer(messages: &[Arc<Message>], window: u64) -> Vec<Arc<Message>> {
    let mut room = usize::try_from(window / 2 * BYTES_PER_TOKEN).unwrap_or(usize::MAX);
    let mut newest = Vec::new();
    for message in messages.iter().rev() {
        let message = match &**message {
            Message::User(inputs) => Arc::new(Message::User(inputs.iter().map(short).collect())),
            Message::Model(_) | Message::Tools(_) => terse(message),
        };
        let size = bytes(&message);
        if size > room {
            break;
        }
        room -= size;
        newest.push(message);
    }
    // Results need their calls.
    newest.pop_if(|oldest| matches!(**oldest, Message::Tools(_)));
    let left_out = Input::Text(LEFT_OUT.to_owned());
    newest.push(Arc::new(Message::User(vec![left_out])));
    newest.reverse();
    newest
}

/// The beginning of a text; images and audio are replaced by a note.
fn short(input: &Input) -> Input {
    Input::Text(match input {
        Input::Text(text) if text.len() <= MOST => text.clone(),
        Input::Text(text) => {
            let end = text.floor_char_boundary(MOST);
            format!("{}\n[cut here]", &text[..end])
        }
        Input::Image { .. } => "[a picture]".to_owned(),
        Input::Audio { .. } => "[a sound]".to_owned(),
    })
}

const MOST: usize = 2 * 1024;
const LEFT_OUT: &str = "[The beginning of the conversation is left out: it was too long.]";

#[cfg(test)]
mod tests {
    use attache_model::{Output, ToolCall};

    use super::*;

    fn conversation() -> History {
        let text = |text: &str| vec![Input::Text(text.to_owned())];
        let call = ToolCall {
            id: "c".to_owned(),
            name: "read".to_owned(),
            input: "{}".to_owned(),
        };
        let result = ToolResult {
            id: "c".to_owned(),
            name: "read".to_owned(),
            content: text(&"long ".repeat(10_000)),
            failed: false,
        };
        History::of(vec![
            Message::User(text(&"old ".repeat(10_000))),
            Message::Model(vec![Output::Call(call)]),
            Message::Tools(vec![result]),
            Message::Model(vec![Output::Text("answer".to_owned())]),
        ])
    }

    fn size(excerpt: Excerpt, window: u64) -> usize {
        let messages = excerpt.of(&conversation(), window);
        messages.iter().map(|message| bytes(message)).sum()
    }

    #[test]
    fn each_excerpt_is_shorter_than_the_previous_one() {
        let window = 20_000;
        let sizes = Excerpt::ALL.map(|excerpt| size(excerpt, window));
        assert!(sizes.is_sorted_by(|more, less| more > less), "{sizes:?}");
    }

    #[test]
    fn the_newer_part_fits_and_has_no_result_without_its_call() {
        for window in [0, 10, 1_000, 1_100, 2_000, 100_000] {
            let newer = Excerpt::Newer.of(&conversation(), window);
            assert!(matches!(*newer[0], Message::User(_)), "{window}");
            let is_stray = |pair: &[Arc<Message>]| {
                matches!(*pair[1], Message::Tools(_)) && !matches!(*pair[0], Message::Model(_))
            };
            assert!(!newer.windows(2).any(is_stray), "{window}");
            let most = usize::try_from(window).unwrap() * 2 + LEFT_OUT.len();
            assert!(size(Excerpt::Newer, window) <= most, "{window}");
        }
    }
}
