//! The errors we send, as encoded.

use attache_rpc::Error;
use expect_test::{Expect, expect};

use crate::call::ClientRequest;
use crate::error;
use crate::json::{self, Raw};
use crate::v1;

fn check(error: &Error, expect: Expect) {
    expect.assert_eq(&json::to_string(error));
}

#[test]
fn invalid_params_name_the_path_and_the_expected_type() {
    let params = Some(r#"{"sessionId":"s","prompt":[{"type":"text","text":5}]}"#);
    check(
        &ClientRequest::decode("session/prompt", params).unwrap_err(),
        expect![[
            r#"{"code":-32602,"message":"Invalid params: params.prompt[0].text: expected a string, found a number","data":{"kind":"wrong_type","path":"params.prompt[0].text"}}"#
        ]],
    );
    check(
        &ClientRequest::decode("session/new", None).unwrap_err(),
        expect![[
            r#"{"code":-32602,"message":"Invalid params: params: expected an object, found null","data":{"kind":"wrong_type","path":"params"}}"#
        ]],
    );
    check(
        &ClientRequest::decode("session/new", Some(r#"{"cwd":"/p"}"#)).unwrap_err(),
        expect![[
            r#"{"code":-32602,"message":"Invalid params: params.mcpServers: missing","data":{"kind":"missing","path":"params.mcpServers"}}"#
        ]],
    );
}

#[test]
fn an_unknown_method_is_named_and_cut() {
    check(
        &ClientRequest::decode("nope/nope", None).unwrap_err(),
        expect![[r#"{"code":-32601,"message":"Method not found","data":{"method":"nope/nope"}}"#]],
    );
    let long = ClientRequest::decode(&"x".repeat(5000), None).unwrap_err();
    assert!(json::to_string(&long).len() < 300);
}

#[test]
fn a_parse_error_names_its_position() {
    let fault = Raw::parse(r#"{"a":1,}"#).unwrap_err();
    check(
        &error::parse_error(&fault),
        expect![[
            r#"{"code":-32700,"message":"Parse error: not JSON: a member's name must be a string","data":{"kind":"not_json","offset":7}}"#
        ]],
    );
}

#[test]
fn the_other_errors() {
    check(
        &error::unusable_params("no such mode"),
        expect![[
            r#"{"code":-32602,"message":"Invalid params: no such mode","data":{"kind":"unusable"}}"#
        ]],
    );
    check(
        &error::invalid_request("not_initialized", "call initialize first"),
        expect![[
            r#"{"code":-32600,"message":"Invalid request: call initialize first","data":{"kind":"not_initialized"}}"#
        ]],
    );
    check(
        &error::internal("the model did not answer"),
        expect![[
            r#"{"code":-32603,"message":"Internal error: the model did not answer","data":{"kind":"internal"}}"#
        ]],
    );
    check(
        &error::cancelled(),
        expect![[r#"{"code":-32800,"message":"Request cancelled"}"#]],
    );
    check(
        &error::auth_required(),
        expect![[r#"{"code":-32000,"message":"Authentication required"}"#]],
    );
    check(
        &error::session_not_found(&"s1".into()),
        expect![[r#"{"code":-32002,"message":"Resource not found","data":{"sessionId":"s1"}}"#]],
    );
    check(
        &error::resource_not_found("file:///p/a"),
        expect![[r#"{"code":-32002,"message":"Resource not found","data":{"uri":"file:///p/a"}}"#]],
    );
}

#[test]
fn a_long_id_or_uri_is_cut() {
    let long = "\u{e9}".repeat(100_000);
    for error in [
        error::session_not_found(&long.as_str().into()),
        error::resource_not_found(&long),
    ] {
        let data = error.data.expect("data");
        assert_eq!(
            data.as_str().chars().filter(|c| *c == '\u{e9}').count(),
            1024
        );
    }
}

#[test]
fn an_aborted_turn_ends_as_cancelled_without_an_error() {
    let failed = Err(error::internal("aborted"));
    let outcome = error::prompt_outcome(failed);
    assert_eq!(outcome.stop_reason, v1::StopReason::Cancelled);
    let ended = Ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
    let outcome = error::prompt_outcome(ended);
    assert_eq!(outcome.stop_reason, v1::StopReason::EndTurn);
}

#[test]
fn deleting_a_missing_session_counts_as_success() {
    type Answer = Result<v1::DeleteSessionResponse, Error>;
    let gone: Answer = Err(error::session_not_found(&"s1".into()));
    assert!(error::removal_outcome(gone).is_ok());
    let failed: Answer = Err(error::internal("disk full"));
    assert!(error::removal_outcome(failed).is_err());
}
