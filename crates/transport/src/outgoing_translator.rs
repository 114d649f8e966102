//! Translates outgoing messages.

use attache_rpc::{Frame, Framing, Splitter, Translation, Translator};
use bytes::BytesMut;

/// Translates chunks of outgoing messages.
pub(crate) struct OutgoingTranslator {
    splitter: Splitter,
    framing: Framing,
    pub(crate) written: String,
    pub(crate) back: Vec<String>,
}

impl OutgoingTranslator {
    pub(crate) fn new(framing: Framing) -> Self {
        OutgoingTranslator {
            splitter: Splitter::new(usize::MAX - 1),
            framing,
            written: String::new(),
            back: Vec::new(),
        }
    }

    /// Translates the messages of one chunk. Returns `true` if the translator is finished and can be dropped.
    pub(crate) fn translate(&mut self, translator: &mut dyn Translator, chunk: &[u8]) -> bool {
        let mut buffer = BytesMut::from(chunk);
        let mut is_finished = false;
        while let Ok(Some(Frame::Message(message))) = self.splitter.next(&mut buffer) {
            let Ok(message) = std::str::from_utf8(&message) else {
                continue;
            };
            let message = message.trim_end();
            match translator.outgoing(message) {
                Translation::Unchanged => self.framing.write(&mut self.written, message),
                Translation::Finished => {
                    is_finished = true;
                    self.framing.write(&mut self.written, message);
                }
                Translation::Replaced(replacement) => {
                    for message in &replacement.forward {
                        self.framing.write(&mut self.written, message);
                    }
                    self.back.extend(replacement.send_back);
                }
            }
        }
        is_finished
    }
}
