//! The block of headers before a message.

use bytes::BytesMut;
use memchr::memchr;

use super::FramingError;

/// The headers of one message that have been read so far.
#[derive(Debug, Default)]
pub(super) struct Headers {
    length: Option<usize>,
    /// Bytes of the block so far.
    size: usize,
    lines: usize,
}

impl Headers {
    /// Whether no header line has been read.
    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Reads header lines. Returns the message's length at the end of the block, or `None` if more bytes are needed.
    pub(super) fn read(
        &mut self,
        buffer: &mut BytesMut,
        limit: usize,
    ) -> Result<Option<usize>, FramingError> {
        loop {
            if self.is_empty() && buffer.first() == Some(&b'{') {
                return Err(FramingError("headers: a message without headers"));
            }
            let Some(end) = memchr(b'\n', &buffer[..buffer.len().min(MAX_BLOCK)]) else {
                break;
            };
            self.size += end + 1;
            self.lines += 1;
            if self.size > MAX_BLOCK || self.lines > MAX_LINES {
                return Err(FramingError("headers: the block is too long"));
            }
            let line = buffer.split_to(end + 1);
            let line = line.trim_ascii_end();
            if !line.is_empty() {
                self.read_line(line, limit)?;
                continue;
            }
            // Empty lines between messages are ignored.
            if self.lines > 1 {
                return match self.length {
                    Some(length) => Ok(Some(length)),
                    None => Err(FramingError("headers: no Content-Length")),
                };
            }
            *self = Headers::default();
        }
        if self.size + buffer.len() > MAX_BLOCK {
            return Err(FramingError("headers: the block is too long"));
        }
        Ok(None)
    }

    fn read_line(&mut self, line: &[u8], limit: usize) -> Result<(), FramingError> {
        let Some(colon) = memchr(b':', line) else {
            return Err(FramingError("headers: a line without a colon"));
        };
        let name = &line[..colon];
        // The rest of a message that is longer than its Content-Length must not pass for a header.
        if name.is_empty() || !name.iter().all(is_name) {
            return Err(FramingError(
                "headers: a name of other than letters, digits and dashes",
            ));
        }
        let value = line[colon + 1..].trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = number(value).ok_or(FramingError("Content-Length: expected a number"))?;
            if length > limit {
                return Err(FramingError("Content-Length: over the limit"));
            }
            if self.length.replace(length).is_some_and(|old| old != length) {
                return Err(FramingError("Content-Length: two that differ"));
            }
        }
        if name.eq_ignore_ascii_case(b"content-type") && !is_utf8(value) {
            return Err(FramingError("Content-Type: expected the charset utf-8"));
        }
        Ok(())
    }
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Accepts digits without sign or leading zero: programs disagree on how to read other spellings.
fn number(value: &[u8]) -> Option<usize> {
    let plain = value == b"0"
        || value
            .first()
            .is_some_and(|first| (b'1'..=b'9').contains(first));
    if !plain || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn is_utf8(content_type: &[u8]) -> bool {
    let content_type = content_type.to_ascii_lowercase();
    let Some(at) = memchr::memmem::find(&content_type, b"charset=") else {
        return true;
    };
    let charset = &content_type[at + b"charset=".len()..];
    let end = memchr(b';', charset).unwrap_or(charset.len());
    let charset = charset[..end].trim_ascii();
    charset == b"utf-8" || charset == b"utf8" || charset == b"\"utf-8\""
}

const MAX_BLOCK: usize = 8 << 10;
const MAX_LINES: usize = 32;
