//! How commands end: on their own, killed, released, or with their session.

use std::time::{Duration, Instant};

use attache_host::terminals::TerminalError;
use attache_schema::v1;
use libtest_mimic::Trial;

use super::client::{MARK, PROMISE, TestClient, count_marked, expect_marked, shown};
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("exits::codes_and_signals_have_their_names", names),
        trial("exits::kill_ends_the_tree_and_keeps_the_terminal", killed),
        trial("exits::a_command_that_ignores_sigterm_is_killed", stubborn),
        trial(
            "exits::a_command_that_stops_its_guard_is_ended",
            guard_stopped,
        ),
        trial("exits::kill_and_release_twice_and_too_late", twice),
        trial("exits::a_release_ends_every_wait", released),
        trial(
            "exits::processes_left_behind_end_with_the_release",
            left_behind,
        ),
        trial("exits::a_session_that_ends_takes_its_terminals", session),
        trial(
            "exits::dropping_the_last_clone_kills_every_command",
            dropped,
        ),
        trial("exits::a_session_sees_only_its_own", foreign),
        trial("exits::a_released_terminal_is_still_shown", still_shown),
        trial("exits::a_directory_may_vanish_meanwhile", vanished),
    ]
}

async fn names() {
    let client = TestClient::new();
    let scripts = [
        ("exit 0", "exit 0"),
        ("exit 1", "exit 1"),
        ("exit 255", "exit 255"),
        ("kill -HUP $$", "SIGHUP"),
        ("kill -INT $$", "SIGINT"),
        ("kill -QUIT $$", "SIGQUIT"),
        ("kill -ABRT $$", "SIGABRT"),
        ("kill -KILL $$", "SIGKILL"),
        ("kill -SEGV $$", "SIGSEGV"),
        ("kill -PIPE $$", "SIGPIPE"),
        ("kill -ALRM $$", "SIGALRM"),
        ("kill -TERM $$", "SIGTERM"),
        ("kill -USR1 $$", "SIGUSR1"),
        ("kill -BUS $$", "SIGBUS"),
        ("kill -XFSZ $$", "SIGXFSZ"),
        ("kill -40 $$", "signal 40"),
    ];
    for (script, expected) in scripts {
        let id = client.shell(script).await;
        assert_eq!(shown(&client.wait(&id).await), expected, "{script}");
    }
    assert_eq!(
        std::fs::read_dir(client.project()).unwrap().count(),
        0,
        "a core file"
    );
}

async fn killed() {
    let client = TestClient::new();
    let (mark, id) = tree(&client, "exec sleep 1000").await;
    client.terminals.kill(&client.session, &id).await.unwrap();
    assert_eq!(count_marked(&mark), 0);
    let said = client.terminals.output(&client.session, &id).unwrap();
    assert_eq!(said.output, "one\n");
    assert_eq!(shown(&said.exit_status.unwrap()), "SIGTERM");
    assert_eq!(shown(&client.wait(&id).await), "SIGTERM");
}

async fn stubborn() {
    let client = TestClient::new();
    for (script, expected) in [
        (
            "trap '' TERM; echo up; while :; do sleep 1; done",
            "SIGKILL",
        ),
        (
            "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done",
            "exit 3",
        ),
        ("echo up; kill -STOP $$", "SIGTERM"),
    ] {
        let id = client.shell(script).await;
        client.until(&id, "up").await;
        let begun = Instant::now();
        client.terminals.kill(&client.session, &id).await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(4), "{script}");
        assert_eq!(shown(&client.wait(&id).await), expected, "{script}");
        assert_eq!(client.text(&id).contains("bye"), expected == "exit 3");
    }
}

async fn guard_stopped() {
    let client = TestClient::new();
    let script =
        "while [ ! -e go ]; do sleep 0.01; done; kill -STOP $PPID; echo up; exec sleep 1000";
    let request = client.request("sh", &["-c", script]);
    let mark = client.folder.display().to_string();
    let request = request.env(vec![v1::EnvVariable::new(MARK, mark.as_str())]);
    let id = client.create(&request).await.unwrap();
    std::fs::write(client.project().join("go"), "").unwrap();
    client.until(&id, "up").await;
    let begun = Instant::now();
    client.terminals.kill(&client.session, &id).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10));
    let ending = shown(&client.wait(&id).await);
    assert!(
        ["SIGTERM", "SIGKILL"].contains(&ending.as_str()),
        "{ending}"
    );
    expect_marked(&mark, 0, super::client::PATIENCE).await;
    client
        .terminals
        .release(&client.session, &id)
        .await
        .unwrap();
}

async fn twice() {
    let client = TestClient::new();
    let (terminals, session) = (&client.terminals, &client.session);
    let id = client.shell("sleep 1000").await;
    let (one, two) = tokio::join!(terminals.kill(session, &id), terminals.kill(session, &id));
    one.and(two).unwrap();
    terminals.kill(session, &id).await.unwrap();
    let ended = client.shell("exit 5").await;
    client.wait(&ended).await;
    terminals.kill(session, &ended).await.unwrap();
    assert_eq!(shown(&client.wait(&ended).await), "exit 5");
    terminals.release(session, &id).await.unwrap();
    for outcome in [
        terminals.release(session, &id).await.unwrap_err(),
        terminals.kill(session, &id).await.unwrap_err(),
        terminals.wait(session, &id).await.unwrap_err(),
        terminals.output(session, &id).unwrap_err(),
    ] {
        assert!(matches!(outcome, TerminalError::Unknown), "{outcome}");
        assert_eq!(attache_rpc::Error::from(outcome).code, -32002);
    }
}

async fn released() {
    let client = TestClient::new();
    let (terminals, session) = (&client.terminals, &client.session);
    let id = client.shell("echo up; exec sleep 1000").await;
    client.until(&id, "up").await;
    let (one, two, release, late) = tokio::join!(
        biased;
        terminals.wait(session, &id),
        terminals.wait(session, &id),
        terminals.release(session, &id),
        terminals.wait(session, &id),
    );
    release.unwrap();
    assert_eq!(shown(&one.unwrap()), "SIGTERM");
    assert_eq!(shown(&two.unwrap()), "SIGTERM");
    assert!(matches!(late, Err(TerminalError::Unknown)), "{late:?}");
}

async fn left_behind() {
    let client = TestClient::new();
    let (mark, id) = tree(&client, "exit 0").await;
    assert_eq!(shown(&client.wait(&id).await), "exit 0");
    expect_marked(&mark, 3, super::client::PATIENCE).await;
    client
        .terminals
        .release(&client.session, &id)
        .await
        .unwrap();
    assert_eq!(count_marked(&mark), 0);
}

async fn session() {
    let client = TestClient::new();
    let (mark, id) = tree(&client, "exec sleep 1000").await;
    let (other_mark, other) = tree(&client, "exit 0").await;
    let foreign = v1::SessionId::from("another");
    client.terminals.end_session(&foreign).await;
    assert!(client.terminals.view(&id).is_some());
    client.terminals.end_session(&client.session).await;
    assert_eq!((count_marked(&mark), count_marked(&other_mark)), (0, 0));
    assert!(client.terminals.view(&id).is_none() && client.terminals.view(&other).is_none());
    // Also if the session ends while a command is starting.
    for _ in 0..20 {
        let request = client.request("sleep", &["1000"]);
        let request = request.env(vec![v1::EnvVariable::new(MARK, mark.as_str())]);
        let (created, ()) = tokio::join!(
            client.create(&request),
            client.terminals.end_session(&client.session)
        );
        assert!(
            matches!(created, Ok(_) | Err(TerminalError::Ended)),
            "{created:?}"
        );
        client.terminals.end_session(&client.session).await;
    }
    expect_marked(&mark, 0, PROMISE).await;
}

async fn dropped() {
    let client = TestClient::new();
    let (mark, _) = tree(&client, "exec sleep 1000").await;
    let clone = client.terminals.clone();
    drop(client);
    expect_marked(&mark, 4, PROMISE).await;
    drop(clone);
    expect_marked(&mark, 0, PROMISE).await;
}

async fn foreign() {
    let client = TestClient::new();
    let id = client.shell("sleep 1000").await;
    let foreign = v1::SessionId::from("another");
    let refused = [
        client.terminals.output(&foreign, &id).map(drop),
        client.terminals.wait(&foreign, &id).await.map(drop),
        client.terminals.kill(&foreign, &id).await,
        client.terminals.release(&foreign, &id).await,
    ];
    assert!(
        refused
            .iter()
            .all(|answer| matches!(answer, Err(TerminalError::Unknown))),
        "{refused:?}"
    );
    assert!(client.terminals.output(&client.session, &id).is_ok());
}

async fn still_shown() {
    let client = TestClient::new();
    let id = client.shell("echo words; exit 4").await;
    client.wait(&id).await;
    client
        .terminals
        .release(&client.session, &id)
        .await
        .unwrap();
    let view = client.terminals.view(&id).unwrap();
    assert!(view.is_released && !view.is_truncated);
    assert_eq!(
        (view.output.as_str(), view.command[0].as_str()),
        ("words\n", "sh")
    );
    assert_eq!(shown(&view.exit.unwrap()), "exit 4");
}

async fn vanished() {
    let client = TestClient::new();
    let inner = client.project().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let request = client.request("sh", &["-c", "rmdir \"$PWD\"; echo gone; exit 6"]);
    let id = client
        .create(&request.cwd(inner.to_str().unwrap()))
        .await
        .unwrap();
    assert_eq!(shown(&client.wait(&id).await), "exit 6");
    assert_eq!(client.text(&id), "gone\n");
}

/// A command with a grandchild in its process group, one in its own session, and one whose parent has ended.
async fn tree(client: &TestClient, last: &str) -> (String, v1::TerminalId) {
    let mark = format!("{}-{}", std::process::id(), client.folder.display());
    let mark = format!("{mark}-{last}");
    let script = format!(
        "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'echo one; exec sleep 1000' &); {last}"
    );
    let request = client.request("sh", &["-c", &script]);
    let request = request.env(vec![v1::EnvVariable::new(MARK, mark.as_str())]);
    let id = client.create(&request).await.unwrap();
    client.until(&id, "one").await;
    let count = if last == "exit 0" { 3 } else { 4 };
    expect_marked(&mark, count, super::client::PATIENCE).await;
    (mark, id)
}
