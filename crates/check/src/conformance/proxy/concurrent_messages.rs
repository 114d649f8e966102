//! Many messages at once through a proxy: ids, order and cancellation.

use attache_testkit::Side;
use serde_json::{Value, json};

use super::proxy_test::{ProxyTest, id};
use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::json::{MessageKind, message_kind, method};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<ProxyTest> = TestCase {
    name: "concurrent-messages",
    checks: CHECKS,
    run,
};

fn run(test: &mut ProxyTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.open().await?;
        ids(test).await?;
        out_of_order(test).await?;
        updates(test).await?;
        cancel(test).await?;
        no_own_calls(test)?;
        invalid_lines(test).await
    })
}

async fn ids(test: &mut ProxyTest) -> Result<(), AbortReason> {
    for (check, wire) in [
        ("proxy.id.text", json!("an id ž")),
        ("proxy.id.zero", json!(0)),
        ("proxy.id.large", json!(9_007_199_254_740_991_i64)),
    ] {
        let request = test
            .front()?
            .send_request_with_id(wire, "_attache.check/id", json!({}))
            .await;
        let Some(forwarded) = test.wait_behind("_attache.check/id").await else {
            continue;
        };
        test.back()?
            .respond(&id(&forwarded.message), json!({}))
            .await;
        let answer = test.front()?.wait_for_response(request).await;
        test.judge_both(
            check,
            answer.expect_result(),
            &answer.entries(),
            &[forwarded.entry],
        );
    }
    let ours = test
        .front()?
        .send_request_with_id(json!(77), "_attache.check/one", json!({}))
        .await;
    let theirs = test
        .back()?
        .send_request_with_id(json!(77), "_attache.check/two", json!({}))
        .await;
    let one = test.wait_behind("_attache.check/one").await;
    let two = test.wait_in_front("_attache.check/two").await;
    let (Some(one), Some(two)) = (one, two) else {
        return Ok(());
    };
    test.front()?
        .respond(&id(&two.message), json!({ "for": "two" }))
        .await;
    test.back()?
        .respond(&id(&one.message), json!({ "for": "one" }))
        .await;
    let (ours, theirs) = (
        test.front()?.wait_for_response(ours).await,
        test.back()?.wait_for_response(theirs).await,
    );
    let right = ours.result() == Some(&json!({ "for": "one" }))
        && theirs.result() == Some(&json!({ "for": "two" }));
    let right = right
        .then_some(())
        .ok_or("the responses are mixed up or missing".to_owned());
    test.judge_both(
        "proxy.id.both-ways",
        right,
        &ours.entries(),
        &theirs.entries(),
    );
    Ok(())
}

async fn out_of_order(test: &mut ProxyTest) -> Result<(), AbortReason> {
    let mut request = Vec::new();
    for number in 0..10 {
        let params = json!({ "number": number });
        request.push(
            test.front()?
                .send_request("_attache.check/order", params)
                .await,
        );
    }
    let mut forwarded = Vec::new();
    for _ in 0..10 {
        forwarded.extend(test.wait_behind("_attache.check/order").await);
    }
    let numbers: Vec<i64> = forwarded
        .iter()
        .filter_map(|it| it.message.pointer("/params/number")?.as_i64())
        .collect();
    let in_order = (numbers == (0..10).collect::<Vec<i64>>()).then_some(());
    let entries: Vec<usize> = forwarded.iter().map(|it| it.entry).take(4).collect();
    let in_order = in_order.ok_or("requests are missing or out of order".to_owned());
    test.judge_both("proxy.order.requests", in_order, &[], &entries);
    for it in forwarded.iter().rev() {
        let number = it
            .message
            .pointer("/params/number")
            .cloned()
            .unwrap_or_default();
        test.back()?
            .respond(&id(&it.message), json!({ "number": number }))
            .await;
    }
    let (mut right, mut entries) = (Ok(()), Vec::new());
    for (number, request) in request.into_iter().enumerate() {
        let answer = test.front()?.wait_for_response(request).await;
        if answer.result() != Some(&json!({ "number": number })) {
            right = Err("a response went to another request, or to none".to_owned());
            entries = answer.entries();
        }
    }
    test.judge("proxy.id.out-of-order", right, &entries);
    Ok(())
}

async fn updates(test: &mut ProxyTest) -> Result<(), AbortReason> {
    let request = test
        .front()?
        .send_request("session/prompt", json!({ "sessionId": "s", "prompt": [] }))
        .await;
    let Some(prompt) = test.wait_behind("session/prompt").await else {
        return Ok(());
    };
    for number in 0..200 {
        let text = number.to_string();
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        test.back()?
            .notify(
                "session/update",
                json!({ "sessionId": "s", "update": update }),
            )
            .await;
    }
    test.back()?
        .respond(&id(&prompt.message), json!({ "stopReason": "end_turn" }))
        .await;
    let answer = test.front()?.wait_for_response(request).await;
    let forwarded = test.front()?.conversation().messages(Side::Agent);
    let text = |it: &Value| {
        Some(
            it.pointer("/params/update/content/text")?
                .as_str()?
                .to_owned(),
        )
    };
    let sent: Vec<(usize, String)> = forwarded
        .filter_map(|(entry, it)| Some((entry, text(it)?)))
        .collect();
    let numbers: Vec<String> = sent.iter().map(|(_, text)| text.clone()).collect();
    let all: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let mut sorted = numbers.clone();
    sorted.sort_by_key(|it| it.parse::<u32>().unwrap_or_default());
    let in_order = (numbers == sorted)
        .then_some(())
        .ok_or("updates are out of order".to_owned());
    test.judge("proxy.order.updates", in_order, &answer.entries());
    let last = (sorted == all)
        .then_some(())
        .ok_or("an update was lost, sent twice, or came after the response".to_owned());
    test.judge("proxy.order.answer-last", last, &answer.entries());
    Ok(())
}

async fn cancel(test: &mut ProxyTest) -> Result<(), AbortReason> {
    let request = test
        .front()?
        .send_request_with_id(json!("to-cancel"), "_attache.check/slow", json!({}))
        .await;
    let Some(forwarded) = test.wait_behind("_attache.check/slow").await else {
        return Ok(());
    };
    let sent = test
        .front()?
        .notify("$/cancel_request", json!({ "requestId": "to-cancel" }))
        .await;
    let cancelled = test.wait_behind("$/cancel_request").await;
    let named = cancelled
        .as_ref()
        .and_then(|it| it.message.pointer("/params/requestId").cloned());
    let right = match named {
        Some(named) if named == id(&forwarded.message) => Ok(()),
        Some(_) => Err("another request is cancelled".to_owned()),
        None => Err("$/cancel_request did not arrive".to_owned()),
    };
    let entries: Vec<usize> = cancelled
        .iter()
        .map(|it| it.entry)
        .chain([forwarded.entry])
        .collect();
    test.judge_both("proxy.cancel.request", right, &[sent], &entries);
    let error = json!({ "code": -32800, "message": "cancelled" });
    let failure = json!({ "jsonrpc": "2.0", "id": id(&forwarded.message), "error": error });
    test.back()?.send(&failure).await;
    let answer = test.front()?.wait_for_response(request).await;
    test.judge(
        "proxy.cancel.answer",
        answer.expect_response(),
        &answer.entries(),
    );
    Ok(())
}

async fn invalid_lines(test: &mut ProxyTest) -> Result<(), AbortReason> {
    for (check, from_front) in [
        ("proxy.robust.client-garbage", true),
        ("proxy.robust.agent-garbage", false),
    ] {
        test.open().await?;
        let line = b"this is not a message\n";
        let sent = match from_front {
            true => test.front()?.send_bytes(line).await,
            false => test.back()?.send_bytes(line).await,
        };
        let request = test
            .front()?
            .send_request("_attache.check/after", json!({}))
            .await;
        let forwarded = test.wait_behind("_attache.check/after").await;
        if let Some(forwarded) = &forwarded {
            test.back()?
                .respond(&id(&forwarded.message), json!({}))
                .await;
        }
        let answer = test.front()?.wait_for_response(request).await;
        let outcome = answer
            .expect_result()
            .map_err(|why| format!("afterwards {why}"));
        test.judge(check, outcome, &[vec![sent], answer.entries()].concat());
    }
    Ok(())
}

/// Judges that the proxy sends no requests or notifications of its own.
fn no_own_calls(test: &mut ProxyTest) -> Result<(), AbortReason> {
    let calls = |it: &Value| {
        matches!(
            message_kind(it),
            MessageKind::Request | MessageKind::Notification
        )
    };
    let conversation = test.back()?.conversation();
    let forwarded: Vec<usize> = conversation
        .messages(Side::Client)
        .filter(|(_, it)| calls(it) && !is_ours(it))
        .map(|(entry, _)| entry)
        .collect();
    let quiet = forwarded
        .is_empty()
        .then_some(())
        .ok_or("a call arrived that nobody sent".to_owned());
    test.judge_both("proxy.quiet.agent", quiet, &[], &forwarded);
    let conversation = test.front()?.conversation();
    let forwarded: Vec<usize> = conversation
        .messages(Side::Agent)
        .filter(|(_, it)| calls(it) && !is_ours(it))
        .map(|(entry, _)| entry)
        .collect();
    let quiet = forwarded
        .is_empty()
        .then_some(())
        .ok_or("a call arrived that nobody sent".to_owned());
    test.judge("proxy.quiet.client", quiet, &forwarded);
    let framing = only_messages(test.front()?.conversation(), Side::Agent)
        .and(only_messages(test.back()?.conversation(), Side::Client));
    test.judge("proxy.framing", framing, &[]);
    Ok(())
}

fn is_ours(message: &Value) -> bool {
    let name = method(message);
    name.starts_with("_attache.check/")
        || matches!(
            name,
            "initialize" | "session/prompt" | "session/update" | "$/cancel_request"
        )
}

fn only_messages(
    conversation: &crate::conformance::Conversation,
    side: Side,
) -> Result<(), String> {
    let lines = conversation
        .entries
        .iter()
        .filter(|entry| entry.from == side);
    for entry in lines {
        if let crate::conformance::EntryContent::Line(line, json) = &entry.content {
            let garbage = line.starts_with(b"this is not a message");
            let whole = json
                .as_ref()
                .is_some_and(|it| it.get("jsonrpc") == Some(&json!("2.0")));
            let right = whole && line.ends_with(b"\n");
            if !(garbage || right) {
                return Err("a line arrived that is not a message".to_owned());
            }
        }
    }
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "proxy.id.text",
        "21",
        "A response comes back with the id of the request: a string.",
        "Keep the id for the response.",
    ),
    must(
        "proxy.id.zero",
        "21",
        "A response comes back with the id of the request: 0.",
        "0 is an id like any other.",
    ),
    must(
        "proxy.id.large",
        "21",
        "A response comes back with the id of the request: a large number.",
        "Keep ids as they are on the wire, not as floats.",
    ),
    must(
        "proxy.id.both-ways",
        "21",
        "Both sides can have an open request with the same id.",
        "Each side numbers its own requests.",
    ),
    must(
        "proxy.id.out-of-order",
        "21",
        "Responses out of order reach the right requests.",
        "Find the request by its id.",
    ),
    must(
        "proxy.order.requests",
        "186",
        "Requests arrive in the order in which they were sent.",
        "Forward in order.",
    ),
    must(
        "proxy.order.updates",
        "186",
        "Updates arrive in the order in which they were sent.",
        "Forward in order.",
    ),
    must(
        "proxy.order.answer-last",
        "108",
        "The response to a prompt comes after all of its updates.",
        "Send responses and updates through one queue.",
    ),
    should(
        "proxy.cancel.request",
        "187",
        "$/cancel_request names the request as the agent knows it.",
        "Translate the id if you translate ids.",
    ),
    must(
        "proxy.cancel.answer",
        "110",
        "A cancelled request gets a response.",
        "Forward the response, or respond with -32800.",
    ),
    must(
        "proxy.robust.client-garbage",
        "17",
        "An invalid line from the client does not end the connection.",
        "Forward it, or reject it, and continue.",
    ),
    must(
        "proxy.robust.agent-garbage",
        "17",
        "An invalid line from the agent does not end the connection.",
        "Forward it, or drop it, and continue.",
    ),
    must(
        "proxy.quiet.agent",
        "186",
        "The agent receives only what was sent.",
        "Send messages of your own only when you must.",
    ),
    must(
        "proxy.quiet.client",
        "186",
        "The client receives only what was sent.",
        "Send messages of your own only when you must.",
    ),
    must(
        "proxy.framing",
        "1",
        "Every line that is forwarded is one JSON-RPC message.",
        "Write the line feed with the message.",
    ),
];
