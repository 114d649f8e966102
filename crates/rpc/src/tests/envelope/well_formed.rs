//! Valid messages, including unusual ones.

use super::{check, check_members, shown};

#[test]
fn the_four_kinds_of_messages_are_read() {
    check_members(&[
        (
            r#""id":1,"method":"m","params":{"a":1}"#,
            r#"request 1 "m" {"a":1}"#,
        ),
        (r#""method":"m","params":[1]"#, r#"notification "m" [1]"#),
        (r#""id":1,"result":{"a":1}"#, r#"response 1 {"a":1}"#),
        (r#""id":1,"result":null"#, "response 1 null"),
        (
            r#""id":1,"error":{"code":-32000,"message":"no","data":[1]}"#,
            r#"failure 1 -32000 "no" [1]"#,
        ),
    ]);
}

#[test]
fn ids_are_kept_byte_for_byte() {
    let ids = [
        "0",
        "1",
        "-1",
        "-0",
        "1.0",
        "1.5",
        "1e2",
        "1E+2",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "10000000000000000000000000000000000000000",
        "1e400",
        "null",
        r#""""#,
        r#""1""#,
        r#""a b""#,
        r#""\u0061""#,
        r#""\n\u0000\u001f""#,
        r#""\ud83e\udd80""#,
        r#""\/""#,
        "\"é🦀\"",
    ];
    for id in ids {
        check_members(&[
            (
                &format!(r#""id":{id},"method":"m""#),
                &format!(r#"request {id} "m" -"#),
            ),
            (
                &format!(r#""id": {id} ,"result":1"#),
                &format!("response {id} 1"),
            ),
            (
                &format!(r#""error":{{}},"id":{id}"#),
                &format!(r#"failure {id} -32603 "" -"#),
            ),
        ]);
    }
}

#[test]
fn an_id_may_have_256_bytes() {
    let id = format!("\"{}\"", "i".repeat(256));
    check_members(&[(
        &format!(r#""id":{id},"method":"m""#),
        &format!(r#"request {id} "m" -"#),
    )]);
}

#[test]
fn null_params_count_as_absent() {
    // The type of the params decides whether [] and {} count as absent.
    check_members(&[
        (r#""id":1,"method":"m""#, r#"request 1 "m" -"#),
        (r#""id":1,"method":"m","params":null"#, r#"request 1 "m" -"#),
        (r#""id":1,"method":"m","params":[]"#, r#"request 1 "m" []"#),
        (r#""id":1,"method":"m","params":{}"#, r#"request 1 "m" {}"#),
        (r#""method":"m","params": null "#, r#"notification "m" -"#),
    ]);
}

#[test]
fn any_string_can_be_a_method() {
    // The envelope does not check whether the method exists.
    check_members(&[
        (r#""id":1,"method":"""#, r#"request 1 "" -"#),
        (r#""id":1,"method":"a\u0000b""#, r#"request 1 "a\0b" -"#),
        (
            r#""id":1,"method":"rpc.discover""#,
            r#"request 1 "rpc.discover" -"#,
        ),
        (
            r#""id":1,"method":"session\/new""#,
            r#"request 1 "session/new" -"#,
        ),
        (
            r#""id":1,"method":"\u0073ession/new""#,
            r#"request 1 "session/new" -"#,
        ),
    ]);
    let long = "m".repeat(1 << 20);
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{long}"}}"#);
    assert_eq!(shown(&text).len(), long.len() + r#"request 1 "" -"#.len());
}

#[test]
fn members_may_have_any_order_layout_and_neighbours() {
    check(&[
        (
            r#"{"params":{},"method":"m","id":1,"jsonrpc":"2.0"}"#,
            r#"request 1 "m" {}"#,
        ),
        (
            "\t{ \"jsonrpc\" : \"2.0\" ,\r\n \"method\" : \"m\" }\n",
            r#"notification "m" -"#,
        ),
        (
            r#"{"jsonrpc":"2.0","x":[{"id":9,"method":"n"}],"method":"m","":{}}"#,
            r#"notification "m" -"#,
        ),
        (
            r#"{"json\u0072pc":"2\u002e0","\u006dethod":"m"}"#,
            r#"notification "m" -"#,
        ),
        (
            r#"{"jsonrpc":"2.0","x":1,"x":2,"method":"m"}"#,
            r#"notification "m" -"#,
        ),
    ]);
}

#[test]
fn an_incomplete_error_object_is_still_decoded() {
    check_members(&[
        (r#""id":1,"error":{}"#, r#"failure 1 -32603 "" -"#),
        (
            r#""id":1,"error":{"code":"E","message":5}"#,
            r#"failure 1 -32603 "" -"#,
        ),
        (
            r#""id":1,"error":{"code":1000000000000}"#,
            r#"failure 1 -32603 "" -"#,
        ),
        (
            r#""id":1,"error":{"code":1.0,"message":null}"#,
            r#"failure 1 -32603 "" -"#,
        ),
        (
            r#""id":1,"error":{"code":7,"code":8,"data":null}"#,
            r#"failure 1 8 "" -"#,
        ),
        (
            r#""id":1,"error":{"message":"\u001b[2J","x":[]}"#,
            "failure 1 -32603 \"\\u{1b}[2J\" -",
        ),
    ]);
    let data = format!("[{}0]", "1,".repeat(100_000));
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"data":{data}}}}}"#);
    assert!(shown(&text).ends_with(&data));
}
