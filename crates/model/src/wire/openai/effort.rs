//! How a model behind chat completions is told how much to think, and how long its answer may be. The name tells.

use crate::{Request, Thought};

/// How much a model of that name can be told to think by this protocol, with tools at hand.
pub(crate) fn levels(model: &str) -> Vec<Thought> {
    match Family::of(model) {
        Family::Thinking => vec![Thought::Low, Thought::Medium, Thought::High],
        Family::ThinkingOrNot => {
            vec![Thought::Off, Thought::Low, Thought::Medium, Thought::High]
        }
        Family::NotWithTools | Family::Other => Vec::new(),
    }
}

pub(super) fn of(model: &str, request: &Request) -> Option<&'static str> {
    let family = Family::of(model);
    match (family, request.thought) {
        (Family::Other, _) => None,
        (Family::NotWithTools, _) if !request.tools.is_empty() => Some("none"),
        (Family::NotWithTools | Family::ThinkingOrNot, Thought::Off) => Some("none"),
        (_, Thought::Off | Thought::Low) => Some("low"),
        (_, Thought::Medium) => Some("medium"),
        (_, Thought::High) => Some("high"),
    }
}

/// OpenAI's own models that think take the limit under another name, and refuse the one that others know.
pub(super) fn limit_name(model: &str) -> &'static str {
    match Family::of(model) {
        _ if model.starts_with("gpt-oss") => "max_tokens",
        Family::Thinking | Family::ThinkingOrNot | Family::NotWithTools => "max_completion_tokens",
        Family::Other => "max_tokens",
    }
}

#[derive(Clone, Copy)]
enum Family {
    /// It always thinks, more or less.
    Thinking,
    /// It can be told not to.
    ThinkingOrNot,
    /// Here it takes tools only if it is told not to.
    NotWithTools,
    /// Nothing is known, so nothing is sent.
    Other,
}

impl Family {
    fn of(model: &str) -> Family {
        let starts = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
        if starts(&["gpt-5.1"]) {
            Family::ThinkingOrNot
        } else if starts(&["gpt-5.", "gpt-6"]) {
            Family::NotWithTools
        } else if starts(&["gpt-5", "gpt-oss", "o1", "o3", "o4"]) {
            Family::Thinking
        } else {
            Family::Other
        }
    }
}
