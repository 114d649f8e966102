//! Cancels turns and requests at every moment: before, during and after a turn.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, should};
use crate::conformance::fake_editor::{CommandLifetime, UserDecision};
use crate::conformance::json::{method, text, update, update_kind};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::{CallOutcome, CallResult};
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "cancellation",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.open().await?;
        late(test).await?;
        if let Some(long) = test.prompt_text(PromptKind::Long) {
            mid_text(test, &long).await?;
            at_once(test, &long).await?;
            one_of_two(test, &long).await?;
            request(test, &long).await?;
        }
        if let Some(tool) = test.prompt_text(PromptKind::LongTool) {
            mid_tool(test, &tool).await?;
        }
        if let Some(asking) = test.prompt_text(PromptKind::Permission) {
            pending_permission(test, &asking).await?;
        }
        Ok(())
    })
}

/// A cancellation that arrives after the end of a turn must not affect the next turn.
async fn late(test: &mut AgentTest) -> Result<(), AbortReason> {
    let session = test.new_session().await?;
    let prompt = test
        .prompt_text(PromptKind::Text)
        .unwrap_or_else(|| "hello".to_owned());
    let first = test.prompt(&session, &prompt).await;
    if first.expect_result().is_err() {
        return Ok(());
    }
    let sent = test.cancel(&session).await?;
    let next = test.prompt(&session, &prompt).await;
    let outcome = match next.result().map(|result| text(result, "/stopReason")) {
        Some("cancelled") => Err("the next turn was cancelled".to_owned()),
        Some(_) => Ok(()),
        None => next.expect_result(),
    };
    let entries = [vec![sent], next.entries()].concat();
    test.judge("agent.cancel.late", outcome, &entries);
    Ok(())
}

async fn mid_text(test: &mut AgentTest, long: &str) -> Result<(), AbortReason> {
    let session = test.new_session().await?;
    let request = test.send_prompt(&session, long).await?;
    let begun = test
        .connection()?
        .wait_for(|it| is_for_session(it, &session) && !update_kind(it).is_empty())
        .await;
    if begun.is_none() {
        return Ok(());
    }
    let sent = test.cancel(&session).await?;
    let twice = test.cancel(&session).await?;
    let start = Instant::now();
    let answer = test.wait_for_response(request).await?;
    let entries = [vec![sent, twice], answer.entries()].concat();
    test.judge("agent.cancel.mid-text", cancelled(&answer), &entries);
    let error = match answer.outcome {
        CallOutcome::Error(code, _) => Err(format!("the prompt failed with {code}")),
        _ => answer.expect_response(),
    };
    test.judge("agent.cancel.no-error", error, &entries);
    let quick = start.elapsed() < SOON;
    let quick = quick
        .then_some(())
        .ok_or(format!("the response took {} s", start.elapsed().as_secs()));
    test.judge(
        "agent.cancel.soon",
        quick.and(answer.expect_response()),
        &entries,
    );
    if answer.expect_response().is_err() {
        return Ok(());
    }
    let prompt = test
        .prompt_text(PromptKind::Text)
        .unwrap_or_else(|| "hello".to_owned());
    let from = test.entry_count();
    let ping = test.ping().await;
    let messages = test.messages_since(from).into_iter();
    let late =
        messages.filter(|(_, it)| is_for_session(it, &session) && belongs_to_turn(update_kind(it)));
    let late: Vec<usize> = late.map(|(entry, _)| entry).collect();
    let quiet = late
        .is_empty()
        .then_some(())
        .ok_or("updates came after the response".to_owned());
    test.judge(
        "agent.cancel.nothing-after",
        quiet,
        &[late, ping.entries()].concat(),
    );
    let next = test.prompt(&session, &prompt).await;
    let goes_on = match next.result().map(|result| text(result, "/stopReason")) {
        Some("cancelled") => Err("the next turn was cancelled too".to_owned()),
        _ => next.expect_result(),
    };
    test.judge("agent.cancel.then-prompt", goes_on, &next.entries());
    Ok(())
}

async fn at_once(test: &mut AgentTest, long: &str) -> Result<(), AbortReason> {
    let session = test.new_session().await?;
    let request = test.send_prompt(&session, long).await?;
    test.cancel(&session).await?;
    let answer = test.wait_for_response(request).await?;
    test.judge(
        "agent.cancel.at-once",
        cancelled(&answer),
        &answer.entries(),
    );
    Ok(())
}

async fn one_of_two(test: &mut AgentTest, long: &str) -> Result<(), AbortReason> {
    let (one, other) = (test.new_session().await?, test.new_session().await?);
    let first = test.send_prompt(&one, long).await?;
    let second = test.send_prompt(&other, long).await?;
    test.cancel(&one).await?;
    let first = test.wait_for_response(first).await?;
    if cancelled(&first).is_err() {
        return Ok(());
    }
    let before = test.entry_count();
    test.ping().await;
    let id = second.id().clone();
    let messages = test.messages_since(0).into_iter();
    let ended = messages.filter(|(_, it)| it.get("id") == Some(&id) && it.get("result").is_some());
    let mut ended = ended.map(|(_, it)| text(&it, "/result/stopReason") == "cancelled");
    let ended = ended.next_back().unwrap_or(false);
    let alone = if ended {
        Err("the other session's turn was cancelled too".to_owned())
    } else {
        Ok(())
    };
    test.judge("agent.cancel.one-of-two", alone, &[first.request, before]);
    test.cancel(&other).await?;
    test.wait_for_response(second).await?;
    Ok(())
}

/// `$/cancel_request` may be ignored, but the request must be answered in the end.
async fn request(test: &mut AgentTest, long: &str) -> Result<(), AbortReason> {
    let session = test.new_session().await?;
    let request = test.send_prompt(&session, long).await?;
    let sent = test
        .notify("$/cancel_request", json!({ "requestId": request.id() }))
        .await?;
    test.ping().await;
    test.cancel(&session).await?;
    let answer = test.wait_for_response(request).await?;
    let outcome = match answer.outcome {
        CallOutcome::Error(-32800, _) | CallOutcome::Ok(..) => Ok(()),
        CallOutcome::Error(code, _) => Err(format!("the error code is {code} instead of -32800")),
        _ => answer.expect_response(),
    };
    test.judge(
        "agent.cancel.request",
        outcome,
        &[vec![sent], answer.entries()].concat(),
    );
    Ok(())
}

async fn mid_tool(test: &mut AgentTest, tool: &str) -> Result<(), AbortReason> {
    test.editor()?.commands = CommandLifetime::RunsUntilKilled;
    let session = test.new_session().await?;
    let from = test.entry_count();
    let request = test.send_prompt(&session, tool).await?;
    let runs = |it: &Value| {
        let status = update(it).map_or("", |update| text(update, "/status"));
        status == "in_progress" || method(it) == "terminal/create"
    };
    if test.connection()?.wait_for(runs).await.is_none() {
        return Ok(());
    }
    let sent = test.cancel(&session).await?;
    let answer = test.wait_for_response(request).await?;
    let entries = [vec![sent], answer.entries()].concat();
    test.judge("agent.cancel.mid-tool", cancelled(&answer), &entries);
    if answer.expect_response().is_ok() {
        let messages = test.messages_since(from);
        test.judge(
            "agent.cancel.tools-settle",
            super::tool_calls::settled(&messages),
            &entries,
        );
        let count = |name: &str| messages.iter().filter(|(_, it)| method(it) == name).count();
        if count("terminal/create") > 0 {
            test.ping().await;
            let messages = test.messages_since(from);
            let count = |name: &str| messages.iter().filter(|(_, it)| method(it) == name).count();
            let all = count("terminal/release") >= count("terminal/create");
            let all = all
                .then_some(())
                .ok_or("a terminal was not released".to_owned());
            test.judge("agent.cancel.terminals-released", all, &entries);
        }
    }
    test.editor()?.commands = CommandLifetime::Ends;
    Ok(())
}

async fn pending_permission(test: &mut AgentTest, asking: &str) -> Result<(), AbortReason> {
    test.restart_if_gone().await?;
    test.editor()?.decision = UserDecision::Defer;
    let session = test.new_session().await?;
    let from = test.entry_count();
    let request = test.send_prompt(&session, asking).await?;
    let question = test
        .connection()?
        .wait_for(|it| method(it) == "session/request_permission")
        .await;
    if question.is_none() {
        return Ok(());
    }
    let sent = test.cancel(&session).await?;
    test.ping().await;
    for (entry, id) in test.connection()?.deferred.clone() {
        let held = test.messages_since(entry).into_iter().next();
        if held.is_some_and(|(_, it)| method(&it) == "session/request_permission") {
            let outcome = json!({ "outcome": { "outcome": "cancelled" } });
            test.connection()?.respond(&id, outcome).await;
        }
    }
    let answer = test.wait_for_response(request).await?;
    let entries = [question.into_iter().collect(), vec![sent], answer.entries()].concat();
    test.judge(
        "agent.cancel.pending-permission",
        cancelled(&answer),
        &entries,
    );
    let messages = test.messages_since(from);
    let request = question.and_then(|entry| messages.iter().find(|(at, _)| *at == entry));
    let call = request.map_or("", |(_, it)| text(it, "/params/toolCall/toolCallId"));
    let ran = super::tool_calls::status_of(&messages, call) == "completed";
    let ran = if ran {
        Err("a tool call is completed anyway".to_owned())
    } else {
        Ok(())
    };
    test.judge("agent.cancel.permission-not-run", ran, &entries);
    Ok(())
}

fn cancelled(answer: &CallResult) -> Result<(), String> {
    match answer.result().map(|result| text(result, "/stopReason")) {
        Some("cancelled") => Ok(()),
        Some(_) => Err("the stop reason is not cancelled".to_owned()),
        None => answer.expect_result(),
    }
}

fn is_for_session(message: &Value, session: &str) -> bool {
    text(message, "/params/sessionId") == session
}

/// Commands, modes, options, titles and costs can change at any time; what is said and done belongs to a turn.
fn belongs_to_turn(kind: &str) -> bool {
    matches!(
        kind,
        "agent_message_chunk" | "agent_thought_chunk" | "tool_call" | "tool_call_update" | "plan"
    )
}

const SOON: Duration = Duration::from_secs(3);

const CHECKS: &[Check] = &[
    must(
        "agent.cancel.late",
        "102",
        "A cancel after the end of a turn does not affect the next turn.",
        "Drop a cancel when no turn is running.",
    ),
    must(
        "agent.cancel.mid-text",
        "106",
        "A turn that is cancelled while it streams text ends with cancelled.",
        "Stop, send the remaining updates, and respond with cancelled.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.no-error",
        "107",
        "A cancelled prompt does not fail.",
        "Catch the exception that aborting throws.",
    )
    .when_prompted(PromptKind::Long),
    should(
        "agent.cancel.soon",
        "105",
        "A cancelled turn ends within three seconds.",
        "Abort the request to the model; do not wait for it.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.nothing-after",
        "108",
        "No update of the turn comes after its response.",
        "Send the remaining updates before the response.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.then-prompt",
        "36",
        "After a cancelled turn, the session accepts a prompt.",
        "Reset the cancellation with each turn.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.at-once",
        "106",
        "A turn that is cancelled before its first update ends with cancelled.",
        "A cancel right after the prompt applies to that prompt.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.one-of-two",
        "102",
        "Cancelling one session does not affect the other.",
        "Track cancellation for each session.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.request",
        "110",
        "A prompt that $/cancel_request names gets a response in the end.",
        "Respond with a result or -32800.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.cancel.mid-tool",
        "106",
        "A turn that is cancelled while a tool runs ends with cancelled.",
        "Stop the tool, and respond with cancelled.",
    )
    .when_prompted(PromptKind::LongTool),
    should(
        "agent.cancel.tools-settle",
        "108",
        "Tool calls of a cancelled turn reach a final status before its response.",
        "Report open calls as failed first.",
    )
    .when_prompted(PromptKind::LongTool),
    must(
        "agent.cancel.terminals-released",
        "137",
        "Terminals of a cancelled turn are released.",
        "Release them whatever happens.",
    )
    .when_prompted(PromptKind::LongTool),
    must(
        "agent.cancel.pending-permission",
        "106",
        "A turn that is cancelled while it asks for permission ends with cancelled.",
        "Treat the outcome cancelled as the end of the turn.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.cancel.permission-not-run",
        "106",
        "A tool whose permission request was cancelled does not run.",
        "Only the outcome selected with an allow option grants permission.",
    )
    .when_prompted(PromptKind::Permission),
];
