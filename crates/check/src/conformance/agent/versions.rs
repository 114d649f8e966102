//! Protocol versions, client capabilities and requests before `initialize`, each on its own connection.

use serde_json::{Value, json};

use crate::conformance::Check;
use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "versions",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        let newer = greet(test, json!({ "protocolVersion": 65000 })).await?;
        test.judge_result("agent.init.newer-version", &newer);
        if let Some(result) = newer.result() {
            let chosen = result.get("protocolVersion").and_then(Value::as_i64);
            let own = match chosen {
                Some(65000) => Err("it claims to speak version 65000".to_owned()),
                _ => Ok(()),
            };
            test.judge("agent.init.newer-not-echoed", own, &newer.entries());
        }
        let older = greet(test, json!({ "protocolVersion": 0 })).await?;
        test.judge_response("agent.init.older-version", &older);
        for (id, params) in [
            ("agent.init.no-version", json!({})),
            ("agent.init.version-text", json!({ "protocolVersion": "1" })),
            (
                "agent.init.version-negative",
                json!({ "protocolVersion": -1 }),
            ),
            (
                "agent.init.version-large",
                json!({ "protocolVersion": 65536 }),
            ),
        ] {
            let refused = greet(test, params).await?;
            test.judge_error(id, &refused, &[-32602]);
        }
        for (id, params) in [
            ("agent.init.bare", json!({ "protocolVersion": 1 })),
            (
                "agent.init.null-capabilities",
                json!({ "protocolVersion": 1, "clientCapabilities": null, "clientInfo": null }),
            ),
            (
                "agent.init.odd-capabilities",
                json!({ "protocolVersion": 1, "clientCapabilities": { "fs": 7, "terminal": "yes", "session": [] } }),
            ),
            (
                "agent.init.new-capabilities",
                json!({ "protocolVersion": 1, "clientCapabilities": { "telepathy": { "range": 3 } }, "zone": 1 }),
            ),
            (
                "agent.init.meta",
                json!({ "protocolVersion": 1, "clientCapabilities": { "_meta": { "a": [1, null] } }, "_meta": { "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "x.y/z": {} } }),
            ),
        ] {
            let answer = greet(test, params).await?;
            test.judge_result(id, &answer);
        }
        early(test).await
    })
}

async fn early(test: &mut AgentTest) -> Result<(), AbortReason> {
    test.start().await?;
    let params = test.new_session_params();
    let early = test.call("session/new", params).await;
    test.judge_error("agent.init.first", &early, &[]);
    test.judge_error("agent.init.first-code", &early, &[-32600]);
    let late = test
        .call("initialize", json!({ "protocolVersion": 1 }))
        .await;
    let outcome = late
        .expect_result()
        .map_err(|why| format!("afterwards {why}"));
    test.judge("agent.init.first-recovers", outcome, &late.entries());
    Ok(())
}

async fn greet(test: &mut AgentTest, params: Value) -> Result<CallResult, AbortReason> {
    test.start().await?;
    Ok(test.call("initialize", params).await)
}

const CHECKS: &[Check] = &[
    must(
        "agent.init.newer-version",
        "30",
        "A client that requests a newer version gets a result, not an error.",
        "Respond with the newest version you speak.",
    ),
    must(
        "agent.init.newer-not-echoed",
        "30",
        "The agent does not agree to a version that it cannot know.",
        "Respond with the newest version you speak, not with the requested one.",
    )
    .when_seen("a response to a newer version"),
    should(
        "agent.init.older-version",
        "30",
        "A client that requests version 0 gets a response.",
        "Respond with a version you speak, or reject.",
    ),
    observed(
        "agent.init.no-version",
        "19",
        "initialize without a version is rejected with -32602.",
        "protocolVersion is required.",
    ),
    observed(
        "agent.init.version-text",
        "19",
        "A version that is a string is rejected with -32602.",
        "protocolVersion is an integer.",
    ),
    observed(
        "agent.init.version-negative",
        "19",
        "A negative version is rejected with -32602.",
        "protocolVersion is between 0 and 65535.",
    ),
    observed(
        "agent.init.version-large",
        "19",
        "A version over 65535 is rejected with -32602.",
        "protocolVersion is between 0 and 65535.",
    ),
    must(
        "agent.init.bare",
        "33",
        "A client that sends nothing but the version gets a response.",
        "Everything but protocolVersion is optional; treat it as absent.",
    ),
    should(
        "agent.init.null-capabilities",
        "34",
        "Capabilities and info that are null count as absent.",
        "Read null as absent.",
    ),
    should(
        "agent.init.odd-capabilities",
        "34",
        "Capabilities of the wrong type count as absent.",
        "Read members of the wrong type as absent; keep the message.",
    ),
    must(
        "agent.init.new-capabilities",
        "34",
        "Unknown capabilities and members are ignored.",
        "Ignore unknown members: the client may be newer.",
    ),
    must(
        "agent.init.meta",
        "178",
        "initialize with _meta gets a response.",
        "Accept any _meta, and expect nothing in it.",
    ),
    should(
        "agent.init.first",
        "14a",
        "A request before initialize is rejected.",
        "Reject everything but initialize until you have responded to it.",
    ),
    observed(
        "agent.init.first-code",
        "14a",
        "A request before initialize is rejected with -32600.",
        "The official SDKs reject it with -32600.",
    ),
    must(
        "agent.init.first-recovers",
        "27",
        "After an early request, initialize still works.",
        "An early request changes nothing.",
    ),
];
