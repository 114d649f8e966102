//! How a Claude model is told how much to think. It differs by generation, and the name tells the generation.

use serde_json::{Map, Value, json};

use super::is_thought_through;
use crate::{Request, ThinkingLevel};

/// How much a model of that name can be told to think.
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

pub(super) fn ask(body: &mut Map<String, Value>, model: &str, request: &Request, most: u64) {
    match ThinkingStyle::of(model) {
        None => {}
        Some(ThinkingStyle::Budget) => {
            if let Some(budget) = budget(request.thought, most)
                && is_thought_through(model, request)
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
        (ThinkingLevel::Off, ThinkingOff::Unasked) => return,
        (ThinkingLevel::Off, ThinkingOff::Disabled) => {
            body.insert("thinking".to_owned(), json!({ "type": "disabled" }));
            return;
        }
        (ThinkingLevel::Off, ThinkingOff::Never) | (ThinkingLevel::Low, _) => "low",
        (ThinkingLevel::Medium, _) => "medium",
        (ThinkingLevel::High, _) => "high",
    };
    // Without `display` the words of a thought stay empty.
    let thinking = json!({ "type": "adaptive", "display": "summarized" });
    body.insert("thinking".to_owned(), thinking);
    body.insert("output_config".to_owned(), json!({ "effort": effort }));
}

/// A budget has to leave room for the answer.
fn budget(thought: ThinkingLevel, most: u64) -> Option<u64> {
    let wanted = match thought {
        ThinkingLevel::Off => return None,
        ThinkingLevel::Low => 2_048,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High => 24_576,
    };
    let budget = wanted.min(most / 2);
    (budget >= LEAST_BUDGET).then_some(budget)
}

#[derive(Debug, PartialEq, Eq)]
enum ThinkingStyle {
    /// So many tokens: up to 4.5.
    Budget,
    /// As much as the model finds right, more or less of it: since 4.6.
    Adaptive(ThinkingOff),
}

/// How such a model is told not to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingOff {
    /// By not asking for it.
    Unasked,
    /// In so many words.
    Disabled,
    /// It cannot be; it can be told to think little.
    Never,
}

impl ThinkingStyle {
    /// `claude-FAMILY-MAJOR[-MINOR][-DATE]`; of other names nothing is known.
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
            (_, 4, _) => ThinkingStyle::Adaptive(ThinkingOff::Unasked),
            (_, 5, 0) => ThinkingStyle::Adaptive(ThinkingOff::Disabled),
            _ => ThinkingStyle::Adaptive(ThinkingOff::Never),
        })
    }
}

const LEAST_BUDGET: u64 = 1_024;

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
            Some(ThinkingStyle::Adaptive(ThinkingOff::Unasked)),
        );
        check(
            "claude-opus-4-8",
            Some(ThinkingStyle::Adaptive(ThinkingOff::Unasked)),
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
