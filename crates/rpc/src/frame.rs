//! Where one message ends and the next begins, in a stream of bytes: lines, or headers with a length.
//!
//! Nothing is kept of a message that is too long, and no number that a peer sends is trusted with memory.

mod headers;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

use headers::Headers;

/// How messages are told apart in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// One message a line.
    #[default]
    Lines,
    /// A block of headers with a `Content-Length`, then the message.
    Headers,
}

/// What a splitter found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A message, with the line break behind it if there is one.
    Message(Bytes),
    /// A message over the limit. It is stepped over.
    TooLong,
}

/// Why the rest of a stream cannot be read: nobody knows where the next message begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken(&'static str);

/// Cuts a stream into messages. The framing is told by how the stream begins.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Start,
    /// So much of the unfinished line has been searched.
    Line(usize),
    /// Inside a line that is too long.
    Skip,
    Headers(Headers),
    /// So many bytes of the message are still to come.
    Body(usize),
}

impl Splitter {
    /// A splitter at the start of a stream, for messages of at most so many bytes.
    pub fn new(limit: usize) -> Self {
        Splitter {
            limit,
            state: State::Start,
        }
    }

    /// Takes the next message out of the buffer, or `None` if more bytes are needed.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, Broken> {
        loop {
            let step = match &mut self.state {
                State::Start => match begin(buffer) {
                    Some(state) => Step::To(state),
                    None => Step::More,
                },
                State::Line(searched) => line(buffer, searched, self.limit),
                State::Skip => skip(buffer),
                State::Headers(headers) => match headers.read(buffer, self.limit)? {
                    Some(0) => Step::To(State::Headers(Headers::default())),
                    Some(length) => Step::To(State::Body(length)),
                    None => Step::More,
                },
                State::Body(length) if buffer.len() < *length => Step::More,
                State::Body(length) => {
                    let body = buffer.split_to(*length).freeze();
                    Step::Found(Frame::Message(body), State::Headers(Headers::default()))
                }
            };
            match step {
                Step::More => return Ok(None),
                Step::To(state) => self.state = state,
                Step::Found(frame, state) => {
                    self.state = state;
                    return Ok(Some(frame));
                }
            }
        }
    }

    /// What is left when the stream has ended: a last line without a line break, which may be whole or cut off.
    pub fn end(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Broken> {
        let rest = buffer.split().freeze();
        match &self.state {
            State::Headers(headers) if headers.is_begun() => Err(CUT_OFF),
            State::Body(_) => Err(CUT_OFF),
            _ if rest.iter().all(u8::is_ascii_whitespace) => Ok(None),
            State::Start | State::Line(_) => Ok(Some(rest)),
            State::Skip => Ok(None),
            State::Headers(_) => Err(CUT_OFF),
        }
    }
}

const CUT_OFF: Broken = Broken("the stream ended within a message");

enum Step {
    More,
    To(State),
    Found(Frame, State),
}

/// Tells the framing by the first bytes. Only a header can begin like a header's name: JSON and the banners that
/// programs print do not.
fn begin(buffer: &mut BytesMut) -> Option<State> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    if buffer.starts_with(BOM) {
        buffer.advance(BOM.len());
        return Some(State::Line(0));
    }
    if !buffer.is_empty() && BOM.starts_with(buffer) {
        return None;
    }
    let name = b"content-";
    let shown = buffer.len().min(name.len());
    if !buffer[..shown].eq_ignore_ascii_case(&name[..shown]) {
        return Some(State::Line(0));
    }
    (shown == name.len()).then(|| State::Headers(Headers::default()))
}

fn line(buffer: &mut BytesMut, searched: &mut usize, limit: usize) -> Step {
    match memchr(b'\n', &buffer[*searched..]) {
        Some(found) => {
            let end = *searched + found + 1;
            let line = buffer.split_to(end);
            let text = line.trim_ascii_end().len();
            if text > limit {
                return Step::Found(Frame::TooLong, State::Line(0));
            }
            if text == 0 {
                return Step::To(State::Line(0));
            }
            Step::Found(Frame::Message(line.freeze()), State::Line(0))
        }
        // A carriage return before the line break does not count.
        None if buffer.len() > limit + 1 => {
            buffer.clear();
            Step::Found(Frame::TooLong, State::Skip)
        }
        None => {
            *searched = buffer.len();
            Step::More
        }
    }
}

fn skip(buffer: &mut BytesMut) -> Step {
    match memchr(b'\n', buffer) {
        Some(end) => {
            buffer.advance(end + 1);
            Step::To(State::Line(0))
        }
        None => {
            buffer.clear();
            Step::More
        }
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Broken {}
