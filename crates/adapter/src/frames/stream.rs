//! Events of a message that is being streamed.

use std::borrow::Cow;

use attache::json::{DecodeError, Reader, field};
use serde_json::Value;

use super::{Block, Frame, TokenUsage, take_member, text};

/// An event of a streamed message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageEvent {
    /// The message starts.
    Start {
        /// The message id.
        id: String,
        /// Tokens in the context.
        tokens: Option<TokenUsage>,
    },
    /// A block starts.
    BlockStart {
        /// The index of the block.
        index: u64,
        /// The block as known so far.
        block: Block,
    },
    /// A block continues.
    BlockDelta {
        /// The index of the block.
        index: u64,
        /// The addition.
        delta: Delta,
    },
    /// A block is complete.
    BlockEnd(u64),
    /// Tokens in the context now.
    Usage(TokenUsage),
    /// Any other event.
    Other,
}

/// An addition to a block.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// More text.
    Text(String),
    /// More thinking.
    Thinking(String),
    /// More of a tool call's input, as JSON text.
    Input(String),
    /// Any other addition.
    Other,
}

impl MessageEvent {
    pub(super) fn from_value(event: &mut Value) -> MessageEvent {
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => MessageEvent::Start {
                id: text(&event["message"], "id"),
                tokens: TokenUsage::from_value(&event["message"]["usage"]),
            },
            "content_block_start" => MessageEvent::BlockStart {
                index,
                block: Block::from_value(take_member(event, "content_block")),
            },
            "content_block_delta" => MessageEvent::BlockDelta {
                index,
                delta: Delta::from_value(&event["delta"]),
            },
            "content_block_stop" => MessageEvent::BlockEnd(index),
            "message_delta" => TokenUsage::from_value(&event["usage"])
                .map_or(MessageEvent::Other, MessageEvent::Usage),
            _ => MessageEvent::Other,
        }
    }
}

impl Delta {
    fn from_value(delta: &Value) -> Delta {
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => Delta::Text(text(delta, "text")),
            "thinking_delta" => Delta::Thinking(text(delta, "thinking")),
            "input_json_delta" => Delta::Input(text(delta, "partial_json")),
            _ => Delta::Other,
        }
    }
}

/// Reads a block delta, the most frequent frame, in one pass: a JSON tree would cost more than everything that follows.
/// Returns `None` for any other frame and for an unusual form; those are read as trees.
pub(super) fn read_block_delta(line: &str) -> Option<Frame> {
    line.starts_with(START)
        .then(|| block_delta(line).ok())
        .flatten()
}

fn block_delta(line: &str) -> Result<Frame, DecodeError> {
    let mut reader = Reader::new(line);
    let (mut parent, mut event) = (None, None);
    let mut more = reader.open_object()?;
    while more {
        match reader.key()? {
            "type" => is(&mut reader, "stream_event")?,
            "parent_tool_use_id" => {
                parent = match reader.null()? {
                    true => None,
                    false => Some(reader.string()?.into_owned()),
                }
            }
            "event" => event = Some(read_event(&mut reader)?),
            _ => drop(reader.skip()?),
        }
        more = reader.more_members()?;
    }
    reader.end()?;
    let event = event.ok_or_else(|| field::missing(&reader, "event"))?;
    Ok(Frame::Stream { parent, event })
}

fn read_event(reader: &mut Reader<'_>) -> Result<MessageEvent, DecodeError> {
    let (mut is_piece, mut index, mut delta) = (false, None, None);
    let mut more = reader.open_object()?;
    while more {
        match reader.key()? {
            "type" => {
                is(reader, "content_block_delta")?;
                is_piece = true;
            }
            "index" => index = reader.number()?.parse().ok(),
            "delta" => delta = Some(read_delta(reader)?),
            _ => drop(reader.skip()?),
        }
        more = reader.more_members()?;
    }
    match (index, delta) {
        (Some(index), Some(delta)) if is_piece => Ok(MessageEvent::BlockDelta { index, delta }),
        _ => Err(field::missing(reader, "delta")),
    }
}

fn read_delta(reader: &mut Reader<'_>) -> Result<Delta, DecodeError> {
    let (mut kind, mut text, mut thinking, mut input) = Default::default();
    let mut more = reader.open_object()?;
    while more {
        let member: &mut Cow<'_, str> = match reader.key()? {
            "type" => &mut kind,
            "text" => &mut text,
            "thinking" => &mut thinking,
            "partial_json" => &mut input,
            _ => {
                reader.skip()?;
                more = reader.more_members()?;
                continue;
            }
        };
        *member = reader.string()?;
        more = reader.more_members()?;
    }
    Ok(match &*kind {
        "text_delta" => Delta::Text(text.into_owned()),
        "thinking_delta" => Delta::Thinking(thinking.into_owned()),
        "input_json_delta" => Delta::Input(input.into_owned()),
        _ => Delta::Other,
    })
}

/// Fails unless the next value is this string.
fn is(reader: &mut Reader<'_>, expected: &'static str) -> Result<(), DecodeError> {
    match reader.text()? == expected {
        true => Ok(()),
        false => Err(reader.unexpected(expected)),
    }
}

/// The CLI writes the type first. Lines with another order are read as trees.
const START: &str = r#"{"type":"stream_event""#;

#[cfg(test)]
mod tests {
    use super::read_block_delta;
    use crate::frames::{Delta, Frame, MessageEvent};

    fn line(event: &str) -> String {
        format!(
            r#"{{"type":"stream_event","event":{event},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}}"#
        )
    }

    fn tree(line: &str) -> Frame {
        Frame::from_value(serde_json::from_str(line).expect("JSON"))
    }

    #[test]
    fn pieces_are_read_as_they_are_from_a_tree() {
        let delta = |delta: &str| {
            line(&format!(
                r#"{{"type":"content_block_delta","index":3,"delta":{delta}}}"#
            ))
        };
        let text = r#"{"type":"text_delta","text":"a \"b\"\n\u20ac"}"#;
        for delta in [
            text,
            r#"{"text":"first","type":"text_delta"}"#,
            r#"{"type":"text_delta","text":"a","text":"b"}"#,
            r#"{"type":"text_delta"}"#,
            r#"{"type":"thinking_delta","thinking":"hm","estimated_tokens":1}"#,
            r#"{"type":"input_json_delta","partial_json":"{\"a\":"}"#,
            r#"{"type":"signature_delta","signature":"x"}"#,
            "{}",
        ]
        .map(delta)
        {
            assert_eq!(read_block_delta(&delta), Some(tree(&delta)), "{delta}");
        }
        let event = MessageEvent::BlockDelta {
            index: 3,
            delta: Delta::Text("a \"b\"\n\u{20ac}".to_owned()),
        };
        let frame = Frame::Stream {
            parent: None,
            event,
        };
        assert_eq!(read_block_delta(&delta(text)), Some(frame));
        let of_subagent = delta(text).replace("null", r#""toolu_1""#);
        assert_eq!(read_block_delta(&of_subagent), Some(tree(&of_subagent)));
    }

    #[test]
    fn anything_else_is_left_to_the_tree() {
        for line in [
            line(r#"{"type":"message_stop"}"#),
            line(r#"{"type":"content_block_start","index":0,"content_block":{}}"#),
            line(r#"{"type":"content_block_delta","index":-1,"delta":{}}"#),
            line(r#"{"type":"content_block_delta","index":0,"delta":[]}"#),
            line(r#"{"type":"content_block_delta","index":0,"delta":{"type":7}}"#),
            line(r#"{"index":0,"delta":{"type":"text_delta","text":"a"}}"#),
            line(r#"{"type":"content_block_delta","type":"other","index":0,"delta":{}}"#),
            line(r#""x""#),
            r#"{"type":"stream_event"}"#.to_owned(),
            r#"{"type":"assistant"}"#.to_owned(),
            line("{}") + "more",
            line("{")[..40].to_owned(),
        ] {
            assert_eq!(read_block_delta(&line), None, "{line}");
        }
    }
}
