//! Words of a process as text, without loss: file names are bytes, rules are text. A byte that is not UTF-8 becomes a
//! character that no name contains, from which the byte can be restored.

use std::ffi::{OsStr, OsString};

/// A word as text, from which [`unescaped`] makes the same word again.
#[cfg(unix)]
pub(super) fn escaped(word: &OsStr) -> String {
    use std::os::unix::ffi::OsStrExt;
    match word.to_str() {
        Some(text) if !text.chars().any(is_escape) => text.to_owned(),
        _ => {
            let mut text = String::new();
            for chunk in word.as_bytes().utf8_chunks() {
                for char in chunk.valid().chars() {
                    match is_escape(char) {
                        // Unescaped it would be taken for a byte.
                        true => text.extend(char.encode_utf8(&mut [0; 4]).bytes().map(escape)),
                        false => text.push(char),
                    }
                }
                text.extend(chunk.invalid().iter().copied().map(escape));
            }
            text
        }
    }
}

/// Bytes of a word, as [`escaped`] text.
#[cfg(unix)]
pub(super) fn escaped_bytes(bytes: &[u8]) -> String {
    use std::os::unix::ffi::OsStrExt;
    escaped(OsStr::from_bytes(bytes))
}

/// The word that a text stands for.
#[cfg(unix)]
pub(super) fn unescaped(text: &str) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(text.len());
    for char in text.chars() {
        match u8::try_from(u32::from(char).wrapping_sub(FIRST)) {
            Ok(byte) if is_escape(char) => bytes.push(byte),
            _ => bytes.extend(char.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(not(unix))]
pub(super) fn escaped(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

#[cfg(not(unix))]
pub(super) fn escaped_bytes(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(not(unix))]
pub(super) fn unescaped(text: &str) -> OsString {
    OsString::from(text)
}

#[cfg(unix)]
fn escape(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(unix)]
fn is_escape(char: char) -> bool {
    u32::from(char) >= FIRST
}

/// The last characters of Unicode, for private use.
#[cfg(unix)]
const FIRST: u32 = 0x0010_ff00;

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::{escaped, unescaped};

    #[test]
    fn attack_every_word_survives_escaping() {
        let mut words: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        words.extend((0..=255).map(|byte| vec![b'a', byte, b'/', 0xff]));
        words.extend((0..=255).map(|byte| vec![0xf4, 0x8f, byte, byte]));
        words.extend((0..=255).map(|byte| vec![0xf4, 0x8f, 0xbf, byte]));
        words.extend((0..=255).map(|byte| vec![0xc3, byte, 0xe2, 0x82, byte]));
        let mut seen = std::collections::HashSet::new();
        for word in &words {
            let text = escaped(OsStr::from_bytes(word));
            assert_eq!(unescaped(&text).as_bytes(), word, "{word:?}");
            seen.insert((word, text));
        }
        // No two words have the same text.
        let words: std::collections::HashSet<_> = words.iter().collect();
        let texts: std::collections::HashSet<_> = seen.iter().map(|(_, text)| text).collect();
        assert_eq!(texts.len(), words.len());
        assert_eq!(escaped(OsStr::new("plain/ü")), "plain/ü");
    }
}
