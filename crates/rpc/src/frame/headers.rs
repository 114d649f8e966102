//! The block of headers before a message.

use bytes::BytesMut;
use memchr::memchr;

use super::Broken;

/// The headers of one message as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Headers {
    length: Option<usize>,
    /// Bytes of the block so far.
    size: usize,
    lines: usize,
}

impl Headers {
    pub(super) fn is_begun(&self) -> bool {
        self.lines > 0
    }

    /// Reads header lines until the block ends; then the message's length.
    pub(super) fn read(
        &mut self,
        buffer: &mut BytesMut,
        limit: usize,
    ) -> Result<Option<usize>, Broken> {
        while let Some(end) = memchr(b'\n', &buffer[..buffer.len().min(MAX_BLOCK)]) {
            self.size += end + 1;
            self.lines += 1;
            if self.size > MAX_BLOCK || self.lines > MAX_LINES {
                return Err(Broken("headers: the block is too long"));
            }
            let line = buffer.split_to(end + 1);
            let line = line.trim_ascii_end();
            if !line.is_empty() {
                self.line(line, limit)?;
                continue;
            }
            // Empty lines between messages are nothing.
            if self.lines > 1 {
                return match self.length {
                    Some(length) => Ok(Some(length)),
                    None => Err(Broken("headers: no Content-Length")),
                };
            }
            self.lines = 0;
        }
        if self.size + buffer.len() > MAX_BLOCK {
            return Err(Broken("headers: the block is too long"));
        }
        if self.lines == 0 && buffer.first() == Some(&b'{') {
            return Err(Broken("headers: a message without headers"));
        }
        Ok(None)
    }

    fn line(&mut self, line: &[u8], limit: usize) -> Result<(), Broken> {
        if line.starts_with(b"{") {
            return Err(Broken("headers: a message without headers"));
        }
        let Some(colon) = memchr(b':', line) else {
            return Err(Broken("headers: a line without a colon"));
        };
        let name = &line[..colon];
        let value = line[colon + 1..].trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = number(value).ok_or(Broken("Content-Length: expected a number"))?;
            if length > limit {
                return Err(Broken("Content-Length: over the limit"));
            }
            if self.length.replace(length).is_some_and(|old| old != length) {
                return Err(Broken("Content-Length: two that differ"));
            }
        }
        if name.eq_ignore_ascii_case(b"content-type") && !is_utf8(value) {
            return Err(Broken("Content-Type: expected the charset utf-8"));
        }
        Ok(())
    }
}

/// Digits and nothing else; a number that can be written in two ways can be read in two ways.
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
