//! How OpenAI's models are told how much to think, and how long an answer may be. The name tells.

use crate::{Request, ThinkingLevel};

/// How much a model of that name can be told to think.
pub(crate) fn levels(model: &str) -> Vec<ThinkingLevel> {
    match ModelFamily::of(model) {
        ModelFamily::Unknown => Vec::new(),
        ModelFamily::Always { .. } => vec![
            ThinkingLevel::Low,
            ThinkingLevel::Medium,
            ThinkingLevel::High,
        ],
        ModelFamily::Either { .. } => vec![
            ThinkingLevel::Off,
            ThinkingLevel::Low,
            ThinkingLevel::Medium,
            ThinkingLevel::High,
        ],
    }
}

/// The same, over chat completions with tools at hand.
pub(crate) fn levels_in_chat(model: &str) -> Vec<ThinkingLevel> {
    match ModelFamily::of(model) {
        ModelFamily::Always {
            in_chat: ChatSupport::NotWithTools,
        }
        | ModelFamily::Either {
            in_chat: ChatSupport::NotWithTools,
        } => Vec::new(),
        _ => levels(model),
    }
}

/// What to say over Responses, or where there are no tools.
pub(crate) fn alone(model: &str, thought: ThinkingLevel) -> Option<&'static str> {
    match (ModelFamily::of(model), thought) {
        (ModelFamily::Unknown, _) => None,
        (ModelFamily::Either { .. }, ThinkingLevel::Off) => Some("none"),
        (_, ThinkingLevel::Off | ThinkingLevel::Low) => Some("low"),
        (_, ThinkingLevel::Medium) => Some("medium"),
        (_, ThinkingLevel::High) => Some("high"),
    }
}

/// What to say over chat completions.
pub(super) fn in_chat(model: &str, request: &Request) -> Option<&'static str> {
    match ModelFamily::of(model) {
        ModelFamily::Either {
            in_chat: ChatSupport::NotWithTools,
        } if !request.tools.is_empty() => Some("none"),
        _ => alone(model, request.thought),
    }
}

/// OpenAI's own models that think take the limit under another name, and refuse the one that others know.
pub(super) fn limit_name(model: &str) -> &'static str {
    match ModelFamily::of(model) {
        _ if model.starts_with("gpt-oss") => "max_tokens",
        ModelFamily::Always { .. } | ModelFamily::Either { .. } => "max_completion_tokens",
        ModelFamily::Unknown => "max_tokens",
    }
}

#[derive(Clone, Copy)]
enum ModelFamily {
    /// It thinks, more or less.
    Always { in_chat: ChatSupport },
    /// It can be told not to.
    Either { in_chat: ChatSupport },
    /// Nothing is known, so nothing is said.
    Unknown,
}

/// What chat completions do with such a model.
#[derive(Clone, Copy)]
enum ChatSupport {
    Everything,
    /// It takes tools only if it is told not to think, or not at all.
    NotWithTools,
}

impl ModelFamily {
    fn of(model: &str) -> ModelFamily {
        let starts = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
        if starts(&["gpt-5.1"]) {
            let in_chat = ChatSupport::Everything;
            ModelFamily::Either { in_chat }
        } else if starts(&["gpt-6-astra", "gpt-6."]) {
            let in_chat = ChatSupport::NotWithTools;
            ModelFamily::Always { in_chat }
        } else if starts(&["gpt-5.", "gpt-6"]) {
            let in_chat = ChatSupport::NotWithTools;
            ModelFamily::Either { in_chat }
        } else if starts(&["gpt-5", "gpt-oss", "o1", "o3", "o4"]) {
            let in_chat = ChatSupport::Everything;
            ModelFamily::Always { in_chat }
        } else {
            ModelFamily::Unknown
        }
    }
}
