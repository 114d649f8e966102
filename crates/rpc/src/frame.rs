//! Splits a stream of bytes into messages, which are lines or have headers with a length.
//!
//! A message that is too long is not kept in memory, and no memory is allocated for a length before its bytes arrive.

mod headers;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

use headers::Headers;

/// How messages are separated in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Framing {
    /// One message per line.
    #[default]
    Lines,
    /// A block of headers with a `Content-Length`, then the message, as in the Language Server Protocol.
    Headers,
}

impl Framing {
    /// Appends a message to `out` with its line break or its headers.
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

/// A message that a [`Splitter`] found in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A message, including its line break if it has one.
    Message(Bytes),
    /// The beginning, at most 64 KiB, of a message over the limit. The splitter skips the rest.
    TooLong(Bytes),
}

/// Why the rest of a stream cannot be read: it is unknown where the next message begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramingError(&'static str);

/// Splits a stream into messages. Detects the [`Framing`] from the first bytes.
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    state: SplitterState,
}

#[derive(Debug)]
enum SplitterState {
    Start,
    /// In a line. Contains the number of bytes that were already searched for a line break.
    Line(usize),
    /// Inside a line that is too long.
    SkipLine,
    Headers(Headers),
    /// In a message with headers. Contains the length of the message in bytes.
    Body(usize),
    Broken(FramingError),
}

impl Splitter {
    /// Creates a splitter for a new stream. `limit` is the maximum size of a message in bytes.
    pub fn new(limit: usize) -> Self {
        Splitter {
            limit,
            state: SplitterState::Start,
        }
    }

    /// Removes the next message from the buffer, or returns `None` if more bytes are needed.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Frame>, FramingError> {
        loop {
            let step = match &mut self.state {
                SplitterState::Start => match detect_framing(buffer) {
                    Some(state) => SplitStep::To(state),
                    None => SplitStep::More,
                },
                SplitterState::Line(searched) => split_line(buffer, searched, self.limit),
                SplitterState::SkipLine => skip_line(buffer),
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

    /// Ends the stream and returns the last line if it has no line break. The line may be cut off.
    pub fn end(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, FramingError> {
        let rest = buffer.split().freeze();
        let blank = rest.iter().all(u8::is_ascii_whitespace);
        if let SplitterState::Line(searched) = &mut self.state {
            *searched = 0;
        }
        match &self.state {
            SplitterState::Start | SplitterState::Line(_) => Ok((!blank).then_some(rest)),
            SplitterState::SkipLine => Ok(None),
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

/// Detects the framing from the first bytes, or returns `None` if more bytes are needed. Only a header begins with
/// `content-`; JSON and the banners that programs print do not.
fn detect_framing(buffer: &mut BytesMut) -> Option<SplitterState> {
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

fn split_line(buffer: &mut BytesMut, searched: &mut usize, limit: usize) -> SplitStep {
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
            SplitStep::Found(Frame::TooLong(head), SplitterState::SkipLine)
        }
        None => {
            *searched = buffer.len();
            SplitStep::More
        }
    }
}

/// Copies the beginning of a message. The result does not depend on the pieces in which the message arrives.
fn head(line: &[u8], limit: usize) -> Bytes {
    Bytes::copy_from_slice(&line[..line.len().min(HEAD).min(limit)])
}

/// A carriage return before the line break does not count. Other white space does: otherwise the result would depend on
/// the pieces in which the line arrives.
fn is_too_long(line: &[u8], limit: usize) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).len() > limit
}

fn skip_line(buffer: &mut BytesMut) -> SplitStep {
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
