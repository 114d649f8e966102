//! The script format.

use serde::Deserialize;
use serde_json::Value;

use super::expectation::Expectation;
use crate::{Error, ModelInfo, Stop, Usage};

/// A script: the answers of a model, request by request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    /// Properties of the model.
    #[serde(rename = "card")]
    pub info: ScriptedModelInfo,
    /// The turns, one per request.
    pub turns: Vec<ScriptTurn>,
    /// Whether the script starts over after the last turn.
    pub repeat: bool,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// When the text is not a valid script; the error says where.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        serde_json::from_str(text).map_err(|error| ScriptError(error.to_string()))
    }
}

/// Why a text is not a valid script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a valid model script: {0}")]
pub struct ScriptError(String);

/// The info of a scripted model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedModelInfo {
    /// Its id.
    pub id: String,
    /// The name for users.
    pub name: String,
    /// Size of the context window in tokens.
    pub window: u64,
    /// Maximum length of an answer in tokens.
    #[serde(rename = "most_output")]
    pub max_output: u64,
    /// Whether it accepts images.
    pub images: bool,
    /// Whether it accepts audio.
    pub audio: bool,
}

impl Default for ScriptedModelInfo {
    fn default() -> Self {
        ScriptedModelInfo {
            id: "scripted".to_owned(),
            name: "Scripted".to_owned(),
            window: 200_000,
            max_output: 8_192,
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
            max_output: self.max_output,
            images: self.images,
            audio: self.audio,
            thoughts: Vec::new(),
            price: None,
        }
    }
}

/// The required content of one request, and the answer to it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptTurn {
    /// Expectations about the request.
    pub expect: Expectation,
    /// The answer, in order. Without an explicit end it ends with `tools` if it calls any, otherwise with `done`.
    pub say: Vec<ScriptLine>,
}

impl ScriptTurn {
    /// A turn that answers any request with these lines.
    pub fn say(lines: impl IntoIterator<Item = ScriptLine>) -> ScriptTurn {
        ScriptTurn {
            expect: Expectation::default(),
            say: lines.into_iter().collect(),
        }
    }

    /// Adds expectations. If the request does not meet them, the answer fails.
    #[must_use]
    pub fn expect(mut self, expect: Expectation) -> ScriptTurn {
        self.expect = expect;
        self
    }
}

/// One line of an answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptLine {
    /// Text, at once.
    Text(String),
    /// Text, slowly.
    Slow(SlowText),
    /// Reasoning.
    Thought(String),
    /// The signature of the reasoning before.
    #[serde(rename = "seal")]
    ThoughtSignature(String),
    /// A tool call.
    Call(ScriptedCall),
    /// The usage so far.
    Usage(Usage),
    /// A retry of the request.
    #[serde(rename = "again")]
    Retry(ScriptedRetry),
    /// A pause in milliseconds.
    Pause(u64),
    /// No more events until the answer is dropped.
    Hang,
    /// An error.
    Error(ScriptedFailure),
    /// The end of the answer.
    Stop(Stop),
}

impl ScriptLine {
    /// Text, at once.
    pub fn text(text: impl Into<String>) -> ScriptLine {
        ScriptLine::Text(text.into())
    }

    /// A tool call with a generated id.
    pub fn call(name: impl Into<String>, input: Value) -> ScriptLine {
        ScriptLine::Call(ScriptedCall {
            id: None,
            name: name.into(),
            input,
        })
    }
}

/// Text that is sent slowly.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowText {
    /// The text.
    pub text: String,
    /// Characters per piece.
    pub characters: usize,
    /// Pause between pieces, in milliseconds.
    pub pause: u64,
}

/// A tool call.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The id; generated if missing.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The input. A string is sent unchanged, so it can be invalid JSON.
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

/// A retry of the request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedRetry {
    /// Attempts so far.
    pub attempts: u32,
    /// Wait in milliseconds.
    pub wait: u64,
    /// Why.
    pub reason: String,
}

/// An error of an answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedFailure {
    /// The key is missing; contains the hint.
    Key(String),
    /// The conversation is too long.
    TooLong,
    /// An attachment is rejected; contains the reason.
    Media(String),
    /// The provider fails; contains the reason.
    Provider(String),
    /// The provider is unreachable; contains the reason.
    Unreachable(String),
    /// The answer is cut off; contains the reason.
    #[serde(rename = "cut")]
    CutOff(String),
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
            ScriptedFailure::CutOff(reason) => Error::CutOff { provider, reason },
        }
    }
}
