//! Edge cases of JSON-RPC that the agent sends during a turn.

use serde_json::{Value, json};

use super::client_test::ClientTest;
use super::fake_agent::SESSION;
use crate::conformance::Check;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{MessageKind, message_kind};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "json-rpc",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        refusals(test).await?;
        ids(test).await?;
        silence(test).await?;
        for (id, line) in LINES {
            test.restart_if_gone().await?;
            let sent = test.connection()?.send_bytes(line).await;
            test.judge_alive(id, sent).await;
        }
        test.end_turn("end_turn").await
    })
}

async fn refusals(test: &mut ClientTest) -> Result<(), AbortReason> {
    for (id, method, params, codes) in [
        (
            "client.rpc.unknown-method",
            "no/such_method",
            json!({}),
            &[-32601][..],
        ),
        (
            "client.rpc.unknown-extension",
            "_attache.check/none",
            json!({ "a": 1 }),
            &[-32601],
        ),
        (
            "client.rpc.agent-method",
            "session/prompt",
            json!({ "sessionId": SESSION, "prompt": [] }),
            &[-32601],
        ),
        (
            "client.rpc.bad-params",
            "session/request_permission",
            json!({ "sessionId": 7 }),
            &[-32602],
        ),
    ] {
        let answer = test.call(method, params).await;
        test.judge_error(id, &answer, codes);
    }
    Ok(())
}

async fn ids(test: &mut ClientTest) -> Result<(), AbortReason> {
    for (check, id) in [
        ("client.rpc.id-text", json!("a-text")),
        ("client.rpc.id-zero", json!(0)),
        ("client.rpc.id-large", json!(9_007_199_254_740_991_i64)),
    ] {
        let connection = test.connection()?;
        let request = connection
            .send_request_with_id(id, "_attache.check/id", json!({}))
            .await;
        let answer = connection.wait_for_response(request).await;
        test.judge_response(check, &answer);
    }
    // Each side chooses its own ids, so our request may have the same id as the open prompt.
    let open = test
        .connection()?
        .deferred
        .first()
        .map(|(_, id)| id.clone());
    if let Some(open) = open {
        let connection = test.connection()?;
        let request = connection
            .send_request_with_id(open, "_attache.check/id", json!({}))
            .await;
        let answer = connection.wait_for_response(request).await;
        test.judge_response("client.rpc.same-id", &answer);
    }
    let mut many = Vec::new();
    for _ in 0..50 {
        many.push(
            test.connection()?
                .send_request("_attache.check/many", json!({}))
                .await,
        );
    }
    let (mut outcome, mut entries) = (Ok(()), Vec::new());
    for request in many {
        let answer = test.wait_for_response(request).await?;
        outcome = outcome.and(answer.expect_response());
        entries = answer.entries();
    }
    test.judge("client.rpc.many", outcome, &entries);
    Ok(())
}

async fn silence(test: &mut ClientTest) -> Result<(), AbortReason> {
    for (id, message) in [
        (
            "client.rpc.unknown-notification",
            json!({ "jsonrpc": "2.0", "method": "no/such_news", "params": {} }),
        ),
        (
            "client.rpc.extension-notification",
            json!({ "jsonrpc": "2.0", "method": "_attache.check/news", "params": {} }),
        ),
        (
            "client.rpc.bad-update",
            json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": 7 } }),
        ),
        (
            "client.rpc.cancel-request-unknown",
            json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 99_999 } }),
        ),
        (
            "client.rpc.stray-answer",
            json!({ "jsonrpc": "2.0", "id": 31_337, "result": {} }),
        ),
        (
            "client.rpc.elicitation-unknown",
            json!({ "jsonrpc": "2.0", "method": "elicitation/complete", "params": { "elicitationId": "none" } }),
        ),
    ] {
        test.restart_if_gone().await?;
        let from = test.entry_count();
        let sent = test.connection()?.send(&message).await;
        let ping = test.ping_unknown_method().await;
        let known = ping.entries();
        let messages = test.messages_since(from).into_iter();
        let stray = messages.filter(|(entry, it): &(usize, Value)| {
            message_kind(it) == MessageKind::Response && !known.contains(entry)
        });
        let stray: Vec<usize> = stray.map(|(entry, _)| entry).collect();
        let outcome = match stray.is_empty() {
            true => ping
                .expect_response()
                .map_err(|why| format!("afterwards {why}")),
            false => Err("it got a response".to_owned()),
        };
        test.judge(id, outcome, &[vec![sent], stray, known].concat());
    }
    Ok(())
}

const LINES: &[(&str, &[u8])] = &[
    ("client.robust.bad-json", b"{\"jsonrpc\":\"2.0\",\n"),
    ("client.robust.log-line", b"INFO starting up the agent\n"),
    ("client.robust.blank", b"\n\n  \n"),
    ("client.robust.utf8", b"{\"jsonrpc\":\"2.0\",\"method\":\"_\xff\xfe\"}\n"),
    ("client.robust.batch", b"[{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}]\n"),
    ("client.robust.null-error", b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"parse error\"}}\n"),
    ("client.robust.no-jsonrpc", b"{\"id\":7100,\"method\":\"_attache.check/none\"}\n"),
];

const CHECKS: &[Check] = &[
    must(
        "client.rpc.unknown-method",
        "15",
        "A request for an unknown method is rejected with -32601.",
        "Respond with -32601; silence hangs the agent.",
    ),
    must(
        "client.rpc.unknown-extension",
        "175",
        "An unknown extension request is rejected with -32601.",
        "Respond with -32601; silence hangs the agent.",
    ),
    observed(
        "client.rpc.agent-method",
        "15",
        "A method of the agent's side is rejected with -32601.",
        "The client does not have the agent's methods.",
    ),
    observed(
        "client.rpc.bad-params",
        "19",
        "Parameters that do not match the schema are rejected with -32602.",
        "Check params against the schema first.",
    ),
    must(
        "client.rpc.id-text",
        "21",
        "The id of a request can be a string, and comes back as it was.",
        "Keep ids as they are on the wire.",
    ),
    must(
        "client.rpc.id-zero",
        "21",
        "The id 0 comes back as it was.",
        "0 is an id like any other.",
    ),
    must(
        "client.rpc.id-large",
        "21",
        "The id 9007199254740991 comes back as it was.",
        "Keep ids as they are on the wire, not as floats.",
    ),
    must(
        "client.rpc.same-id",
        "21",
        "A request of the agent can have the id of an open request of the client.",
        "Each side numbers its own requests.",
    ),
    must(
        "client.rpc.many",
        "21",
        "Each of 50 requests at once gets a response.",
        "Keep reading while requests are being handled.",
    ),
    must(
        "client.rpc.unknown-notification",
        "11",
        "An unknown notification gets no response.",
        "Never respond to a message without an id.",
    ),
    must(
        "client.rpc.extension-notification",
        "11",
        "An extension notification gets no response.",
        "Never respond to a message without an id.",
    ),
    must(
        "client.rpc.bad-update",
        "20",
        "An update that does not match the schema gets no response.",
        "Drop it and continue.",
    ),
    must(
        "client.rpc.cancel-request-unknown",
        "113",
        "$/cancel_request for an unknown request gets no response.",
        "Drop it; the request may already have its response.",
    ),
    must(
        "client.rpc.stray-answer",
        "23",
        "A response that nobody waits for is dropped.",
        "Drop it and continue.",
    ),
    must(
        "client.rpc.elicitation-unknown",
        "169",
        "The end of an unknown URL elicitation is ignored.",
        "Drop it and continue.",
    ),
    must(
        "client.robust.bad-json",
        "17",
        "A line that is not JSON does not end the connection.",
        "Continue with the next line.",
    ),
    should(
        "client.robust.log-line",
        "17",
        "A log line does not end the connection.",
        "Continue with the next line; agents print by accident.",
    ),
    should(
        "client.robust.blank",
        "",
        "Blank lines do not end the connection.",
        "Ignore them.",
    ),
    must(
        "client.robust.utf8",
        "1",
        "A line that is not UTF-8 does not end the connection.",
        "Decode line by line, and treat a bad line as invalid JSON.",
    ),
    must(
        "client.robust.batch",
        "18",
        "A batch does not end the connection.",
        "Respond with -32600 and the id null, and continue.",
    ),
    must(
        "client.robust.null-error",
        "23",
        "An error with the id null does not end the connection.",
        "Drop it and continue.",
    ),
    should(
        "client.robust.no-jsonrpc",
        "",
        "A message without jsonrpc does not end the connection.",
        "Reject or accept it, and continue.",
    ),
];
