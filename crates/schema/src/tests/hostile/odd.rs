//! Odd input with a definite meaning.

use agent_client_protocol_schema::v1 as official;

use crate::call::ClientRequest;
use crate::json;
use crate::v1;

#[test]
fn a_config_value_with_a_non_string_type_is_read_by_its_value() {
    for kind in ["5", "null", "[\"boolean\"]", "{\"value\":\"other\"}"] {
        let text = format!(r#"{{"sessionId":"s","configId":"c","type":{kind},"value":"x"}}"#);
        assert!(serde_json::from_str::<official::SetSessionConfigOptionRequest>(&text).is_ok());
        let ours = json::from_str(&text);
        assert_eq!(
            ours,
            Ok(v1::SetSessionConfigOptionRequest::new("s", "c", "x")),
            "{text}"
        );
    }
}

/// A peer that uses the first of two tags and a peer that uses the last would read different messages from the same
/// bytes.
#[test]
fn an_object_with_two_tags_is_rejected() {
    let outcomes = [
        r#"{"outcome":"cancelled","outcome":"selected","optionId":"o"}"#,
        r#"{"outcome":"selected","outcome":"cancelled","optionId":"o"}"#,
        r#"{"outcome":"selected","optionId":"o","outcome":"selected"}"#,
        r#"{"optionId":"o","outcome":"selected","outcome":"cancelled"}"#,
        r#"{"outcome":"selected","optionId":"o","\u006futcome":"cancelled"}"#,
        r#"{"outcome":"unknown","outcome":"cancelled"}"#,
        r#"{"outcome":"cancelled","outcome":null}"#,
        r#"{"outcome":"selected","optionId":"o","outcome":0}"#,
    ];
    for outcome in outcomes {
        let text = format!(r#"{{"outcome":{outcome}}}"#);
        let error = json::from_str::<v1::RequestPermissionResponse>(&text).expect_err(outcome);
        let reason = error.to_string();
        assert!(
            reason.starts_with("outcome.outcome: "),
            "{outcome}: {reason}"
        );
        assert!(serde_json::from_str::<official::RequestPermissionResponse>(&text).is_err());
    }
    let login = r#"{"type":"agent","id":"i","name":"n","type":"terminal"}"#;
    assert!(json::from_str::<v1::AuthMethod>(login).is_err());
    let action = r#"{"action":"later","action":"accept"}"#;
    assert!(json::from_str::<v1::CreateElicitationResponse>(action).is_err());
}

#[test]
fn an_item_with_two_tags_is_skipped() {
    let text = r#"{"toolCallId":"t","title":"","content":[
        {"type":"terminal","terminalId":"1"},
        {"type":"terminal","terminalId":"2","type":"diff"}
    ]}"#;
    let call: v1::ToolCall = json::from_str(text).expect("a tool call");
    assert_eq!(call.content.len(), 1);
}

#[test]
fn other_members_may_occur_twice_and_the_last_counts() {
    let text = r#"{"type":"text","text":"a","text":"b","_meta":{"x":1},"_meta":{"y":2}}"#;
    let block: v1::ContentBlock = json::from_str(text).expect("a block");
    assert_eq!(
        json::to_string(&block),
        r#"{"type":"text","text":"b","_meta":{"y":2}}"#
    );
}

#[test]
fn absent_params_have_four_forms() {
    for method in ["logout", "auth/status", "session/list", "providers/list"] {
        let none = ClientRequest::decode(method, None).expect("no parameters");
        for params in ["null", "{}", "[]", "[ ]"] {
            let same = ClientRequest::decode(method, Some(params));
            assert_eq!(same.as_ref(), Ok(&none), "{method} {params}");
        }
        for params in ["[1]", "[[]]", "0", "\"\"", "[", "[]]"] {
            assert!(
                ClientRequest::decode(method, Some(params)).is_err(),
                "{method} {params}"
            );
        }
    }
}

#[test]
fn an_empty_list_is_not_valid_for_required_params() {
    for method in ["initialize", "session/new", "session/prompt"] {
        for params in [None, Some("[]"), Some("null"), Some("{}"), Some("[{}]")] {
            let error = ClientRequest::decode(method, params).expect_err("members are missing");
            assert_eq!(
                error.code,
                attache_rpc::Error::INVALID_PARAMS,
                "{method} {params:?}"
            );
        }
    }
}

#[test]
fn integers_outside_their_type_are_rejected() {
    let cases = [
        ("0", true),
        ("4294967295", true),
        ("4294967296", false),
        ("-1", false),
        ("1.0", false),
        ("1e2", false),
        ("1e400", false),
        ("\"1\"", false),
    ];
    for (number, fits) in cases {
        let text = format!(r#"{{"sessionId":"s","path":"/a","line":{number}}}"#);
        assert_eq!(
            json::from_str::<v1::ReadTextFileRequest>(&text).is_ok(),
            fits,
            "{number}"
        );
        // Lenient members count as absent instead.
        let text = format!(r#"{{"path":"/a","line":{number}}}"#);
        let location: v1::ToolCallLocation = json::from_str(&text).expect("a location");
        assert_eq!(location.line.is_some(), fits, "{number}");
    }
}
