//! Plain turns, and each kind of content in prompts.

use serde_json::{Value, json};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{text, update_kind};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;
use crate::conformance::{Check, PromptKind, members};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "turn",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        let session = test.open().await?;
        let prompt = test
            .prompt_text(PromptKind::Text)
            .unwrap_or_else(|| "hello".to_owned());
        let from = test.entry_count();
        let first = test.prompt(&session, &prompt).await;
        test.judge_result("agent.turn.ends", &first);
        if let Some(result) = first.result() {
            test.judge("agent.turn.stop-reason", reason(result), &first.entries());
            test.judge(
                "agent.turn.members",
                members::only(result, members::PROMPT),
                &first.entries(),
            );
            let messages = test.messages_since(from);
            let spoke = messages
                .iter()
                .any(|(_, it)| update_kind(it) == "agent_message_chunk");
            let spoke = spoke
                .then_some(())
                .ok_or("the turn sent no text".to_owned());
            test.judge("agent.turn.says-something", spoke, &first.entries());
        }
        let again = test.prompt(&session, &prompt).await;
        test.judge_result("agent.turn.again", &again);
        blocks(test, &session, &prompt).await?;
        refused_blocks(test, &session).await?;
        side_by_side(test, &session, &prompt).await
    })
}

fn reason(result: &Value) -> Result<(), String> {
    match text(result, "/stopReason") {
        "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" => Ok(()),
        "" => Err("stopReason is missing".to_owned()),
        _ => Err("stopReason is not in the protocol".to_owned()),
    }
}

async fn blocks(test: &mut AgentTest, session: &str, prompt: &str) -> Result<(), AbortReason> {
    let uri = format!("file://{}/hello.txt", test.cwd());
    let first = json!({ "type": "text", "text": prompt });
    for (id, capability, block) in [
        (
            "agent.content.link",
            "",
            json!({ "type": "resource_link", "uri": uri, "name": "hello.txt" }),
        ),
        (
            "agent.content.text-blocks",
            "",
            json!({ "type": "text", "text": " ", "annotations": { "audience": ["assistant"], "priority": 0.5 } }),
        ),
        (
            "agent.content.image",
            "/promptCapabilities/image",
            json!({ "type": "image", "mimeType": "image/png", "data": PIXEL }),
        ),
        (
            "agent.content.audio",
            "/promptCapabilities/audio",
            json!({ "type": "audio", "mimeType": "audio/wav", "data": "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=" }),
        ),
        (
            "agent.content.embedded-text",
            "/promptCapabilities/embeddedContext",
            json!({ "type": "resource", "resource": { "uri": uri, "text": "one\n", "mimeType": "text/plain" } }),
        ),
        (
            "agent.content.embedded-blob",
            "/promptCapabilities/embeddedContext",
            json!({ "type": "resource", "resource": { "uri": "file:///x.bin", "blob": "AAEC" } }),
        ),
    ] {
        if !capability.is_empty() && !test.offers(capability) {
            continue;
        }
        let params = json!({ "sessionId": session, "prompt": [first, block] });
        let answer = test.call("session/prompt", params).await;
        test.judge_result(id, &answer);
    }
    let params = json!({ "sessionId": session, "prompt": [first], "_meta": { "x": 1 } });
    let answer = test.call("session/prompt", params).await;
    test.judge_result("agent.turn.meta", &answer);
    Ok(())
}

async fn refused_blocks(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    let unknown = json!({ "sessionId": session, "prompt": [{ "type": "smell", "data": "rose" }] });
    let unknown = test.call("session/prompt", unknown).await;
    test.judge_error("agent.content.unknown", &unknown, &[-32602]);
    let none = test
        .call(
            "session/prompt",
            json!({ "sessionId": session, "prompt": [] }),
        )
        .await;
    test.judge_response("agent.content.none", &none);
    let large = "word ".repeat(40_000);
    let large = test.prompt(session, &large).await;
    test.judge_response("agent.content.large", &large);
    Ok(())
}

async fn side_by_side(
    test: &mut AgentTest,
    session: &str,
    prompt: &str,
) -> Result<(), AbortReason> {
    let other = test.new_session().await?;
    let from = test.entry_count();
    let one = test.send_prompt(session, prompt).await?;
    let two = test.send_prompt(&other, prompt).await?;
    let (one, two) = (
        test.wait_for_response(one).await?,
        test.wait_for_response(two).await?,
    );
    let both: Result<(), String> = one.expect_result().and(two.expect_result());
    test.judge("agent.turn.two-sessions", both, &entries(&one, &two));
    let known = |id: &str| id == session || id == other;
    let messages = test.messages_since(from).into_iter();
    let stray = messages.filter(|(_, it)| !update_kind(it).is_empty());
    let stray = stray.filter(|(_, it)| !known(text(it, "/params/sessionId")));
    let stray: Vec<usize> = stray.map(|(entry, _)| entry).collect();
    let outcome = match stray.is_empty() {
        true => Ok(()),
        false => Err("there are updates of a session that the client did not open".to_owned()),
    };
    let proof = [stray, entries(&one, &two)].concat();
    test.judge("agent.turn.own-session", outcome, &proof);
    let first = test.send_prompt(session, prompt).await?;
    let second = test.send_prompt(session, prompt).await?;
    let (first, second) = (
        test.wait_for_response(first).await?,
        test.wait_for_response(second).await?,
    );
    let both = first.expect_response().and(second.expect_response());
    test.judge("agent.turn.two-prompts", both, &entries(&first, &second));
    Ok(())
}

fn entries(one: &CallResult, two: &CallResult) -> Vec<usize> {
    [one.entries(), two.entries()].concat()
}

/// A PNG of one transparent pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const CHECKS: &[Check] = &[
    must(
        "agent.turn.ends",
        "97",
        "A turn ends with a result.",
        "Respond to session/prompt when the turn is over.",
    ),
    must(
        "agent.turn.stop-reason",
        "97",
        "The stopReason of the result is in the protocol.",
        "Use end_turn, max_tokens, max_turn_requests, refusal or cancelled.",
    )
    .when_seen("a turn that ended"),
    must(
        "agent.turn.members",
        "173",
        "The response to a prompt has no members outside the protocol.",
        "Put your own members into _meta.",
    )
    .when_seen("a turn that ended"),
    should(
        "agent.turn.says-something",
        "36",
        "A turn sends text.",
        "Send agent_message_chunk.",
    )
    .when_seen("a turn that ended"),
    must(
        "agent.turn.again",
        "36",
        "A session accepts a second prompt.",
        "A session continues after its turns.",
    ),
    must(
        "agent.turn.meta",
        "178",
        "A prompt with _meta works as if it had none.",
        "Accept any _meta, and expect nothing in it.",
    ),
    must(
        "agent.content.link",
        "35",
        "A prompt can have a resource link.",
        "Every agent accepts text and resource links.",
    ),
    must(
        "agent.content.text-blocks",
        "35",
        "A prompt can have several text blocks, with annotations.",
        "Treat them as one.",
    ),
    must(
        "agent.content.image",
        "96",
        "A prompt can have an image if that is advertised.",
        "Do not advertise what you reject.",
    )
    .when_advertised("promptCapabilities.image"),
    must(
        "agent.content.audio",
        "96",
        "A prompt can have audio if that is advertised.",
        "Do not advertise what you reject.",
    )
    .when_advertised("promptCapabilities.audio"),
    must(
        "agent.content.embedded-text",
        "96",
        "A prompt can have an embedded text file if that is advertised.",
        "Do not advertise what you reject.",
    )
    .when_advertised("promptCapabilities.embeddedContext"),
    must(
        "agent.content.embedded-blob",
        "96",
        "A prompt can have an embedded binary file if that is advertised.",
        "Do not advertise what you reject.",
    )
    .when_advertised("promptCapabilities.embeddedContext"),
    observed(
        "agent.content.unknown",
        "19",
        "Content of an unknown type is rejected with -32602.",
        "Reject it; do not process half a prompt.",
    ),
    must(
        "agent.content.none",
        "36",
        "A prompt without content gets a response.",
        "Reject it or end the turn.",
    ),
    must(
        "agent.content.large",
        "36",
        "A prompt of 200 kB gets a response.",
        "Reject it or accept it.",
    ),
    must(
        "agent.turn.two-sessions",
        "36",
        "Two sessions can have a turn at the same time.",
        "Keep reading while a turn runs.",
    ),
    must(
        "agent.turn.own-session",
        "36",
        "Updates belong to sessions that the client opened.",
        "Put the sessionId of the prompt into its updates.",
    ),
    must(
        "agent.turn.two-prompts",
        "36",
        "A prompt during a turn gets a response, and so does the first.",
        "Queue it or reject it; do not let either hang.",
    ),
];
