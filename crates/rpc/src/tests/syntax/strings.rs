//! The values of strings, not only their syntax.

use std::borrow::Cow;

use crate::json::{self, Reader};

#[test]
fn escapes_decode_as_in_the_standard() {
    let cases = [
        (r#""""#, ""),
        (r#""a""#, "a"),
        (r#""\"\\\/""#, "\"\\/"),
        (r#""\b\f\n\r\t""#, "\u{8}\u{c}\n\r\t"),
        (r#""\u0041\u00e9\u6f22""#, "Aé漢"),
        (r#""\u00E9""#, "é"),
        (r#""\ud83e\udd80""#, "🦀"),
        (r#""\uD800\uDC00\uDBFF\uDFFF""#, "\u{10000}\u{10ffff}"),
        (r#""\u0000""#, "\0"),
        (r#""\u000a""#, "\n"),
        (r#""\u2028""#, "\u{2028}"),
        (r#""\\n""#, "\\n"),
        (r#""\\\\""#, "\\\\"),
        (r#""\\u0041""#, "\\u0041"),
        (r#""a\/b""#, "a/b"),
        (r#""12345678\n12345678\t1""#, "12345678\n12345678\t1"),
        (r#""漢\n漢""#, "漢\n漢"),
    ];
    for (text, meaning) in cases {
        assert_eq!(
            json::from_str::<String>(text).as_deref(),
            Ok(meaning),
            "{text}"
        );
        let key = format!("{{{text}:0}}");
        let mut reader = Reader::new(&key);
        assert_eq!(reader.open_object(), Ok(true));
        assert_eq!(reader.key().as_deref(), Ok(meaning), "{text} as a name");
    }
}

#[test]
fn an_escape_is_found_at_every_position_of_a_block() {
    for before in 0..80 {
        for after in [0, 1, 7, 8, 15, 16, 31, 64] {
            let text = format!("\"{}\\n{}\"", "a".repeat(before), "é".repeat(after));
            let meaning = format!("{}\n{}", "a".repeat(before), "é".repeat(after));
            assert_eq!(json::from_str(&text).as_ref(), Ok(&meaning));
            let bad = text.replace("\\n", "\u{1}");
            assert!(json::from_str::<String>(&bad).is_err());
            assert!(json::Raw::parse(&bad).is_err());
        }
    }
}

#[test]
fn text_without_escapes_is_borrowed() {
    let plain = "\"plain é 🦀\"";
    let borrowed = Reader::new(plain).string();
    assert!(matches!(borrowed, Ok(Cow::Borrowed("plain é 🦀"))));
}

#[test]
fn every_unicode_escape_decodes_or_is_rejected() {
    for code in 0..=0xffff_u32 {
        let text = format!("\"\\u{code:04x}\"");
        let read = json::from_str::<String>(&text).ok();
        assert_eq!(read, char::from_u32(code).map(String::from), "{text}");
    }
}
