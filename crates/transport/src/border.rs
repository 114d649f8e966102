//! The place where messages of another shape are translated: between the bytes and everything else.

use bytes::BytesMut;

use attache_rpc::{Frame, Framing, Splitter};

/// Translates the messages of one connection, in the order of the wire.
pub trait Border: Send {
    /// A message that has come in.
    fn incoming(&mut self, message: &str) -> Crossing;

    /// A message that is to go out.
    fn outgoing(&mut self, message: &str) -> Crossing;
}

/// What becomes of a message at the border.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Crossing {
    /// It goes on as it is.
    Same,
    /// It goes on as it is, and so does everything after it: the border is no longer needed.
    Open,
    /// Other messages stand for it.
    Instead(Instead),
}

/// The messages that stand for another one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instead {
    /// Those that go on.
    pub on: Vec<String>,
    /// Those that go back to whoever sent it.
    pub back: Vec<String>,
}

/// Takes a run of messages that are to go out across the border.
pub(crate) struct Outgoing {
    splitter: Splitter,
    framing: Framing,
    pub(crate) written: String,
    pub(crate) back: Vec<String>,
}

impl Outgoing {
    pub(crate) fn new(framing: Framing) -> Self {
        Outgoing {
            splitter: Splitter::new(usize::MAX - 1),
            framing,
            written: String::new(),
            back: Vec::new(),
        }
    }

    /// Translates what one chunk holds. `true` if the border is no longer needed.
    pub(crate) fn translate(&mut self, border: &mut dyn Border, chunk: &[u8]) -> bool {
        let mut buffer = BytesMut::from(chunk);
        let mut open = false;
        while let Ok(Some(Frame::Message(message))) = self.splitter.next(&mut buffer) {
            let Ok(message) = std::str::from_utf8(&message) else {
                continue;
            };
            let message = message.trim_end();
            match border.outgoing(message) {
                Crossing::Same => self.framing.write(&mut self.written, message),
                Crossing::Open => {
                    open = true;
                    self.framing.write(&mut self.written, message);
                }
                Crossing::Instead(instead) => {
                    for message in &instead.on {
                        self.framing.write(&mut self.written, message);
                    }
                    self.back.extend(instead.back);
                }
            }
        }
        open
    }
}
