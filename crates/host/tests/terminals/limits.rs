//! How many terminals there may be, and how many are shown after their release.

use attache_host::terminals::{Sandbox, TerminalLimits};
use attache_schema::v1;
use expect_test::expect;
use libtest_mimic::Trial;

use super::desk::Desk;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("limits::a_session_may_have_so_many", per_session),
        trial("limits::all_sessions_may_have_so_many", in_all),
        trial("limits::many_at_once_do_not_slip_through", at_once),
        trial("limits::only_the_last_released_are_shown", released),
        trial("limits::a_file_that_is_too_large_ends_the_command", file),
    ]
}

async fn per_session() {
    let desk = Desk::with(
        TerminalLimits {
            per_session: 3,
            ..TerminalLimits::default()
        },
        Sandbox::Off,
    );
    let request = desk.request("sleep", &["1000"]);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(desk.create(&request).await.unwrap());
    }
    let refused = desk.create(&request).await.unwrap_err();
    expect!["the session has 3 terminals, and may not have more: release those that are done"]
        .assert_eq(&refused.to_string());
    // An ended command still counts, a released one does not.
    desk.terminals.kill(&desk.session, &ids[0]).await.unwrap();
    desk.create(&request).await.unwrap_err();
    desk.terminals
        .release(&desk.session, &ids[0])
        .await
        .unwrap();
    desk.create(&request).await.unwrap();
    let mut other = request.clone();
    other.session_id = v1::SessionId::from("another");
    desk.create(&other).await.unwrap();
    // One that did not start takes no place.
    desk.terminals
        .release(&desk.session, &ids[1])
        .await
        .unwrap();
    desk.create(&desk.request("no-such-program", &[]))
        .await
        .unwrap_err();
    desk.create(&request).await.unwrap();
}

async fn in_all() {
    let desk = Desk::with(
        TerminalLimits {
            in_all: 2,
            ..TerminalLimits::default()
        },
        Sandbox::Off,
    );
    for session in ["a", "b"] {
        let mut request = desk.request("sleep", &["1000"]);
        request.session_id = v1::SessionId::from(session);
        desk.create(&request).await.unwrap();
    }
    let refused = desk.create(&desk.request("true", &[])).await.unwrap_err();
    expect![
        "there are 2 terminals in all sessions, and may not be more: release those that are done"
    ]
    .assert_eq(&refused.to_string());
}

async fn at_once() {
    let desk = Desk::new();
    let request = desk.request("sleep", &["1000"]);
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..48 {
        let (terminals, roots, request) =
            (desk.terminals.clone(), desk.roots.clone(), request.clone());
        starts.spawn(async move { terminals.create(&roots, &request).await.is_ok() });
    }
    let started = starts.join_all().await;
    assert_eq!(started.into_iter().filter(|started| *started).count(), 32);
    desk.terminals.end_session(&desk.session).await;
}

async fn released() {
    let limits = TerminalLimits {
        released: 2,
        released_output: 10,
        ..TerminalLimits::default()
    };
    let desk = Desk::with(limits, Sandbox::Off);
    let mut ids = Vec::new();
    for words in ["1", "2", "3", "1234567890"] {
        let id = desk
            .create(&desk.request("printf", &[words]))
            .await
            .unwrap();
        desk.wait(&id).await;
        desk.terminals.release(&desk.session, &id).await.unwrap();
        ids.push(id);
    }
    let shown: Vec<bool> = ids
        .iter()
        .map(|id| desk.terminals.view(id).is_some())
        .collect();
    assert_eq!(shown, [false, false, false, true]);
}

async fn file() {
    let desk = Desk::with(
        TerminalLimits {
            largest_file: 4096,
            ..TerminalLimits::default()
        },
        Sandbox::Off,
    );
    let id = desk.shell("exec head -c 10000 /dev/zero >large").await;
    assert_eq!(super::desk::shown(&desk.wait(&id).await), "SIGXFSZ");
}
