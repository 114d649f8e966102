//! What a model is and can do.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// What a model is and can do.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// Its id, with its provider before a slash: `anthropic/claude-sonnet-4-5`.
    pub id: String,
    /// What to call it to a person.
    pub name: String,
    /// One sentence about it, to a person.
    pub description: Option<String>,
    /// How many tokens fit, question and answer together.
    pub window: u64,
    /// How many tokens an answer can have.
    pub most_output: u64,
    /// Whether it looks at pictures.
    pub images: bool,
    /// Whether it listens to sounds.
    pub audio: bool,
    /// How much it can think; empty if it cannot be told.
    pub thoughts: Vec<ThinkingLevel>,
    /// What it costs, where that is known.
    pub price: Option<Price>,
}

/// How much a model should think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingLevel {
    /// Not at all, or as little as the model can.
    #[default]
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// What a million tokens cost, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
    /// Read from a cache.
    pub cache_read: f64,
    /// Put into a cache.
    pub cache_write: f64,
}

impl Price {
    /// What a usage costs, in US dollars.
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
