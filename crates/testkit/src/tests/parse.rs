//! Tests of the errors for text that is not a valid script.

use expect_test::{Expect, expect};

use crate::{Script, Side};

fn check(script: &str, expect: Expect) {
    let error = Script::parse(script).unwrap_err();
    expect.assert_eq(&error.to_string());
}

#[test]
fn an_unknown_step() {
    check(
        "\n  =- hello",
        expect![[
            r#"line 2, column 3: expected an arrow (`->`, `.>`, `=>`, `!>`, `~>`, `|>`, or one to the left), `any order`, `in order`, `repeat`, `quiet`, `within`, `end` or `...`, found `=`"#
        ]],
    );
}

#[test]
fn a_request_without_a_method() {
    check(
        "-> {}",
        expect!["line 1, column 4: expected a method's name, found `{`"],
    );
}

#[test]
fn a_member_without_a_value() {
    check(
        "-> a {\n  \"b\"}",
        expect!["line 2, column 6: expected `:` after a member's name, found `}`"],
    );
}

#[test]
fn a_value_that_is_not_json() {
    check(
        "-> a {\"b\":nil}",
        expect!["line 1, column 11: expected a JSON value, `$name`, `_` or `@label`, found `nil`"],
    );
}

#[test]
fn a_string_that_is_not_closed() {
    check(
        "-> a {\"b\":\"c}",
        expect![[
            r#"line 1, column 11: expected a JSON string that is closed and well escaped, found `"`"#
        ]],
    );
}

#[test]
fn a_duplicate_member() {
    check(
        "-> a {\"b\":1,\"b\":2}",
        expect![[
            r#"line 1, column 13: expected a name that the object does not have yet, found `"`"#
        ]],
    );
}

#[test]
fn members_after_the_dots() {
    check(
        "-> a {...,\"b\":2}",
        expect!["line 1, column 10: expected `}` behind `...`, found `,`"],
    );
}

#[test]
fn a_word_after_the_params() {
    check(
        "-> a {} soon",
        expect![[
            r#"line 1, column 9: expected `x` and a number, `within` and a time, `id` and an id, or the end of the line, found `soon`"#
        ]],
    );
}

#[test]
fn a_time_without_a_unit() {
    check(
        "-> a {} within 2",
        expect!["line 1, column 16: expected a time such as `100ms`, `2s` or `1m`, found `2`"],
    );
}

#[test]
fn a_repetition_of_zero_times() {
    check(
        "-> a {} x0",
        expect!["line 1, column 10: expected a number from 1 to 1000000, found `0`"],
    );
}

#[test]
fn an_id_of_a_notification() {
    check(
        ".> a {} id 7",
        expect![
            "line 1, column 9: expected no id: only requests and responses have one, found `id`"
        ],
    );
}

#[test]
fn a_block_without_an_end() {
    check(
        "-> a\nany order\n<= {}",
        expect!["line 2, column 1: expected an `end` for the block that begins here, found `any`"],
    );
}

#[test]
fn a_response_without_a_request() {
    check(
        "-> a\n<= {}\n<= {}",
        expect![[
            r#"line 3, column 1: expected an open request for this response; a response without a label belongs to the oldest request without one, found `<= {}`"#
        ]],
    );
}

#[test]
fn a_response_to_an_unknown_label() {
    check(
        "-> a @one\n<= @two {}",
        expect![[
            r#"line 2, column 1: expected an open request for this response; a response without a label belongs to the oldest request without one, found `<= @two {}`"#
        ]],
    );
}

#[test]
fn more_responses_than_requests_in_a_block() {
    check(
        "-> a x2\nrepeat 3\n<= {}\nend",
        expect![[
            r#"line 3, column 1: expected as many requests as responses in the block, found `<= {}`"#
        ]],
    );
}

#[test]
fn an_unbounded_repetition_without_an_end() {
    check(
        "<. a {} x*\n-> b",
        expect![
            "line 1, column 1: expected a line of the same side after `x*`, which ends it, found `<. a {} x*`"
        ],
    );
}

#[test]
fn steps_after_the_last() {
    check(
        "...\n-> b",
        expect!["line 1, column 1: expected nothing after this step, found `...`"],
    );
}

#[test]
fn nested_too_deep() {
    check(
        &format!("-> a {}", "[".repeat(10_000)),
        expect!["line 1, column 135: expected a value with less nesting, found `[`"],
    );
}

#[test]
fn a_hole_without_a_value() {
    let script = "-> a {\"b\":$c,\"d\":_}\n.> e {\"f\":$c}";
    let script = Script::parse(script).unwrap();
    assert!(script.check_playable(Side::Agent).is_ok());
    let error = script.check_playable(Side::Client).unwrap_err();
    expect![[r#"line 1, column 1: expected a value for `$c`, since the client is to send it, found `-> a {"b":$c,"d":_}`"#]].assert_eq(&error.to_string());
    let script = Script::parse("-> a {\"b\":@c}").unwrap();
    let error = script.check_playable(Side::Client).unwrap_err();
    expect![[r#"line 1, column 1: expected a request labelled `@c` before this line, found `-> a {"b":@c}`"#]].assert_eq(&error.to_string());
}
