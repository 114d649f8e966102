//! Single messages of every kind through a proxy, in both directions.

mod checks;

use serde_json::{Value, json};

use super::proxy_test::{ForwardedMessage, ProxyTest, id, same, same_result};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<ProxyTest> = TestCase {
    name: "single-messages",
    checks: checks::CHECKS,
    run,
};

fn run(test: &mut ProxyTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        initialize(test).await?;
        for (check, method, params) in forward() {
            request_forward(test, check, method, params).await?;
        }
        for (check, method, params) in backward() {
            request_backward(test, check, method, params).await?;
        }
        notifications(test).await?;
        responses(test).await
    })
}

async fn initialize(test: &mut ProxyTest) -> Result<(), AbortReason> {
    test.start().await?;
    let sent = json!({
        "protocolVersion": 1,
        "clientCapabilities": { "fs": { "readTextFile": true }, "terminal": false, "_meta": { "a": 1 } },
        "clientInfo": { "name": "check", "version": "1" },
        "_meta": { "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    });
    let request = test.front()?.send_request("initialize", sent.clone()).await;
    let entry = request.entry;
    let Some(forwarded) = test.wait_behind("initialize").await else {
        test.judge(
            "proxy.init.forwarded",
            Err("it did not arrive".to_owned()),
            &[entry],
        );
        return Err(AbortReason("initialize did not arrive".to_owned()));
    };
    test.judge_both("proxy.init.forwarded", Ok(()), &[entry], &[forwarded.entry]);
    let params = forwarded.message.get("params");
    let version = same(&json!(1), params.and_then(|it| it.get("protocolVersion")));
    test.judge_both("proxy.init.version", version, &[entry], &[forwarded.entry]);
    let capabilities = same(
        &sent["clientCapabilities"],
        params.and_then(|it| it.get("clientCapabilities")),
    );
    test.judge_both(
        "proxy.init.client-capabilities",
        capabilities,
        &[entry],
        &[forwarded.entry],
    );
    let meta = same(&sent["_meta"], params.and_then(|it| it.get("_meta")));
    test.judge_both("proxy.init.meta", meta, &[entry], &[forwarded.entry]);
    let given = json!({
        "protocolVersion": 1,
        "agentCapabilities": { "loadSession": true, "_meta": { "b": 2 } },
        "agentInfo": { "name": "check-agent", "version": "2" },
        "authMethods": [{ "id": "key", "name": "Key" }],
    });
    test.back()?
        .respond(&id(&forwarded.message), given.clone())
        .await;
    let result = test.front()?.wait_for_response(request).await;
    let agent = result.result().and_then(|it| it.get("agentCapabilities"));
    let agent = same(&given["agentCapabilities"], agent).and(result.expect_result());
    test.judge("proxy.init.agent-capabilities", agent, &result.entries());
    let logins = result.result().and_then(|it| it.get("authMethods"));
    test.judge(
        "proxy.init.logins",
        same(&given["authMethods"], logins),
        &result.entries(),
    );
    Ok(())
}

type RequestCase = (&'static str, &'static str, Value);

fn forward() -> Vec<RequestCase> {
    vec![
        (
            "proxy.forward.request",
            "session/new",
            json!({ "cwd": "/project", "mcpServers": [] }),
        ),
        (
            "proxy.forward.meta",
            "session/prompt",
            json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "x", "_meta": { "c": [1, null] } }], "_meta": { "x.y/z": { "d": "e" } } }),
        ),
        (
            "proxy.forward.unknown-members",
            "session/prompt",
            json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "x", "moonPhase": "full" }], "weather": [1, 2] }),
        ),
        (
            "proxy.forward.unknown-content",
            "session/prompt",
            json!({ "sessionId": "s", "prompt": [{ "type": "smell", "data": "rose" }] }),
        ),
        (
            "proxy.forward.extension",
            "_attache.check/echo",
            json!({ "value": { "a": [] } }),
        ),
        (
            "proxy.forward.unknown-method",
            "future/method",
            json!({ "a": 1 }),
        ),
        (
            "proxy.forward.unicode",
            "_attache.check/echo",
            json!({ "value": "žluť 🦀 \u{1} \" \\ \u{2028}" }),
        ),
        (
            "proxy.forward.large",
            "_attache.check/echo",
            json!({ "value": "x".repeat(1 << 20) }),
        ),
    ]
}

fn backward() -> Vec<RequestCase> {
    vec![
        (
            "proxy.backward.request",
            "session/request_permission",
            json!({ "sessionId": "s", "toolCall": { "toolCallId": "t", "title": "x" }, "options": [{ "optionId": "y", "name": "Yes", "kind": "allow_once" }] }),
        ),
        (
            "proxy.backward.meta",
            "fs/read_text_file",
            json!({ "sessionId": "s", "path": "/x", "_meta": { "f": { "g": 1 } } }),
        ),
        (
            "proxy.backward.unknown-members",
            "terminal/create",
            json!({ "sessionId": "s", "command": "x", "colour": "red" }),
        ),
        (
            "proxy.backward.extension",
            "_attache.check/echo",
            json!({ "value": [1] }),
        ),
        (
            "proxy.backward.unknown-method",
            "future/question",
            json!({ "a": 1 }),
        ),
    ]
}

async fn request_forward(
    test: &mut ProxyTest,
    check: &str,
    method: &str,
    params: Value,
) -> Result<(), AbortReason> {
    let (request, forwarded) = test.forward(method, params.clone()).await?;
    let entry = request.entry;
    let Some(forwarded) = forwarded else {
        test.judge(check, Err("it did not arrive".to_owned()), &[entry]);
        return Ok(());
    };
    let through = same(&params, forwarded.message.get("params"));
    let given = json!({ "given": true, "sessionId": "s", "_meta": { "h": null }, "own": 7 });
    test.back()?
        .respond(&id(&forwarded.message), given.clone())
        .await;
    let result = test.front()?.wait_for_response(request).await;
    test.judge_both(check, through, &result.entries(), &[forwarded.entry]);
    test.judge(
        "proxy.forward.result",
        same_result(&given, &result),
        &result.entries(),
    );
    Ok(())
}

async fn request_backward(
    test: &mut ProxyTest,
    check: &str,
    method: &str,
    params: Value,
) -> Result<(), AbortReason> {
    let (request, forwarded) = test.backward(method, params.clone()).await?;
    let Some(forwarded) = forwarded else {
        test.judge_both(
            check,
            Err("it did not arrive".to_owned()),
            &[],
            &[request.entry],
        );
        return Ok(());
    };
    let through = same(&params, forwarded.message.get("params"));
    let given = json!({ "given": true, "outcome": { "outcome": "cancelled" }, "_meta": { "i": 1 }, "own": 8 });
    test.front()?
        .respond(&id(&forwarded.message), given.clone())
        .await;
    let result = test.back()?.wait_for_response(request).await;
    test.judge_both(check, through, &[forwarded.entry], &result.entries());
    test.judge_both(
        "proxy.backward.result",
        same_result(&given, &result),
        &[],
        &result.entries(),
    );
    Ok(())
}

async fn notifications(test: &mut ProxyTest) -> Result<(), AbortReason> {
    for (check, method, params) in [
        (
            "proxy.forward.notification",
            "session/cancel",
            json!({ "sessionId": "s", "_meta": { "j": 1 } }),
        ),
        (
            "proxy.forward.unknown-notification",
            "_attache.check/news",
            json!({ "a": 1 }),
        ),
    ] {
        let sent = test.front()?.notify(method, params.clone()).await;
        let forwarded = test.wait_behind(method).await;
        judge_forwarded(test, check, &params, sent, forwarded, Direction::Forward);
    }
    for (check, method, params) in [
        (
            "proxy.backward.notification",
            "session/update",
            json!({ "sessionId": "s", "update": { "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } }, "_meta": { "k": 1 } }),
        ),
        (
            "proxy.backward.unknown-update",
            "session/update",
            json!({ "sessionId": "s", "update": { "sessionUpdate": "smell", "own": [1] } }),
        ),
        (
            "proxy.backward.unknown-notification",
            "_attache.check/news",
            json!({ "a": 1 }),
        ),
    ] {
        let sent = test.back()?.notify(method, params.clone()).await;
        let forwarded = test.wait_in_front(method).await;
        judge_forwarded(test, check, &params, sent, forwarded, Direction::Backward);
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

fn judge_forwarded(
    test: &mut ProxyTest,
    check: &str,
    params: &Value,
    sent: usize,
    forwarded: Option<ForwardedMessage>,
    direction: Direction,
) {
    let through = same(
        params,
        forwarded.as_ref().and_then(|it| it.message.get("params")),
    );
    let arrived: Vec<usize> = forwarded.iter().map(|it| it.entry).collect();
    match direction {
        Direction::Forward => test.judge_both(check, through, &[sent], &arrived),
        Direction::Backward => test.judge_both(check, through, &arrived, &[sent]),
    }
}

/// Responses with errors, with null, and with numbers that an imprecise reader would change.
async fn responses(test: &mut ProxyTest) -> Result<(), AbortReason> {
    let request = test
        .front()?
        .send_request("_attache.check/fail", json!({}))
        .await;
    if let Some(forwarded) = test.wait_behind("_attache.check/fail").await {
        let error = json!({ "code": -32099, "message": "of its own", "data": { "l": [1] } });
        let failure = json!({ "jsonrpc": "2.0", "id": id(&forwarded.message), "error": error });
        test.back()?.send(&failure).await;
        let result = test.front()?.wait_for_response(request).await;
        let entries = result.entries();
        let arrived = entries.get(1).copied();
        let arrived =
            arrived.and_then(|entry| test.front().ok()?.conversation().json(entry).cloned());
        let outcome = same(&error, arrived.as_ref().and_then(|it| it.get("error")));
        test.judge("proxy.forward.error", outcome, &entries);
    }
    let request = test
        .front()?
        .send_request("_attache.check/null", json!({}))
        .await;
    if let Some(forwarded) = test.wait_behind("_attache.check/null").await {
        test.back()?
            .respond(&id(&forwarded.message), Value::Null)
            .await;
        let result = test.front()?.wait_for_response(request).await;
        test.judge(
            "proxy.forward.null",
            same_result(&Value::Null, &result),
            &result.entries(),
        );
    }
    let numbers = "{\"jsonrpc\":\"2.0\",\"method\":\"_attache.check/numbers\",\"params\":{\"a\":12345678901234567890123,\"b\":0.10000000000000000555}}\n";
    let sent = test.front()?.send_bytes(numbers.as_bytes()).await;
    let forwarded = test.wait_behind("_attache.check/numbers").await;
    let line = forwarded
        .as_ref()
        .map(|it| it.line.as_str())
        .unwrap_or_default();
    let exact = line.contains("12345678901234567890123") && line.contains("0.10000000000000000555");
    let exact = exact
        .then_some(())
        .ok_or("a number arrived changed".to_owned());
    let arrived: Vec<usize> = forwarded.iter().map(|it| it.entry).collect();
    test.judge_both("proxy.forward.numbers", exact, &[sent], &arrived);
    Ok(())
}
