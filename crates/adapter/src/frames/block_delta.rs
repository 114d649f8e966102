//! The line that comes most by far, a piece of a block, read in one pass: a tree of values would cost more than all that
//! is done with it afterwards.

use std::borrow::Cow;

use attache::json::{Error, Reader, field};

use super::{Delta, Frame, MessageEvent};

/// The piece that a line is. None for any other frame, and for one that is oddly made: they are read as trees.
pub(super) fn read(line: &str) -> Option<Frame> {
    line.starts_with(START).then(|| frame(line).ok()).flatten()
}

fn frame(line: &str) -> Result<Frame, Error> {
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

fn read_event(reader: &mut Reader<'_>) -> Result<MessageEvent, Error> {
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

fn read_delta(reader: &mut Reader<'_>) -> Result<Delta, Error> {
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

/// Fails unless the next string is this one.
fn is(reader: &mut Reader<'_>, expected: &'static str) -> Result<(), Error> {
    match reader.text()? == expected {
        true => Ok(()),
        false => Err(reader.unexpected(expected)),
    }
}

/// Frames begin with their type. What is ordered otherwise is read as well, as a tree.
const START: &str = r#"{"type":"stream_event""#;

#[cfg(test)]
mod tests {
    use super::read;
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
            assert_eq!(read(&delta), Some(tree(&delta)), "{delta}");
        }
        let event = MessageEvent::BlockDelta {
            index: 3,
            delta: Delta::Text("a \"b\"\n\u{20ac}".to_owned()),
        };
        let frame = Frame::Stream {
            parent: None,
            event,
        };
        assert_eq!(read(&delta(text)), Some(frame));
        let of_subagent = delta(text).replace("null", r#""toolu_1""#);
        assert_eq!(read(&of_subagent), Some(tree(&of_subagent)));
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
            assert_eq!(read(&line), None, "{line}");
        }
    }
}
