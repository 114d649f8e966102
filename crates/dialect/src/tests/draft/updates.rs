//! Updates: messages, plans, commands, modes and options.

use expect_test::{Expect, expect};

use super::*;

/// Checks that an update of the draft becomes this official update, and the same draft update again.
pub(super) fn check_update(
    conversation: &mut TranslatedConversation,
    kind: &str,
    data: &str,
    update: Expect,
) {
    let draft = format!(r#"{{"sessionId":"s","type":"{kind}","data":{data}}}"#);
    let (read, again) = conversation.pass("agent session/update", &draft);
    update.assert_eq(&shown(&value(&read)["update"]));
    assert_eq!(value(&again), value(&draft));
}

/// Checks the draft updates, as type and data, that an official update becomes.
pub(super) fn check_written_update(
    conversation: &mut TranslatedConversation,
    update: &str,
    draft: Expect,
) {
    let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
    let updates = conversation.written("client session/update", &params);
    let updates = updates.iter().map(|update| {
        let kind = update["type"].as_str().expect("a type");
        format!("{kind} {}", shown(&update["data"]))
    });
    draft.assert_eq(&updates.collect::<Vec<_>>().join("\n"));
}

#[test]
fn chunks() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "agent_message_chunk",
        r#"{"content": "I've analyzed", "index": 0, "final": false}"#,
        expect![[r#"
            {
              "content":{"type":"text","text":"I've analyzed"},
              "_meta":{"attache.dialect":{"index":0,"final":false}},
              "sessionUpdate":"agent_message_chunk"
            }"#]],
    );
    check_update(
        &mut conversation,
        "user_message_chunk",
        r#"{"content": "Please", "index": 0, "final": true}"#,
        expect![[r#"
            {
              "content":{"type":"text","text":"Please"},
              "_meta":{"attache.dialect":{"index":0,"final":true}},
              "sessionUpdate":"user_message_chunk"
            }"#]],
    );
    check_update(
        &mut conversation,
        "thought_message_chunk",
        r#"{"content": "I should", "index": 0, "visible": true}"#,
        expect![[r#"
            {
              "content":{"type":"text","text":"I should"},
              "_meta":{"attache.dialect":{"index":0,"visible":true}},
              "sessionUpdate":"agent_thought_chunk"
            }"#]],
    );
    check_update(
        &mut conversation,
        "agent_message_chunk",
        r#"{"content": "x", "_meta": {"a": 1}}"#,
        expect![[r#"
            {
              "content":{"type":"text","text":"x"},
              "_meta":{"a":1},
              "sessionUpdate":"agent_message_chunk"
            }"#]],
    );
}

#[test]
fn the_time_of_an_update_is_kept() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent session/update",
        r#"{
          "sessionId": "s",
          "type": "available_commands",
          "data": {"commands": []},
          "timestamp": "2026-02-04T10:30:00Z"
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "update":{"availableCommands":[],"sessionUpdate":"available_commands_update"},
              "_meta":{"attache.dialect":{"timestamp":"2026-02-04T10:30:00Z"}}
            }"#]],
    );
}

#[test]
fn chunks_that_are_not_text() {
    let mut conversation = TranslatedConversation::in_session();
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "agent_message_chunk",
          "messageId": "m",
          "content": {"type": "image", "data": "x", "mimeType": "image/png"}
        }"#,
        expect![[r#"agent_message_chunk {"messageId":"m","content":"[image image/png]"}"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "agent_thought_chunk",
          "content": {"type": "resource_link", "name": "n", "uri": "file:///a"}
        }"#,
        expect![[r#"thought_message_chunk {"content":"[n](file:///a)"}"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "agent_message_chunk",
          "content": {"type": "resource", "resource": {"uri": "file:///a", "text": "t"}}
        }"#,
        expect![[r#"agent_message_chunk {"content":"t"}"#]],
    );
}

#[test]
fn plans() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "plan",
        r#"{
          "planId": "plan_xyz",
          "steps": [
            {"id": "step_1", "description": "Read", "status": "completed"},
            {"id": "step_2", "description": "Refactor", "status": "in_progress"},
            {"id": "3", "description": "Rest", "status": "skipped"}
          ]
        }"#,
        expect![[r#"
            {
              "entries":[
                {
                  "content":"Read",
                  "status":"completed",
                  "priority":"medium",
                  "_meta":{"attache.dialect":{"id":"step_1"}}
                },
                {
                  "content":"Refactor",
                  "status":"in_progress",
                  "priority":"medium",
                  "_meta":{"attache.dialect":{"id":"step_2"}}
                },
                {
                  "content":"Rest",
                  "priority":"medium",
                  "_meta":{"attache.dialect":{"status":"skipped","id":"3"}},
                  "status":"pending"
                }
              ],
              "_meta":{"attache.dialect":{"planId":"plan_xyz"}},
              "sessionUpdate":"plan"
            }"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "plan",
          "entries": [
            {"content": "a", "priority": "high", "status": "pending"},
            {"content": "b", "priority": "medium", "status": "completed"}
          ]
        }"#,
        expect![[r#"
            plan {
              "steps":[
                {"description":"a","priority":"high","status":"pending","id":"step_1"},
                {"description":"b","status":"completed","id":"step_2"}
              ],
              "planId":"plan"
            }"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "plan_update",
          "plan": {
            "type": "items",
            "planId": "p",
            "entries": [{"content": "a", "priority": "low", "status": "pending"}]
          }
        }"#,
        expect![[r#"
            plan {
              "planId":"p",
              "steps":[{"description":"a","priority":"low","status":"pending","id":"step_1"}]
            }"#]],
    );
}

#[test]
fn commands() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "available_commands",
        r#"{"commands": [{"name": "help", "description": "Show available commands"}]}"#,
        expect![[r#"
            {
              "availableCommands":[{"name":"help","description":"Show available commands"}],
              "sessionUpdate":"available_commands_update"
            }"#]],
    );
}

#[test]
fn modes() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "current_mode_update",
        r#"{"previousMode": "default", "currentMode": "plan", "reason": "User requested it"}"#,
        expect![[r#"
            {
              "currentModeId":"plan",
              "_meta":{"attache.dialect":{"previousMode":"default","reason":"User requested it"}},
              "sessionUpdate":"current_mode_update"
            }"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{"sessionUpdate": "current_mode_update", "currentModeId": "code"}"#,
        expect![[r#"current_mode_update {"currentMode":"code","previousMode":"plan"}"#]],
    );
}

#[test]
fn an_option_that_changes_rebuilds_the_list() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "config_option_update",
        r#"{
          "key": "autoApprove",
          "previousValue": false,
          "currentValue": true,
          "source": "user"
        }"#,
        expect![[r#"
            {
              "configOptions":[{"id":"autoApprove","name":"autoApprove","type":"boolean","currentValue":true}],
              "_meta":{
                "attache.dialect":{"key":"autoApprove","previousValue":false,"currentValue":true,"source":"user"}
              },
              "sessionUpdate":"config_option_update"
            }"#]],
    );
    check_update(
        &mut conversation,
        "config_option_update",
        r#"{"key": "model", "currentValue": "large"}"#,
        expect![[r#"
            {
              "configOptions":[
                {"id":"autoApprove","name":"autoApprove","type":"boolean","currentValue":true},
                {
                  "id":"model",
                  "name":"model",
                  "type":"select",
                  "options":[{"value":"large","name":"large"}],
                  "currentValue":"large"
                }
              ],
              "_meta":{"attache.dialect":{"key":"model","currentValue":"large"}},
              "sessionUpdate":"config_option_update"
            }"#]],
    );
    check_update(
        &mut conversation,
        "config_option_update",
        r#"{"key": "model", "previousValue": "large", "currentValue": "small"}"#,
        expect![[r#"
            {
              "configOptions":[
                {"id":"autoApprove","name":"autoApprove","type":"boolean","currentValue":true},
                {
                  "id":"model",
                  "name":"model",
                  "type":"select",
                  "options":[{"value":"small","name":"small"}],
                  "currentValue":"small"
                }
              ],
              "_meta":{"attache.dialect":{"key":"model","previousValue":"large","currentValue":"small"}},
              "sessionUpdate":"config_option_update"
            }"#]],
    );
}

#[test]
fn a_list_of_options_is_an_update_for_every_change() {
    let mut conversation = TranslatedConversation::in_session();
    let update = |value| {
        let choices = r#"[{"value":"x","name":"X"},{"value":"y","name":"Y"}]"#;
        let model = format!(
            r#"{{"id":"m","name":"M","type":"select","currentValue":"{value}","options":{choices}}}"#
        );
        let switch = r#"{"id":"a","name":"A","type":"boolean","currentValue":true}"#;
        format!(r#"{{"sessionUpdate":"config_option_update","configOptions":[{switch},{model}]}}"#)
    };
    check_written_update(
        &mut conversation,
        &update("x"),
        expect![[r#"
        config_option_update {"key":"a","currentValue":true}
        config_option_update {"key":"m","currentValue":"x"}"#]],
    );
    check_written_update(
        &mut conversation,
        &update("y"),
        expect![[r#"config_option_update {"key":"m","previousValue":"x","currentValue":"y"}"#]],
    );
    check_written_update(&mut conversation, &update("y"), expect![]);
}

#[test]
fn updates_that_the_draft_does_not_have_keep_their_name() {
    let mut conversation = TranslatedConversation::in_session();
    check_written_update(
        &mut conversation,
        r#"{"sessionUpdate": "session_info_update", "title": "T"}"#,
        expect![[r#"session_info_update {"title":"T"}"#]],
    );
}
