//! `session/new`, with valid and invalid params.

use serde_json::{Value, json};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, members};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "session-setup",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.initialize().await?;
        let params = test.new_session_params();
        let first = test.call("session/new", params.clone()).await;
        test.judge_result("agent.session.new", &first);
        let Some(result) = first.result().cloned() else {
            return Err(AbortReason("session/new failed".to_owned()));
        };
        test.judge("agent.session.id", id(&result), &first.entries());
        test.judge(
            "agent.session.members",
            members::only(&result, members::NEW_SESSION),
            &first.entries(),
        );
        let second = test.call("session/new", params).await;
        if let Some(other) = second.result() {
            let differs = other.get("sessionId") != result.get("sessionId");
            let differs = differs
                .then_some(())
                .ok_or("two sessions have the same id".to_owned());
            test.judge(
                "agent.session.unique",
                differs,
                &[first.entries(), second.entries()].concat(),
            );
        }
        refusals(test).await?;
        roots(test).await?;
        logins(test).await
    })
}

fn id(result: &Value) -> Result<(), String> {
    match result.get("sessionId").and_then(Value::as_str) {
        Some(id) if (1..=1024).contains(&id.len()) => Ok(()),
        Some(_) => Err("the sessionId is empty or longer than 1024 bytes".to_owned()),
        None => Err("the sessionId is missing or not a string".to_owned()),
    }
}

async fn refusals(test: &mut AgentTest) -> Result<(), AbortReason> {
    let cwd = test.cwd();
    for (id, params) in [
        ("agent.session.no-cwd", json!({ "mcpServers": [] })),
        ("agent.session.no-servers", json!({ "cwd": cwd })),
        (
            "agent.session.bad-server",
            json!({ "cwd": cwd, "mcpServers": [{ "name": "x" }] }),
        ),
    ] {
        let answer = test.call("session/new", params).await;
        test.judge_error(id, &answer, &[-32602]);
    }
    let relative = test
        .call(
            "session/new",
            json!({ "cwd": "some/where", "mcpServers": [] }),
        )
        .await;
    test.judge_error("agent.session.relative-cwd", &relative, &[]);
    let null = test
        .call("session/new", json!({ "cwd": cwd, "mcpServers": null }))
        .await;
    test.judge_response("agent.session.null-servers", &null);
    let unknown = test.prompt("no-such-session", "hello").await;
    test.judge_error("agent.session.unknown", &unknown, &[]);
    test.judge_error("agent.session.unknown-code", &unknown, &[-32002, -32602]);
    Ok(())
}

async fn roots(test: &mut AgentTest) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/additionalDirectories") {
        return Ok(());
    }
    let cwd = test.cwd();
    let with =
        |root: &str| json!({ "cwd": cwd, "mcpServers": [], "additionalDirectories": [root] });
    let parent = test
        .options
        .folder
        .parent()
        .map(|it| it.to_string_lossy().into_owned());
    let good = test
        .call(
            "session/new",
            with(&parent.unwrap_or_else(|| "/".to_owned())),
        )
        .await;
    test.judge_result("agent.session.root", &good);
    let empty = test.call("session/new", with("")).await;
    test.judge_error("agent.session.empty-root", &empty, &[]);
    let relative = test.call("session/new", with("some/where")).await;
    test.judge_error("agent.session.relative-root", &relative, &[]);
    Ok(())
}

async fn logins(test: &mut AgentTest) -> Result<(), AbortReason> {
    let unknown = test
        .call("authenticate", json!({ "methodId": "no-such-login" }))
        .await;
    test.judge_error("agent.auth.unknown-method", &unknown, &[]);
    if test.offers("/auth/status") {
        let first = test.call("auth/status", json!({})).await;
        let calm = match first.expect_error(&[-32000]) {
            Ok(()) => Err("the error code is -32000".to_owned()),
            Err(_) => first.expect_response(),
        };
        test.judge("agent.auth.status", calm, &first.entries());
        let second = test.call("auth/status", json!({})).await;
        let same = (first.result() == second.result()).then_some(());
        let same = same.ok_or("two requests got different results".to_owned());
        test.judge(
            "agent.auth.status-quiet",
            same,
            &[first.entries(), second.entries()].concat(),
        );
    }
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "agent.session.new",
        "36",
        "session/new creates a session.",
        "Every agent has session/new.",
    ),
    must(
        "agent.session.id",
        "52",
        "The sessionId is a string of 1 to 1024 bytes.",
        "Choose a short string.",
    ),
    must(
        "agent.session.members",
        "173",
        "The response to session/new has no members outside the protocol.",
        "Put your own members into _meta.",
    ),
    must(
        "agent.session.unique",
        "52",
        "Two sessions have different ids.",
        "Choose a new id for each session.",
    )
    .when_seen("a second session"),
    observed(
        "agent.session.no-cwd",
        "19",
        "session/new without cwd is rejected with -32602.",
        "cwd is required.",
    ),
    observed(
        "agent.session.no-servers",
        "19",
        "session/new without mcpServers is rejected with -32602.",
        "mcpServers is required, even if it is [].",
    ),
    observed(
        "agent.session.bad-server",
        "19",
        "An MCP server without a command is rejected with -32602.",
        "Check params against the schema first.",
    ),
    should(
        "agent.session.relative-cwd",
        "68",
        "A relative cwd is rejected.",
        "There is nothing to resolve it against. Reject it with -32602.",
    ),
    observed(
        "agent.session.null-servers",
        "",
        "mcpServers that is null gets a response.",
        "Treat it as [], or reject it.",
    ),
    must(
        "agent.session.unknown",
        "95",
        "A prompt for an unknown session is rejected.",
        "Do not create a session.",
    ),
    observed(
        "agent.session.unknown-code",
        "",
        "An unknown session is rejected with -32002 or -32602.",
        "-32002 means that something was not found.",
    ),
    must(
        "agent.session.root",
        "68",
        "An absolute additional directory is accepted.",
        "The agent advertises additionalDirectories.",
    )
    .when_advertised("sessionCapabilities.additionalDirectories"),
    must(
        "agent.session.empty-root",
        "67",
        "An empty additional directory is rejected.",
        "Reject it; do not drop it silently.",
    )
    .when_advertised("sessionCapabilities.additionalDirectories"),
    must(
        "agent.session.relative-root",
        "67",
        "A relative additional directory is rejected.",
        "Reject it; do not drop it silently.",
    )
    .when_advertised("sessionCapabilities.additionalDirectories"),
    must(
        "agent.auth.unknown-method",
        "39",
        "A login method that was not offered is rejected.",
        "Reject methods that are not in authMethods.",
    ),
    must(
        "agent.auth.status",
        "49",
        "auth/status never fails because nobody is logged in.",
        "Respond with unauthenticated instead.",
    )
    .when_advertised("auth.status"),
    must(
        "agent.auth.status-quiet",
        "49",
        "auth/status twice gives the same result.",
        "The request must not change the status.",
    )
    .when_advertised("auth.status"),
];
