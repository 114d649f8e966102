//! Known, unknown and very many updates. The client must still respond after each of them.

use serde_json::{Value, json};

use super::client_test::ClientTest;
use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "updates",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        for (id, updates) in kinds().into_iter().chain(changes()) {
            test.restart_if_gone().await?;
            let mut last = 0;
            for update in updates {
                last = test.update(update).await?;
            }
            test.judge_alive(id, last).await;
        }
        test.restart_if_gone().await?;
        let strange = json!({ "sessionId": "no-such-session", "update": prompt("lost") });
        let sent = test.notify("session/update", strange).await?;
        test.judge_alive("client.update.other-session", sent).await;
        test.restart_if_gone().await?;
        let mut last = 0;
        for number in 0..1000 {
            last = test.update(prompt(&format!("{number} "))).await?;
        }
        test.judge_alive("client.update.flood", last).await;
        test.restart_if_gone().await?;
        let large = test.update(prompt(&"large ".repeat(200_000))).await?;
        test.judge_alive("client.update.large", large).await;
        test.end_turn("end_turn").await
    })
}

fn prompt(text: &str) -> Value {
    json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } })
}

fn kinds() -> Vec<(&'static str, Vec<Value>)> {
    let tool = |more: Value| {
        let mut call = json!({ "sessionUpdate": "tool_call", "toolCallId": "u1", "title": "Look" });
        if let (Value::Object(call), Value::Object(more)) = (&mut call, more) {
            call.extend(more);
        }
        call
    };
    vec![
        (
            "client.update.message",
            vec![
                prompt("*Hello* `there`"),
                prompt("\u{1b}[31mred\u{1b}[0m\u{7}\u{202e}"),
            ],
        ),
        (
            "client.update.thought",
            vec![
                json!({ "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": "Hm." }, "messageId": "m1" }),
            ],
        ),
        (
            "client.update.user",
            vec![
                json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "You." } }),
            ],
        ),
        (
            "client.update.content",
            vec![
                json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "resource_link", "uri": "file:///x", "name": "x" } }),
                json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "image", "data": "AA==", "mimeType": "image/png" } }),
                json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "resource", "resource": { "uri": "file:///x", "text": "x" } } }),
            ],
        ),
        (
            "client.update.tool-call",
            vec![
                tool(
                    json!({ "kind": "read", "status": "pending", "locations": [{ "path": "/x", "line": 3 }], "rawInput": { "a": 1 } }),
                ),
                json!({ "sessionUpdate": "tool_call_update", "toolCallId": "u1", "status": "in_progress", "content": [{ "type": "content", "content": { "type": "text", "text": "x" } }] }),
                json!({ "sessionUpdate": "tool_call_update", "toolCallId": "u1", "status": "completed", "content": [{ "type": "diff", "path": "/x", "oldText": null, "newText": "y" }] }),
            ],
        ),
        (
            "client.update.tool-unannounced",
            vec![
                json!({ "sessionUpdate": "tool_call_update", "toolCallId": "never", "status": "completed" }),
            ],
        ),
        (
            "client.update.tool-unknown-kind",
            vec![tool(
                json!({ "toolCallId": "u2", "kind": "dream", "status": "asleep" }),
            )],
        ),
    ]
}

/// Updates that are not messages.
fn changes() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        (
            "client.update.plan",
            vec![
                json!({ "sessionUpdate": "plan", "entries": [{ "content": "one", "priority": "high", "status": "pending" }] }),
                json!({ "sessionUpdate": "plan", "entries": [] }),
            ],
        ),
        (
            "client.update.commands",
            vec![
                json!({ "sessionUpdate": "available_commands_update", "availableCommands": [{ "name": "go", "description": "Goes", "input": { "hint": "where" } }] }),
            ],
        ),
        (
            "client.update.mode",
            vec![json!({ "sessionUpdate": "current_mode_update", "currentModeId": "none" })],
        ),
        (
            "client.update.config",
            vec![
                json!({ "sessionUpdate": "config_option_update", "configOptions": [{ "id": "m", "name": "M", "type": "select", "currentValue": "a", "options": [{ "value": "a", "name": "A" }], "category": "new-one" }, { "id": "n", "name": "N", "type": "dial" }] }),
            ],
        ),
        (
            "client.update.info",
            vec![
                json!({ "sessionUpdate": "session_info_update", "title": "A title" }),
                json!({ "sessionUpdate": "session_info_update", "title": null }),
            ],
        ),
        (
            "client.update.usage",
            vec![
                json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": { "amount": 0.5, "currency": "EUR" } }),
            ],
        ),
        (
            "client.update.unknown",
            vec![json!({ "sessionUpdate": "smell", "intensity": 3 })],
        ),
        (
            "client.update.unknown-content",
            vec![json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "smell" } })],
        ),
        (
            "client.update.meta",
            vec![
                json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x", "_meta": { "a": [1] } }, "_meta": { "traceparent": "x" }, "moonPhase": "full" }),
            ],
        ),
    ]
}

const HINT: &str = "Show it or ignore it, and continue.";

const CHECKS: &[Check] = &[
    must(
        "client.update.message",
        "36",
        "The client keeps working after any message.",
        HINT,
    ),
    must(
        "client.update.thought",
        "36",
        "The client keeps working after a thought.",
        HINT,
    ),
    must(
        "client.update.user",
        "36",
        "The client keeps working after a user message.",
        HINT,
    ),
    must(
        "client.update.content",
        "36",
        "The client keeps working after links, images and files.",
        HINT,
    ),
    must(
        "client.update.tool-call",
        "109",
        "The client keeps working after a tool call and its changes.",
        HINT,
    ),
    should(
        "client.update.tool-unannounced",
        "109",
        "The client keeps working after an update of an unreported tool call.",
        "Treat it as the first report.",
    ),
    must(
        "client.update.tool-unknown-kind",
        "109",
        "The client keeps working after a tool call of an unknown kind.",
        "Treat it as other.",
    ),
    must(
        "client.update.plan",
        "129",
        "The client keeps working after a plan and its replacement.",
        HINT,
    ),
    must(
        "client.update.commands",
        "156",
        "The client keeps working after a list of commands.",
        HINT,
    ),
    must(
        "client.update.mode",
        "145",
        "The client keeps working after a mode that it does not know.",
        HINT,
    ),
    must(
        "client.update.config",
        "149",
        "The client keeps working after options of unknown types and categories.",
        "Ignore what you do not know.",
    ),
    must(
        "client.update.info",
        "84",
        "The client keeps working after a title and its removal.",
        HINT,
    ),
    must(
        "client.update.usage",
        "101",
        "The client keeps working after usage.",
        HINT,
    ),
    must(
        "client.update.unknown",
        "34",
        "The client keeps working after an update of an unknown kind.",
        "Ignore it: the agent may be newer.",
    ),
    must(
        "client.update.unknown-content",
        "34",
        "The client keeps working after content of an unknown type.",
        "Ignore it: the agent may be newer.",
    ),
    must(
        "client.update.meta",
        "178",
        "The client keeps working after _meta and members that it does not know.",
        "Ignore them.",
    ),
    must(
        "client.update.other-session",
        "23",
        "The client keeps working after an update of an unknown session.",
        "Drop it.",
    ),
    must(
        "client.update.flood",
        "36",
        "The client keeps working after a thousand updates.",
        "Keep reading while you draw.",
    ),
    must(
        "client.update.large",
        "36",
        "The client keeps working after a message of a megabyte.",
        "Do not set a smaller limit for messages.",
    ),
];
