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
pub struct FramingError(&'static str);

/// Cuts a stream into messages. The framing is told by how the stream begins.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    state: SplitterState,
}

#[derive(Debug)]
enum SplitterState {
    Start,
    /// So much of the unfinished line has been searched.
    Line(usize),
    /// Inside a line that is too long.
    Skip,
    Headers(Headers),
    /// A message of so many bytes comes next.
    Body(usize),
    Broken(FramingError),
}

impl Splitter {
    /// A splitter at the start of a stream, for messages of at most so many bytes.
    pub fn new(limit: usize) -> Self {
        Splitter {
            limit,
            state: SplitterState::Start,
        }
    }

    /// Takes the next message out of the buffer, or `None` if more bytes are needed.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FramingError> {
        loop {
            let step = match &mut self.state {
                SplitterState::Start => match begin(buffer) {
                    Some(state) => SplitStep::To(state),
                    None => SplitStep::More,
                },
                SplitterState::Line(searched) => line(buffer, searched, self.limit),
                SplitterState::Skip => skip(buffer),
                SplitterState::Headers(headers) => match headers.read(buffer, self.limit) {
                    Ok(Some(0)) => SplitStep::To(SplitterState::Headers(Headers::default())),
                    Ok(Some(length)) => SplitStep::To(SplitterState::Body(length)),
                    Ok(None) => SplitStep::More,
                    Err(broken) => SplitStep::To(SplitterState::Broken(broken)),
                },
                SplitterState::Body(length) if buffer.len() < *length => SplitStep::More,
                SplitterState::Body(length) => {
                    let body = buffer.split_to(*length).freeze();
                    SplitStep::Found(
                        Frame::Message(body),
                        SplitterState::Headers(Headers::default()),
                    )
                }
                SplitterState::Broken(broken) => return Err(*broken),
            };
            match step {
                SplitStep::More => return Ok(None),
                SplitStep::To(state) => self.state = state,
                SplitStep::Found(frame, state) => {
                    self.state = state;
                    return Ok(Some(frame));
                }
            }
        }
    }

    /// What is left when the stream has ended: a last line without a line break, which may be whole or cut off.
    pub fn end(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, FramingError> {
        let rest = buffer.split().freeze();
        let blank = rest.iter().all(u8::is_ascii_whitespace);
        if let SplitterState::Line(searched) = &mut self.state {
            *searched = 0;
        }
        match &self.state {
            SplitterState::Start | SplitterState::Line(_) => Ok((!blank).then_some(rest)),
            SplitterState::Skip => Ok(None),
            SplitterState::Headers(headers) if headers.is_empty() && blank => Ok(None),
            SplitterState::Headers(_) | SplitterState::Body(_) => {
                Err(FramingError("the stream ended within a message"))
            }
            SplitterState::Broken(broken) => Err(*broken),
        }
    }
}

enum SplitStep {
    More,
    To(SplitterState),
    Found(Frame, SplitterState),
}

/// Tells the framing by the first bytes. Only a header can begin like a header's name: JSON and the banners that
/// programs print do not.
fn begin(buffer: &mut BytesMut) -> Option<SplitterState> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    if buffer.starts_with(BOM) {
        buffer.advance(BOM.len());
        return Some(SplitterState::Line(0));
    }
    if !buffer.is_empty() && BOM.starts_with(buffer) {
        return None;
    }
    let name = b"content-";
    let shown = buffer.len().min(name.len());
    if !buffer[..shown].eq_ignore_ascii_case(&name[..shown]) {
        return Some(SplitterState::Line(0));
    }
    (shown == name.len()).then(|| SplitterState::Headers(Headers::default()))
}

fn line(buffer: &mut BytesMut, searched: &mut usize, limit: usize) -> SplitStep {
    match memchr(b'\n', &buffer[*searched..]) {
        Some(found) => {
            let end = *searched + found + 1;
            let line = buffer.split_to(end);
            if is_too_long(&line[..end - 1], limit) {
                return SplitStep::Found(
                    Frame::TooLong(head(&line, limit)),
                    SplitterState::Line(0),
                );
            }
            if line.trim_ascii_end().is_empty() {
                return SplitStep::To(SplitterState::Line(0));
            }
            SplitStep::Found(Frame::Message(line.freeze()), SplitterState::Line(0))
        }
        None if is_too_long(buffer, limit) => {
            let head = head(buffer, limit);
            buffer.clear();
            SplitStep::Found(Frame::TooLong(head), SplitterState::Skip)
        }
        None => {
            *searched = buffer.len();
            SplitStep::More
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

fn skip(buffer: &mut BytesMut) -> SplitStep {
    match memchr(b'\n', buffer) {
        Some(end) => {
            buffer.advance(end + 1);
            SplitStep::To(SplitterState::Line(0))
        }
        None => {
            buffer.clear();
            SplitStep::More
        }
    }
}

impl std::fmt::Display for FramingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for FramingError {}

const HEAD: usize = 64 << 10;
