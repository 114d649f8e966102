//! The input of a tool call while it arrives: as much of it as can be shown.

use serde_json::Value;

/// The members that are complete, of an object of which only the beginning is there.
pub(super) fn complete_members(text: &str) -> Value {
    let end = last_comma(text);
    match end {
        Some(end) => serde_json::from_str(&format!("{}}}", &text[..end])).unwrap_or_default(),
        None => Value::Null,
    }
}

/// The last comma between members of the outermost object.
fn last_comma(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped, mut found) = (0_u32, false, false, None);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => found = Some(at),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::complete_members;

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&complete_members(text).to_string());
    }

    #[test]
    fn only_whole_members_are_read() {
        check(r#"{"file_path": "/a"#, &expect!["null"]);
        check(
            r#"{"file_path": "/a, b", "cont"#,
            &expect![[r#"{"file_path":"/a, b"}"#]],
        );
        check(
            r#"{"a": [1, {"b": "\"}"}], "c": "x\"#,
            &expect![[r#"{"a":[1,{"b":"\"}"}]}"#]],
        );
        check("nonsense, and more", &expect!["null"]);
    }
}
