//! Equality of request ids.

use std::collections::HashSet;

use crate::{Id, json};

fn id(text: &str) -> Id {
    json::from_str(text).expect(text)
}

/// Checks that the ids of each row are equal, and differ from the ids of every other row.
fn check(rows: &[&[&str]]) {
    for (index, row) in rows.iter().enumerate() {
        let known: HashSet<Id> = row.iter().map(|text| id(text)).collect();
        assert_eq!(known.len(), 1, "{row:?}");
        for other in rows[index + 1..].iter().copied().flatten() {
            assert!(!known.contains(&id(other)), "{row:?} and {other}");
        }
    }
}

#[test]
fn number_ids_compare_as_text_and_string_ids_after_unescaping() {
    check(&[
        &["1"],
        &["1.0"],
        &["1e0"],
        &["1E0"],
        &["-0"],
        &["0"],
        &["null"],
        &[r#""1""#, r#""\u0031""#],
        &[r#""null""#, r#""\u006eull""#],
        &[r#""""#],
        &[r#""a/b""#, r#""a\/b""#, r#""a\u002fb""#, r#""a\u002Fb""#],
        &[r#""A/b""#],
        &["\"é\"", r#""\u00e9""#, r#""\u00E9""#],
        &["\"e\u{301}\""],
        &["\"🦀\"", r#""\ud83e\udd80""#],
        &[r#""\n""#, r#""\u000a""#],
        &[r#""\\n""#],
        &[r#""\"""#, r#""\u0022""#],
        &[r#""\\""#, r#""\u005c""#],
    ]);
}

#[test]
fn constructed_ids_equal_parsed_ids() {
    assert_eq!(Id::from(1), id("1"));
    assert_eq!(Id::from("1"), id(r#""1""#));
    assert_eq!(Id::from("a/b"), id(r#""a\/b""#));
    assert_eq!(Id::null(), id("null"));
    assert!(Id::null().is_null());
    assert!(!Id::from("null").is_null());
}

#[test]
fn an_id_is_written_as_it_was_received() {
    for text in [r#""a\/b""#, r#""\u0061""#, "1.0", "1E+2"] {
        assert_eq!(json::to_string(&id(text)), text);
    }
}
