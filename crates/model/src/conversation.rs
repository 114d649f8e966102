//! A request to a model and the events of its answer, independent of any provider.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ThinkingLevel;

/// A request to a model.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The system prompt.
    pub instructions: Arc<str>,
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// The tools that the model may call.
    pub tools: Arc<[ToolSpec]>,
    /// How much the model should think.
    pub thought: ThinkingLevel,
    /// Maximum length of the answer in tokens; the model's own limit if `None`.
    pub max_output: Option<u64>,
}

/// A message of the conversation. Conversations are stored in this form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// From the user, or from the program on the user's behalf.
    User(Vec<Input>),
    /// From the model.
    Model(Vec<Output>),
    /// The results of the calls in the previous message: one for each, in the same order.
    Tools(Vec<ToolResult>),
}

impl Message {
    /// Whether it contains an image or audio.
    pub fn has_media(&self) -> bool {
        match self {
            Message::User(inputs) => inputs.iter().any(Input::is_media),
            Message::Model(_) => false,
            Message::Tools(results) => {
                let mut contents = results.iter().flat_map(|result| &result.content);
                contents.any(Input::is_media)
            }
        }
    }

    /// Replaces each image and each audio with this text.
    #[must_use]
    pub fn without_media(mut self, words: &str) -> Message {
        let inputs: Vec<&mut Input> = match &mut self {
            Message::User(inputs) => inputs.iter_mut().collect(),
            Message::Model(_) => Vec::new(),
            Message::Tools(results) => {
                let contents = results.iter_mut().map(|result| &mut result.content);
                contents.flatten().collect()
            }
        };
        for input in inputs.into_iter().filter(|input| input.is_media()) {
            *input = Input::Text(words.to_owned());
        }
        self
    }
}

/// A part of a message to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// The media type.
        media_type: String,
        /// The bytes, in base64.
        data: String,
    },
    /// Audio.
    Audio {
        /// The media type.
        media_type: String,
        /// The bytes, in base64.
        data: String,
    },
}

impl Input {
    fn is_media(&self) -> bool {
        match self {
            Input::Text(_) => false,
            Input::Image { .. } | Input::Audio { .. } => true,
        }
    }
}

/// A part of the model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// Text for the user.
    Text(String),
    /// Reasoning, which some providers require back unchanged, with their signature.
    Thought {
        /// The text; empty if the provider hides it.
        text: String,
        /// The provider's signature.
        #[serde(rename = "seal")]
        signature: Option<String>,
    },
    /// A tool call.
    Call(ToolCall),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id, unique in the conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The input as the model wrote it; normally JSON.
    pub input: String,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the tool call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The tool's output.
    pub content: Vec<Input>,
    /// Whether the call failed.
    pub failed: bool,
}

/// The description of a tool for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The tool's name.
    pub name: String,
    /// Description of the tool for the model.
    pub description: String,
    /// The JSON schema of the input, an object.
    pub schema: Value,
}

/// An event of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More text for the user.
    Text(String),
    /// More reasoning.
    Thought(String),
    /// The signature of the reasoning that has just ended.
    ThoughtSignature(String),
    /// A tool call starts; its input follows.
    CallStarted {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// A tool call is complete. `CallStarted` came before it.
    Call(ToolCall),
    /// The usage so far; replaces the previous one.
    Usage(Usage),
    /// The provider failed, and the request will be sent again. Nothing of the answer is lost.
    Retry {
        /// Attempts so far.
        attempts: u32,
        /// Time until the next attempt.
        wait: Duration,
        /// The reason, without secrets.
        reason: String,
    },
    /// The answer is complete.
    End(Stop),
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The answer is complete.
    Done,
    /// The model waits for the results of its tool calls.
    Tools,
    /// The maximum length is reached.
    Length,
    /// The model refuses to answer.
    Refusal,
}

/// Tokens that an answer used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input tokens, without those read from a cache.
    pub input: u64,
    /// Output tokens, including reasoning.
    pub output: u64,
    /// Reasoning tokens among the output; zero if the provider does not report them.
    pub thought: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_write: u64,
}
