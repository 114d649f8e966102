//! Modes and options.

use expect_test::expect;

use super::*;

#[test]
fn modes() {
    let mut talk = Talk::in_session();
    check(&mut talk, "client session/set_mode", r#"{"sessionId": "s", "mode": "plan"}"#, expect![]);
    check(
        &mut talk,
        "agent= session/set_mode",
        r#"{"previousMode": "default", "currentMode": "plan"}"#,
        expect![],
    );
    talk.pass("client session/set_mode", r#"{"sessionId": "s", "mode": "code"}"#);
    check_written(&mut talk, "client= session/set_mode", r#"{}"#, expect![]);
}

#[test]
fn options() {
    let mut talk = Talk::in_session();
    check(
        &mut talk,
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "model", "value": "large"}"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= session/set_config_option",
        r#"{"key": "model", "currentValue": "large"}"#,
        expect![],
    );
    check(
        &mut talk,
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "autoApprove", "value": true}"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= session/set_config_option",
        r#"{"key": "autoApprove", "previousValue": false, "currentValue": true}"#,
        expect![],
    );
}

#[test]
fn options_that_are_neither_switch_nor_choice() {
    let mut talk = Talk::in_session();
    check(
        &mut talk,
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "maxTokens", "value": 4096}"#,
        expect![],
    );
    check(
        &mut talk,
        "agent= session/set_config_option",
        r#"{"key": "maxTokens", "previousValue": 1024, "currentValue": 4096}"#,
        expect![],
    );
}

#[test]
fn options_for_a_draft_client() {
    let mut talk = Talk::in_session();
    talk.pass(
        "agent session/update",
        r#"{
          "sessionId": "s",
          "type": "config_option_update",
          "data": {"key": "model", "currentValue": "large"}
        }"#,
    );
    talk.pass(
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "model", "value": "small"}"#,
    );
    check_written(
        &mut talk,
        "client= session/set_config_option",
        r#"{
          "configOptions": [
            {
              "id": "model",
              "name": "Model",
              "type": "select",
              "currentValue": "small",
              "options": [{"value": "small", "name": "Small"}]
            }
          ]
        }"#,
        expect![],
    );
}
