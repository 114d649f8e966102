//! Limits on the number of terminals, and on the released terminals that users can view.

use attache_host::terminals::{Sandbox, TerminalLimits};
use attache_schema::v1;
use expect_test::expect;
use libtest_mimic::Trial;

use super::client::TestClient;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("limits::terminals_per_session_are_limited", per_session),
        trial(
            "limits::terminals_of_all_sessions_are_limited",
            all_sessions,
        ),
        trial("limits::concurrent_starts_respect_the_limit", at_once),
        trial("limits::only_the_last_released_are_shown", released),
        trial("limits::a_file_that_is_too_large_ends_the_command", file),
    ]
}

async fn per_session() {
    let client = TestClient::with(TerminalLimits::default().per_session(3), Sandbox::Off);
    let request = client.request("sleep", &["1000"]);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(client.create(&request).await.unwrap());
    }
    let refused = client.create(&request).await.unwrap_err();
    expect!["the session has 3 terminals, which is the limit; release terminals that are done"]
        .assert_eq(&refused.to_string());
    // A terminal whose command has ended still counts; a released one does not.
    client
        .terminals
        .kill(&client.session, &ids[0])
        .await
        .unwrap();
    client.create(&request).await.unwrap_err();
    client
        .terminals
        .release(&client.session, &ids[0])
        .await
        .unwrap();
    client.create(&request).await.unwrap();
    let mut other = request.clone();
    other.session_id = v1::SessionId::from("another");
    client.create(&other).await.unwrap();
    // A command that did not start does not count.
    client
        .terminals
        .release(&client.session, &ids[1])
        .await
        .unwrap();
    client
        .create(&client.request("no-such-program", &[]))
        .await
        .unwrap_err();
    client.create(&request).await.unwrap();
}

async fn all_sessions() {
    let client = TestClient::with(TerminalLimits::default().all_sessions(2), Sandbox::Off);
    for session in ["a", "b"] {
        let mut request = client.request("sleep", &["1000"]);
        request.session_id = v1::SessionId::from(session);
        client.create(&request).await.unwrap();
    }
    let refused = client
        .create(&client.request("true", &[]))
        .await
        .unwrap_err();
    expect![
        "all sessions together have 2 terminals, which is the limit; release terminals that are done"
    ]
    .assert_eq(&refused.to_string());
}

async fn at_once() {
    let client = TestClient::new();
    let request = client.request("sleep", &["1000"]);
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..48 {
        let (terminals, roots, request) = (
            client.terminals.clone(),
            client.roots.clone(),
            request.clone(),
        );
        starts.spawn(async move { terminals.create(&roots, &request).await.is_ok() });
    }
    let started = starts.join_all().await;
    assert_eq!(started.into_iter().filter(|started| *started).count(), 32);
    client.terminals.end_session(&client.session).await;
}

async fn released() {
    let limits = TerminalLimits::default().released(2).released_output(10);
    let client = TestClient::with(limits, Sandbox::Off);
    let mut ids = Vec::new();
    for words in ["1", "2", "3", "1234567890"] {
        let id = client
            .create(&client.request("printf", &[words]))
            .await
            .unwrap();
        client.wait(&id).await;
        client
            .terminals
            .release(&client.session, &id)
            .await
            .unwrap();
        ids.push(id);
    }
    let shown: Vec<bool> = ids
        .iter()
        .map(|id| client.terminals.view(id).is_some())
        .collect();
    assert_eq!(shown, [false, false, false, true]);
}

async fn file() {
    let client = TestClient::with(TerminalLimits::default().largest_file(4096), Sandbox::Off);
    let id = client.shell("exec head -c 10000 /dev/zero >large").await;
    assert_eq!(super::client::shown(&client.wait(&id).await), "SIGXFSZ");
}
