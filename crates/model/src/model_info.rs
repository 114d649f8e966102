//! Properties and capabilities of a model.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// Properties and capabilities of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// The id, with the provider before a slash: `anthropic/claude-sonnet-4-5`.
    pub id: String,
    /// The name for users.
    pub name: String,
    /// One sentence about the model, for users.
    pub description: Option<String>,
    /// Size of the context window in tokens, for input and output together.
    pub window: u64,
    /// Maximum length of an answer in tokens.
    pub max_output: u64,
    /// Whether it accepts images.
    pub images: bool,
    /// Whether it accepts audio.
    pub audio: bool,
    /// The thinking levels that can be set; empty if thinking cannot be controlled.
    pub thoughts: Vec<ThinkingLevel>,
    /// The price, if known.
    pub price: Option<Price>,
}

/// How much a model should think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingLevel {
    /// Not at all, or as little as the model can.
    #[default]
    Off,
    /// Little.
    Low,
    /// Medium.
    Medium,
    /// Much.
    High,
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Input tokens read from a cache.
    pub cache_read: f64,
    /// Input tokens written to a cache.
    pub cache_write: f64,
}

impl Price {
    /// The price of a usage, in US dollars.
    #[expect(
        clippy::cast_precision_loss,
        reason = "no answer has so many tokens that a float rounds them"
    )]
    pub fn cost(&self, usage: &Usage) -> f64 {
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ];
        let cost: f64 = parts
            .iter()
            .map(|(tokens, price)| *tokens as f64 * price)
            .sum();
        cost / 1_000_000.0
    }
}
