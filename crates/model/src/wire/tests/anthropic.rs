use expect_test::{Expect, expect};

use super::*;

fn check(frames: &[&str], expect: Expect) {
    expect.assert_eq(&read(WireFormat::Messages, frames));
}

fn check_thinking(model: &str, thought: ThinkingLevel, expect: Expect) {
    let request = Request {
        thought,
        messages: vec![Arc::new(Message::User(vec![Input::Text("Hi".to_owned())]))],
        ..Request::default()
    };
    let body = body(WireFormat::Messages, model, &info(model), &request);
    expect.assert_eq(&format!("{} {}", body["thinking"], body["output_config"]));
}

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1}}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

#[test]
fn a_whole_conversation_is_sent() {
    let model = "claude-sonnet-5-5";
    check_body(
        WireFormat::Messages,
        model,
        &conversation(model),
        &expect![[r#"
            model: "claude-sonnet-5-5"
            max_tokens: 64000
            stream: true
            thinking: {"type":"adaptive","display":"summarized"}
            output_config: {"effort":"medium"}
            system: [{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}]
            tools: [{"name":"read","description":"Reads a file","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}]
            {"role":"user"}
              {"type":"text","text":"What is in this picture?"}
              {"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}
              {"type":"text","text":"(a sound, audio/mpeg, that this model cannot hear)"}
            {"role":"assistant"}
              {"type":"thinking","thinking":"A look.","signature":"c2ln"}
              {"type":"redacted_thinking","data":"ZGF0YQ=="}
              {"type":"text","text":"A cat."}
            {"role":"user"}
              {"type":"text","text":"Find its name.","cache_control":{"type":"ephemeral"}}
            {"role":"assistant"}
              {"type":"tool_use","id":"call_1","name":"read","input":{"path":"cat.txt"}}
              {"type":"tool_use","id":"call_2","name":"read","input":{"malformed":"{\"path\": "}}
            {"role":"user"}
              {"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"Tom"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]}
              {"type":"tool_result","tool_use_id":"call_2","content":[{"type":"text","text":"the input is not JSON"}],"is_error":true}
              {"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}
        "#]],
    );
}

#[test]
fn each_generation_is_told_in_its_way_how_much_to_think() {
    check_thinking("claude-haiku-4-5", ThinkingLevel::Off, expect!["null null"]);
    check_thinking(
        "claude-haiku-4-5",
        ThinkingLevel::High,
        expect![[r#"{"type":"enabled","budget_tokens":24576} null"#]],
    );
    check_thinking(
        "claude-sonnet-4-6",
        ThinkingLevel::Off,
        expect!["null null"],
    );
    check_thinking(
        "claude-sonnet-4-6",
        ThinkingLevel::Low,
        expect![[r#"{"type":"adaptive","display":"summarized"} {"effort":"low"}"#]],
    );
    check_thinking(
        "claude-opus-5",
        ThinkingLevel::Off,
        expect![[r#"{"type":"disabled"} null"#]],
    );
    check_thinking(
        "claude-opus-5-5",
        ThinkingLevel::Off,
        expect![[r#"{"type":"adaptive","display":"summarized"} {"effort":"low"}"#]],
    );
    check_thinking(
        "claude-opus-5-5",
        ThinkingLevel::High,
        expect![[r#"{"type":"adaptive","display":"summarized"} {"effort":"high"}"#]],
    );
    check_thinking("unknown", ThinkingLevel::High, expect!["null null"]);
}

#[test]
fn a_budget_is_not_asked_for_in_the_middle_of_calls_that_were_not_thought_about() {
    let model = "claude-haiku-4-5";
    let mut request = conversation(model);
    let middle = body(WireFormat::Messages, model, &info(model), &request);
    assert_eq!(middle["thinking"], serde_json::Value::Null);
    request.messages.truncate(3);
    let start = body(WireFormat::Messages, model, &info(model), &request);
    assert_eq!(start["thinking"]["type"], "enabled");
}

#[test]
fn without_instructions_the_last_tool_is_marked() {
    let request = Request {
        tools: [tool()].into(),
        ..Request::default()
    };
    let body = body(WireFormat::Messages, "m", &info("m"), &request);
    assert_eq!(body["tools"][0]["cache_control"]["type"], "ephemeral");
    assert_eq!(body.get("system"), None);
}

#[test]
fn text_and_usage() {
    check(
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}"#,
            STOP,
        ],
        expect![[r#"
            Usage(Usage { input: 10, output: 1, thought: 0, cache_read: 7, cache_write: 3 })
            Text("Hel")
            Text("lo")
            Usage(Usage { input: 10, output: 12, thought: 0, cache_read: 7, cache_write: 3 })
            End(Done)
        "#]],
    );
}

#[test]
fn thoughts_are_sealed_by_whom_they_are_of() {
    check(
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"QB"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"c2Vj"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            STOP,
        ],
        expect![[r#"
            Thought("Hm.")
            ThoughtSignature("m signed EqQB")
            ThoughtSignature("m hidden c2Vj")
            End(Done)
        "#]],
    );
}

#[test]
fn calls_in_parallel_malformed_and_without_input() {
    check(
        &[
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_2","name":"list","input":{}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a"}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"b\""}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
            STOP,
        ],
        expect![[r#"
            CallStarted { id: "toolu_1", name: "read" }
            CallStarted { id: "toolu_2", name: "list" }
            Call(ToolCall { id: "toolu_2", name: "list", input: "{}" })
            Call(ToolCall { id: "toolu_1", name: "read", input: "{\"path\": \"ab\"" })
            End(Tools)
        "#]],
    );
}

#[test]
fn how_an_answer_ends() {
    for (reason, expect) in [
        (
            "max_tokens",
            expect![[r#"
            End(Length)
        "#]],
        ),
        (
            "model_context_window_exceeded",
            expect![[r#"
            End(Length)
        "#]],
        ),
        (
            "refusal",
            expect![[r#"
            End(Refusal)
        "#]],
        ),
        (
            "pause_turn",
            expect![[r#"
            End(Done)
        "#]],
        ),
    ] {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        check(&[&delta, STOP], expect);
    }
}

#[test]
fn an_error_in_the_stream() {
    let frame = |kind: &str, message: &str| {
        format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#)
    };
    check(
        &[START, &frame("overloaded_error", "Overloaded")],
        expect![[r#"
            Usage(Usage { input: 10, output: 1, thought: 0, cache_read: 7, cache_write: 3 })
            Temporary { reason: "Overloaded", wait: None }
        "#]],
    );
    check(
        &[&frame("invalid_request_error", "prompt is too long: 9 > 8")],
        expect![[r#"
            TooLong
        "#]],
    );
    check(
        &[&frame("invalid_request_error", "no")],
        expect![[r#"
        Final("no")
    "#]],
    );
    check(
        &[&frame("authentication_error", "invalid x-api-key")],
        expect![[r#"
            Key
        "#]],
    );
}

#[test]
fn a_stream_that_breaks_off_or_is_garbled() {
    check(
        &[START],
        expect![[r#"
        Usage(Usage { input: 10, output: 1, thought: 0, cache_read: 7, cache_write: 3 })
        Temporary { reason: "the stream ended in the middle of the response", wait: None }
    "#]],
    );
    check(
        &["{"],
        expect![[r#"
        Temporary { reason: "the stream contains an event that is not JSON", wait: None }
    "#]],
    );
    check(
        &[
            r#"{"type":"something_new"}"#,
            r#"{"type":"content_block_delta","index":9,"delta":{}}"#,
            "7",
            STOP,
        ],
        expect![[r#"
            End(Done)
        "#]],
    );
}
