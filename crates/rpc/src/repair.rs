//! Replaces invalid characters in a text, to find out what kind of message it was. A repaired message is never accepted.

/// Replaces bytes that are not UTF-8, and escaped halves of surrogate pairs, with U+FFFD.
pub(crate) fn replace_invalid(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // The backslash and the escaped character.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// The code unit of the `\uXXXX` escape at the start of the text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

#[cfg(test)]
mod tests {
    use super::replace_invalid;

    #[test]
    fn only_halves_of_pairs_are_replaced() {
        for (text, expected) in [
            (
                r#"a \ud83d\ude00 \n \\ud800"#,
                r#"a \ud83d\ude00 \n \\ud800"#,
            ),
            (r#"\ud800"#, r#"\ufffd"#),
            (
                r#"\ud800\ud83d\ude00\ude00x"#,
                r#"\ufffd\ud83d\ude00\ufffdx"#,
            ),
            (r#"\ud8"#, r#"\ud8"#),
            ("\\é\\", "\\é\\"),
        ] {
            assert_eq!(replace_invalid(text.as_bytes()), expected);
        }
        assert_eq!(replace_invalid(b"a\xffb"), "a\u{fffd}b");
    }
}
