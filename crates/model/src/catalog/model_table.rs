//! A table of known models, as their providers described and priced them on 16 November 2026.

use crate::wire::WireFormat;
use crate::{ModelInfo, Price};

/// The names of a provider's known models, the default first.
pub(super) fn names(provider: &str) -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .filter(move |row| row.provider == provider)
        .map(|row| row.name)
}

/// The provider of a model, guessed from its bare name.
pub(super) fn provider_of(name: &str) -> Option<&'static str> {
    let starts = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    match name {
        _ if name.starts_with("claude-") => Some("anthropic"),
        _ if starts(&["gpt-4", "gpt-5", "gpt-6", "o1", "o3", "o4"]) => Some("openai"),
        _ => None,
    }
}

/// The known properties of a model. For a model that is not in the table, assumes safe values.
pub(super) fn info(provider: &str, wire: WireFormat, name: &str) -> ModelInfo {
    let row = TABLE.iter().find(|row| row.name == name);
    let fallback = match wire {
        WireFormat::Messages => (200_000, 32_000),
        WireFormat::Chat | WireFormat::Responses => (128_000, 16_384),
    };
    let (window, max_output) = row.map_or(fallback, |row| (row.window, row.max_output));
    ModelInfo {
        id: format!("{provider}/{name}"),
        name: row.map_or(name, |row| row.title).to_owned(),
        description: row.map(|row| row.description.to_owned()),
        window,
        max_output,
        images: wire == WireFormat::Messages || accepts_images(name),
        audio: name.contains("audio"),
        thoughts: wire.levels(name),
        price: row
            .filter(|row| row.provider == provider)
            .and_then(|row| row.price),
    }
}

/// Whether the name of a model suggests that it accepts images.
fn accepts_images(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    IMAGE_MODELS.iter().any(|part| name.contains(part))
}

struct ModelRow {
    provider: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    window: u64,
    max_output: u64,
    price: Option<Price>,
}

const fn price(input: f64, output: f64, cache_read: f64, cache_write: f64) -> Option<Price> {
    Some(Price {
        input,
        output,
        cache_read,
        cache_write,
    })
}

const TABLE: [ModelRow; 12] = [
    ModelRow {
        provider: "anthropic",
        name: "claude-sonnet-5-5",
        title: "Claude Sonnet 5.5",
        description: "Fast and capable: a good start",
        window: 1_000_000,
        max_output: 128_000,
        price: price(2.0, 10.0, 0.2, 2.5),
    },
    ModelRow {
        provider: "anthropic",
        name: "claude-opus-5-5",
        title: "Claude Opus 5.5",
        description: "For long and difficult work; it always thinks",
        window: 1_000_000,
        max_output: 128_000,
        price: price(4.0, 20.0, 0.2, 5.0),
    },
    ModelRow {
        provider: "anthropic",
        name: "claude-fable-5-2",
        title: "Claude Fable 5.2",
        description: "For the hardest reasoning; it always thinks",
        window: 1_000_000,
        max_output: 128_000,
        price: None,
    },
    // Its price depends on the length of the prompt, which `Price` cannot express.
    ModelRow {
        provider: "anthropic",
        name: "claude-haiku-5-5",
        title: "Claude Haiku 5.5",
        description: "The fastest, for many small requests",
        window: 1_000_000,
        max_output: 128_000,
        price: None,
    },
    ModelRow {
        provider: "anthropic",
        name: "claude-opus-5",
        title: "Claude Opus 5",
        description: "The Opus before 5.5",
        window: 1_000_000,
        max_output: 128_000,
        price: price(5.0, 25.0, 0.5, 6.25),
    },
    ModelRow {
        provider: "anthropic",
        name: "claude-sonnet-5",
        title: "Claude Sonnet 5",
        description: "The Sonnet before 5.5",
        window: 1_000_000,
        max_output: 128_000,
        price: price(2.0, 10.0, 0.2, 2.5),
    },
    ModelRow {
        provider: "anthropic",
        name: "claude-haiku-4-5",
        title: "Claude Haiku 4.5",
        description: "The Haiku before 5.5",
        window: 200_000,
        max_output: 64_000,
        price: price(1.0, 5.0, 0.1, 1.25),
    },
    ModelRow {
        provider: "openai",
        name: "gpt-6.1-sol",
        title: "GPT-6.1 Sol",
        description: "For coding and long work; it always thinks",
        window: 1_050_000,
        max_output: 128_000,
        price: price(2.0, 10.0, 0.1, 2.5),
    },
    ModelRow {
        provider: "openai",
        name: "gpt-6-astra",
        title: "GPT-6 Astra",
        description: "For the hardest work; it always thinks",
        window: 1_050_000,
        max_output: 128_000,
        price: None,
    },
    ModelRow {
        provider: "openai",
        name: "gpt-6-luna",
        title: "GPT-6 Luna",
        description: "For many small requests",
        window: 1_050_000,
        max_output: 128_000,
        price: None,
    },
    ModelRow {
        provider: "openai",
        name: "gpt-5.1",
        title: "GPT-5.1",
        description: "Thinks as much as set, or not at all",
        window: 400_000,
        max_output: 128_000,
        price: price(1.25, 10.0, 0.125, 1.25),
    },
    ModelRow {
        provider: "openai",
        name: "gpt-4.1",
        title: "GPT-4.1",
        description: "Does not think, answers at once",
        window: 1_047_576,
        max_output: 32_768,
        price: price(2.0, 8.0, 0.5, 2.0),
    },
];

const IMAGE_MODELS: [&str; 12] = [
    "claude", "gemini", "gemma", "gpt-4", "gpt-5", "gpt-6", "llava", "omni", "pixtral", "-vl",
    "vision", "vl:",
];
