//! Tests of request bodies and streamed answers, without a network.

mod anthropic;
mod openai;
mod responses;
mod split;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::Expect;
use serde_json::json;

use super::{ResponseReader, WireFormat, body};
use crate::{
    Event, Input, Message, ModelInfo, Output, Request, ThinkingLevel, ToolCall, ToolResult,
    ToolSpec,
};

fn info(model: &str) -> ModelInfo {
    ModelInfo {
        id: format!("test/{model}"),
        name: model.to_owned(),
        description: None,
        window: 200_000,
        max_output: 64_000,
        images: true,
        audio: true,
        thoughts: Vec::new(),
        price: None,
    }
}

/// A conversation with every kind of content: two turns, the second with tool calls in progress.
fn conversation(model: &str) -> Request {
    let text = |text: &str| Input::Text(text.to_owned());
    let messages = [
        Message::User(vec![text("What is in this picture?"), picture(), sound()]),
        Message::Model(vec![
            Output::Thought {
                text: "A look.".to_owned(),
                signature: Some(format!("{model} signed c2ln")),
            },
            Output::Thought {
                text: String::new(),
                signature: Some(format!("{model} hidden ZGF0YQ==")),
            },
            Output::Thought {
                text: "Another's.".to_owned(),
                signature: Some("another-model signed c2ln".to_owned()),
            },
            Output::Text("A cat.".to_owned()),
        ]),
        Message::User(vec![text("Find its name.")]),
        Message::Model(vec![
            Output::Thought {
                text: "Where?".to_owned(),
                signature: Some(format!("{model} member reasoning_content")),
            },
            Output::Text(" ".to_owned()),
            call("call:1", "read", r#"{"path": "cat.txt"}"#),
            call("call_2", "read", r#"{"path": "#),
        ]),
        Message::Tools(vec![
            result("call:1", vec![text("Tom"), picture()], false),
            result("call_2", vec![text("the input is not JSON")], true),
        ]),
        Message::User(vec![text("Go on.")]),
    ];
    Request {
        instructions: "Be brief.".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: [tool()].into(),
        thought: ThinkingLevel::Medium,
        max_output: None,
    }
}

fn picture() -> Input {
    Input::Image {
        media_type: "image/png".to_owned(),
        data: "cG5n".to_owned(),
    }
}

fn sound() -> Input {
    Input::Audio {
        media_type: "audio/mpeg".to_owned(),
        data: "bXAz".to_owned(),
    }
}

fn call(id: &str, name: &str, input: &str) -> Output {
    Output::Call(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        input: input.to_owned(),
    })
}

fn result(id: &str, content: Vec<Input>, failed: bool) -> ToolResult {
    ToolResult {
        id: id.to_owned(),
        name: "read".to_owned(),
        content,
        failed,
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "read".to_owned(),
        description: "Reads a file".to_owned(),
        schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
    }
}

/// Compares a request body in a form with a line for each member and each part of a message.
fn check_body(wire: WireFormat, model: &str, request: &Request, expect: &Expect) {
    let body = body(wire, model, &info(model), request);
    let mut shown = String::new();
    for (name, value) in body.as_object().expect("an object") {
        if name != "messages" && name != "input" {
            writeln!(shown, "{name}: {value}").expect("written");
        }
    }
    for message in body
        .get("messages")
        .or(body.get("input"))
        .and_then(|value| value.as_array())
        .expect("messages")
    {
        let mut message = message.as_object().expect("an object").clone();
        let content = message.remove("content");
        let message = serde_json::Value::Object(message);
        writeln!(shown, "{message}").expect("written");
        match content {
            Some(serde_json::Value::Array(parts)) => {
                for part in parts {
                    writeln!(shown, "  {part}").expect("written");
                }
            }
            Some(content) => writeln!(shown, "  {content}").expect("written"),
            None => {}
        }
    }
    expect.assert_eq(&shown);
}

/// Reads frames one by one, then ends the stream unless the answer has ended.
fn read(wire: WireFormat, frames: &[&str]) -> String {
    let mut reader = ResponseReader::new(wire, "m", &Request::default());
    let mut out = VecDeque::new();
    let mut said = String::new();
    let mut is_over = false;
    for frame in frames {
        if let Err(error) = reader.read(frame, &mut out) {
            is_over = true;
            drain(&mut out, &mut said);
            writeln!(said, "{error:?}").expect("written");
            break;
        }
        is_over = matches!(out.back(), Some(Event::End(_)));
        drain(&mut out, &mut said);
    }
    if !is_over {
        let end = reader.end(&mut out);
        drain(&mut out, &mut said);
        if let Err(error) = end {
            writeln!(said, "{error:?}").expect("written");
        }
    }
    said
}

fn drain(out: &mut VecDeque<Event>, said: &mut String) {
    for event in out.drain(..) {
        writeln!(said, "{event:?}").expect("written");
    }
}
