//! Tool calls, plans, and permission with every answer there is.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, should};
use crate::conformance::desk::Person;
use crate::conformance::json::{method, text, update, update_kind};
use crate::conformance::scene::Scene;
use crate::conformance::stage::Answer;
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "tools",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.open().await?;
        if let Some(said) = scene.said_for(PromptKind::ToolCall) {
            let (heard, answer) = turn(scene, &said, Person::Allows).await?;
            if heard
                .iter()
                .any(|(_, it)| update_kind(it).starts_with("tool_call"))
            {
                scene.went_well("agent.tool.turn-ends", &answer);
                scene.judge("agent.tool.settled", settled(&heard), &answer.entries());
            }
        }
        if let Some(said) = scene.said_for(PromptKind::Plan) {
            let (heard, answer) = turn(scene, &said, Person::Allows).await?;
            let plan = heard
                .iter()
                .any(|(_, it)| update_kind(it).starts_with("plan"));
            let plan = plan.then_some(()).ok_or("no plan was reported".to_owned());
            scene.judge("agent.plan.reported", plan, &answer.entries());
        }
        if let Some(said) = scene.said_for(PromptKind::Permission) {
            permissions(scene, &said).await?;
        }
        Ok(())
    })
}

type Heard = Vec<(usize, Value)>;

async fn turn(scene: &mut Scene, said: &str, person: Person) -> Result<(Heard, Answer), Stop> {
    scene.revive().await?;
    scene.desk()?.person = person;
    let session = scene.session().await?;
    let from = scene.now();
    let answer = scene.prompt(&session, said).await;
    Ok((scene.heard(from), answer))
}

async fn permissions(scene: &mut Scene, said: &str) -> Result<(), Stop> {
    let (heard, answer) = turn(scene, said, Person::Allows).await?;
    let Some((asked, question)) = heard.iter().find(|(_, it)| is_question(it)) else {
        return Ok(());
    };
    let entries = [vec![*asked], answer.entries()].concat();
    let call = text(question, "/params/toolCall/toolCallId");
    let options = question
        .pointer("/params/options")
        .and_then(Value::as_array);
    let options = options.map_or(&[][..], Vec::as_slice);
    // Without an option for once it was not allowed: the person never chooses one that lasts.
    if options.iter().any(|it| text(it, "/kind") == "allow_once") {
        scene.judge("agent.permission.allowed", answer.went_well(), &entries);
        if !call.is_empty() {
            let ran = match status_of(&heard, call) {
                "" => Err("the tool call is not updated after the permission".to_owned()),
                "failed" | "pending" => Err("with permission, the tool does not run".to_owned()),
                _ => Ok(()),
            };
            scene.judge("agent.permission.allowed-runs", ran, &entries);
        }
    }
    scene.judge("agent.permission.options", given(options), &entries);
    scene.judge("agent.permission.named", named(options), &entries);
    let has = |start: &str| {
        options
            .iter()
            .any(|it| text(it, "/kind").starts_with(start))
    };
    let choice = (has("allow") && has("reject")).then_some(());
    let choice = choice.ok_or("there is no option to allow or none to reject".to_owned());
    scene.judge("agent.permission.choice", choice, &entries);
    let call = (!call.is_empty())
        .then_some(())
        .ok_or("the tool call is missing".to_owned());
    scene.judge("agent.permission.call", call, &entries);
    for (id, person) in [
        ("agent.permission.rejected", Person::Rejects),
        ("agent.permission.left", Person::Leaves),
        ("agent.permission.unanswerable", Person::IsMissing),
    ] {
        let (heard, answer) = turn(scene, said, person).await?;
        let Some((asked, question)) = heard.iter().find(|(_, it)| is_question(it)) else {
            continue;
        };
        let entries = [vec![*asked], answer.entries()].concat();
        scene.judge(id, answer.was_answered(), &entries);
        let status = status_of(&heard, text(question, "/params/toolCall/toolCallId"));
        let ran = match status {
            "completed" => Err("without permission, the tool call is completed".to_owned()),
            _ => Ok(()),
        };
        scene.judge("agent.permission.refused-not-run", ran, &entries);
    }
    Ok(())
}

fn is_question(message: &Value) -> bool {
    method(message) == "session/request_permission"
}

fn given(options: &[Value]) -> Result<(), String> {
    (!options.is_empty())
        .then_some(())
        .ok_or("there are no options".to_owned())
}

fn named(options: &[Value]) -> Result<(), String> {
    let bare = |option: &Value| text(option, "/name").trim().is_empty();
    match options.iter().any(bare) {
        true => Err("an option has no name".to_owned()),
        false => Ok(()),
    }
}

/// The last status of a tool call.
pub(super) fn status_of<'a>(heard: &'a [(usize, Value)], call: &str) -> &'a str {
    let updates = heard.iter().filter_map(|(_, it)| update(it));
    let own = updates.filter(|it| text(it, "/toolCallId") == call);
    let mut said = own
        .map(|it| text(it, "/status"))
        .filter(|status| !status.is_empty());
    said.next_back().unwrap_or("")
}

/// That every tool call has reached a final status.
pub(super) fn settled(heard: &[(usize, Value)]) -> Result<(), String> {
    let mut calls = BTreeMap::new();
    for update in heard.iter().filter_map(|(_, it)| update(it)) {
        let kind = text(update, "/sessionUpdate");
        let status = text(update, "/status");
        if kind == "tool_call" || (kind == "tool_call_update" && !status.is_empty()) {
            calls.insert(text(update, "/toolCallId"), status);
        }
    }
    let open = |status: &&str| !matches!(*status, "completed" | "failed");
    match calls.values().any(open) {
        true => Err("a tool call was left without a final status".to_owned()),
        false => Ok(()),
    }
}

const CHECKS: &[Check] = &[
    must(
        "agent.tool.turn-ends",
        "97",
        "A turn with a tool call ends with a result.",
        "Continue after the tool, and end the turn.",
    )
    .prompt(PromptKind::ToolCall),
    should(
        "agent.tool.settled",
        "97",
        "At the end of a turn every tool call is completed or failed.",
        "Report the end of each call.",
    )
    .prompt(PromptKind::ToolCall),
    should(
        "agent.plan.reported",
        "127",
        "A plan is reported.",
        "Send a plan update.",
    )
    .prompt(PromptKind::Plan),
    must(
        "agent.permission.allowed",
        "122",
        "With permission, the turn ends with a result.",
        "Continue when allowed.",
    )
    .prompt(PromptKind::Permission),
    should(
        "agent.permission.allowed-runs",
        "121",
        "With permission, the tool runs.",
        "Run the tool and report it as in progress.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.permission.options",
        "122",
        "A permission request has options.",
        "Send at least one option.",
    )
    .prompt(PromptKind::Permission),
    should(
        "agent.permission.named",
        "B4",
        "Each option has a name to show.",
        "The user has to read it.",
    )
    .prompt(PromptKind::Permission),
    should(
        "agent.permission.choice",
        "122",
        "There is an option to allow and one to reject.",
        "The user must be able to reject.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.permission.call",
        "122",
        "The permission request says which tool call it is about.",
        "Put the toolCallId into toolCall.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.permission.rejected",
        "97",
        "A turn ends when permission is rejected.",
        "Continue or stop, but respond.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.permission.left",
        "97",
        "A turn ends when its elicitation is cancelled.",
        "Continue or stop, but respond.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.permission.unanswerable",
        "97",
        "A turn ends when the permission request fails.",
        "Treat an error as a rejection.",
    )
    .prompt(PromptKind::Permission),
    must(
        "agent.permission.refused-not-run",
        "122",
        "A tool that was not allowed does not run.",
        "Only the outcome selected with an allow option grants permission.",
    )
    .prompt(PromptKind::Permission),
];
