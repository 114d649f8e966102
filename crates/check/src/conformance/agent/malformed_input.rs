//! Malformed and oversized input. The agent must still respond after each of them.

use serde_json::{Value, json};

use crate::conformance::Check;
use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{MessageKind, message_kind};
use crate::conformance::peer_test::NumberedMessages;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "malformed-input",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.initialize().await?;
        for (id, line) in LINES {
            treat(test, id, line).await?;
        }
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{{\"a\":{}{}}}}}\n",
            "[".repeat(1000),
            "]".repeat(1000)
        );
        treat(test, "agent.robust.deep", deep.as_bytes()).await?;
        let garbage = "this is not a message\n".repeat(200);
        treat(test, "agent.robust.garbage", garbage.as_bytes()).await?;
        let large = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{{\"a\":\"{}\"}}}}\n",
            "x".repeat(1 << 20)
        );
        treat(test, "agent.robust.large", large.as_bytes()).await?;
        let endless = format!("{}\n", "y".repeat(1 << 20));
        treat(test, "agent.robust.large-garbage", endless.as_bytes()).await?;
        answers(test).await
    })
}

async fn treat(test: &mut AgentTest, id: &str, line: &[u8]) -> Result<(), AbortReason> {
    test.restart_if_gone().await?;
    let sent = test.connection()?.send_bytes(line).await;
    test.judge_alive(id, sent).await;
    Ok(())
}

/// Expects the error responses that official implementations send for invalid requests.
async fn answers(test: &mut AgentTest) -> Result<(), AbortReason> {
    let (sent, errors) = provoke(test, "{\"jsonrpc\": oh no}\n").await?;
    test.judge(
        "agent.robust.parse-error",
        one(&errors, -32700),
        &entries(sent, &errors),
    );
    let params = test.new_session_params();
    let ask =
        |id: i64| json!({ "jsonrpc": "2.0", "id": id, "method": "session/new", "params": params });
    let batch = format!("{}\n", json!([ask(7001), ask(7002)]));
    let (sent, errors) = provoke(test, &batch).await?;
    test.judge(
        "agent.robust.batch-answer",
        one(&errors, -32600),
        &entries(sent, &errors),
    );
    let done = errors
        .iter()
        .any(|(_, answer)| answer.get("result").is_some());
    let done = if done {
        Err("a request of the batch was executed".to_owned())
    } else {
        Ok(())
    };
    test.judge("agent.robust.batch-not-done", done, &entries(sent, &errors));
    test.restart_if_gone().await?;
    let connection = test.connection()?;
    let twice = connection
        .send_request_with_id(json!("twice"), "_attache.check/twice", json!({}))
        .await;
    let _second = connection
        .send_request_with_id(json!("twice"), "_attache.check/twice", json!({}))
        .await;
    let answer = test.wait_for_response(twice).await?;
    test.judge_response("agent.robust.duplicate-id", &answer);
    Ok(())
}

/// Sends a line and returns the responses that arrive before that to the next ping.
async fn provoke(
    test: &mut AgentTest,
    line: &str,
) -> Result<(usize, NumberedMessages), AbortReason> {
    test.restart_if_gone().await?;
    let from = test.entry_count();
    let sent = test.connection()?.send_bytes(line.as_bytes()).await;
    let ping = test.ping().await;
    let known = ping.entries();
    let mut messages = test.messages_since(from);
    messages.retain(|(entry, message)| {
        let answer = message_kind(message) == MessageKind::Response || message.is_array();
        answer && !known.contains(entry)
    });
    Ok((sent, messages))
}

fn one(answers: &[(usize, Value)], code: i64) -> Result<(), String> {
    let fits = |answer: &Value| {
        answer.get("id") == Some(&Value::Null)
            && answer.pointer("/error/code").and_then(Value::as_i64) == Some(code)
    };
    match answers {
        [(_, answer)] if fits(answer) => Ok(()),
        [] => Err(format!(
            "there was no response; expected {code} with the id null"
        )),
        _ => Err(format!("expected one response, {code} with the id null")),
    }
}

fn entries(sent: usize, answers: &[(usize, Value)]) -> Vec<usize> {
    let answers = answers.iter().map(|(entry, _)| *entry);
    std::iter::once(sent).chain(answers).collect()
}

const LINES: &[(&str, &[u8])] = &[
    ("agent.robust.bad-json", b"{\"jsonrpc\":\"2.0\",\"id\":1,\n"),
    ("agent.robust.no-object", b"\"hello\"\n"),
    ("agent.robust.blank", b"\n\n   \n\n"),
    ("agent.robust.utf8", b"{\"jsonrpc\":\"2.0\",\"method\":\"_\xff\xfe\",\"params\":{}}\n"),
    ("agent.robust.surrogate", b"{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":\"\\ud800\"}}\n"),
    ("agent.robust.nul", b"{\"jsonrpc\":\"2.0\",\0\"method\":\"_x\"}\n"),
    ("agent.robust.batch", b"[{\"jsonrpc\":\"2.0\",\"method\":\"_x\"},{\"jsonrpc\":\"2.0\",\"method\":\"_y\"}]\n"),
    ("agent.robust.empty-batch", b"[]\n"),
    ("agent.robust.no-jsonrpc", b"{\"id\":7100,\"method\":\"_attache.check/none\"}\n"),
    ("agent.robust.null-id", b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"_attache.check/none\"}\n"),
    ("agent.robust.odd-id", b"{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"_attache.check/none\"}\n"),
    ("agent.robust.both", b"{\"jsonrpc\":\"2.0\",\"id\":7101,\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}\n"),
    ("agent.robust.two-on-a-line", b"{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}{\"jsonrpc\":\"2.0\",\"method\":\"_y\"}\n"),
    ("agent.robust.numbers", b"{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":1e400,\"b\":-0,\"c\":123456789012345678901234567890}}\n"),
    ("agent.robust.headers", b"Content-Length: 2\r\n\r\n{}\n"),
];

const CHECKS: &[Check] = &[
    must(
        "agent.robust.bad-json",
        "17",
        "A line that is not JSON does not end the connection.",
        "Respond with -32700 and the id null, and continue.",
    ),
    must(
        "agent.robust.no-object",
        "17",
        "A line of JSON that is not a message does not end the connection.",
        "Respond with -32600 and the id null, and continue.",
    ),
    should(
        "agent.robust.blank",
        "",
        "Blank lines do not end the connection.",
        "Ignore them.",
    ),
    must(
        "agent.robust.utf8",
        "1",
        "A line that is not UTF-8 does not end the connection.",
        "Decode line by line, and treat a bad line as invalid JSON.",
    ),
    should(
        "agent.robust.surrogate",
        "1",
        "Half a surrogate pair does not end the connection.",
        "Treat the line as invalid JSON.",
    ),
    should(
        "agent.robust.nul",
        "1",
        "A NUL byte does not end the connection.",
        "Treat the line as invalid JSON.",
    ),
    must(
        "agent.robust.batch",
        "18",
        "A batch does not end the connection.",
        "Respond with -32600 and the id null, and continue.",
    ),
    should(
        "agent.robust.empty-batch",
        "18",
        "An empty batch does not end the connection.",
        "Respond with -32600 and the id null, and continue.",
    ),
    must(
        "agent.robust.no-jsonrpc",
        "",
        "A message without jsonrpc does not end the connection.",
        "Reject or accept it, and continue.",
    ),
    must(
        "agent.robust.null-id",
        "",
        "A request with the id null does not end the connection.",
        "Respond with the id null, and continue.",
    ),
    must(
        "agent.robust.odd-id",
        "",
        "A request whose id is an object does not end the connection.",
        "Respond with -32600 and the id null, and continue.",
    ),
    must(
        "agent.robust.both",
        "10",
        "A response with a result and an error does not end the connection.",
        "Drop it and continue.",
    ),
    should(
        "agent.robust.two-on-a-line",
        "2",
        "Two messages on one line do not end the connection.",
        "Treat the line as invalid JSON.",
    ),
    should(
        "agent.robust.numbers",
        "",
        "Very large numbers do not end the connection.",
        "Read numbers that you do not need as text.",
    ),
    should(
        "agent.robust.headers",
        "2",
        "Headers before a message do not end the connection.",
        "Treat each as a bad line.",
    ),
    must(
        "agent.robust.deep",
        "",
        "A thousand nested lists do not end the connection.",
        "Limit the depth, reject, and continue.",
    ),
    must(
        "agent.robust.garbage",
        "17",
        "Two hundred invalid lines do not end the connection.",
        "Continue after each line.",
    ),
    must(
        "agent.robust.large",
        "",
        "A message of one mebibyte does not end the connection.",
        "Accept it or skip it.",
    ),
    must(
        "agent.robust.large-garbage",
        "17",
        "A line of one mebibyte that is not JSON does not end the connection.",
        "Skip it.",
    ),
    observed(
        "agent.robust.parse-error",
        "17",
        "A line that is not JSON gets -32700 with the id null.",
        "The official SDKs do so.",
    ),
    observed(
        "agent.robust.batch-answer",
        "18",
        "A batch gets one -32600 with the id null.",
        "The official SDKs do so.",
    ),
    observed(
        "agent.robust.batch-not-done",
        "18",
        "Nothing of a batch is executed.",
        "The official SDKs execute nothing of a batch.",
    ),
    should(
        "agent.robust.duplicate-id",
        "21",
        "Two open requests with the same id both get a response.",
        "Reject the second or respond to both; the client must not hang.",
    ),
];
