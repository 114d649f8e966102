//! Tool calls, plans, and permission requests answered in every way.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, should};
use crate::conformance::fake_editor::UserDecision;
use crate::conformance::json::{method, text, update, update_kind};
use crate::conformance::peer_test::NumberedMessages;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "tool-calls",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.open().await?;
        if let Some(prompt) = test.prompt_text(PromptKind::ToolCall) {
            let (messages, answer) = turn(test, &prompt, UserDecision::Allow).await?;
            if messages
                .iter()
                .any(|(_, it)| update_kind(it).starts_with("tool_call"))
            {
                test.judge_result("agent.tool.turn-ends", &answer);
                test.judge("agent.tool.settled", settled(&messages), &answer.entries());
            }
        }
        if let Some(prompt) = test.prompt_text(PromptKind::Plan) {
            let (messages, answer) = turn(test, &prompt, UserDecision::Allow).await?;
            let plan = messages
                .iter()
                .any(|(_, it)| update_kind(it).starts_with("plan"));
            let plan = plan.then_some(()).ok_or("no plan was reported".to_owned());
            test.judge("agent.plan.reported", plan, &answer.entries());
        }
        if let Some(prompt) = test.prompt_text(PromptKind::Permission) {
            permissions(test, &prompt).await?;
        }
        Ok(())
    })
}

async fn turn(
    test: &mut AgentTest,
    prompt: &str,
    decision: UserDecision,
) -> Result<(NumberedMessages, CallResult), AbortReason> {
    test.restart_if_gone().await?;
    test.editor()?.decision = decision;
    let session = test.new_session().await?;
    let from = test.entry_count();
    let answer = test.prompt(&session, prompt).await;
    Ok((test.messages_since(from), answer))
}

async fn permissions(test: &mut AgentTest, prompt: &str) -> Result<(), AbortReason> {
    let (messages, answer) = turn(test, prompt, UserDecision::Allow).await?;
    let Some((request, question)) = messages.iter().find(|(_, it)| is_permission_request(it))
    else {
        return Ok(());
    };
    let entries = [vec![*request], answer.entries()].concat();
    let call = text(question, "/params/toolCall/toolCallId");
    let options = question
        .pointer("/params/options")
        .and_then(Value::as_array);
    let options = options.map_or(&[][..], Vec::as_slice);
    // The simulated user never selects a lasting option, so without "allow once" the call was not allowed.
    if options.iter().any(|it| text(it, "/kind") == "allow_once") {
        test.judge("agent.permission.allowed", answer.expect_result(), &entries);
        if !call.is_empty() {
            let ran = match status_of(&messages, call) {
                "" => Err("the tool call is not updated after the permission".to_owned()),
                "failed" | "pending" => Err("with permission, the tool does not run".to_owned()),
                _ => Ok(()),
            };
            test.judge("agent.permission.allowed-runs", ran, &entries);
        }
    }
    test.judge("agent.permission.options", given(options), &entries);
    test.judge("agent.permission.named", named(options), &entries);
    let has = |start: &str| {
        options
            .iter()
            .any(|it| text(it, "/kind").starts_with(start))
    };
    let choice = (has("allow") && has("reject")).then_some(());
    let choice = choice.ok_or("there is no option to allow or none to reject".to_owned());
    test.judge("agent.permission.choice", choice, &entries);
    let call = (!call.is_empty())
        .then_some(())
        .ok_or("the tool call is missing".to_owned());
    test.judge("agent.permission.call", call, &entries);
    for (id, decision) in [
        ("agent.permission.rejected", UserDecision::Reject),
        ("agent.permission.left", UserDecision::Cancel),
        ("agent.permission.unanswerable", UserDecision::Fail),
    ] {
        let (messages, answer) = turn(test, prompt, decision).await?;
        let Some((request, question)) = messages.iter().find(|(_, it)| is_permission_request(it))
        else {
            continue;
        };
        let entries = [vec![*request], answer.entries()].concat();
        test.judge(id, answer.expect_response(), &entries);
        let status = status_of(&messages, text(question, "/params/toolCall/toolCallId"));
        let ran = match status {
            "completed" => Err("without permission, the tool call is completed".to_owned()),
            _ => Ok(()),
        };
        test.judge("agent.permission.refused-not-run", ran, &entries);
    }
    Ok(())
}

fn is_permission_request(message: &Value) -> bool {
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
pub(super) fn status_of<'a>(messages: &'a [(usize, Value)], call: &str) -> &'a str {
    let updates = messages.iter().filter_map(|(_, it)| update(it));
    let own = updates.filter(|it| text(it, "/toolCallId") == call);
    let mut prompt = own
        .map(|it| text(it, "/status"))
        .filter(|status| !status.is_empty());
    prompt.next_back().unwrap_or("")
}

/// Fails unless every tool call has a final status.
pub(super) fn settled(messages: &[(usize, Value)]) -> Result<(), String> {
    let mut calls = BTreeMap::new();
    for update in messages.iter().filter_map(|(_, it)| update(it)) {
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
    .when_prompted(PromptKind::ToolCall),
    should(
        "agent.tool.settled",
        "97",
        "At the end of a turn every tool call is completed or failed.",
        "Report the end of each call.",
    )
    .when_prompted(PromptKind::ToolCall),
    should(
        "agent.plan.reported",
        "127",
        "A plan is reported.",
        "Send a plan update.",
    )
    .when_prompted(PromptKind::Plan),
    must(
        "agent.permission.allowed",
        "122",
        "With permission, the turn ends with a result.",
        "Continue when allowed.",
    )
    .when_prompted(PromptKind::Permission),
    should(
        "agent.permission.allowed-runs",
        "121",
        "With permission, the tool runs.",
        "Run the tool and report it as in progress.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.permission.options",
        "122",
        "A permission request has options.",
        "Send at least one option.",
    )
    .when_prompted(PromptKind::Permission),
    should(
        "agent.permission.named",
        "B4",
        "Each option has a name to show.",
        "The user has to read it.",
    )
    .when_prompted(PromptKind::Permission),
    should(
        "agent.permission.choice",
        "122",
        "There is an option to allow and one to reject.",
        "The user must be able to reject.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.permission.call",
        "122",
        "The permission request says which tool call it is about.",
        "Put the toolCallId into toolCall.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.permission.rejected",
        "97",
        "A turn ends when permission is rejected.",
        "Continue or stop, but respond.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.permission.left",
        "97",
        "A turn ends when its elicitation is cancelled.",
        "Continue or stop, but respond.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.permission.unanswerable",
        "97",
        "A turn ends when the permission request fails.",
        "Treat an error as a rejection.",
    )
    .when_prompted(PromptKind::Permission),
    must(
        "agent.permission.refused-not-run",
        "122",
        "A tool that was not allowed does not run.",
        "Only the outcome selected with an allow option grants permission.",
    )
    .when_prompted(PromptKind::Permission),
];
