//! The settings of a session, and what it has cost. Stored with the session.

use attache::v1;
use attache_model::{ModelInfo, ThinkingLevel};
use serde::{Deserialize, Serialize};

use crate::modes::Mode;

/// The settings of a session, and what it has cost. Field names are JSON keys on disk.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) model: String,
    pub(crate) thought: ThinkingLevel,
    /// The client's system prompt.
    pub(crate) instructions: Option<Instructions>,
    /// The cost so far in US dollars, where prices are known.
    pub(crate) cost: Option<f64>,
    /// Tokens in the model's window after the last answer.
    pub(crate) used: u64,
}

/// A system prompt of the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Instructions {
    pub(crate) text: String,
    /// Whether it replaces ours.
    pub(crate) alone: bool,
}

/// The ids of the config options.
pub(crate) const MODE: &str = "mode";
pub(crate) const MODEL: &str = "model";
pub(crate) const THOUGHT: &str = "thought_level";

/// The config options of a session: mode, model, and the thinking levels of the chosen model.
pub(crate) fn options(settings: &Settings, infos: &[ModelInfo]) -> Vec<v1::SessionConfigOption> {
    let mut options = vec![mode(settings.mode), model(&settings.model, infos)];
    let info = infos.iter().find(|info| info.id == settings.model);
    if let Some(info) = info.filter(|info| !info.thoughts.is_empty()) {
        options.push(thought(settings.thought, &info.thoughts));
    }
    options
}

fn mode(current: Mode) -> v1::SessionConfigOption {
    let choices = Mode::ALL.map(|mode| {
        v1::SessionConfigSelectOption::new(mode.id(), mode.name()).description(mode.description())
    });
    option(MODE, "Mode", current.id(), choices.into())
        .description("How freely the agent acts")
        .category(v1::SessionConfigOptionCategory::Mode)
}

fn model(current: &str, infos: &[ModelInfo]) -> v1::SessionConfigOption {
    let mut choices: Vec<_> = infos.iter().map(choice).collect();
    if infos.iter().all(|info| info.id != current) {
        // The current model is listed even if it is no longer offered.
        choices.push(v1::SessionConfigSelectOption::new(current, current));
    }
    option(MODEL, "Model", current, choices)
        .description("The model that answers")
        .category(v1::SessionConfigOptionCategory::Model)
}

fn choice(info: &ModelInfo) -> v1::SessionConfigSelectOption {
    let mut choice = v1::SessionConfigSelectOption::new(info.id.as_str(), info.name.as_str());
    choice.description.clone_from(&info.description);
    choice
}

fn thought(current: ThinkingLevel, levels: &[ThinkingLevel]) -> v1::SessionConfigOption {
    let choices = levels
        .iter()
        .map(|level| v1::SessionConfigSelectOption::new(level_id(*level), level_name(*level)));
    let current = match levels.contains(&current) {
        true => current,
        false => levels.first().copied().unwrap_or_default(),
    };
    option(THOUGHT, "Thinking", level_id(current), choices.collect())
        .description("How much the model thinks before it answers")
        .category(v1::SessionConfigOptionCategory::ThoughtLevel)
}

fn option(
    id: &str,
    name: &str,
    current: &str,
    choices: Vec<v1::SessionConfigSelectOption>,
) -> v1::SessionConfigOption {
    let choices = v1::SessionConfigSelectOptions::Ungrouped(choices);
    v1::SessionConfigOption::new(id, name, v1::SessionConfigSelect::new(current, choices))
}

pub(crate) fn level(id: &str) -> Option<ThinkingLevel> {
    LEVELS.into_iter().find(|level| level_id(*level) == id)
}

fn level_id(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "off",
        ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High => "high",
    }
}

fn level_name(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off => "Off",
        ThinkingLevel::Low => "Low",
        ThinkingLevel::Medium => "Medium",
        ThinkingLevel::High => "High",
    }
}

const LEVELS: [ThinkingLevel; 4] = [
    ThinkingLevel::Off,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
];
