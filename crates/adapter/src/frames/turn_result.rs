//! The end of a turn.

use serde_json::Value;

use super::{string, strings, text};

/// How a turn ended and what it cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnResult {
    /// `success`, or what went wrong.
    pub subtype: String,
    /// Whether something went wrong.
    pub is_error: bool,
    /// Why the model stopped.
    pub stop_reason: Option<String>,
    /// Why the CLI stopped.
    pub terminal_reason: Option<String>,
    /// The last words, or the words of the error.
    pub result: String,
    /// What went wrong, in words.
    pub errors: Vec<String>,
    /// What sort of error the API gave.
    pub api_error: Option<String>,
    /// The tokens of the turn.
    pub tokens: Option<TokenUsage>,
    /// What the session has cost so far, in US dollars.
    pub cost: Option<f64>,
    /// Whether it was a command that the CLI carried out itself, which may have set something.
    pub is_local: bool,
    /// How much the contexts of the models hold, the largest of them.
    pub window: Option<u64>,
}

/// TokenUsage of one answer of the model, or of many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Those sent.
    pub input: u64,
    /// Those received.
    pub output: u64,
    /// Those read from a cache.
    pub cache_read: u64,
    /// Those written to a cache.
    pub cache_written: u64,
}

impl TokenUsage {
    /// All of them.
    pub fn total(self) -> u64 {
        let sent = self.input.saturating_add(self.output);
        sent.saturating_add(self.cache_read)
            .saturating_add(self.cache_written)
    }

    /// Those of both.
    pub fn plus(self, other: TokenUsage) -> TokenUsage {
        TokenUsage {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_written: self.cache_written.saturating_add(other.cache_written),
        }
    }

    pub(super) fn from_value(usage: &Value) -> Option<TokenUsage> {
        let count = |name: &str| usage[name].as_u64().unwrap_or(0);
        usage.is_object().then(|| TokenUsage {
            input: count("input_tokens"),
            output: count("output_tokens"),
            cache_read: count("cache_read_input_tokens"),
            cache_written: count("cache_creation_input_tokens"),
        })
    }
}

impl TurnResult {
    pub(super) fn from_value(frame: &Value) -> TurnResult {
        let windows = frame["modelUsage"].as_object().into_iter().flatten();
        let windows = windows.filter_map(|(_, usage)| usage["contextWindow"].as_u64());
        TurnResult {
            subtype: text(frame, "subtype"),
            is_error: frame["is_error"] == true,
            stop_reason: string(frame, "stop_reason"),
            terminal_reason: string(frame, "terminal_reason"),
            result: text(frame, "result"),
            errors: strings(&frame["errors"]),
            api_error: string(frame, "api_error_type"),
            tokens: TokenUsage::from_value(&frame["usage"]),
            cost: frame["total_cost_usd"].as_f64(),
            is_local: frame["local_command"].is_string(),
            window: windows.max(),
        }
    }
}
