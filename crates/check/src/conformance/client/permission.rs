//! Permission requests to the client.

use serde_json::{Value, json};

use super::client_test::ClientTest;
use super::fake_agent::SESSION;
use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::json::text;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "permission",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "p1", "title": "Delete x", "kind": "delete", "status": "pending" });
        test.update(call).await?;
        let usual = test
            .call("session/request_permission", question("p1", USUAL))
            .await;
        test.judge_result("client.permission.answered", &usual);
        if usual.result().is_some() {
            test.judge(
                "client.permission.outcome",
                outcome(&usual),
                &usual.entries(),
            );
            test.judge(
                "client.permission.offered",
                offered(&usual, USUAL),
                &usual.entries(),
            );
        }
        for (id, call, options) in [
            (
                "client.permission.only-reject",
                "p1",
                &[("no", "reject_once")][..],
            ),
            (
                "client.permission.odd-ids",
                "p1",
                &[("", "allow_once"), ("🦀 \"id\"", "reject_once")],
            ),
            ("client.permission.unannounced", "never", USUAL),
        ] {
            let answer = test
                .call("session/request_permission", question(call, options))
                .await;
            let fits = answer
                .expect_response()
                .and_then(|()| offered(&answer, options));
            test.judge(id, fits, &answer.entries());
        }
        let none = test
            .call("session/request_permission", question("p1", &[]))
            .await;
        let fits = none.expect_response().and_then(|()| offered(&none, &[]));
        test.judge("client.permission.no-options", fits, &none.entries());
        let mut with_meta = question("p1", USUAL);
        with_meta["_meta"] = json!({ "a": 1 });
        with_meta["moonPhase"] = json!("full");
        let answer = test.call("session/request_permission", with_meta).await;
        test.judge_response("client.permission.meta", &answer);
        several(test).await?;
        let strange = test
            .call(
                "session/request_permission",
                question("p1", &[("x", "perhaps")]),
            )
            .await;
        let fits = strange
            .expect_response()
            .and_then(|()| offered(&strange, &[("x", "perhaps")]));
        test.judge("client.permission.unknown-kind", fits, &strange.entries());
        test.end_turn("end_turn").await
    })
}

async fn several(test: &mut ClientTest) -> Result<(), AbortReason> {
    let mut request = Vec::new();
    for _ in 0..3 {
        let params = question("p1", USUAL);
        request.push(
            test.connection()?
                .send_request("session/request_permission", params)
                .await,
        );
    }
    let (mut all, mut entries) = (Ok(()), Vec::new());
    for request in request {
        let answer = test.wait_for_response(request).await?;
        all = all.and(answer.expect_response());
        entries.extend(answer.entries());
    }
    test.judge("client.permission.several", all, &entries);
    Ok(())
}

fn question(call: &str, options: &[(&str, &str)]) -> Value {
    let options = options
        .iter()
        .map(|(id, kind)| json!({ "optionId": id, "name": "Do it", "kind": kind }));
    json!({
        "sessionId": SESSION,
        "toolCall": { "toolCallId": call, "title": "Delete x", "kind": "delete" },
        "options": options.collect::<Vec<Value>>(),
    })
}

fn outcome(answer: &CallResult) -> Result<(), String> {
    let result = answer.result().cloned().unwrap_or_default();
    match text(&result, "/outcome/outcome") {
        "selected" | "cancelled" => Ok(()),
        _ => Err("the outcome is neither selected nor cancelled".to_owned()),
    }
}

/// Fails if the selected option was not offered.
fn offered(answer: &CallResult, options: &[(&str, &str)]) -> Result<(), String> {
    let result = answer.result().cloned().unwrap_or_default();
    if text(&result, "/outcome/outcome") != "selected" {
        return Ok(());
    }
    let chosen = text(&result, "/outcome/optionId");
    match options.iter().any(|(id, _)| *id == chosen) {
        true => Ok(()),
        false => Err("the selected option was not offered".to_owned()),
    }
}

const USUAL: &[(&str, &str)] = &[
    ("yes", "allow_once"),
    ("always", "allow_always"),
    ("no", "reject_once"),
    ("never", "reject_always"),
];

const CHECKS: &[Check] = &[
    must(
        "client.permission.answered",
        "36",
        "A permission request gets a response with a result.",
        "Every client has session/request_permission.",
    ),
    must(
        "client.permission.outcome",
        "125",
        "The outcome is selected or cancelled.",
        "Send one of the two.",
    ),
    must(
        "client.permission.offered",
        "125",
        "The selected option was offered.",
        "Respond with an optionId of the request.",
    ),
    must(
        "client.permission.only-reject",
        "125",
        "When only reject options are offered, nothing else is selected.",
        "Choose one of the options, or cancel.",
    ),
    should(
        "client.permission.odd-ids",
        "125",
        "Ids of options can be any string.",
        "Return them unchanged.",
    ),
    should(
        "client.permission.unannounced",
        "36",
        "A permission request for an unreported tool call gets a response.",
        "Treat it as the first report.",
    ),
    must(
        "client.permission.no-options",
        "125",
        "A permission request without options gets a response that selects nothing.",
        "Cancel, or reject with -32602.",
    ),
    must(
        "client.permission.meta",
        "178",
        "A permission request with _meta and unknown members gets a response.",
        "Ignore them.",
    ),
    must(
        "client.permission.several",
        "36",
        "Three permission requests at once get responses.",
        "Queue them.",
    ),
    must(
        "client.permission.unknown-kind",
        "B3",
        "A permission request with an option of an unknown kind gets a response.",
        "Reject with -32602, or show it as it is.",
    ),
];
