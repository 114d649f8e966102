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

impl Framing {
    /// Appends a message with what tells it from the next.
    pub fn write(self, out: &mut String, message: &str) {
        match self {
            Framing::Lines => {
                out.push_str(message);
                out.push('\n');
            }
            Framing::Headers => {
                out.push_str("Content-Length: ");
                out.push_str(&message.len().to_string());
                out.push_str("\r\n\r\n");
                out.push_str(message);
            }
        }
    }
}

/// What a splitter found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A message, with the line break behind it if there is one.
    Message(Bytes),
    /// A message over the limit, with how it begins, at most 64 KiB. The rest is stepped over.
    TooLong(Bytes),
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
    /// A message of so many bytes comes next.
    Body(usize),
    Broken(Broken),
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
                State::Headers(headers) => match headers.read(buffer, self.limit) {
                    Ok(Some(0)) => Step::To(State::Headers(Headers::default())),
                    Ok(Some(length)) => Step::To(State::Body(length)),
                    Ok(None) => Step::More,
                    Err(broken) => Step::To(State::Broken(broken)),
                },
                State::Body(length) if buffer.len() < *length => Step::More,
                State::Body(length) => {
                    let body = buffer.split_to(*length).freeze();
                    Step::Found(Frame::Message(body), State::Headers(Headers::default()))
                }
                State::Broken(broken) => return Err(*broken),
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
        let blank = rest.iter().all(u8::is_ascii_whitespace);
        if let State::Line(searched) = &mut self.state {
            *searched = 0;
        }
        match &self.state {
            State::Start | State::Line(_) => Ok((!blank).then_some(rest)),
            State::Skip => Ok(None),
            State::Headers(headers) if headers.is_empty() && blank => Ok(None),
            State::Headers(_) | State::Body(_) => Err(Broken("the stream ended within a message")),
            State::Broken(broken) => Err(*broken),
        }
    }
}

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
            if is_too_long(&line[..end - 1], limit) {
                return Step::Found(Frame::TooLong(head(&line, limit)), State::Line(0));
            }
            if line.trim_ascii_end().is_empty() {
                return Step::To(State::Line(0));
            }
            Step::Found(Frame::Message(line.freeze()), State::Line(0))
        }
        None if is_too_long(buffer, limit) => {
            let head = head(buffer, limit);
            buffer.clear();
            Step::Found(Frame::TooLong(head), State::Skip)
        }
        None => {
            *searched = buffer.len();
            Step::More
        }
    }
}

/// How a message begins, in memory of its own. It does not matter in which pieces the message comes.
fn head(line: &[u8], limit: usize) -> Bytes {
    Bytes::copy_from_slice(&line[..line.len().min(HEAD).min(limit)])
}

/// A carriage return before the line break does not count; any other white space does, or it would matter in which
/// pieces a line comes.
fn is_too_long(line: &[u8], limit: usize) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).len() > limit
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

const HEAD: usize = 64 << 10;
