//! Single messages of every sort, each way.

mod checks;

use serde_json::{Value, json};

use super::passage::{Passage, Passed, id, same, same_answer};
use crate::conformance::act::{Act, Later, Stop};

pub(super) const ACT: Act<Passage> = Act {
    name: "passing",
    checks: checks::CHECKS,
    play,
};

fn play(passage: &mut Passage) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        greeting(passage).await?;
        for (check, method, params) in forward() {
            request_forward(passage, check, method, params).await?;
        }
        for (check, method, params) in backward() {
            request_backward(passage, check, method, params).await?;
        }
        notifications(passage).await?;
        answers(passage).await
    })
}

async fn greeting(passage: &mut Passage) -> Result<(), Stop> {
    passage.start().await?;
    let hello = json!({
        "protocolVersion": 1,
        "clientCapabilities": { "fs": { "readTextFile": true }, "terminal": false, "_meta": { "a": 1 } },
        "clientInfo": { "name": "check", "version": "1" },
        "_meta": { "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    });
    let asked = passage.front()?.start("initialize", hello.clone()).await;
    let entry = asked.entry;
    let Some(heard) = passage.at_back("initialize").await else {
        passage.judge(
            "proxy.init.forwarded",
            Err("it did not arrive".to_owned()),
            &[entry],
        );
        return Err(Stop("initialize did not arrive".to_owned()));
    };
    passage.judge_both("proxy.init.forwarded", Ok(()), &[entry], &[heard.entry]);
    let params = heard.message.get("params");
    let version = same(&json!(1), params.and_then(|it| it.get("protocolVersion")));
    passage.judge_both("proxy.init.version", version, &[entry], &[heard.entry]);
    let capabilities = same(
        &hello["clientCapabilities"],
        params.and_then(|it| it.get("clientCapabilities")),
    );
    passage.judge_both(
        "proxy.init.client-capabilities",
        capabilities,
        &[entry],
        &[heard.entry],
    );
    let meta = same(&hello["_meta"], params.and_then(|it| it.get("_meta")));
    passage.judge_both("proxy.init.meta", meta, &[entry], &[heard.entry]);
    let result = json!({
        "protocolVersion": 1,
        "agentCapabilities": { "loadSession": true, "_meta": { "b": 2 } },
        "agentInfo": { "name": "check-agent", "version": "2" },
        "authMethods": [{ "id": "key", "name": "Key" }],
    });
    passage
        .back()?
        .reply(&id(&heard.message), result.clone())
        .await;
    let answer = passage.front()?.finish(asked).await;
    let agent = answer.result().and_then(|it| it.get("agentCapabilities"));
    let agent = same(&result["agentCapabilities"], agent).and(answer.went_well());
    passage.judge("proxy.init.agent-capabilities", agent, &answer.entries());
    let logins = answer.result().and_then(|it| it.get("authMethods"));
    passage.judge(
        "proxy.init.logins",
        same(&result["authMethods"], logins),
        &answer.entries(),
    );
    Ok(())
}

type Row = (&'static str, &'static str, Value);

fn forward() -> Vec<Row> {
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

fn backward() -> Vec<Row> {
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
    passage: &mut Passage,
    check: &str,
    method: &str,
    params: Value,
) -> Result<(), Stop> {
    let (asked, heard) = passage.forward(method, params.clone()).await?;
    let entry = asked.entry;
    let Some(heard) = heard else {
        passage.judge(check, Err("it did not arrive".to_owned()), &[entry]);
        return Ok(());
    };
    let through = same(&params, heard.message.get("params"));
    let given = json!({ "given": true, "sessionId": "s", "_meta": { "h": null }, "own": 7 });
    passage
        .back()?
        .reply(&id(&heard.message), given.clone())
        .await;
    let answer = passage.front()?.finish(asked).await;
    passage.judge_both(check, through, &answer.entries(), &[heard.entry]);
    passage.judge(
        "proxy.forward.result",
        same_answer(&given, &answer),
        &answer.entries(),
    );
    Ok(())
}

async fn request_backward(
    passage: &mut Passage,
    check: &str,
    method: &str,
    params: Value,
) -> Result<(), Stop> {
    let (asked, heard) = passage.backward(method, params.clone()).await?;
    let Some(heard) = heard else {
        passage.judge_both(
            check,
            Err("it did not arrive".to_owned()),
            &[],
            &[asked.entry],
        );
        return Ok(());
    };
    let through = same(&params, heard.message.get("params"));
    let given = json!({ "given": true, "outcome": { "outcome": "cancelled" }, "_meta": { "i": 1 }, "own": 8 });
    passage
        .front()?
        .reply(&id(&heard.message), given.clone())
        .await;
    let answer = passage.back()?.finish(asked).await;
    passage.judge_both(check, through, &[heard.entry], &answer.entries());
    passage.judge_both(
        "proxy.backward.result",
        same_answer(&given, &answer),
        &[],
        &answer.entries(),
    );
    Ok(())
}

async fn notifications(passage: &mut Passage) -> Result<(), Stop> {
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
        let told = passage.front()?.tell(method, params.clone()).await;
        let heard = passage.at_back(method).await;
        judge_passed(passage, check, &params, told, heard, Way::Forward);
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
        let told = passage.back()?.tell(method, params.clone()).await;
        let heard = passage.at_front(method).await;
        judge_passed(passage, check, &params, told, heard, Way::Backward);
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    Backward,
}

fn judge_passed(
    passage: &mut Passage,
    check: &str,
    params: &Value,
    told: usize,
    heard: Option<Passed>,
    way: Way,
) {
    let through = same(
        params,
        heard.as_ref().and_then(|it| it.message.get("params")),
    );
    let came: Vec<usize> = heard.iter().map(|it| it.entry).collect();
    match way {
        Way::Forward => passage.judge_both(check, through, &[told], &came),
        Way::Backward => passage.judge_both(check, through, &came, &[told]),
    }
}

/// Errors, nothing, and numbers that a careless reader changes.
async fn answers(passage: &mut Passage) -> Result<(), Stop> {
    let asked = passage
        .front()?
        .start("_attache.check/fail", json!({}))
        .await;
    if let Some(heard) = passage.at_back("_attache.check/fail").await {
        let error = json!({ "code": -32099, "message": "of its own", "data": { "l": [1] } });
        let failure = json!({ "jsonrpc": "2.0", "id": id(&heard.message), "error": error });
        passage.back()?.say(&failure).await;
        let answer = passage.front()?.finish(asked).await;
        let entries = answer.entries();
        let came = entries.get(1).copied();
        let came = came.and_then(|entry| passage.front().ok()?.conversation().json(entry).cloned());
        let outcome = same(&error, came.as_ref().and_then(|it| it.get("error")));
        passage.judge("proxy.forward.error", outcome, &entries);
    }
    let asked = passage
        .front()?
        .start("_attache.check/null", json!({}))
        .await;
    if let Some(heard) = passage.at_back("_attache.check/null").await {
        passage
            .back()?
            .reply(&id(&heard.message), Value::Null)
            .await;
        let answer = passage.front()?.finish(asked).await;
        passage.judge(
            "proxy.forward.null",
            same_answer(&Value::Null, &answer),
            &answer.entries(),
        );
    }
    let numbers = "{\"jsonrpc\":\"2.0\",\"method\":\"_attache.check/numbers\",\"params\":{\"a\":12345678901234567890123,\"b\":0.10000000000000000555}}\n";
    let told = passage.front()?.say_raw(numbers.as_bytes()).await;
    let heard = passage.at_back("_attache.check/numbers").await;
    let line = heard
        .as_ref()
        .map(|it| it.line.as_str())
        .unwrap_or_default();
    let exact = line.contains("12345678901234567890123") && line.contains("0.10000000000000000555");
    let exact = exact
        .then_some(())
        .ok_or("a number arrived changed".to_owned());
    let came: Vec<usize> = heard.iter().map(|it| it.entry).collect();
    passage.judge_both("proxy.forward.numbers", exact, &[told], &came);
    Ok(())
}
