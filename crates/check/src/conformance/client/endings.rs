//! Agents that a client cannot work with, and those that go away.

use serde_json::json;

use super::post::Post;
use super::visit::Visit;
use crate::conformance::Check;
use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, should};
use crate::conformance::json::{method, text};

pub(super) const ACT: Act<Visit> = Act {
    name: "endings",
    checks: CHECKS,
    play,
};

fn play(visit: &mut Visit) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        stranger(visit).await?;
        locked(visit).await?;
        visit.prompted().await?;
        visit.stage()?.close().await;
        let patience = visit.options.patience;
        let ended = visit.stage()?.until_end(patience).await;
        let last = visit.now().saturating_sub(1);
        let ended = ended
            .then_some(())
            .ok_or("it still writes to an agent that has exited".to_owned());
        visit.judge("client.end.agent-gone", ended, &[last]);
        Ok(())
    })
}

/// An agent that speaks a version that nobody speaks yet.
async fn stranger(visit: &mut Visit) -> Result<(), Stop> {
    let post = Post {
        version: json!(65000),
        ..Post::default()
    };
    visit.start_with(post).await?;
    let opened = visit.stage()?.until(|it| method(it) == "session/new").await;
    let outcome = match opened {
        Some(_) => Err("it opens a session anyway".to_owned()),
        None => Ok(()),
    };
    let greeted = visit
        .heard(0)
        .iter()
        .any(|(_, it)| method(it) == "initialize");
    if greeted {
        visit.judge(
            "client.init.unknown-version",
            outcome,
            &opened.into_iter().collect::<Vec<_>>(),
        );
        if opened.is_none() {
            let gone = visit
                .is_gone()
                .then_some(())
                .ok_or("the connection stays open".to_owned());
            let last = visit.now().saturating_sub(1);
            visit.judge("client.init.unknown-version-closes", gone, &[last]);
        }
    }
    Ok(())
}

/// An agent that wants a login, in a terminal that the client may not have.
async fn locked(visit: &mut Visit) -> Result<(), Stop> {
    let post = Post {
        logins: json!([{ "id": "key", "name": "With a key" }]),
        locked: true,
        ..Post::default()
    };
    visit.start_with(post).await?;
    visit
        .stage()?
        .until(|it| method(it) == "session/prompt")
        .await;
    let heard = visit.heard(0);
    let login = heard.iter().find(|(_, it)| method(it) == "authenticate");
    if let Some((entry, login)) = login {
        let offered = (text(login, "/params/methodId") == "key").then_some(());
        let offered = offered.ok_or("the login was not offered".to_owned());
        visit.judge("client.auth.offered", offered, &[*entry]);
    }
    let refused = heard
        .iter()
        .filter(|(_, it)| method(it) == "session/new")
        .count();
    let calm = (refused < 10)
        .then_some(())
        .ok_or("it requests again and again".to_owned());
    visit.judge("client.auth.calm", calm, &[]);
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
    .seen("a client that opens no session"),
    must(
        "client.auth.offered",
        "39",
        "Only offered login methods are used.",
        "Use an id of authMethods.",
    )
    .seen("a login"),
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
