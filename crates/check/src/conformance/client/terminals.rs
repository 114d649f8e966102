//! Terminals: the environment and output of commands, their exit status, and the lifetime of terminal ids.

use serde_json::{Value, json};
use tokio::time::Instant;

use super::client_test::ClientTest;
use super::fake_agent::SESSION;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::text;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;
use crate::conformance::{Check, Need};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "terminals",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        if !test.offers("/terminal") {
            let answer = test
                .request("terminal/create", json!({ "command": "true" }))
                .await;
            test.judge_error("client.fence.terminal", &answer, &[]);
            return test.end_turn("end_turn").await;
        }
        ended(test).await;
        given(test).await;
        running(test).await;
        odd(test).await;
        test.end_turn("end_turn").await
    })
}

fn shell(script: &str, more: Value) -> Value {
    let mut params = json!({ "command": "sh", "args": ["-c", script] });
    if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
        params.extend(more);
    }
    params
}

async fn create_terminal(test: &mut ClientTest, params: Value) -> (CallResult, String) {
    let answer = test.request("terminal/create", params).await;
    let id = answer
        .result()
        .map_or("", |it| text(it, "/terminalId"))
        .to_owned();
    (answer, id)
}

async fn call(test: &mut ClientTest, method: &str, id: &str) -> CallResult {
    test.request(method, json!({ "terminalId": id })).await
}

/// Runs a command to its end and returns the responses with its exit status and its output.
async fn run_command(test: &mut ClientTest, params: Value) -> (CallResult, CallResult) {
    let (_, id) = create_terminal(test, params).await;
    let exit = call(test, "terminal/wait_for_exit", &id).await;
    let output = call(test, "terminal/output", &id).await;
    call(test, "terminal/release", &id).await;
    (exit, output)
}

async fn ended(test: &mut ClientTest) {
    let (created, id) = create_terminal(test, shell(HELLO, json!({}))).await;
    let has_id = match (created.result(), id.is_empty()) {
        (Some(_), true) => Err("the response has no terminalId".to_owned()),
        _ => created.expect_result(),
    };
    test.judge("client.terminal.create", has_id, &created.entries());
    if id.is_empty() {
        return;
    }
    let exit = call(test, "terminal/wait_for_exit", &id).await;
    let code = exit.result().and_then(|it| it.get("exitCode")?.as_i64());
    let right = match code {
        Some(3) => Ok(()),
        _ => exit
            .expect_result()
            .and(Err("the exit code is different".to_owned())),
    };
    test.judge("client.terminal.exit-code", right, &exit.entries());
    let output = call(test, "terminal/output", &id).await;
    let prompt = output.result().map(|it| text(it, "/output").trim_end());
    let right = match prompt {
        Some("hello") => Ok(()),
        _ => output
            .expect_result()
            .and(Err("the output is different".to_owned())),
    };
    test.judge("client.terminal.output", right, &output.entries());
    let whole = output
        .result()
        .and_then(|it| it.get("truncated")?.as_bool());
    let whole = (whole == Some(false))
        .then_some(())
        .ok_or("truncated is not false".to_owned());
    test.judge("client.terminal.not-truncated", whole, &output.entries());
    let status = output
        .result()
        .and_then(|it| it.pointer("/exitStatus/exitCode")?.as_i64());
    let status = (status == Some(3))
        .then_some(())
        .ok_or("the output has no exit status".to_owned());
    test.judge("client.terminal.exit-status", status, &output.entries());
    let again = call(test, "terminal/wait_for_exit", &id).await;
    let same = (again.result() == exit.result()).then_some(());
    let same = same.ok_or("waiting twice gives different results".to_owned());
    test.judge(
        "client.terminal.wait-twice",
        same,
        &[exit.entries(), again.entries()].concat(),
    );
    let released = call(test, "terminal/release", &id).await;
    test.judge_result("client.terminal.release", &released);
    let after = call(test, "terminal/output", &id).await;
    test.judge_error("client.terminal.released-void", &after, &[]);
}

async fn given(test: &mut ClientTest) {
    let env = json!({ "env": [{ "name": "CHECK", "value": "a b" }] });
    let sub = test.folder();
    let folder = sub
        .map(|it| it.to_string_lossy().into_owned())
        .unwrap_or_default();
    for (id, params, wanted) in [
        ("client.terminal.env", shell(ENV, env), "a b".to_owned()),
        (
            "client.terminal.args",
            json!({ "command": "printf", "args": ["%s|%s", "a b", "*"] }),
            "a b|*".to_owned(),
        ),
        (
            "client.terminal.cwd",
            shell("pwd", json!({})),
            folder.clone(),
        ),
        (
            "client.terminal.stdin",
            json!({ "command": "cat", "args": [] }),
            String::new(),
        ),
    ] {
        if id == "client.terminal.cwd" && folder.is_empty() {
            continue;
        }
        let (exit, output) = run_command(test, params).await;
        let prompt = output
            .result()
            .map(|it| text(it, "/output").trim_end().to_owned());
        let right = match prompt {
            Some(prompt) if prompt == wanted => exit.expect_result(),
            Some(_) => Err("the output is different".to_owned()),
            None => exit.expect_result().and(output.expect_result()),
        };
        test.judge(id, right, &[exit.entries(), output.entries()].concat());
    }
    let (_, output) = run_command(test, shell(LETTERS, json!({ "outputByteLimit": 5 }))).await;
    let result = output.result().cloned().unwrap_or_default();
    let kept = text(&result, "/output");
    let within = match kept.len() <= 5 && !kept.is_empty() {
        true => Ok(()),
        false => output
            .expect_result()
            .and(Err("the output is over its limit, or empty".to_owned())),
    };
    test.judge("client.terminal.limit", within, &output.entries());
    let letters = kept.chars().all(|c| c == 'ä');
    let letters = letters
        .then_some(())
        .ok_or("a character is cut in two".to_owned());
    test.judge(
        "client.terminal.limit-character",
        letters,
        &output.entries(),
    );
    let sent = result.get("truncated") == Some(&Value::Bool(true));
    let sent = sent.then_some(()).ok_or("truncated is not true".to_owned());
    test.judge("client.terminal.truncated", sent, &output.entries());
}

async fn running(test: &mut ClientTest) {
    let start = Instant::now();
    let (created, id) = create_terminal(test, shell(LONG, json!({}))).await;
    if id.is_empty() {
        return;
    }
    let quick = start.elapsed().as_secs() < 5;
    let quick = quick
        .then_some(())
        .ok_or("the response waited for the command".to_owned());
    test.judge("client.terminal.at-once", quick, &created.entries());
    let output = call(test, "terminal/output", &id).await;
    let open = match output.result() {
        Some(result) if result.get("exitStatus").is_some_and(|it| !it.is_null()) => {
            Err("a running command has an exit status".to_owned())
        }
        _ => output.expect_result(),
    };
    test.judge("client.terminal.running", open, &output.entries());
    let Ok(connection) = test.connection() else {
        return;
    };
    let params = json!({ "sessionId": SESSION, "terminalId": id });
    let waiting = connection
        .send_request("terminal/wait_for_exit", params)
        .await;
    let killed = call(test, "terminal/kill", &id).await;
    test.judge_result("client.terminal.kill", &killed);
    if let Ok(waited) = test.wait_for_response(waiting).await {
        test.judge_result("client.terminal.kill-wakes", &waited);
    }
    let after = call(test, "terminal/output", &id).await;
    test.judge_result("client.terminal.kill-keeps", &after);
    call(test, "terminal/release", &id).await;
}

async fn odd(test: &mut ClientTest) {
    for (check, method) in [
        ("client.terminal.unknown-output", "terminal/output"),
        ("client.terminal.unknown-wait", "terminal/wait_for_exit"),
    ] {
        let answer = call(test, method, "no-such-terminal").await;
        test.judge_error(check, &answer, &[]);
    }
    let missing = json!({ "command": "/no/such/program/of/attache", "args": [] });
    let (created, id) = create_terminal(test, missing).await;
    let fails = match id.is_empty() {
        true => created.expect_error(&[]),
        false => {
            let exit = call(test, "terminal/wait_for_exit", &id).await;
            let code = exit.result().and_then(|it| it.get("exitCode")?.as_i64());
            match code {
                Some(0) => Err("it ended with code 0".to_owned()),
                _ => exit.expect_response(),
            }
        }
    };
    test.judge("client.terminal.missing-program", fails, &created.entries());
}

pub(super) const HELLO: &str = "printf hello; exit 3";
const ENV: &str = "printf %s \"$CHECK\"";
const LETTERS: &str = "printf ääääääääää";
const LONG: &str = "sleep 600";

const TERMINAL: Need = Need::Capability("terminal");

const CHECKS: &[Check] = &[
    should(
        "client.fence.terminal",
        "33",
        "Terminals are rejected when they are not offered.",
        "Offer them, or reject with -32601.",
    )
    .needs(Need::NoCapability("terminal")),
    must(
        "client.terminal.create",
        "135",
        "A terminal can be created.",
        "The client offers terminals.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.exit-code",
        "138",
        "Waiting gives the exit code of the command.",
        "Respond with exitCode.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.output",
        "138",
        "The output of a command is returned.",
        "Keep it until the release.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.not-truncated",
        "136",
        "Complete output is not marked as truncated.",
        "truncated is required, and false here.",
    )
    .needs(TERMINAL),
    observed(
        "client.terminal.exit-status",
        "142",
        "The output of a command that has ended has its exit status.",
        "Add exitStatus.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.wait-twice",
        "138",
        "Waiting twice gives the same.",
        "Keep the status until the release.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.release",
        "138",
        "A terminal can be released.",
        "Respond to terminal/release.",
    )
    .needs(TERMINAL),
    observed(
        "client.terminal.released-void",
        "138",
        "A released terminal no longer exists.",
        "Forget its id.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.env",
        "134",
        "A command gets the given environment.",
        "Set each name to its value.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.args",
        "134",
        "Arguments reach the command as they are.",
        "Do not join them for a shell.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.cwd",
        "68",
        "Without a cwd, a command runs in the session's directory.",
        "Start it there.",
    )
    .needs(TERMINAL),
    should(
        "client.terminal.stdin",
        "135",
        "A command that reads its input gets end of file.",
        "Give it no input; otherwise it waits forever.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.limit",
        "136",
        "Output stays within its limit.",
        "Drop its beginning.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.limit-character",
        "136",
        "Output is cut between characters.",
        "Cut at the start of a character.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.truncated",
        "136",
        "Cut output is marked as truncated.",
        "Set truncated.",
    )
    .needs(TERMINAL),
    observed(
        "client.terminal.at-once",
        "135",
        "A terminal is created without waiting for its command.",
        "Respond when the command has started.",
    )
    .needs(TERMINAL),
    observed(
        "client.terminal.running",
        "142",
        "A running command has no exit status.",
        "Omit exitStatus.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.kill",
        "138",
        "A command can be killed.",
        "Respond to terminal/kill.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.kill-wakes",
        "138",
        "Waiting for a command ends when it is killed.",
        "Respond to terminal/wait_for_exit.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.kill-keeps",
        "138",
        "The output of a killed command can still be read.",
        "Keep it until the release.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.unknown-output",
        "138",
        "The output of an unknown terminal is rejected.",
        "Reject it.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.unknown-wait",
        "138",
        "Waiting for an unknown terminal is rejected.",
        "Reject it; do not wait forever.",
    )
    .needs(TERMINAL),
    must(
        "client.terminal.missing-program",
        "135",
        "A missing program fails.",
        "Reject, or return an exit code.",
    )
    .needs(TERMINAL),
];
