//! The client cancels a turn.

use serde_json::json;

use super::client_test::ClientTest;
use super::fake_agent::SESSION;
use crate::conformance::check::{must, should};
use crate::conformance::json::{method, text};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, Need};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "cancellation",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Wait", "kind": "execute", "status": "in_progress" });
        test.update(call).await?;
        let params = json!({
            "sessionId": SESSION,
            "toolCall": { "toolCallId": "c1", "title": "Wait" },
            "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }],
        });
        let request = test
            .connection()?
            .send_request("session/request_permission", params)
            .await;
        let sent = test
            .connection()?
            .wait_for(|it| method(it) == "session/cancel")
            .await;
        let Some(sent) = sent else {
            let why = Err("no session/cancel came".to_owned());
            test.judge("client.cancel.sent", why, &[request.entry]);
            return Ok(());
        };
        let right = test
            .messages_since(sent)
            .first()
            .is_some_and(|(_, it)| text(it, "/params/sessionId") == SESSION);
        let right = right
            .then_some(())
            .ok_or("another session is cancelled".to_owned());
        test.judge("client.cancel.sent", right, &[sent]);
        let answer = test.wait_for_response(request).await?;
        let before = answer.entries().get(1).is_some_and(|entry| *entry < sent);
        if !before {
            let cancelled = match answer.result().map(|it| text(it, "/outcome/outcome")) {
                Some("cancelled") => Ok(()),
                Some(_) => Err("the outcome is not cancelled".to_owned()),
                None => answer.expect_result(),
            };
            test.judge(
                "client.cancel.permission",
                cancelled,
                &[vec![sent], answer.entries()].concat(),
            );
        }
        let done =
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed" });
        let last = test.update(done).await?;
        test.judge_alive("client.cancel.listens", last).await;
        test.end_turn("cancelled").await
    })
}

const CANCEL: Need = Need::Command("cancel");

const CHECKS: &[Check] = &[
    must(
        "client.cancel.sent",
        "102",
        "Cancelling sends session/cancel for the session.",
        "Send it; do not end the process.",
    )
    .needs(CANCEL),
    must(
        "client.cancel.permission",
        "104",
        "After a cancel, an open permission request gets the outcome cancelled.",
        "Respond to every open request.",
    )
    .needs(CANCEL),
    should(
        "client.cancel.listens",
        "109",
        "After a cancel, the client keeps reading.",
        "Wait for the response to the prompt.",
    )
    .needs(CANCEL),
];
