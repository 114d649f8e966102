//! Tests of rounds: a model thinks and calls tools, and the next request returns its reasoning and the tool results.

use attache_model::{Output, ThinkingLevel, ToolResult, ToolSpec};
use expect_test::expect;

use super::*;

/// Sends a request, answers every tool call, and sends the next request. Compares the first answer and the messages of
/// the second request.
async fn check_round(
    frames: &[&str],
    last: &[String],
    open: fn(&str) -> Arc<dyn Model>,
    expect: Expect,
) {
    let fake = Fake::start([Reply::events(frames), Reply::events(last)]).await;
    let model = open(&fake.url);
    let mut request = question("Read both.");
    request.thought = ThinkingLevel::Low;
    request.tools = [tool()].into();
    let outputs = outputs(&*model, request.clone()).await;
    let mut shown = format!("{outputs:#?}\n");
    let results = outputs.iter().filter_map(result).collect();
    request.messages.push(Arc::new(Message::Model(outputs)));
    request.messages.push(Arc::new(Message::Tools(results)));
    say(&*model, request).await;
    let body: serde_json::Value = serde_json::from_str(&fake.received()[1].body).expect("JSON");
    for message in body["messages"].as_array().expect("messages") {
        writeln!(shown, "{message}").expect("written");
    }
    expect.assert_eq(&shown);
}

/// A model's answer in the form that a conversation stores.
async fn outputs(model: &dyn Model, request: Request) -> Vec<Output> {
    let mut answer = model.answer(request);
    let mut outputs = Vec::new();
    let mut thought = String::new();
    while let Some(item) = answer.next().await {
        match item.expect("no error") {
            Event::Text(text) => outputs.push(Output::Text(text)),
            Event::Thought(more) => thought.push_str(&more),
            Event::ThoughtSignature(signature) => outputs.push(Output::Thought {
                text: std::mem::take(&mut thought),
                signature: Some(signature),
            }),
            Event::Call(call) => outputs.push(Output::Call(call)),
            _ => {}
        }
    }
    outputs
}

fn result(output: &Output) -> Option<ToolResult> {
    let Output::Call(call) = output else {
        return None;
    };
    let failed = serde_json::from_str::<serde_json::Value>(&call.input).is_err();
    let words = if failed {
        "that is no JSON"
    } else {
        "contents"
    };
    Some(ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: vec![Input::Text(words.to_owned())],
        failed,
    })
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "read".to_owned(),
        description: "Reads a file".to_owned(),
        schema: serde_json::json!({ "type": "object" }),
    }
}

#[tokio::test]
async fn an_anthropic_round() {
    let frames = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Both."}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a\"}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t2","name":"read","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    check_round(&frames, &hello(), anthropic, expect![[r#"
        [
            Thought {
                text: "Both.",
                signature: Some(
                    "claude-sonnet-5-5 signed c2ln",
                ),
            },
            Call(
                ToolCall {
                    id: "t1",
                    name: "read",
                    input: "{\"path\":\"a\"}",
                },
            ),
            Call(
                ToolCall {
                    id: "t2",
                    name: "read",
                    input: "{\"path\":",
                },
            ),
        ]
        {"role":"user","content":[{"type":"text","text":"Read both.","cache_control":{"type":"ephemeral"}}]}
        {"role":"assistant","content":[{"type":"thinking","thinking":"Both.","signature":"c2ln"},{"type":"tool_use","id":"t1","name":"read","input":{"path":"a"}},{"type":"tool_use","id":"t2","name":"read","input":{"malformed":"{\"path\":"}}]}
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"contents"}]},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"that is no JSON"}],"is_error":true,"cache_control":{"type":"ephemeral"}}]}
    "#]]).await;
}

#[tokio::test]
async fn a_round_with_a_compatible_server() {
    let frames = [
        r#"{"choices":[{"delta":{"reasoning_content":"Both."}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"read","arguments":"{\"path\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ];
    check_round(&frames, &hello_chunks(), openai, expect![[r#"
        [
            Thought {
                text: "Both.",
                signature: Some(
                    "small member reasoning_content",
                ),
            },
            Call(
                ToolCall {
                    id: "c1",
                    name: "read",
                    input: "{\"path\":\"a\"}",
                },
            ),
            Call(
                ToolCall {
                    id: "c2",
                    name: "read",
                    input: "{\"path\":",
                },
            ),
        ]
        {"role":"user","content":"Read both."}
        {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},{"id":"c2","type":"function","function":{"name":"read","arguments":"{\"malformed\":\"{\\\"path\\\":\"}"}}],"reasoning_content":"Both."}
        {"role":"tool","tool_call_id":"c1","content":"contents"}
        {"role":"tool","tool_call_id":"c2","content":"The tool failed.\nthat is no JSON"}
    "#]]).await;
}
