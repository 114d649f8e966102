//! Messages on their way out through a translator.

use attache_rpc::{Frame, Framing, Splitter, Translation, Translator};
use bytes::BytesMut;

/// Takes a run of messages that are to go out through a translator.
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

    /// Translates what one chunk holds. `true` if the translator is no longer needed.
    pub(crate) fn translate(&mut self, translator: &mut dyn Translator, chunk: &[u8]) -> bool {
        let mut buffer = BytesMut::from(chunk);
        let mut open = false;
        while let Ok(Some(Frame::Message(message))) = self.splitter.next(&mut buffer) {
            let Ok(message) = std::str::from_utf8(&message) else {
                continue;
            };
            let message = message.trim_end();
            match translator.outgoing(message) {
                Translation::Unchanged => self.framing.write(&mut self.written, message),
                Translation::Finished => {
                    open = true;
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
        open
    }
}
