//! Tests of models over HTTP, with a scripted provider on loopback.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs)]

mod answers;
mod catalog;
mod failures;
mod fake;
mod rounds;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use attache_model::{Catalog, Environment, Event, Input, Message, Model, Request, RetryPolicy};
use expect_test::Expect;
use fake::{Fake, Reply};
use futures_util::StreamExt;

/// A retry policy with short waits, so that tests run fast.
const QUICK: RetryPolicy = RetryPolicy {
    attempts: 3,
    total: Duration::from_secs(20),
    first_wait: Duration::from_millis(1),
    longest_wait: Duration::from_millis(2),
    silence: Duration::from_secs(10),
};

fn anthropic(url: &str) -> Arc<dyn Model> {
    open(url, "anthropic/claude-sonnet-5-5", QUICK)
}

fn openai(url: &str) -> Arc<dyn Model> {
    open(url, "openai/small", QUICK)
}

fn open(url: &str, id: &str, patience: RetryPolicy) -> Arc<dyn Model> {
    let environment = Environment {
        anthropic_key: Some(KEY.into()),
        anthropic_url: Some(url.to_owned()),
        openai_key: Some(KEY.into()),
        openai_url: Some(url.to_owned()),
        ..Environment::default()
    };
    let catalog = Catalog::new(&environment).with_retry_policy(patience);
    catalog.open(id).expect("a model")
}

fn question(text: &str) -> Request {
    Request {
        messages: vec![Arc::new(Message::User(vec![Input::Text(text.to_owned())]))],
        ..Request::default()
    }
}

/// The events of a model's answer, one per line. The wait before a retry is random and left out.
async fn say(model: &dyn Model, request: Request) -> String {
    let mut answer = model.answer(request);
    let mut said = String::new();
    while let Some(item) = answer.next().await {
        match item {
            Ok(Event::Retry {
                attempts, reason, ..
            }) => writeln!(said, "again after {attempts}: {reason}"),
            Ok(event) => writeln!(said, "{event:?}"),
            Err(error) => writeln!(said, "error: {error}"),
        }
        .expect("written");
    }
    assert!(!said.contains(KEY), "{said}");
    said
}

async fn check(
    replies: impl IntoIterator<Item = Reply>,
    open: fn(&str) -> Arc<dyn Model>,
    expect: Expect,
) -> Fake {
    let fake = Fake::start(replies).await;
    let said = say(&*open(&fake.url), question("Hi")).await;
    let host = fake.url.trim_start_matches("http://");
    expect.assert_eq(&said.replace(host, "HOST"));
    fake
}

/// The frames of a short Anthropic answer.
fn hello() -> Vec<String> {
    let frames = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"llo"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    frames.map(str::to_owned).to_vec()
}

/// The chunks of the same answer from OpenAI.
fn hello_chunks() -> Vec<String> {
    let chunks = [
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hé"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"llo"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}"#,
        "[DONE]",
    ];
    chunks.map(str::to_owned).to_vec()
}

const KEY: &str = "sk-hunter2-hunter2";
