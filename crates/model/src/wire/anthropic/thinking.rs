//! Thinking settings of Claude models. They differ by generation, which the name contains.

use serde_json::{Map, Value, json};

use super::starts_with_thought;
use crate::{Request, ThinkingLevel};

/// The thinking levels that can be set for a model.
pub(crate) fn levels(model: &str) -> Vec<ThinkingLevel> {
    match ThinkingStyle::of(model) {
        None => Vec::new(),
        Some(ThinkingStyle::Adaptive(ThinkingOff::Never)) => vec![
            ThinkingLevel::Low,
            ThinkingLevel::Medium,
            ThinkingLevel::High,
        ],
        Some(_) => vec![
            ThinkingLevel::Off,
            ThinkingLevel::Low,
            ThinkingLevel::Medium,
            ThinkingLevel::High,
        ],
    }
}

pub(super) fn configure(body: &mut Map<String, Value>, model: &str, request: &Request, most: u64) {
    match ThinkingStyle::of(model) {
        None => {}
        Some(ThinkingStyle::Budget) => {
            if let Some(budget) = budget(request.thought, most)
                && starts_with_thought(model, request)
            {
                let thinking = json!({ "type": "enabled", "budget_tokens": budget });
                body.insert("thinking".to_owned(), thinking);
            }
        }
        Some(ThinkingStyle::Adaptive(off)) => adapt(body, off, request.thought),
    }
}

fn adapt(body: &mut Map<String, Value>, off: ThinkingOff, thought: ThinkingLevel) {
    let effort = match (thought, off) {
        (ThinkingLevel::Off, ThinkingOff::Omitted) => return,
        (ThinkingLevel::Off, ThinkingOff::Disabled) => {
            body.insert("thinking".to_owned(), json!({ "type": "disabled" }));
            return;
        }
        (ThinkingLevel::Off, ThinkingOff::Never) | (ThinkingLevel::Low, _) => "low",
        (ThinkingLevel::Medium, _) => "medium",
        (ThinkingLevel::High, _) => "high",
    };
    // Without `display` the text of the reasoning stays empty.
    let thinking = json!({ "type": "adaptive", "display": "summarized" });
    body.insert("thinking".to_owned(), thinking);
    body.insert("output_config".to_owned(), json!({ "effort": effort }));
}

/// The thinking budget, which leaves room for the answer.
fn budget(thought: ThinkingLevel, most: u64) -> Option<u64> {
    let wanted = match thought {
        ThinkingLevel::Off => return None,
        ThinkingLevel::Low => 2_048,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High => 24_576,
    };
    let budget = wanted.min(most / 2);
    (budget >= MIN_BUDGET).then_some(budget)
}

#[derive(Debug, PartialEq, Eq)]
enum ThinkingStyle {
    /// A token budget: up to 4.5.
    Budget,
    /// Chosen by the model, guided by an effort: since 4.6.
    Adaptive(ThinkingOff),
}

/// How adaptive thinking is turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingOff {
    /// By leaving the setting out.
    Omitted,
    /// By disabling it explicitly.
    Disabled,
    /// Not at all; it can only be set to low.
    Never,
}

impl ThinkingStyle {
    /// Reads `claude-FAMILY-MAJOR[-MINOR][-DATE]`; `None` for any other name.
    fn of(model: &str) -> Option<ThinkingStyle> {
        let mut parts = model.strip_prefix("claude-")?.split('-');
        let family = parts
            .next()
            .filter(|family| family.parse::<u32>().is_err())?;
        let mut version = parts.map_while(|part| part.parse::<u32>().ok().filter(|n| *n < 100));
        let major = version.next()?;
        let minor = version.next().unwrap_or_default();
        Some(match (family, major, minor) {
            ("fable" | "mythos", ..) => ThinkingStyle::Adaptive(ThinkingOff::Never),
            (_, ..4, _) | (_, 4, ..=5) => ThinkingStyle::Budget,
            (_, 4, _) => ThinkingStyle::Adaptive(ThinkingOff::Omitted),
            (_, 5, 0) => ThinkingStyle::Adaptive(ThinkingOff::Disabled),
            _ => ThinkingStyle::Adaptive(ThinkingOff::Never),
        })
    }
}

const MIN_BUDGET: u64 = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(model: &str, style: Option<ThinkingStyle>) {
        assert_eq!(ThinkingStyle::of(model), style, "{model}");
    }

    #[test]
    fn the_name_tells_the_generation() {
        check("claude-haiku-4-5-20251001", Some(ThinkingStyle::Budget));
        check("claude-opus-4-20250514", Some(ThinkingStyle::Budget));
        check(
            "claude-sonnet-4-6",
            Some(ThinkingStyle::Adaptive(ThinkingOff::Omitted)),
        );
        check(
            "claude-opus-4-8",
            Some(ThinkingStyle::Adaptive(ThinkingOff::Omitted)),
        );
        check(
            "claude-sonnet-5",
            Some(ThinkingStyle::Adaptive(ThinkingOff::Disabled)),
        );
        check(
            "claude-opus-5-5",
            Some(ThinkingStyle::Adaptive(ThinkingOff::Never)),
        );
        check(
            "claude-fable-5",
            Some(ThinkingStyle::Adaptive(ThinkingOff::Never)),
        );
        check("claude-3-5-haiku-latest", None);
        check("my-model", None);
    }

    #[test]
    fn a_budget_leaves_room_for_the_answer() {
        assert_eq!(budget(ThinkingLevel::High, 64_000), Some(24_576));
        assert_eq!(budget(ThinkingLevel::High, 4_096), Some(2_048));
        assert_eq!(budget(ThinkingLevel::Low, 1_000), None);
    }
}
