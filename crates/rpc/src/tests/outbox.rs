//! The outbox: order, capacity, and lines that stay lines.

mod capacity;
mod lines;
mod order;

use bytes::BytesMut;
use bytestring::ByteString;

use crate::{Frame, Framing, Outbox, SendOptions, SessionKey, Splitter};

const BULK: SendOptions = SendOptions::of(SessionKey::CONNECTION);

/// Takes and writes everything.
fn written(outbox: &mut Outbox) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(chunk) = outbox.pop() {
        bytes.extend_from_slice(chunk.as_ref());
        outbox.mark_written(chunk);
    }
    bytes
}

/// The messages that were written, without the line breaks behind them.
pub(super) fn messages(bytes: &[u8]) -> Vec<String> {
    let mut splitter = Splitter::new(usize::MAX);
    let mut buffer = BytesMut::from(bytes);
    let mut messages = Vec::new();
    while let Some(frame) = splitter.next(&mut buffer).expect("a whole stream") {
        let Frame::Message(message) = frame else {
            panic!("no limit");
        };
        let text = String::from_utf8(message.to_vec()).expect("text");
        messages.push(text.trim_ascii_end().to_owned());
    }
    assert!(buffer.is_empty(), "nothing is left");
    messages
}

fn unbounded(framing: Framing) -> Outbox {
    Outbox::new(framing, usize::MAX, usize::MAX)
}

fn line(text: &str) -> ByteString {
    ByteString::from(text)
}
