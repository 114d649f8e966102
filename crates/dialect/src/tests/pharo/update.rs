//! Updates and content.

use crate::{Call, CallTranslator, Dialect, Role};

use super::{agent, check, check_update, client, of_session};

#[test]
fn messages() {
    check_update(
        r#"{"type":"message","role":"agent","content":[{"type":"text","text":"Hi"}]}"#,
        r#"{"sessionUpdate":"agent_message_chunk","messageId":"attache-pharo-1",
            "content":{"type":"text","text":"Hi"}}"#,
    );
    check_update(
        r#"{"type":"message","role":"user","messageId":"theirs","content":[{"type":"text","text":"Hi"}]}"#,
        r#"{"sessionUpdate":"user_message_chunk","messageId":"theirs","content":{"type":"text","text":"Hi"}}"#,
    );
    check_update(
        r#"{"type":"message","role":"narrator","content":[{"type":"text","text":"Hi"}]}"#,
        r#"{"sessionUpdate":"agent_message_chunk","messageId":"attache-pharo-1",
            "content":{"type":"text","text":"Hi"},"_meta":{"attache.dialect":{"role":"narrator"}}}"#,
    );
}

#[test]
fn other_members_of_a_message_go_with_its_first_block_only() {
    agent().reads_as(
        "session/update",
        &of_session(
            r#"{"type":"message","role":"agent","messageId":"m","big":[1,2,3],
                "content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
        ),
        &[
            &of_session(
                r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","big":[1,2,3],
                    "content":{"type":"text","text":"a"}}"#,
            ),
            &of_session(
                r#"{"sessionUpdate":"agent_message_chunk","messageId":"m",
                    "content":{"type":"text","text":"b"}}"#,
            ),
        ],
    );
}

#[test]
fn a_message_of_too_many_blocks_is_rejected() {
    let blocks = vec![r#"{"type":"text","text":""}"#; 1001].join(",");
    let update = format!(r#"{{"type":"message","role":"agent","content":[{blocks}]}}"#);
    let params = of_session(&update);
    let mut translator = CallTranslator::new(Dialect::Pharo, Role::Agent);
    let refusal = translator.read_call(Call::notification("session/update", Some(&params)));
    assert!(refusal.is_err_and(|error| error.message.contains("more parts")));
}

#[test]
fn a_message_becomes_one_chunk_per_block_with_its_own_id() {
    let chunk = |id: u8, text: &str| {
        of_session(&format!(
            r#"{{"sessionUpdate":"agent_message_chunk","messageId":"attache-pharo-{id}",
                "content":{{"type":"text","text":"{text}"}}}}"#
        ))
    };
    agent()
        .reads_as(
            "session/update",
            &of_session(
                r#"{"type":"message","role":"agent",
                    "content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            ),
            &[&chunk(1, "a"), &chunk(1, "b")],
        )
        .reads_as(
            "session/update",
            &of_session(r#"{"type":"message","role":"agent","content":[]}"#),
            &[],
        )
        .reads(
            "session/update",
            &of_session(r#"{"type":"message","role":"agent","content":"plain"}"#),
            &chunk(3, "plain"),
        );
}

#[test]
fn tool_calls() {
    check_update(
        r#"{"type":"tool_call","toolCallId":"t","title":"Read a","kind":"read","status":"pending",
            "location":{"path":"/a","line":10},"content":[]}"#,
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read a","kind":"read","status":"pending",
            "locations":[{"path":"/a","line":10}],"content":[]}"#,
    );
    check_update(
        r#"{"type":"tool_call_update","toolCallId":"t","status":"completed","content":[
            {"type":"text","text":"done","annotations":{"title":"x"}},
            {"type":"diff","path":"/a","oldText":"","newText":"b","mimeType":"text/plain"},
            {"type":"terminal","terminalId":"t1","command":"npm test","exitCode":0}]}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[
            {"type":"content","content":{"type":"text","text":"done",
                "annotations":{"_meta":{"attache.dialect":{"title":"x"}}}}},
            {"type":"diff","path":"/a","oldText":"","newText":"b",
                "_meta":{"attache.dialect":{"mimeType":"text/plain"}}},
            {"type":"terminal","terminalId":"t1",
                "_meta":{"attache.dialect":{"command":"npm test","exitCode":0}}}]}"#,
    );
    check_update(
        r#"{"type":"tool_call_update","toolCallId":"t","location":null,"content":null}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","locations":null,"content":null}"#,
    );
    client().writes(
        "session/update",
        &of_session(
            r#"{"type":"tool_call","toolCallId":"t","title":"Go","kind":"other","rawInput":{"a":1},
                "location":{"path":"/a"},"content":[{"type":"diff","path":"/n","oldText":"","newText":"n"}]}"#,
        ),
        &of_session(
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Go","kind":"switch_mode","rawInput":{"a":1},
                "locations":[{"path":"/a"},{"path":"/b"}],"content":[{"type":"diff","path":"/n","newText":"n"}]}"#,
        ),
    );
}

#[test]
fn other_updates_change_only_their_tag() {
    check_update(
        r#"{"type":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}"#,
        r#"{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}"#,
    );
    check_update(
        r#"{"type":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}"#,
        r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}"#,
    );
    check_update(
        r#"{"type":"current_mode_update","modeId":"code"}"#,
        r#"{"sessionUpdate":"current_mode_update","currentModeId":"code"}"#,
    );
    check_update(
        r#"{"type":"agent_thought_chunk","content":{"type":"text","text":"hm","annotations":{"priority":"high"}}}"#,
        r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm",
            "annotations":{"_meta":{"attache.dialect":{"priority":"high"}}}}}"#,
    );
    agent().reads(
        "session/update",
        &of_session(r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#),
        &of_session(r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#),
    );
}

#[test]
fn annotations() {
    check(
        "session/prompt",
        r#"{"sessionId":"s","prompt":[{"type":"text","text":"a",
            "annotations":{"title":"Warning","priority":"high","_custom":"x","audience":["user"]}}]}"#,
        r#"{"sessionId":"s","prompt":[{"type":"text","text":"a","annotations":{"audience":["user"],
            "_meta":{"attache.dialect":{"title":"Warning","priority":"high","_custom":"x"}}}}]}"#,
    );
}
