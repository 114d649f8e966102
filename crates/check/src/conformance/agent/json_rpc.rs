//! Edge cases of JSON-RPC that must not end the connection: ids, params, stray messages and framing.

use serde_json::{Value, json};

use crate::conformance::Check;
use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{MessageKind, message_kind};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "json-rpc",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        let session = test.open().await?;
        requests(test).await?;
        ids(test).await?;
        silence(test, &session).await?;
        writing(test).await
    })
}

async fn requests(test: &mut AgentTest) -> Result<(), AbortReason> {
    for (id, method, params, codes) in [
        (
            "agent.rpc.unknown-method",
            "no/such_method",
            json!({}),
            &[-32601][..],
        ),
        (
            "agent.rpc.unknown-extension",
            "_attache.check/none",
            json!({ "a": 1 }),
            &[-32601],
        ),
        (
            "agent.rpc.client-method",
            "fs/read_text_file",
            json!({ "sessionId": "s", "path": "/x" }),
            &[-32601],
        ),
        (
            "agent.rpc.wrong-type",
            "session/new",
            json!({ "cwd": 7, "mcpServers": [] }),
            &[-32602],
        ),
        (
            "agent.rpc.missing-member",
            "session/prompt",
            json!({ "prompt": [] }),
            &[-32602],
        ),
        (
            "agent.rpc.positional",
            "session/new",
            json!(["/", []]),
            &[-32602, -32600],
        ),
    ] {
        let answer = test.call(method, params).await;
        test.judge_error(id, &answer, codes);
    }
    let cwd = test.cwd();
    for (id, params) in [
        (
            "agent.rpc.new-member",
            json!({ "cwd": cwd, "mcpServers": [], "moonPhase": "full" }),
        ),
        (
            "agent.rpc.meta",
            json!({ "cwd": cwd, "mcpServers": [], "_meta": { "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "deep": { "a": [{}] } } }),
        ),
        (
            "agent.rpc.meta-null",
            json!({ "cwd": cwd, "mcpServers": [], "_meta": null }),
        ),
    ] {
        let answer = test.call("session/new", params).await;
        test.judge_result(id, &answer);
    }
    Ok(())
}

async fn ids(test: &mut AgentTest) -> Result<(), AbortReason> {
    for (check, id) in [
        ("agent.rpc.id-text", json!("a-text")),
        ("agent.rpc.id-zero", json!(0)),
        ("agent.rpc.id-negative", json!(-7)),
        ("agent.rpc.id-large", json!(9_007_199_254_740_991_i64)),
        ("agent.rpc.id-unicode", json!("ид-🦀\u{1}\"\\")),
        ("agent.rpc.id-digits", json!("41")),
    ] {
        let connection = test.connection()?;
        let request = connection
            .send_request_with_id(id, "_attache.check/id", json!({}))
            .await;
        let answer = connection.wait_for_response(request).await;
        let echoed = answer
            .expect_response()
            .map_err(|_| "no response has the id of the request".to_owned());
        test.judge(check, echoed, &answer.entries());
    }
    let connection = test.connection()?;
    let number = connection
        .send_request_with_id(json!(4242), "_attache.check/id", json!({}))
        .await;
    let text = connection
        .send_request_with_id(json!("4242"), "_attache.check/id", json!({}))
        .await;
    let (number, text) = (
        connection.wait_for_response(number).await,
        connection.wait_for_response(text).await,
    );
    let both = number.expect_response().and(text.expect_response());
    test.judge(
        "agent.rpc.id-kinds",
        both,
        &[number.entries(), text.entries()].concat(),
    );
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
    test.judge("agent.rpc.many", outcome, &entries);
    Ok(())
}

/// Sends messages that must not get a response. Any response before that to the next ping counts as one.
async fn silence(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    for (id, message) in [
        (
            "agent.rpc.unknown-notification",
            json!({ "method": "no/such_news", "params": {} }),
        ),
        (
            "agent.rpc.extension-notification",
            json!({ "method": "_attache.check/news", "params": { "a": 1 } }),
        ),
        (
            "agent.rpc.protocol-notification",
            json!({ "method": "$/attache_check", "params": {} }),
        ),
        (
            "agent.rpc.bad-notification",
            json!({ "method": "session/cancel", "params": { "sessionId": 7 } }),
        ),
        (
            "agent.rpc.cancel-unknown-session",
            json!({ "method": "session/cancel", "params": { "sessionId": "no-such-session" } }),
        ),
        (
            "agent.rpc.cancel-idle",
            json!({ "method": "session/cancel", "params": { "sessionId": session } }),
        ),
        (
            "agent.rpc.cancel-request-unknown",
            json!({ "method": "$/cancel_request", "params": { "requestId": 99_999 } }),
        ),
        (
            "agent.rpc.request-as-notification",
            json!({ "method": "session/new", "params": test.new_session_params() }),
        ),
        (
            "agent.rpc.stray-answer",
            json!({ "id": 31_337, "result": {} }),
        ),
        (
            "agent.rpc.stray-error",
            json!({ "id": null, "error": { "code": -32700, "message": "parse error" } }),
        ),
    ] {
        test.restart_if_gone().await?;
        let from = test.entry_count();
        let mut whole = json!({ "jsonrpc": "2.0" });
        if let (Value::Object(whole), Value::Object(message)) = (&mut whole, message) {
            whole.extend(message);
        }
        let sent = test.connection()?.send(&whole).await;
        let ping = test.ping().await;
        let strays: Vec<usize> = answers(test, from, &ping.entries());
        let outcome = match strays.is_empty() {
            true => ping
                .expect_response()
                .map_err(|why| format!("afterwards {why}")),
            false => Err("it got a response".to_owned()),
        };
        let entries = [vec![sent], strays, ping.entries()].concat();
        test.judge(id, outcome, &entries);
    }
    Ok(())
}

/// The responses from an entry on, except these.
fn answers(test: &AgentTest, from: usize, but: &[usize]) -> Vec<usize> {
    let messages = test.messages_since(from).into_iter();
    let answers = messages.filter(|(_, message)| message_kind(message) == MessageKind::Response);
    answers
        .map(|(entry, _)| entry)
        .filter(|entry| !but.contains(entry))
        .collect()
}

/// Writes requests in unusual but valid ways: in pieces, two at once, with other white space, escapes or member order.
async fn writing(test: &mut AgentTest) -> Result<(), AbortReason> {
    test.restart_if_gone().await?;
    let ask = |id: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "_attache.check/w", "params": {} });
    let connection = test.connection()?;
    let mut request = Vec::new();
    let entry = connection.send_in_pieces(&ask("pieces")).await;
    request.push((
        "agent.rpc.pieces",
        connection.request_at(entry, json!("pieces")),
    ));
    let two = format!("{}\n{}\n", ask("one"), ask("two"));
    let entry = connection.send_bytes(two.as_bytes()).await;
    request.push((
        "agent.rpc.together",
        connection.request_at(entry, json!("one")),
    ));
    request.push((
        "agent.rpc.together",
        connection.request_at(entry, json!("two")),
    ));
    let entry = connection
        .send_bytes(format!("{}\r\n", ask("crlf")).as_bytes())
        .await;
    request.push((
        "agent.rpc.crlf",
        connection.request_at(entry, json!("crlf")),
    ));
    let spaced = "  { \"jsonrpc\" : \"2.0\" , \"id\" : \"space\" , \"method\" : \"_attache.check/w\" , \"params\" : { } }  \n";
    let entry = connection.send_bytes(spaced.as_bytes()).await;
    request.push((
        "agent.rpc.spaces",
        connection.request_at(entry, json!("space")),
    ));
    let escaped = "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0065sc\",\"\\u006dethod\":\"_attache.check\\/w\",\"params\":{}}\n";
    let entry = connection.send_bytes(escaped.as_bytes()).await;
    request.push((
        "agent.rpc.escapes",
        connection.request_at(entry, json!("esc")),
    ));
    let reordered =
        "{\"params\":{},\"method\":\"_attache.check/w\",\"id\":\"order\",\"jsonrpc\":\"2.0\"}\n";
    let entry = connection.send_bytes(reordered.as_bytes()).await;
    request.push((
        "agent.rpc.member-order",
        connection.request_at(entry, json!("order")),
    ));
    let bare = "{\"jsonrpc\":\"2.0\",\"id\":\"bare\",\"method\":\"_attache.check/w\"}\n";
    let entry = connection.send_bytes(bare.as_bytes()).await;
    request.push((
        "agent.rpc.no-params",
        connection.request_at(entry, json!("bare")),
    ));
    for (check, request) in request {
        let answer = test.wait_for_response(request).await?;
        test.judge_response(check, &answer);
    }
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "agent.rpc.unknown-method",
        "15",
        "A request for an unknown method is rejected with -32601.",
        "Respond with -32601; silence hangs the client.",
    ),
    must(
        "agent.rpc.unknown-extension",
        "175",
        "An unknown extension request is rejected with -32601.",
        "Respond with -32601; silence hangs the client.",
    ),
    observed(
        "agent.rpc.client-method",
        "15",
        "A method of the client's side is rejected with -32601.",
        "The agent does not have the client's methods.",
    ),
    observed(
        "agent.rpc.wrong-type",
        "19",
        "A parameter of the wrong type is rejected with -32602.",
        "Check params against the schema first.",
    ),
    observed(
        "agent.rpc.missing-member",
        "19",
        "A request without a required parameter is rejected with -32602.",
        "Check params against the schema first.",
    ),
    observed(
        "agent.rpc.positional",
        "19",
        "Parameters in an array are rejected.",
        "ACP parameters are named.",
    ),
    must(
        "agent.rpc.new-member",
        "34",
        "An unknown parameter is ignored.",
        "Ignore unknown members: the client may be newer.",
    ),
    must(
        "agent.rpc.meta",
        "178",
        "A request with _meta works as if it had none.",
        "Accept any _meta, and expect nothing in it.",
    ),
    must(
        "agent.rpc.meta-null",
        "178",
        "_meta that is null counts as absent.",
        "Read null as absent.",
    ),
    must(
        "agent.rpc.id-text",
        "21",
        "The id of a request can be a string, and comes back as it was.",
        "Keep ids as they are on the wire.",
    ),
    must(
        "agent.rpc.id-zero",
        "21",
        "The id 0 comes back as it was.",
        "0 is an id like any other.",
    ),
    must(
        "agent.rpc.id-negative",
        "21",
        "A negative id comes back as it was.",
        "Keep ids as they are on the wire.",
    ),
    must(
        "agent.rpc.id-large",
        "21",
        "The id 9007199254740991 comes back as it was.",
        "Keep ids as they are on the wire, not as floats.",
    ),
    must(
        "agent.rpc.id-unicode",
        "21",
        "An id with letters of any script, quotes and control characters comes back as it was.",
        "Write ids with the same JSON writer as everything else.",
    ),
    must(
        "agent.rpc.id-digits",
        "21",
        "The id \"41\" comes back as a string.",
        "1 and \"1\" are different ids.",
    ),
    must(
        "agent.rpc.id-kinds",
        "21",
        "4242 and \"4242\" at the same time are two requests.",
        "Key open requests by the id and its type.",
    ),
    must(
        "agent.rpc.many",
        "21",
        "Each of 50 requests at once gets a response.",
        "Keep reading while requests are being handled.",
    ),
    must(
        "agent.rpc.unknown-notification",
        "11",
        "An unknown notification gets no response.",
        "Never respond to a message without an id.",
    ),
    must(
        "agent.rpc.extension-notification",
        "11",
        "An extension notification gets no response.",
        "Never respond to a message without an id.",
    ),
    must(
        "agent.rpc.protocol-notification",
        "113",
        "An unknown $/ notification gets no response.",
        "Ignore $/ names that you do not know.",
    ),
    must(
        "agent.rpc.bad-notification",
        "20",
        "A notification that does not match the schema gets no response.",
        "Drop it; there is no response to send.",
    ),
    must(
        "agent.rpc.cancel-unknown-session",
        "11",
        "Cancelling an unknown session gets no response.",
        "Drop it; there is no response to send.",
    ),
    must(
        "agent.rpc.cancel-idle",
        "11",
        "Cancelling a session without a turn gets no response.",
        "Drop it; there is nothing to cancel.",
    ),
    must(
        "agent.rpc.cancel-request-unknown",
        "113",
        "$/cancel_request for an unknown request gets no response.",
        "Drop it; the request may already have its response.",
    ),
    must(
        "agent.rpc.request-as-notification",
        "11",
        "session/new without an id gets no response.",
        "Never respond to a message without an id.",
    ),
    must(
        "agent.rpc.stray-answer",
        "23",
        "A response that nobody waits for is dropped.",
        "Drop it and continue.",
    ),
    must(
        "agent.rpc.stray-error",
        "23",
        "An error with the id null is dropped.",
        "Drop it and continue; responding can loop.",
    ),
    must(
        "agent.rpc.pieces",
        "2",
        "A message that arrives in pieces is understood.",
        "Read until the line feed, not until the pipe is empty.",
    ),
    must(
        "agent.rpc.together",
        "2",
        "Two messages that arrive together are both understood.",
        "Split what was read at each line feed.",
    ),
    should(
        "agent.rpc.crlf",
        "2",
        "A line that ends with CR LF is understood.",
        "Whitespace around a message has no meaning.",
    ),
    must(
        "agent.rpc.spaces",
        "1",
        "Whitespace in a message has no meaning.",
        "Use a JSON parser.",
    ),
    must(
        "agent.rpc.escapes",
        "1",
        "Escaped characters mean the same as plain ones.",
        "Use a JSON parser.",
    ),
    must(
        "agent.rpc.member-order",
        "1",
        "The order of members has no meaning.",
        "Use a JSON parser.",
    ),
    must(
        "agent.rpc.no-params",
        "15",
        "A request without params gets a response.",
        "params can be omitted.",
    ),
];
