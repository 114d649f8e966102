//! Finds where a string, a number or a whole value of JSON text ends, without decoding it.

use super::block::{is_special, special};
use super::{DecodeError, MAX_DEPTH, Problem};

/// The position behind the value that starts at or after `at`, inside `depth` levels of nesting.
pub(super) fn value_end(bytes: &[u8], mut at: usize, depth: u32) -> Result<usize, DecodeError> {
    let mut open = Brackets::default();
    loop {
        at = space_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => at = string_end(bytes, at + 1)?,
            Some(b'{') => {
                open.push(depth, OBJECT, at)?;
                let inside = space_end(bytes, at + 1);
                if bytes.get(inside) == Some(&b'}') {
                    open.pop();
                    at = inside + 1;
                } else {
                    at = key_end(bytes, inside)?;
                    continue;
                }
            }
            Some(b'[') => {
                open.push(depth, ARRAY, at)?;
                let inside = space_end(bytes, at + 1);
                if bytes.get(inside) == Some(&b']') {
                    open.pop();
                    at = inside + 1;
                } else {
                    at = inside;
                    continue;
                }
            }
            Some(b'-' | b'0'..=b'9') => at = number_end(bytes, at)?,
            Some(b't') => at = word_end(bytes, at, b"true")?,
            Some(b'f') => at = word_end(bytes, at, b"false")?,
            Some(b'n') => at = word_end(bytes, at, b"null")?,
            Some(_) => return Err(syntax("no value starts here", at)),
            None => return Err(DecodeError::new(Problem::Truncated, at)),
        }
        match close_end(bytes, at, &mut open)? {
            AfterValue::Value(place) => at = place,
            AfterValue::End(place) => return Ok(place),
        }
    }
}

enum AfterValue {
    /// Another value must follow at this position.
    Value(usize),
    /// The outermost value ends at this position.
    End(usize),
}

/// Skips closing brackets and one comma behind a value.
#[inline]
fn close_end(bytes: &[u8], mut at: usize, open: &mut Brackets) -> Result<AfterValue, DecodeError> {
    while open.depth > 0 {
        at = space_end(bytes, at);
        match bytes.get(at) {
            Some(b',') if open.top() == OBJECT => {
                return key_end(bytes, space_end(bytes, at + 1)).map(AfterValue::Value);
            }
            Some(b',') => return Ok(AfterValue::Value(at + 1)),
            Some(b'}') if open.top() == OBJECT => open.pop(),
            Some(b']') if open.top() == ARRAY => open.pop(),
            Some(_) => return Err(syntax("expected a comma or a closing bracket", at)),
            None => return Err(DecodeError::new(Problem::Truncated, at)),
        }
        at += 1;
    }
    Ok(AfterValue::End(at))
}

/// The open brackets, one bit each. The depth limit equals the number of bits.
#[derive(Default)]
struct Brackets {
    kinds: u128,
    depth: u32,
}

const OBJECT: u128 = 1;
const ARRAY: u128 = 0;

impl Brackets {
    #[inline]
    fn push(&mut self, outside: u32, kind: u128, at: usize) -> Result<(), DecodeError> {
        if outside + self.depth == MAX_DEPTH {
            return Err(DecodeError::new(Problem::TooDeep, at));
        }
        self.kinds = self.kinds << 1 | kind;
        self.depth += 1;
        Ok(())
    }

    #[inline]
    fn pop(&mut self) {
        self.kinds >>= 1;
        self.depth -= 1;
    }

    #[inline]
    fn top(&self) -> u128 {
        self.kinds & 1
    }
}

/// The position of the first byte at or after `at` that is not white space.
#[inline(always)]
pub(super) fn space_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(0..=b' ') => long_space_end(bytes, at),
        _ => at,
    }
}

#[inline(never)]
fn long_space_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The position of the closing quote of the member name whose opening quote is at `at`, if the name is written as most
/// names are: short, without escapes, and directly followed by its colon.
#[inline(always)]
pub(super) fn short_key(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let block = rest.get(1..)?.first_chunk::<16>()?;
    let marks = special(block);
    let end = at + 1 + marks.trailing_zeros() as usize;
    let is_key = rest[0] == b'"' && marks != 0 && bytes.get(end..end + 2) == Some(b"\":");
    is_key.then_some(end)
}

/// The position behind a member's name and its colon.
#[inline(always)]
fn key_end(bytes: &[u8], at: usize) -> Result<usize, DecodeError> {
    match short_key(bytes, at) {
        Some(end) => Ok(end + 2),
        None => uncommon_key_end(bytes, at),
    }
}

#[inline(never)]
fn uncommon_key_end(bytes: &[u8], at: usize) -> Result<usize, DecodeError> {
    if bytes.get(at) != Some(&b'"') {
        return Err(not_a_name(bytes, at));
    }
    let colon = space_end(bytes, string_end(bytes, at + 1)?);
    if bytes.get(colon) != Some(&b':') {
        return Err(syntax("expected a colon after a member's name", colon));
    }
    Ok(colon + 1)
}

#[cold]
pub(super) fn not_a_name(bytes: &[u8], at: usize) -> DecodeError {
    match bytes.get(at) {
        Some(_) => syntax("a member's name must be a string", at),
        None => DecodeError::new(Problem::Truncated, at),
    }
}

#[cold]
fn syntax(what: &'static str, at: usize) -> DecodeError {
    DecodeError::new(Problem::Syntax(what), at)
}

/// The position behind the closing quote of the string whose text starts at `at`.
#[inline(always)]
fn string_end(bytes: &[u8], at: usize) -> Result<usize, DecodeError> {
    let end = plain_end(bytes, at);
    if bytes.get(end) == Some(&b'"') {
        return Ok(end + 1);
    }
    escaped_end(bytes, end)
}

#[inline(never)]
fn escaped_end(bytes: &[u8], mut at: usize) -> Result<usize, DecodeError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') if short_escape(bytes, at).is_some() => at += 2,
            Some(b'\\') => at = escape(bytes, at)?.1,
            Some(_) => return Err(syntax("a control character in a string", at)),
            None => return Err(DecodeError::new(Problem::Truncated, at)),
        }
        at = run_end(bytes, at);
    }
}

/// The byte that the escape at `at` means, if it is a two-character escape.
#[inline(always)]
pub(super) fn short_escape(bytes: &[u8], at: usize) -> Option<u8> {
    match bytes.get(at + 1)? {
        b'n' => Some(b'\n'),
        &plain @ (b'"' | b'\\' | b'/') => Some(plain),
        b't' => Some(b'\t'),
        b'r' => Some(b'\r'),
        b'b' => Some(8),
        b'f' => Some(12),
        _ => None,
    }
}

/// The character that the escape at `at` means, and the position behind the escape.
pub(super) fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), DecodeError> {
    if let Some(byte) = short_escape(bytes, at) {
        return Ok((char::from(byte), at + 2));
    }
    match bytes.get(at + 1) {
        Some(b'u') => unicode_escape(bytes, at),
        Some(_) => Err(syntax("an unknown escape in a string", at)),
        None => Err(DecodeError::new(Problem::Truncated, at + 1)),
    }
}

fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), DecodeError> {
    let half = || syntax("half of a surrogate pair", at);
    let first = hex4(bytes, at + 2)?;
    let (code, end) = if (0xd800..=0xdbff).contains(&first) {
        if bytes.get(at + 6..at + 8) != Some(b"\\u") {
            return Err(half());
        }
        let second = hex4(bytes, at + 8)?;
        if !(0xdc00..=0xdfff).contains(&second) {
            return Err(half());
        }
        (
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00),
            at + 12,
        )
    } else {
        (first, at + 6)
    };
    char::from_u32(code)
        .map(|character| (character, end))
        .ok_or_else(half)
}

fn hex4(bytes: &[u8], at: usize) -> Result<u32, DecodeError> {
    let Some(digits) = bytes.get(at..at + 4) else {
        return Err(DecodeError::new(Problem::Truncated, bytes.len()));
    };
    digits.iter().try_fold(0, |code, &digit| {
        let value = char::from(digit).to_digit(16);
        let wrong = || syntax("a unicode escape needs four hexadecimal digits", at);
        value.map(|value| code * 16 + value).ok_or_else(wrong)
    })
}

/// The position behind the number that starts at `at`.
pub(super) fn number_end(bytes: &[u8], at: usize) -> Result<usize, DecodeError> {
    let whole = at + usize::from(bytes.get(at) == Some(&b'-'));
    let mut end = digits_end(bytes, whole);
    if end == whole || (bytes[whole] == b'0' && end > whole + 1) {
        let what = "a number needs digits and no leading zero";
        return Err(syntax(what, at));
    }
    if bytes.get(end) == Some(&b'.') {
        end = some_digits_end(bytes, end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = some_digits_end(bytes, end + 1 + sign)?;
    }
    Ok(end)
}

fn some_digits_end(bytes: &[u8], at: usize) -> Result<usize, DecodeError> {
    let end = digits_end(bytes, at);
    if end == at {
        let what = "a number needs digits after its point and in its exponent";
        return Err(syntax(what, at));
    }
    Ok(end)
}

fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The position behind `true`, `false` or `null` at `at`.
pub(super) fn word_end(bytes: &[u8], at: usize, word: &'static [u8]) -> Result<usize, DecodeError> {
    if bytes[at..].starts_with(word) {
        return Ok(at + word.len());
    }
    Err(syntax("expected true, false or null", at))
}

/// The position of the first byte at or after `at` that has to be escaped in a JSON string: a quote, a backslash or a
/// control character. Returns the length of `bytes` if there is no such byte.
#[inline(always)]
pub(super) fn plain_end(bytes: &[u8], at: usize) -> usize {
    // Most strings of a protocol end within the first block and need no loop.
    match bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        Some(block) if special(block) != 0 => at + special(block).trailing_zeros() as usize,
        _ => long_plain_end(bytes, at),
    }
}

#[inline(never)]
fn long_plain_end(bytes: &[u8], at: usize) -> usize {
    run_end(bytes, at)
}

/// Does the same as [`plain_end`], for text that is expected to be long.
#[inline(always)]
pub(super) fn run_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let marks = special(block);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        at += 16;
    }
    let tail = bytes.get(at..).unwrap_or_default();
    at + tail_plain_end(bytes, tail)
}

/// The number of bytes in the tail, which is shorter than a block, before the first special byte.
fn tail_plain_end(bytes: &[u8], tail: &[u8]) -> usize {
    match bytes.last_chunk::<16>() {
        // The last block of the text ends with the tail.
        Some(block) => {
            let marks = special(block) >> (16 - tail.len());
            (marks.trailing_zeros() as usize).min(tail.len())
        }
        None => {
            let plain = tail.iter().position(|&byte| is_special(byte));
            plain.unwrap_or(tail.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn plain_text_ends_where_a_search_byte_by_byte_ends(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            at in 0usize..20,
        ) {
            let at = at.min(bytes.len());
            let slow = bytes[at..].iter().position(|&b| is_special(b)).map_or(bytes.len(), |n| at + n);
            prop_assert_eq!(plain_end(&bytes, at), slow);
        }

        #[test]
        fn long_plain_text_ends_at_its_only_special_byte(length in 0usize..600, special in 0usize..600) {
            let mut bytes = vec![b'a'; length];
            if let Some(byte) = bytes.get_mut(special) {
                *byte = b'\\';
            }
            prop_assert_eq!(plain_end(&bytes, 0), special.min(length));
        }
    }
}
