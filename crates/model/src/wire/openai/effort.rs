//! How OpenAI's models are told how much to think, and how long an answer may be. The name tells.

use crate::{Request, Thought};

/// How much a model of that name can be told to think.
pub(crate) fn levels(model: &str) -> Vec<Thought> {
    match Family::of(model) {
        Family::Unknown => Vec::new(),
        Family::Always { .. } => vec![Thought::Low, Thought::Medium, Thought::High],
        Family::Either { .. } => vec![Thought::Off, Thought::Low, Thought::Medium, Thought::High],
    }
}

/// The same, over chat completions with tools at hand.
pub(crate) fn levels_in_chat(model: &str) -> Vec<Thought> {
    match Family::of(model) {
        Family::Always {
            in_chat: Chat::NotWithTools,
        }
        | Family::Either {
            in_chat: Chat::NotWithTools,
        } => Vec::new(),
        _ => levels(model),
    }
}

/// What to say over Responses, or where there are no tools.
pub(crate) fn alone(model: &str, thought: Thought) -> Option<&'static str> {
    match (Family::of(model), thought) {
        (Family::Unknown, _) => None,
        (Family::Either { .. }, Thought::Off) => Some("none"),
        (_, Thought::Off | Thought::Low) => Some("low"),
        (_, Thought::Medium) => Some("medium"),
        (_, Thought::High) => Some("high"),
    }
}

/// What to say over chat completions.
pub(super) fn in_chat(model: &str, request: &Request) -> Option<&'static str> {
    match Family::of(model) {
        Family::Either {
            in_chat: Chat::NotWithTools,
        } if !request.tools.is_empty() => Some("none"),
        _ => alone(model, request.thought),
    }
}

/// OpenAI's own models that think take the limit under another name, and refuse the one that others know.
pub(super) fn limit_name(model: &str) -> &'static str {
    match Family::of(model) {
        _ if model.starts_with("gpt-oss") => "max_tokens",
        Family::Always { .. } | Family::Either { .. } => "max_completion_tokens",
        Family::Unknown => "max_tokens",
    }
}

#[derive(Clone, Copy)]
enum Family {
    /// It thinks, more or less.
    Always { in_chat: Chat },
    /// It can be told not to.
    Either { in_chat: Chat },
    /// Nothing is known, so nothing is said.
    Unknown,
}

/// What chat completions do with such a model.
#[derive(Clone, Copy)]
enum Chat {
    Everything,
    /// It takes tools only if it is told not to think, or not at all.
    NotWithTools,
}

impl Family {
    fn of(model: &str) -> Family {
        let starts = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
        if starts(&["gpt-5.1"]) {
            let in_chat = Chat::Everything;
            Family::Either { in_chat }
        } else if starts(&["gpt-6-astra", "gpt-6."]) {
            let in_chat = Chat::NotWithTools;
            Family::Always { in_chat }
        } else if starts(&["gpt-5.", "gpt-6"]) {
            let in_chat = Chat::NotWithTools;
            Family::Either { in_chat }
        } else if starts(&["gpt-5", "gpt-oss", "o1", "o3", "o4"]) {
            let in_chat = Chat::Everything;
            Family::Always { in_chat }
        } else {
            Family::Unknown
        }
    }
}
