//! Messages that mix a request with a response, and messages that are neither.

use super::check_members;

#[test]
fn a_request_that_is_also_a_response_is_malformed() {
    let both = "a message is either a request or a response";
    check_members(&[
        (
            r#""id":7,"method":"m","result":1"#,
            &format!("-32600 id 7: {both}"),
        ),
        (
            r#""id":7,"method":"m","error":{}"#,
            &format!("-32600 id 7: {both}"),
        ),
        (
            r#""method":"m","result":null"#,
            &format!("-32600 id -: {both}"),
        ),
    ]);
}

#[test]
fn an_invalid_response_is_malformed() {
    // Gets no response, and the call with that id fails.
    let both = "a response has either a result or an error";
    let neither = "neither method, result nor error";
    let no_object = "error: expected an object";
    check_members(&[
        (
            r#""id":7,"result":1,"error":{}"#,
            &format!("-32600 id 7 answer: {both}"),
        ),
        (
            r#""id":7,"result":false,"error":{"code":1}"#,
            &format!("-32600 id 7 answer: {both}"),
        ),
        (
            r#""id":7,"result":1,"error":"no""#,
            &format!("-32600 id 7 answer: {both}"),
        ),
        (r#""id":7"#, &format!("-32600 id 7 answer: {neither}")),
        (r#""id":null"#, &format!("-32600 id null answer: {neither}")),
        (
            r#""id":7,"error":null"#,
            &format!("-32600 id 7 answer: {neither}"),
        ),
        (
            r#""id":7,"error":"no""#,
            &format!("-32600 id 7 answer: {no_object}"),
        ),
        (
            r#""id":7,"error":[1]"#,
            &format!("-32600 id 7 answer: {no_object}"),
        ),
        (
            r#""id":7,"result":null,"error":false"#,
            &format!("-32600 id 7 answer: {no_object}"),
        ),
        (r#""result":1"#, "-32600 id - answer: neither method nor id"),
        (r#""error":{}"#, "-32600 id - answer: neither method nor id"),
        (
            r#""error":null"#,
            "-32600 id - answer: neither method nor id",
        ),
    ]);
}

#[test]
fn an_invalid_request_is_malformed() {
    check_members(&[
        (
            r#""id":7,"params":{}"#,
            "-32600 id 7: neither method, result nor error",
        ),
        (r#""params":{}"#, "-32600 id -: neither method nor id"),
        (r#""x":1"#, "-32600 id -: neither method nor id"),
    ]);
}

#[test]
fn result_or_error_may_be_null_beside_the_other() {
    check_members(&[
        (r#""id":7,"result":1,"error":null"#, "response 7 1"),
        (r#""error":null,"id":7,"result":null"#, "response 7 null"),
        (
            r#""id":7,"result":null,"error":{"code":1,"message":"no"}"#,
            r#"failure 7 1 "no" -"#,
        ),
        (
            r#""error":{},"result": null ,"id":7"#,
            r#"failure 7 -32603 "" -"#,
        ),
        (r#""id":7,"method":"m","error":null"#, r#"request 7 "m" -"#),
    ]);
}

#[test]
fn a_repeated_null_member_is_malformed() {
    let twice = "a member of the message occurs twice";
    check_members(&[
        (
            r#""id":7,"result":1,"error":null,"error":null"#,
            &format!("-32600 id 7 answer: {twice}"),
        ),
        (
            r#""id":7,"error":{},"error":null"#,
            &format!("-32600 id 7 answer: {twice}"),
        ),
        (
            r#""id":7,"error":null,"error":{}"#,
            &format!("-32600 id 7 answer: {twice}"),
        ),
        (
            r#""id":7,"result":null,"result":1"#,
            &format!("-32600 id 7 answer: {twice}"),
        ),
    ]);
}

#[test]
fn a_malformed_notification_is_distinguished_from_a_malformed_request() {
    let id = "id: expected a number, a string or null, not too long";
    let method = "method: expected a string";
    check_members(&[
        (
            r#""method":"m","params":1"#,
            "-32600 id - notification: params: expected an object or an array",
        ),
        (
            r#""method":"m","params":[],"params":[]"#,
            "-32600 id - notification: a member of the message occurs twice",
        ),
        // The sender may be waiting, but the id is unknown.
        (r#""id":[],"method":"m""#, &format!("-32600 id -: {id}")),
        // Without a method the kind of message is unknown.
        (r#""method":1"#, &format!("-32600 id -: {method}")),
        (
            r#""method":null,"params":{}"#,
            &format!("-32600 id -: {method}"),
        ),
    ]);
}
