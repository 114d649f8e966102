use expect_test::{Expect, expect};

use super::*;

fn check(frames: &[&str], expect: Expect) {
    expect.assert_eq(&read(WireFormat::Responses, frames));
}

const DONE: &str = r#"{"type":"response.completed","response":{"status":"completed","incomplete_details":null,"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":5}}}}"#;

#[test]
fn a_whole_conversation_is_sent() {
    let model = "gpt-6.1-sol";
    check_body(
        WireFormat::Responses,
        model,
        &conversation(model),
        &expect![[r#"
            model: "gpt-6.1-sol"
            stream: true
            store: false
            reasoning: {"effort":"medium","summary":"auto"}
            include: ["reasoning.encrypted_content"]
            instructions: "Be brief."
            tools: [{"type":"function","name":"read","description":"Reads a file","parameters":{"type":"object","properties":{"path":{"type":"string"}}},"strict":false}]
            {"role":"user"}
              {"type":"input_text","text":"What is in this picture?"}
              {"type":"input_image","image_url":"data:image/png;base64,cG5n"}
              {"type":"input_text","text":"(a sound, audio/mpeg, that this model cannot hear)"}
            {"type":"reasoning","summary":[],"encrypted_content":"ZGF0YQ=="}
            {"role":"assistant"}
              {"type":"output_text","text":"A cat."}
            {"role":"user"}
              {"type":"input_text","text":"Find its name."}
            {"role":"assistant"}
              {"type":"output_text","text":" "}
            {"type":"function_call","call_id":"call:1","name":"read","arguments":"{\"path\":\"cat.txt\"}"}
            {"type":"function_call","call_id":"call_2","name":"read","arguments":"{\"malformed\":\"{\\\"path\\\": \"}"}
            {"type":"function_call_output","call_id":"call:1","output":[{"type":"input_text","text":"Tom"},{"type":"input_image","image_url":"data:image/png;base64,cG5n"}]}
            {"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"The tool failed."},{"type":"input_text","text":"the input is not JSON"}]}
            {"role":"user"}
              {"type":"input_text","text":"Go on."}
        "#]],
    );
}

#[test]
fn what_does_not_think_is_not_told_to() {
    let body = body(
        WireFormat::Responses,
        "gpt-4.1",
        &info("gpt-4.1"),
        &Request::default(),
    );
    assert_eq!((body.get("reasoning"), body.get("include")), (None, None));
}

#[test]
fn text_thought_and_usage() {
    check(
        &[
            r#"{"type":"response.created","response":{}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}"#,
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"Hm."}"#,
            r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#,
            r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"Yes."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","encrypted_content":"c2Vj"}}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"delta":"Hello"}"#,
            DONE,
        ],
        expect![[r#"
            Thought("Hm.")
            Thought("\n\n")
            Thought("Yes.")
            ThoughtSignature("m hidden c2Vj")
            Text("Hello")
            Usage(Usage { input: 30, output: 20, thought: 5, cache_read: 60, cache_write: 10 })
            End(Done)
        "#]],
    );
}

#[test]
fn calls_in_parallel_malformed_and_without_input() {
    check(
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"call_a","name":"read","arguments":""}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"call_b","name":"list","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"path\""}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"call_b","name":"list","arguments":""}}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"call_c","name":"run","arguments":"{}"}}"#,
            DONE,
        ],
        expect![[r#"
            CallStarted { id: "call_a", name: "read" }
            CallStarted { id: "call_b", name: "list" }
            Call(ToolCall { id: "call_b", name: "list", input: "{}" })
            CallStarted { id: "call_c", name: "run" }
            Call(ToolCall { id: "call_c", name: "run", input: "{}" })
            Call(ToolCall { id: "call_a", name: "read", input: "{\"path\"" })
            Usage(Usage { input: 30, output: 20, thought: 5, cache_read: 60, cache_write: 10 })
            End(Tools)
        "#]],
    );
}

#[test]
fn how_an_answer_ends() {
    for (reason, expect) in [
        (
            "max_output_tokens",
            expect![[r#"
            End(Length)
        "#]],
        ),
        (
            "content_filter",
            expect![[r#"
            End(Refusal)
        "#]],
        ),
    ] {
        let event = format!(
            r#"{{"type":"response.incomplete","response":{{"incomplete_details":{{"reason":"{reason}"}}}}}}"#
        );
        check(&[&event], expect);
    }
    check(
        &[
            r#"{"type":"response.refusal.delta","delta":"No."}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        expect![[r#"
            Text("No.")
            End(Refusal)
        "#]],
    );
}

#[test]
fn an_error_in_the_stream() {
    check(
        &[
            r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"Sorry"}}}"#,
        ],
        expect![[r#"
            Temporary { reason: "Sorry", wait: None }
        "#]],
    );
    check(
        &[
            r#"{"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}"#,
        ],
        expect![[r#"
            TooLong
        "#]],
    );
    check(
        &[r#"{"type":"response.created"}"#],
        expect![[r#"
        Temporary { reason: "the stream ended in the middle of the response", wait: None }
    "#]],
    );
}
