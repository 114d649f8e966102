//! The script as data.

use serde::Deserialize;
use serde_json::Value;

use super::expectation::Expectation;
use crate::{Error, ModelInfo, Stop, Usage};

/// A script: what a model says, request by request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    /// What the model is.
    #[serde(rename = "card")]
    pub info: ScriptedModelInfo,
    /// What it says, a turn for each request.
    pub turns: Vec<ScriptTurn>,
    /// Whether it begins anew after the last turn.
    pub repeat: bool,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// When it is none; the error says where.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        serde_json::from_str(text).map_err(|error| ScriptError(error.to_string()))
    }
}

/// Why a text is no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid model script: {0}")]
pub struct ScriptError(String);

/// What a scripted model is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedModelInfo {
    /// Its id.
    pub id: String,
    /// What to call it.
    pub name: String,
    /// How many tokens fit.
    pub window: u64,
    /// How many tokens an answer can have.
    pub most_output: u64,
    /// Whether it looks at pictures.
    pub images: bool,
    /// Whether it listens to sounds.
    pub audio: bool,
}

impl Default for ScriptedModelInfo {
    fn default() -> Self {
        ScriptedModelInfo {
            id: "scripted".to_owned(),
            name: "Scripted".to_owned(),
            window: 200_000,
            most_output: 8_192,
            images: true,
            audio: true,
        }
    }
}

impl ScriptedModelInfo {
    pub(super) fn info(&self) -> ModelInfo {
        ModelInfo {
            id: self.id.clone(),
            name: self.name.clone(),
            description: Some("Plays a script".to_owned()),
            window: self.window,
            most_output: self.most_output,
            images: self.images,
            audio: self.audio,
            thoughts: Vec::new(),
            price: None,
        }
    }
}

/// What is expected of one request, and what is said to it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptTurn {
    /// What the request must be.
    pub expect: Expectation,
    /// What is said, in order. An answer that does not end itself ends: for its tools if it calls any, else done.
    pub say: Vec<ScriptLine>,
}

impl ScriptTurn {
    /// Says these lines, whatever is asked.
    pub fn say(lines: impl IntoIterator<Item = ScriptLine>) -> ScriptTurn {
        ScriptTurn {
            expect: Expectation::default(),
            say: lines.into_iter().collect(),
        }
    }

    /// Says them if the request is as expected, else fails.
    #[must_use]
    pub fn expect(mut self, expect: Expectation) -> ScriptTurn {
        self.expect = expect;
        self
    }
}

/// One thing that is said.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptLine {
    /// Words, at once.
    Text(String),
    /// Words, slowly.
    Slow(SlowText),
    /// Reasoning.
    Thought(String),
    /// The signature on the reasoning before.
    #[serde(rename = "seal")]
    ThoughtSignature(String),
    /// A call of a tool.
    Call(ScriptedCall),
    /// What it cost so far.
    Usage(Usage),
    /// That it was asked again.
    #[serde(rename = "again")]
    Retry(ScriptedRetry),
    /// Nothing, for so many milliseconds.
    Pause(u64),
    /// Nothing more, until the answer is dropped.
    Hang,
    /// A failure.
    Error(ScriptedFailure),
    /// The end.
    Stop(Stop),
}

impl ScriptLine {
    /// Words, at once.
    pub fn text(text: impl Into<String>) -> ScriptLine {
        ScriptLine::Text(text.into())
    }

    /// A call of a tool, with an id made up.
    pub fn call(name: impl Into<String>, input: Value) -> ScriptLine {
        ScriptLine::Call(ScriptedCall {
            id: None,
            name: name.into(),
            input,
        })
    }
}

/// Words that come slowly.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowText {
    /// The words.
    pub text: String,
    /// How many characters come at a time.
    pub characters: usize,
    /// How many milliseconds are between them.
    pub pause: u64,
}

/// A call of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// Its id; made up if none is given.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its input. A string is given as it is, so that it can be what no tool takes.
    pub input: Value,
}

impl ScriptedCall {
    pub(super) fn text(&self) -> String {
        match &self.input {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// That a provider was asked again.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedRetry {
    /// How often it was asked.
    pub attempts: u32,
    /// How many milliseconds are waited.
    pub wait: u64,
    /// Why.
    pub reason: String,
}

/// How an answer fails.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedFailure {
    /// A key is missing; what to do about it.
    Key(String),
    /// The conversation is too long.
    TooLong,
    /// What is attached is not taken; the reason.
    Media(String),
    /// The provider fails; its reason.
    Provider(String),
    /// The provider cannot be reached; how that ended.
    Unreachable(String),
    /// The answer breaks off; how that came.
    Cut(String),
}

impl ScriptedFailure {
    pub(super) fn error(&self) -> Error {
        let provider = super::PROVIDER.to_owned();
        match self.clone() {
            ScriptedFailure::Key(hint) => Error::Key { provider, hint },
            ScriptedFailure::TooLong => Error::TooLong { model: provider },
            ScriptedFailure::Media(reason) => Error::Media { provider, reason },
            ScriptedFailure::Provider(reason) => Error::Provider { provider, reason },
            ScriptedFailure::Unreachable(reason) => Error::Unreachable {
                provider,
                host: "nowhere".to_owned(),
                reason,
            },
            ScriptedFailure::Cut(reason) => Error::Cut { provider, reason },
        }
    }
}
