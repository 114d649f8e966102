//! Reasoning effort and output limits of OpenAI models, by their name.

use crate::{Request, ThinkingLevel};

/// The thinking levels that can be set for a model.
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

/// The thinking levels over chat completions with tools.
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

/// The effort for Responses, or for a request without tools.
pub(crate) fn effort(model: &str, thought: ThinkingLevel) -> Option<&'static str> {
    match (ModelFamily::of(model), thought) {
        (ModelFamily::Unknown, _) => None,
        (ModelFamily::Either { .. }, ThinkingLevel::Off) => Some("none"),
        (_, ThinkingLevel::Off | ThinkingLevel::Low) => Some("low"),
        (_, ThinkingLevel::Medium) => Some("medium"),
        (_, ThinkingLevel::High) => Some("high"),
    }
}

/// The effort for chat completions.
pub(super) fn in_chat(model: &str, request: &Request) -> Option<&'static str> {
    match ModelFamily::of(model) {
        ModelFamily::Either {
            in_chat: ChatSupport::NotWithTools,
        } if !request.tools.is_empty() => Some("none"),
        _ => effort(model, request.thought),
    }
}

/// The name of the output limit. OpenAI's reasoning models use another name and reject the common one.
pub(super) fn limit_name(model: &str) -> &'static str {
    match ModelFamily::of(model) {
        _ if model.starts_with("gpt-oss") => "max_tokens",
        ModelFamily::Always { .. } | ModelFamily::Either { .. } => "max_completion_tokens",
        ModelFamily::Unknown => "max_tokens",
    }
}

#[derive(Clone, Copy)]
enum ModelFamily {
    /// It always thinks.
    Always { in_chat: ChatSupport },
    /// Thinking can be turned off.
    Either { in_chat: ChatSupport },
    /// Unknown, so no effort is sent.
    Unknown,
}

/// What chat completions support for a model.
#[derive(Clone, Copy)]
enum ChatSupport {
    Everything,
    /// Tools only without thinking, or not at all.
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
