//! Rough treatment, after each of which the agent must still be there.

use serde_json::{Value, json};

use crate::conformance::Check;
use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{Shape, shape};
use crate::conformance::scene::Scene;

pub(super) const ACT: Act<Scene> = Act {
    name: "rough",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.greet().await?;
        for (id, line) in LINES {
            treat(scene, id, line).await?;
        }
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{{\"a\":{}{}}}}}\n",
            "[".repeat(1000),
            "]".repeat(1000)
        );
        treat(scene, "agent.robust.deep", deep.as_bytes()).await?;
        let garbage = "this is not a message\n".repeat(200);
        treat(scene, "agent.robust.garbage", garbage.as_bytes()).await?;
        let large = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{{\"a\":\"{}\"}}}}\n",
            "x".repeat(1 << 20)
        );
        treat(scene, "agent.robust.large", large.as_bytes()).await?;
        let endless = format!("{}\n", "y".repeat(1 << 20));
        treat(scene, "agent.robust.large-garbage", endless.as_bytes()).await?;
        answers(scene).await
    })
}

async fn treat(scene: &mut Scene, id: &str, line: &[u8]) -> Result<(), Stop> {
    scene.revive().await?;
    let told = scene.stage()?.say_raw(line).await;
    scene.is_alive(id, told).await;
    Ok(())
}

/// What official implementations answer to what is no request.
async fn answers(scene: &mut Scene) -> Result<(), Stop> {
    let (told, errors) = provoke(scene, "{\"jsonrpc\": oh no}\n").await?;
    scene.judge(
        "agent.robust.parse-error",
        one(&errors, -32700),
        &entries(told, &errors),
    );
    let params = scene.new_params();
    let ask =
        |id: i64| json!({ "jsonrpc": "2.0", "id": id, "method": "session/new", "params": params });
    let batch = format!("{}\n", json!([ask(7001), ask(7002)]));
    let (told, errors) = provoke(scene, &batch).await?;
    scene.judge(
        "agent.robust.batch-answer",
        one(&errors, -32600),
        &entries(told, &errors),
    );
    let done = errors
        .iter()
        .any(|(_, answer)| answer.get("result").is_some());
    let done = if done {
        Err("a request of the batch was executed".to_owned())
    } else {
        Ok(())
    };
    scene.judge("agent.robust.batch-not-done", done, &entries(told, &errors));
    scene.revive().await?;
    let stage = scene.stage()?;
    let twice = stage
        .start_as(json!("twice"), "_attache.check/twice", json!({}))
        .await;
    let _second = stage
        .start_as(json!("twice"), "_attache.check/twice", json!({}))
        .await;
    let answer = scene.finish(twice).await?;
    scene.was_answered("agent.robust.duplicate-id", &answer);
    Ok(())
}

type Heard = Vec<(usize, Value)>;

/// Says something and gives the answers that come before the next one that we know.
async fn provoke(scene: &mut Scene, line: &str) -> Result<(usize, Heard), Stop> {
    scene.revive().await?;
    let from = scene.now();
    let told = scene.stage()?.say_raw(line.as_bytes()).await;
    let ping = scene.ping().await;
    let known = ping.entries();
    let mut heard = scene.heard(from);
    heard.retain(|(entry, message)| {
        let answer = shape(message) == Shape::Answer || message.is_array();
        answer && !known.contains(entry)
    });
    Ok((told, heard))
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

fn entries(told: usize, answers: &[(usize, Value)]) -> Vec<usize> {
    let answers = answers.iter().map(|(entry, _)| *entry);
    std::iter::once(told).chain(answers).collect()
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
