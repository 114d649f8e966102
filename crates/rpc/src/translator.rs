//! The place where messages of another shape are translated: between the bytes and everything else.

/// Translates the messages of one connection, in the order of the wire.
pub trait Translator: Send {
    /// A message that has come in.
    fn incoming(&mut self, message: &str) -> Crossing;

    /// A message that is to go out.
    fn outgoing(&mut self, message: &str) -> Crossing;
}

/// What becomes of a message that is translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Crossing {
    /// It goes on as it is.
    Same,
    /// It goes on as it is, and so does everything after it: the translator is no longer needed.
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
