//! Cancellation, at every moment there is.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, should};
use crate::conformance::desk::{Commands, Person};
use crate::conformance::json::{method, text, update, update_kind};
use crate::conformance::scene::Scene;
use crate::conformance::stage::{Answer, Outcome};
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "cancel",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.open().await?;
        late(scene).await?;
        if let Some(long) = scene.said_for(PromptKind::Long) {
            mid_text(scene, &long).await?;
            at_once(scene, &long).await?;
            one_of_two(scene, &long).await?;
            request(scene, &long).await?;
        }
        if let Some(tool) = scene.said_for(PromptKind::LongTool) {
            mid_tool(scene, &tool).await?;
        }
        if let Some(asking) = scene.said_for(PromptKind::Permission) {
            pending_permission(scene, &asking).await?;
        }
        Ok(())
    })
}

/// A cancel that comes too late does nothing to the next turn.
async fn late(scene: &mut Scene) -> Result<(), Stop> {
    let session = scene.session().await?;
    let said = scene
        .said_for(PromptKind::Text)
        .unwrap_or_else(|| "hello".to_owned());
    let first = scene.prompt(&session, &said).await;
    if first.went_well().is_err() {
        return Ok(());
    }
    let told = scene.cancel(&session).await?;
    let next = scene.prompt(&session, &said).await;
    let outcome = match next.result().map(|result| text(result, "/stopReason")) {
        Some("cancelled") => Err("the next turn was cancelled".to_owned()),
        Some(_) => Ok(()),
        None => next.went_well(),
    };
    let entries = [vec![told], next.entries()].concat();
    scene.judge("agent.cancel.late", outcome, &entries);
    Ok(())
}

async fn mid_text(scene: &mut Scene, long: &str) -> Result<(), Stop> {
    let session = scene.session().await?;
    let asked = scene.start_prompt(&session, long).await?;
    let begun = scene
        .stage()?
        .until(|it| is_of(it, &session) && !update_kind(it).is_empty())
        .await;
    if begun.is_none() {
        return Ok(());
    }
    let told = scene.cancel(&session).await?;
    let twice = scene.cancel(&session).await?;
    let start = Instant::now();
    let answer = scene.finish(asked).await?;
    let entries = [vec![told, twice], answer.entries()].concat();
    scene.judge("agent.cancel.mid-text", cancelled(&answer), &entries);
    let error = match answer.outcome {
        Outcome::Fail(code, _) => Err(format!("the prompt failed with {code}")),
        _ => answer.was_answered(),
    };
    scene.judge("agent.cancel.no-error", error, &entries);
    let quick = start.elapsed() < SOON;
    let quick = quick
        .then_some(())
        .ok_or(format!("the response took {} s", start.elapsed().as_secs()));
    scene.judge(
        "agent.cancel.soon",
        quick.and(answer.was_answered()),
        &entries,
    );
    if answer.was_answered().is_err() {
        return Ok(());
    }
    let said = scene
        .said_for(PromptKind::Text)
        .unwrap_or_else(|| "hello".to_owned());
    let from = scene.now();
    let ping = scene.ping().await;
    let heard = scene.heard(from).into_iter();
    let late = heard.filter(|(_, it)| is_of(it, &session) && belongs_to_turn(update_kind(it)));
    let late: Vec<usize> = late.map(|(entry, _)| entry).collect();
    let quiet = late
        .is_empty()
        .then_some(())
        .ok_or("updates came after the response".to_owned());
    scene.judge(
        "agent.cancel.nothing-after",
        quiet,
        &[late, ping.entries()].concat(),
    );
    let next = scene.prompt(&session, &said).await;
    let goes_on = match next.result().map(|result| text(result, "/stopReason")) {
        Some("cancelled") => Err("the next turn was cancelled too".to_owned()),
        _ => next.went_well(),
    };
    scene.judge("agent.cancel.then-prompt", goes_on, &next.entries());
    Ok(())
}

async fn at_once(scene: &mut Scene, long: &str) -> Result<(), Stop> {
    let session = scene.session().await?;
    let asked = scene.start_prompt(&session, long).await?;
    scene.cancel(&session).await?;
    let answer = scene.finish(asked).await?;
    scene.judge(
        "agent.cancel.at-once",
        cancelled(&answer),
        &answer.entries(),
    );
    Ok(())
}

async fn one_of_two(scene: &mut Scene, long: &str) -> Result<(), Stop> {
    let (one, other) = (scene.session().await?, scene.session().await?);
    let first = scene.start_prompt(&one, long).await?;
    let second = scene.start_prompt(&other, long).await?;
    scene.cancel(&one).await?;
    let first = scene.finish(first).await?;
    if cancelled(&first).is_err() {
        return Ok(());
    }
    let before = scene.now();
    scene.ping().await;
    let id = second.id().clone();
    let heard = scene.heard(0).into_iter();
    let ended = heard.filter(|(_, it)| it.get("id") == Some(&id) && it.get("result").is_some());
    let mut ended = ended.map(|(_, it)| text(&it, "/result/stopReason") == "cancelled");
    let ended = ended.next_back().unwrap_or(false);
    let alone = if ended {
        Err("the other session's turn was cancelled too".to_owned())
    } else {
        Ok(())
    };
    scene.judge("agent.cancel.one-of-two", alone, &[first.asked, before]);
    scene.cancel(&other).await?;
    scene.finish(second).await?;
    Ok(())
}

/// `$/cancel_request` may be ignored, but the request must be answered in the end.
async fn request(scene: &mut Scene, long: &str) -> Result<(), Stop> {
    let session = scene.session().await?;
    let asked = scene.start_prompt(&session, long).await?;
    let told = scene
        .tell("$/cancel_request", json!({ "requestId": asked.id() }))
        .await?;
    scene.ping().await;
    scene.cancel(&session).await?;
    let answer = scene.finish(asked).await?;
    let outcome = match answer.outcome {
        Outcome::Fail(-32800, _) | Outcome::Ok(..) => Ok(()),
        Outcome::Fail(code, _) => Err(format!("the error code is {code} instead of -32800")),
        _ => answer.was_answered(),
    };
    scene.judge(
        "agent.cancel.request",
        outcome,
        &[vec![told], answer.entries()].concat(),
    );
    Ok(())
}

async fn mid_tool(scene: &mut Scene, tool: &str) -> Result<(), Stop> {
    scene.desk()?.commands = Commands::Last;
    let session = scene.session().await?;
    let from = scene.now();
    let asked = scene.start_prompt(&session, tool).await?;
    let runs = |it: &Value| {
        let status = update(it).map_or("", |update| text(update, "/status"));
        status == "in_progress" || method(it) == "terminal/create"
    };
    if scene.stage()?.until(runs).await.is_none() {
        return Ok(());
    }
    let told = scene.cancel(&session).await?;
    let answer = scene.finish(asked).await?;
    let entries = [vec![told], answer.entries()].concat();
    scene.judge("agent.cancel.mid-tool", cancelled(&answer), &entries);
    if answer.was_answered().is_ok() {
        let heard = scene.heard(from);
        scene.judge(
            "agent.cancel.tools-settle",
            super::tools::settled(&heard),
            &entries,
        );
        let count = |name: &str| heard.iter().filter(|(_, it)| method(it) == name).count();
        if count("terminal/create") > 0 {
            scene.ping().await;
            let heard = scene.heard(from);
            let count = |name: &str| heard.iter().filter(|(_, it)| method(it) == name).count();
            let all = count("terminal/release") >= count("terminal/create");
            let all = all
                .then_some(())
                .ok_or("a terminal was not released".to_owned());
            scene.judge("agent.cancel.terminals-released", all, &entries);
        }
    }
    scene.desk()?.commands = Commands::End;
    Ok(())
}

async fn pending_permission(scene: &mut Scene, asking: &str) -> Result<(), Stop> {
    scene.revive().await?;
    scene.desk()?.person = Person::Waits;
    let session = scene.session().await?;
    let from = scene.now();
    let asked = scene.start_prompt(&session, asking).await?;
    let question = scene
        .stage()?
        .until(|it| method(it) == "session/request_permission")
        .await;
    if question.is_none() {
        return Ok(());
    }
    let told = scene.cancel(&session).await?;
    scene.ping().await;
    for (entry, id) in scene.stage()?.held.clone() {
        let held = scene.heard(entry).into_iter().next();
        if held.is_some_and(|(_, it)| method(&it) == "session/request_permission") {
            let outcome = json!({ "outcome": { "outcome": "cancelled" } });
            scene.stage()?.reply(&id, outcome).await;
        }
    }
    let answer = scene.finish(asked).await?;
    let entries = [question.into_iter().collect(), vec![told], answer.entries()].concat();
    scene.judge(
        "agent.cancel.pending-permission",
        cancelled(&answer),
        &entries,
    );
    let heard = scene.heard(from);
    let asked = question.and_then(|entry| heard.iter().find(|(at, _)| *at == entry));
    let call = asked.map_or("", |(_, it)| text(it, "/params/toolCall/toolCallId"));
    let ran = super::tools::status_of(&heard, call) == "completed";
    let ran = if ran {
        Err("a tool call is completed anyway".to_owned())
    } else {
        Ok(())
    };
    scene.judge("agent.cancel.permission-not-run", ran, &entries);
    Ok(())
}

fn cancelled(answer: &Answer) -> Result<(), String> {
    match answer.result().map(|result| text(result, "/stopReason")) {
        Some("cancelled") => Ok(()),
        Some(_) => Err("the stop reason is not cancelled".to_owned()),
        None => answer.went_well(),
    }
}

fn is_of(message: &Value, session: &str) -> bool {
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
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.no-error",
        "107",
        "A cancelled prompt does not fail.",
        "Catch the exception that aborting throws.",
    )
    .prompt(PromptKind::Long),
    should(
        "agent.cancel.soon",
        "105",
        "A cancelled turn ends within three seconds.",
        "Abort the request to the model; do not wait for it.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.nothing-after",
        "108",
        "No update of the turn comes after its response.",
        "Send the remaining updates before the response.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.then-prompt",
        "36",
        "After a cancelled turn, the session accepts a prompt.",
        "Reset the cancellation with each turn.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.at-once",
        "106",
        "A turn that is cancelled before its first update ends with cancelled.",
        "A cancel right after the prompt applies to that prompt.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.one-of-two",
        "102",
        "Cancelling one session does not affect the other.",
        "Track cancellation for each session.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.request",
        "110",
        "A prompt that $/cancel_request names gets a response in the end.",
        "Respond with a result or -32800.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.cancel.mid-tool",
        "106",
        "A turn that is cancelled while a tool runs ends with cancelled.",
        "Stop the tool, and respond with cancelled.",
    )
    .prompt(PromptKind::LongTool),
    should(
        "agent.cancel.tools-settle",
        "108",
        "Tool calls of a cancelled turn reach a final status before its response.",
        "Report open calls as failed first.",
    )
    .prompt(PromptKind::LongTool),
    must(
        "agent.cancel.terminals-released",
        "137",
        "Terminals of a cancelled turn are released.",
        "Release them whatever happens.",
    )
    .prompt(PromptKind::LongTool),
    must(
        "agent.cancel.pending-permission",
        "106",
        "A turn that is cancelled while it asks for permission ends with cancelled.",
        "Treat the outcome cancelled as the end of the turn.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.cancel.permission-not-run",
        "106",
        "A tool whose permission request was cancelled does not run.",
        "Only the outcome selected with an allow option grants permission.",
    )
    .prompt(PromptKind::Permission),
];
