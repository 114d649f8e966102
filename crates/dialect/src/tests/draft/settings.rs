//! Modes and options.

use expect_test::expect;

use super::*;

#[test]
fn modes() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/set_mode",
        r#"{"sessionId": "s", "mode": "plan"}"#,
        expect![[r#"{"sessionId":"s","modeId":"plan"}"#]],
    );
    check(
        &mut conversation,
        "agent= session/set_mode",
        r#"{"previousMode": "default", "currentMode": "plan"}"#,
        expect![[
            r#"{"_meta":{"attache.dialect":{"previousMode":"default","currentMode":"plan"}}}"#
        ]],
    );
    conversation.pass(
        "client session/set_mode",
        r#"{"sessionId": "s", "mode": "code"}"#,
    );
    check_written(
        &mut conversation,
        "client= session/set_mode",
        r#"{}"#,
        expect![[r#"{"previousMode":"plan","currentMode":"code"}"#]],
    );
}

#[test]
fn options() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "model", "value": "large"}"#,
        expect![[r#"{"sessionId":"s","configId":"model","value":"large"}"#]],
    );
    check(
        &mut conversation,
        "agent= session/set_config_option",
        r#"{"key": "model", "currentValue": "large"}"#,
        expect![[r#"
            {
              "configOptions":[
                {
                  "id":"model",
                  "name":"model",
                  "type":"select",
                  "options":[{"value":"large","name":"large"}],
                  "currentValue":"large"
                }
              ],
              "_meta":{"attache.dialect":{"key":"model","currentValue":"large"}}
            }"#]],
    );
    check(
        &mut conversation,
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "autoApprove", "value": true}"#,
        expect![[r#"{"sessionId":"s","configId":"autoApprove","value":true,"type":"boolean"}"#]],
    );
    check(
        &mut conversation,
        "agent= session/set_config_option",
        r#"{"key": "autoApprove", "previousValue": false, "currentValue": true}"#,
        expect![[r#"
            {
              "configOptions":[
                {
                  "id":"model",
                  "name":"model",
                  "type":"select",
                  "options":[{"value":"large","name":"large"}],
                  "currentValue":"large"
                },
                {"id":"autoApprove","name":"autoApprove","type":"boolean","currentValue":true}
              ],
              "_meta":{
                "attache.dialect":{"key":"autoApprove","previousValue":false,"currentValue":true}
              }
            }"#]],
    );
}

#[test]
fn options_that_are_neither_boolean_nor_select() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "maxTokens", "value": 4096}"#,
        expect![[r#"
            {
              "sessionId":"s",
              "configId":"maxTokens",
              "value":"4096",
              "_meta":{"attache.dialect":{"value":4096}}
            }"#]],
    );
    check(
        &mut conversation,
        "agent= session/set_config_option",
        r#"{"key": "maxTokens", "previousValue": 1024, "currentValue": 4096}"#,
        expect![[r#"
            {
              "configOptions":[],
              "_meta":{"attache.dialect":{"key":"maxTokens","previousValue":1024,"currentValue":4096}}
            }"#]],
    );
}

#[test]
fn a_changed_value_overrides_the_kept_one() {
    let mut conversation = TranslatedConversation::in_session();
    let update = r#"{"sessionId":"s","type":"config_option_update","data":{"key":"model","currentValue":"large"}}"#;
    let (official, _) = conversation.pass("agent session/update", update);
    let mut official = value(&official);
    official["update"]["configOptions"][0]["currentValue"] = "small".into();
    check_written(
        &mut conversation,
        "client session/update",
        &official.to_string(),
        expect![[r#"
            {
              "sessionId":"s",
              "type":"config_option_update",
              "data":{"key":"model","previousValue":"large","currentValue":"small"}
            }"#]],
    );
    conversation.pass(
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "model", "value": "tiny"}"#,
    );
    let set = r#"{"configOptions":[{"id":"model","name":"m","type":"select","currentValue":"medium",
        "options":[{"value":"medium","name":"m"}]}],
        "_meta":{"attache.dialect":{"key":"model","currentValue":"tiny"}}}"#;
    check_written(
        &mut conversation,
        "client= session/set_config_option",
        set,
        expect![[r#"{"key":"model","previousValue":"small","currentValue":"medium"}"#]],
    );
}

#[test]
fn options_for_a_draft_client() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass(
        "agent session/update",
        r#"{
          "sessionId": "s",
          "type": "config_option_update",
          "data": {"key": "model", "currentValue": "large"}
        }"#,
    );
    conversation.pass(
        "client session/set_config_option",
        r#"{"sessionId": "s", "key": "model", "value": "small"}"#,
    );
    check_written(
        &mut conversation,
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
        expect![[r#"{"key":"model","previousValue":"large","currentValue":"small"}"#]],
    );
}
