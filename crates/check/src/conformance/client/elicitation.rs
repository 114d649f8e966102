//! Elicitations: the client must return an action for each mode that it advertises, and reject the other modes.

use serde_json::{Value, json};

use super::client_test::ClientTest;
use crate::conformance::check::{must, observed};
use crate::conformance::json::text;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, Need};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "elicitation",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        let (form, page) = (
            test.offers("/elicitation/form"),
            test.offers("/elicitation/url"),
        );
        let answer = test.request("elicitation/create", a_form()).await;
        match form {
            true => test.judge(
                "client.elicitation.form",
                action(answer.result()),
                &answer.entries(),
            ),
            false => test.judge_error("client.fence.form", &answer, &[-32602, -32601]),
        }
        let answer = test.request("elicitation/create", a_page()).await;
        match page {
            true => test.judge(
                "client.elicitation.page",
                action(answer.result()),
                &answer.entries(),
            ),
            false => test.judge_error("client.fence.page", &answer, &[-32602, -32601]),
        }
        let strange = json!({ "mode": "dance", "message": "Shall we?" });
        let answer = test.request("elicitation/create", strange).await;
        test.judge_error("client.elicitation.unknown-mode", &answer, &[]);
        test.end_turn("end_turn").await
    })
}

fn a_form() -> Value {
    json!({
        "mode": "form",
        "message": "Which one?",
        "requestedSchema": {
            "type": "object",
            "properties": { "colour": { "type": "string", "enum": ["red", "blue"], "default": "red" } },
        },
    })
}

fn a_page() -> Value {
    json!({ "mode": "url", "message": "Look at this", "url": "https://example.org/page", "elicitationId": "e1" })
}

fn action(result: Option<&Value>) -> Result<(), String> {
    match result.map(|it| text(it, "/action")) {
        Some("accept" | "decline" | "cancel") => Ok(()),
        Some(_) => Err("the action is not in the protocol".to_owned()),
        None => Err("there was no result".to_owned()),
    }
}

const CHECKS: &[Check] = &[
    must(
        "client.elicitation.form",
        "162",
        "A form gets accept, decline or cancel.",
        "The client offers forms.",
    )
    .needs(Need::Capability("elicitation.form")),
    must(
        "client.elicitation.page",
        "163",
        "A URL gets accept, decline or cancel.",
        "The client offers URLs.",
    )
    .needs(Need::Capability("elicitation.url")),
    observed(
        "client.fence.form",
        "159",
        "A form is rejected with -32602 when forms are not offered.",
        "Reject it.",
    )
    .needs(Need::NoCapability("elicitation.form")),
    observed(
        "client.fence.page",
        "159",
        "A URL is rejected with -32602 when URLs are not offered.",
        "Reject it.",
    )
    .needs(Need::NoCapability("elicitation.url")),
    observed(
        "client.elicitation.unknown-mode",
        "159",
        "An elicitation in an unknown mode is rejected.",
        "Reject it with -32602.",
    ),
];
