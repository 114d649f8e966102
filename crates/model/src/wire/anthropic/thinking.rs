//! How a Claude model is told how much to think. It differs by generation, and the name tells the generation.

use serde_json::{Map, Value, json};

use super::is_thought_through;
use crate::{Request, Thought};

/// How much a model of that name can be told to think.
pub(crate) fn levels(model: &str) -> Vec<Thought> {
    match Style::of(model) {
        None => Vec::new(),
        Some(Style::Adaptive(Off::Never)) => vec![Thought::Low, Thought::Medium, Thought::High],
        Some(_) => vec![Thought::Off, Thought::Low, Thought::Medium, Thought::High],
    }
}

pub(super) fn ask(body: &mut Map<String, Value>, model: &str, request: &Request, most: u64) {
    match Style::of(model) {
        None => {}
        Some(Style::Budget) => {
            if let Some(budget) = budget(request.thought, most)
                && is_thought_through(model, request)
            {
                let thinking = json!({ "type": "enabled", "budget_tokens": budget });
                body.insert("thinking".to_owned(), thinking);
            }
        }
        Some(Style::Adaptive(off)) => adapt(body, off, request.thought),
    }
}

fn adapt(body: &mut Map<String, Value>, off: Off, thought: Thought) {
    let effort = match (thought, off) {
        (Thought::Off, Off::Unasked) => return,
        (Thought::Off, Off::Disabled) => {
            body.insert("thinking".to_owned(), json!({ "type": "disabled" }));
            return;
        }
        (Thought::Off, Off::Never) | (Thought::Low, _) => "low",
        (Thought::Medium, _) => "medium",
        (Thought::High, _) => "high",
    };
    // Without `display` the words of a thought stay empty.
    let thinking = json!({ "type": "adaptive", "display": "summarized" });
    body.insert("thinking".to_owned(), thinking);
    body.insert("output_config".to_owned(), json!({ "effort": effort }));
}

/// A budget has to leave room for the answer.
fn budget(thought: Thought, most: u64) -> Option<u64> {
    let wanted = match thought {
        Thought::Off => return None,
        Thought::Low => 2_048,
        Thought::Medium => 8_192,
        Thought::High => 24_576,
    };
    let budget = wanted.min(most / 2);
    (budget >= LEAST_BUDGET).then_some(budget)
}

#[derive(Debug, PartialEq, Eq)]
enum Style {
    /// So many tokens: up to 4.5.
    Budget,
    /// As much as the model finds right, more or less of it: since 4.6.
    Adaptive(Off),
}

/// How such a model is told not to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Off {
    /// By not asking for it.
    Unasked,
    /// In so many words.
    Disabled,
    /// It cannot be; it can be told to think little.
    Never,
}

impl Style {
    /// `claude-FAMILY-MAJOR[-MINOR][-DATE]`; of other names nothing is known.
    fn of(model: &str) -> Option<Style> {
        let mut parts = model.strip_prefix("claude-")?.split('-');
        let family = parts
            .next()
            .filter(|family| family.parse::<u32>().is_err())?;
        let mut version = parts.map_while(|part| part.parse::<u32>().ok().filter(|n| *n < 100));
        let major = version.next()?;
        let minor = version.next().unwrap_or_default();
        Some(match (family, major, minor) {
            ("fable" | "mythos", ..) => Style::Adaptive(Off::Never),
            (_, ..4, _) | (_, 4, ..=5) => Style::Budget,
            (_, 4, _) => Style::Adaptive(Off::Unasked),
            (_, 5, 0) => Style::Adaptive(Off::Disabled),
            _ => Style::Adaptive(Off::Never),
        })
    }
}

const LEAST_BUDGET: u64 = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(model: &str, style: Option<Style>) {
        assert_eq!(Style::of(model), style, "{model}");
    }

    #[test]
    fn the_name_tells_the_generation() {
        check("claude-haiku-4-5-20251001", Some(Style::Budget));
        check("claude-opus-4-20250514", Some(Style::Budget));
        check("claude-sonnet-4-6", Some(Style::Adaptive(Off::Unasked)));
        check("claude-opus-4-8", Some(Style::Adaptive(Off::Unasked)));
        check("claude-sonnet-5", Some(Style::Adaptive(Off::Disabled)));
        check("claude-opus-5-5", Some(Style::Adaptive(Off::Never)));
        check("claude-fable-5", Some(Style::Adaptive(Off::Never)));
        check("claude-3-5-haiku-latest", None);
        check("my-model", None);
    }

    #[test]
    fn a_budget_leaves_room_for_the_answer() {
        assert_eq!(budget(Thought::High, 64_000), Some(24_576));
        assert_eq!(budget(Thought::High, 4_096), Some(2_048));
        assert_eq!(budget(Thought::Low, 1_000), None);
    }
}
