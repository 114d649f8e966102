use expect_test::{Expect, expect};

use super::*;

fn check(frames: &[&str], expect: Expect) {
    expect.assert_eq(&read(WireFormat::Chat, frames));
}

fn delta(delta: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

fn finish(reason: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
}

const DONE: &str = "[DONE]";

#[test]
fn a_whole_conversation_is_sent() {
    let model = "deepseek-reasoner";
    let mut request = conversation(model);
    request.max_output = Some(1_000);
    check_body(
        WireFormat::Chat,
        model,
        &request,
        &expect![[r#"
            model: "deepseek-reasoner"
            stream: true
            stream_options: {"include_usage":true}
            max_tokens: 1000
            tools: [{"type":"function","function":{"name":"read","description":"Reads a file","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]
            {"role":"system"}
              "Be brief."
            {"role":"user"}
              {"type":"text","text":"What is in this picture?"}
              {"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}
              {"type":"input_audio","input_audio":{"data":"bXAz","format":"mp3"}}
            {"role":"assistant"}
              "A cat."
            {"role":"user"}
              "Find its name."
            {"role":"assistant","tool_calls":[{"id":"call:1","type":"function","function":{"name":"read","arguments":"{\"path\":\"cat.txt\"}"}},{"id":"call_2","type":"function","function":{"name":"read","arguments":"{\"malformed\":\"{\\\"path\\\": \"}"}}]}
              " "
            {"role":"tool","tool_call_id":"call:1"}
              "Tom\n(attachment 1 below)"
            {"role":"tool","tool_call_id":"call_2"}
              "The tool failed.\nthe input is not JSON"
            {"role":"user"}
              {"type":"text","text":"Attachment 1 of the results above:"}
              {"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}
            {"role":"user"}
              "Go on."
        "#]],
    );
}

#[test]
fn reasoning_is_given_back_as_long_as_its_turn_lasts() {
    let model = "deepseek-reasoner";
    let mut request = conversation(model);
    request.messages.pop();
    let body = body(WireFormat::Chat, model, &info(model), &request);
    assert_eq!(body["messages"][4]["reasoning_content"], "Where?");
}

#[test]
fn what_a_model_cannot_take_in_is_told_in_words() {
    let request = Request {
        messages: vec![Arc::new(Message::User(vec![picture(), sound()]))],
        ..Request::default()
    };
    let info = ModelInfo {
        images: false,
        audio: false,
        ..info("m")
    };
    let body = body(WireFormat::Chat, "m", &info, &request);
    expect![[r#"[{"type":"text","text":"(a picture, image/png, that this model cannot see)"},{"type":"text","text":"(a sound, audio/mpeg, that this model cannot hear)"}]"#]].assert_eq(&body["messages"][0]["content"].to_string());
}

#[test]
fn how_much_to_think_depends_on_the_model_and_on_tools() {
    let effort = |model: &str, thought, tools: &[ToolSpec]| {
        let request = Request {
            thought,
            tools: tools.into(),
            max_output: Some(10),
            ..Request::default()
        };
        let body = body(WireFormat::Chat, model, &info(model), &request);
        let limit = body
            .get("max_tokens")
            .map_or("max_completion_tokens", |_| "max_tokens");
        format!("{} {limit}", body["reasoning_effort"])
    };
    let tools = [tool()];
    expect![[r#""none" max_completion_tokens"#]].assert_eq(&effort(
        "gpt-6-sol",
        ThinkingLevel::High,
        &tools,
    ));
    expect![[r#""high" max_completion_tokens"#]].assert_eq(&effort(
        "gpt-6-sol",
        ThinkingLevel::High,
        &[],
    ));
    expect![[r#""high" max_completion_tokens"#]].assert_eq(&effort(
        "gpt-5.1",
        ThinkingLevel::High,
        &tools,
    ));
    expect![[r#""none" max_completion_tokens"#]].assert_eq(&effort(
        "gpt-5.1",
        ThinkingLevel::Off,
        &tools,
    ));
    expect![[r#""low" max_completion_tokens"#]].assert_eq(&effort(
        "o4-mini",
        ThinkingLevel::Off,
        &tools,
    ));
    expect![[r#""medium" max_tokens"#]].assert_eq(&effort(
        "gpt-oss:20b",
        ThinkingLevel::Medium,
        &tools,
    ));
    expect!["null max_tokens"].assert_eq(&effort("gpt-4.1", ThinkingLevel::High, &tools));
}

#[test]
fn text_and_usage() {
    check(
        &[
            &delta(r#"{"role":"assistant","content":""}"#),
            &delta(r#"{"content":"Hel"}"#),
            &delta(r#"{"content":[{"type":"text","text":"lo"}]}"#),
            &finish("stop"),
            r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":5}}}"#,
            DONE,
        ],
        expect![[r#"
            Text("Hel")
            Text("lo")
            Usage(Usage { input: 40, output: 20, thought: 5, cache_read: 60, cache_write: 0 })
            End(Done)
        "#]],
    );
}

#[test]
fn reasoning_of_compatible_servers() {
    check(
        &[
            &delta(r#"{"reasoning_content":"Hm."}"#),
            &delta(r#"{"content":"Yes"}"#),
            &finish("stop"),
            DONE,
        ],
        expect![[r#"
            Thought("Hm.")
            ThoughtSignature("m member reasoning_content")
            Text("Yes")
            End(Done)
        "#]],
    );
    check(
        &[
            &delta(r#"{"reasoning":"Hm.","reasoning_content":null,"content":null}"#),
            &finish("stop"),
            DONE,
        ],
        expect![[r#"
            Thought("Hm.")
            ThoughtSignature("m member reasoning")
            End(Done)
        "#]],
    );
}

#[test]
fn calls_in_parallel_malformed_and_without_input() {
    check(
        &[
            &delta(
                r#"{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]}"#,
            ),
            &delta(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}"#),
            &delta(
                r#"{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"list"}},{"index":0,"function":{"arguments":": \"a"}}]}"#,
            ),
            &finish("tool_calls"),
            DONE,
        ],
        expect![[r#"
            CallStarted { id: "call_a", name: "read" }
            CallStarted { id: "call_b", name: "list" }
            Call(ToolCall { id: "call_a", name: "read", input: "{\"path\": \"a" })
            Call(ToolCall { id: "call_b", name: "list", input: "{}" })
            End(Tools)
        "#]],
    );
}

#[test]
fn calls_of_servers_that_number_them_badly() {
    check(
        &[
            &delta(r#"{"tool_calls":[{"id":"call_0","function":{"name":"a","arguments":"{}"}}]}"#),
            &delta(
                r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"b","arguments":"{}"}}]}"#,
            ),
            &delta(
                r#"{"tool_calls":[{"index":0,"id":"y","function":{"name":"c","arguments":{"k":1}}}]}"#,
            ),
            &delta(r#"{"tool_calls":[{"index":7,"function":{"name":"d","arguments":"{}"}}]}"#),
            &finish("stop"),
        ],
        expect![[r#"
            CallStarted { id: "call_0", name: "a" }
            CallStarted { id: "x", name: "b" }
            CallStarted { id: "y", name: "c" }
            CallStarted { id: "call_0_0", name: "d" }
            Call(ToolCall { id: "call_0", name: "a", input: "{}" })
            Call(ToolCall { id: "x", name: "b", input: "{}" })
            Call(ToolCall { id: "y", name: "c", input: "{\"k\":1}" })
            Call(ToolCall { id: "call_0_0", name: "d", input: "{}" })
            End(Tools)
        "#]],
    );
}

#[test]
fn how_an_answer_ends() {
    check(
        &[&finish("length"), DONE],
        expect![[r#"
        End(Length)
    "#]],
    );
    check(
        &[&finish("content_filter")],
        expect![[r#"
        End(Refusal)
    "#]],
    );
    check(
        &[&delta(r#"{"refusal":"I cannot."}"#), &finish("stop"), DONE],
        expect![[r#"
            Text("I cannot.")
            End(Refusal)
        "#]],
    );
}

#[test]
fn an_error_in_the_stream() {
    check(
        &[
            &delta(r#"{"content":"Hel"}"#),
            r#"{"error":{"code":502,"message":"Provider disconnected"}}"#,
        ],
        expect![[r#"
            Text("Hel")
            Temporary { reason: "Provider disconnected", wait: None }
        "#]],
    );
}

#[test]
fn a_stream_that_breaks_off_or_is_garbled() {
    check(
        &[&delta(r#"{"content":"Hel"}"#)],
        expect![[r#"
        Text("Hel")
        Temporary { reason: "the stream ended in the middle of the response", wait: None }
    "#]],
    );
    check(
        &["<html>"],
        expect![[r#"
        Temporary { reason: "the stream contains an event that is not JSON", wait: None }
    "#]],
    );
    check(
        &["7", "null", r#"{"choices":{}}"#, DONE],
        expect![[r#"
        End(Done)
    "#]],
    );
}
