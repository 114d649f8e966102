//! Agents that a client cannot work with, and agents that disconnect.

use serde_json::json;

use super::client_test::ClientTest;
use super::fake_agent::FakeAgent;
use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::json::{method, text};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "agent-failure",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        unknown_version(test).await?;
        login_required(test).await?;
        test.start_prompted().await?;
        test.connection()?.close().await;
        let response_timeout = test.options.response_timeout;
        let ended = test.connection()?.wait_for_end(response_timeout).await;
        let last = test.entry_count().saturating_sub(1);
        let ended = ended
            .then_some(())
            .ok_or("it still writes to an agent that has exited".to_owned());
        test.judge("client.end.agent-gone", ended, &[last]);
        Ok(())
    })
}

/// An agent with a protocol version that does not exist yet.
async fn unknown_version(test: &mut ClientTest) -> Result<(), AbortReason> {
    let agent = FakeAgent {
        version: json!(65000),
        ..FakeAgent::default()
    };
    test.start_with(agent).await?;
    let opened = test
        .connection()?
        .wait_for(|it| method(it) == "session/new")
        .await;
    let outcome = match opened {
        Some(_) => Err("it opens a session anyway".to_owned()),
        None => Ok(()),
    };
    let initialized = test
        .messages_since(0)
        .iter()
        .any(|(_, it)| method(it) == "initialize");
    if initialized {
        test.judge(
            "client.init.unknown-version",
            outcome,
            &opened.into_iter().collect::<Vec<_>>(),
        );
        if opened.is_none() {
            let gone = test
                .is_closed()
                .then_some(())
                .ok_or("the connection stays open".to_owned());
            let last = test.entry_count().saturating_sub(1);
            test.judge("client.init.unknown-version-closes", gone, &[last]);
        }
    }
    Ok(())
}

/// An agent that requires a login before `session/new`.
async fn login_required(test: &mut ClientTest) -> Result<(), AbortReason> {
    let agent = FakeAgent {
        auth_methods: json!([{ "id": "key", "name": "With a key" }]),
        requires_login: true,
        ..FakeAgent::default()
    };
    test.start_with(agent).await?;
    test.connection()?
        .wait_for(|it| method(it) == "session/prompt")
        .await;
    let messages = test.messages_since(0);
    let login = messages.iter().find(|(_, it)| method(it) == "authenticate");
    if let Some((entry, login)) = login {
        let offered = (text(login, "/params/methodId") == "key").then_some(());
        let offered = offered.ok_or("the login was not offered".to_owned());
        test.judge("client.auth.offered", offered, &[*entry]);
    }
    let refused = messages
        .iter()
        .filter(|(_, it)| method(it) == "session/new")
        .count();
    let calm = (refused < 10)
        .then_some(())
        .ok_or("it requests again and again".to_owned());
    test.judge("client.auth.calm", calm, &[]);
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "client.init.unknown-version",
        "31",
        "With an agent of an unknown version, no session is opened.",
        "Compare the version in the response with yours.",
    ),
    should(
        "client.init.unknown-version-closes",
        "31",
        "With an agent of an unknown version, the connection is closed.",
        "Close it and tell the user.",
    )
    .when_seen("a client that opens no session"),
    must(
        "client.auth.offered",
        "39",
        "Only offered login methods are used.",
        "Use an id of authMethods.",
    )
    .when_seen("a login"),
    must(
        "client.auth.calm",
        "46",
        "A request that needs a login is not repeated endlessly.",
        "Tell the user.",
    ),
    must(
        "client.end.agent-gone",
        "9",
        "A client whose agent has exited ends the connection.",
        "Fail open requests, and tell the user.",
    ),
];
