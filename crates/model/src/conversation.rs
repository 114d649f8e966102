//! What was said so far, in the words of no provider.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ThinkingLevel;

/// All that a model is given.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// How to behave: the system prompt.
    pub instructions: Arc<str>,
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// What it may call.
    pub tools: Arc<[ToolSpec]>,
    /// How much it should think.
    pub thought: ThinkingLevel,
    /// The longest answer, in tokens; the model's own limit if none is given.
    pub most_output: Option<u64>,
}

/// One turn of the conversation. It is also how a conversation is kept on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The person, or the program on the person's behalf.
    User(Vec<Input>),
    /// The model.
    Model(Vec<Output>),
    /// What became of the calls of the message before; one for each, in their order.
    Tools(Vec<ToolResult>),
}

impl Message {
    /// Whether it holds a picture or a sound.
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

    /// The same with these words in place of each picture and each sound.
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

/// A piece of what a model is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// Words.
    Text(String),
    /// A picture.
    Image {
        /// Its media type.
        media_type: String,
        /// Its bytes, in base64.
        data: String,
    },
    /// A sound.
    Audio {
        /// Its media type.
        media_type: String,
        /// Its bytes, in base64.
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

/// A piece of what a model has said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// Words for the person.
    Text(String),
    /// Reasoning, which some providers want back as it was, with their signature on it.
    Thought {
        /// The words; empty where the provider hides them.
        text: String,
        /// What the provider put on it to know it again.
        #[serde(rename = "seal")]
        signature: Option<String>,
    },
    /// A call of a tool.
    Call(ToolCall),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its id, unique in the conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its input as the model wrote it: JSON, unless the model erred.
    pub input: String,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Which call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What the tool said.
    pub content: Vec<Input>,
    /// Whether it failed.
    pub failed: bool,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// What to call it by.
    pub name: String,
    /// What it is for, to the model.
    pub description: String,
    /// What it takes: a JSON schema of an object.
    pub schema: Value,
}
