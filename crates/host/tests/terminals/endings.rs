//! How commands end: by themselves, killed, released, and with their session.

use std::time::{Duration, Instant};

use attache_host::terminals::Error;
use attache_schema::v1;
use libtest_mimic::Trial;

use super::desk::{Desk, MARK, PROMISE, bearers, expect_bearers, shown};
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("endings::codes_and_signals_have_their_names", names),
        trial("endings::kill_ends_the_tree_and_keeps_the_terminal", killed),
        trial("endings::what_does_not_take_sigterm_is_killed", stubborn),
        trial(
            "endings::a_command_that_stops_its_guard_is_ended",
            guard_stopped,
        ),
        trial("endings::kill_and_release_twice_and_too_late", twice),
        trial("endings::a_release_answers_those_who_wait", released),
        trial(
            "endings::what_was_left_behind_ends_with_the_release",
            left_behind,
        ),
        trial("endings::a_session_that_ends_takes_its_terminals", session),
        trial("endings::the_last_clone_takes_all", dropped),
        trial("endings::a_session_sees_only_its_own", foreign),
        trial("endings::a_released_terminal_is_still_shown", still_shown),
        trial("endings::a_directory_may_vanish_meanwhile", vanished),
    ]
}

async fn names() {
    let desk = Desk::new();
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
        let id = desk.shell(script).await;
        assert_eq!(shown(&desk.wait(&id).await), expected, "{script}");
    }
    assert_eq!(
        std::fs::read_dir(desk.project()).unwrap().count(),
        0,
        "a core file"
    );
}

async fn killed() {
    let desk = Desk::new();
    let (mark, id) = tree(&desk, "exec sleep 1000").await;
    desk.terminals.kill(&desk.session, &id).await.unwrap();
    assert_eq!(bearers(&mark), 0);
    let said = desk.terminals.output(&desk.session, &id).unwrap();
    assert_eq!(said.output, "one\n");
    assert_eq!(shown(&said.exit_status.unwrap()), "SIGTERM");
    assert_eq!(shown(&desk.wait(&id).await), "SIGTERM");
}

async fn stubborn() {
    let desk = Desk::new();
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
        let id = desk.shell(script).await;
        desk.until(&id, "up").await;
        let begun = Instant::now();
        desk.terminals.kill(&desk.session, &id).await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(4), "{script}");
        assert_eq!(shown(&desk.wait(&id).await), expected, "{script}");
        assert_eq!(desk.text(&id).contains("bye"), expected == "exit 3");
    }
}

async fn guard_stopped() {
    let desk = Desk::new();
    let script =
        "while [ ! -e go ]; do sleep 0.01; done; kill -STOP $PPID; echo up; exec sleep 1000";
    let request = desk.request("sh", &["-c", script]);
    let mark = desk.folder.display().to_string();
    let request = request.env(vec![v1::EnvVariable::new(MARK, mark.as_str())]);
    let id = desk.create(&request).await.unwrap();
    std::fs::write(desk.project().join("go"), "").unwrap();
    desk.until(&id, "up").await;
    let begun = Instant::now();
    desk.terminals.kill(&desk.session, &id).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10));
    let ending = shown(&desk.wait(&id).await);
    assert!(
        ["SIGTERM", "SIGKILL"].contains(&ending.as_str()),
        "{ending}"
    );
    expect_bearers(&mark, 0, super::desk::PATIENCE).await;
    desk.terminals.release(&desk.session, &id).await.unwrap();
}

async fn twice() {
    let desk = Desk::new();
    let (terminals, session) = (&desk.terminals, &desk.session);
    let id = desk.shell("sleep 1000").await;
    let (one, two) = tokio::join!(terminals.kill(session, &id), terminals.kill(session, &id));
    one.and(two).unwrap();
    terminals.kill(session, &id).await.unwrap();
    let ended = desk.shell("exit 5").await;
    desk.wait(&ended).await;
    terminals.kill(session, &ended).await.unwrap();
    assert_eq!(shown(&desk.wait(&ended).await), "exit 5");
    terminals.release(session, &id).await.unwrap();
    for outcome in [
        terminals.release(session, &id).await.unwrap_err(),
        terminals.kill(session, &id).await.unwrap_err(),
        terminals.wait(session, &id).await.unwrap_err(),
        terminals.output(session, &id).unwrap_err(),
    ] {
        assert!(matches!(outcome, Error::Unknown), "{outcome}");
        assert_eq!(attache_rpc::Error::from(outcome).code, -32002);
    }
}

async fn released() {
    let desk = Desk::new();
    let (terminals, session) = (&desk.terminals, &desk.session);
    let id = desk.shell("echo up; exec sleep 1000").await;
    desk.until(&id, "up").await;
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
    assert!(matches!(late, Err(Error::Unknown)), "{late:?}");
}

async fn left_behind() {
    let desk = Desk::new();
    let (mark, id) = tree(&desk, "exit 0").await;
    assert_eq!(shown(&desk.wait(&id).await), "exit 0");
    expect_bearers(&mark, 3, super::desk::PATIENCE).await;
    desk.terminals.release(&desk.session, &id).await.unwrap();
    assert_eq!(bearers(&mark), 0);
}

async fn session() {
    let desk = Desk::new();
    let (mark, id) = tree(&desk, "exec sleep 1000").await;
    let (other_mark, other) = tree(&desk, "exit 0").await;
    let foreign = v1::SessionId::from("another");
    desk.terminals.end_session(&foreign).await;
    assert!(desk.terminals.view(&id).is_some());
    desk.terminals.end_session(&desk.session).await;
    assert_eq!((bearers(&mark), bearers(&other_mark)), (0, 0));
    assert!(desk.terminals.view(&id).is_none() && desk.terminals.view(&other).is_none());
    // Also when it ends while a command is being started.
    for _ in 0..20 {
        let request = desk.request("sleep", &["1000"]);
        let request = request.env(vec![v1::EnvVariable::new(MARK, mark.as_str())]);
        let (created, ()) = tokio::join!(
            desk.create(&request),
            desk.terminals.end_session(&desk.session)
        );
        assert!(matches!(created, Ok(_) | Err(Error::Ended)), "{created:?}");
        desk.terminals.end_session(&desk.session).await;
    }
    expect_bearers(&mark, 0, PROMISE).await;
}

async fn dropped() {
    let desk = Desk::new();
    let (mark, _) = tree(&desk, "exec sleep 1000").await;
    let clone = desk.terminals.clone();
    drop(desk);
    expect_bearers(&mark, 4, PROMISE).await;
    drop(clone);
    expect_bearers(&mark, 0, PROMISE).await;
}

async fn foreign() {
    let desk = Desk::new();
    let id = desk.shell("sleep 1000").await;
    let foreign = v1::SessionId::from("another");
    let refused = [
        desk.terminals.output(&foreign, &id).map(drop),
        desk.terminals.wait(&foreign, &id).await.map(drop),
        desk.terminals.kill(&foreign, &id).await,
        desk.terminals.release(&foreign, &id).await,
    ];
    assert!(
        refused
            .iter()
            .all(|answer| matches!(answer, Err(Error::Unknown))),
        "{refused:?}"
    );
    assert!(desk.terminals.output(&desk.session, &id).is_ok());
}

async fn still_shown() {
    let desk = Desk::new();
    let id = desk.shell("echo words; exit 4").await;
    desk.wait(&id).await;
    desk.terminals.release(&desk.session, &id).await.unwrap();
    let view = desk.terminals.view(&id).unwrap();
    assert!(view.is_released && !view.is_truncated);
    assert_eq!(
        (view.output.as_str(), view.command[0].as_str()),
        ("words\n", "sh")
    );
    assert_eq!(shown(&view.exit.unwrap()), "exit 4");
}

async fn vanished() {
    let desk = Desk::new();
    let inner = desk.project().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let request = desk.request("sh", &["-c", "rmdir \"$PWD\"; echo gone; exit 6"]);
    let id = desk
        .create(&request.cwd(inner.to_str().unwrap()))
        .await
        .unwrap();
    assert_eq!(shown(&desk.wait(&id).await), "exit 6");
    assert_eq!(desk.text(&id), "gone\n");
}

/// A command with a grandchild in its group, one in a session of its own, and one whose parent has ended as well.
async fn tree(desk: &Desk, last: &str) -> (String, v1::TerminalId) {
    let mark = format!("{}-{}", std::process::id(), desk.folder.display());
    let mark = format!("{mark}-{last}");
    let script = format!(
        "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'echo one; exec sleep 1000' &); {last}"
    );
    let request = desk.request("sh", &["-c", &script]);
    let request = request.env(vec![v1::EnvVariable::new(MARK, mark.as_str())]);
    let id = desk.create(&request).await.unwrap();
    desk.until(&id, "one").await;
    let count = if last == "exit 0" { 3 } else { 4 };
    expect_bearers(&mark, count, super::desk::PATIENCE).await;
    (mark, id)
}
