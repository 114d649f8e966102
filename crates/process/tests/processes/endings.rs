//! How agents end: by themselves, and at each step of being stopped.

use std::time::Duration;

use attache_process::{Child, Custody, Ending, Ladder, Rung, Signal, Status};
use libtest_mimic::Trial;
use tokio::io::AsyncWriteExt;

use super::agents::{Mark, PATIENCE, marked, parent, pid, ready, shell};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("endings::every_rung_of_the_ladder", every_rung),
        direct_trial(
            "endings::every_rung_of_the_ladder_without_a_guard",
            every_rung,
        ),
        trial("endings::codes_and_signals", codes_and_signals),
        direct_trial(
            "endings::codes_and_signals_without_a_guard",
            codes_and_signals,
        ),
        trial("endings::a_missing_command_is_told_in_its_own_words", words),
        trial("endings::stop_closes_input_somebody_writes_to", writer),
        trial("endings::stop_twice_and_after_the_end", twice),
        trial("endings::everybody_who_waits_is_told", many_wait),
        trial("endings::a_guard_does_not_take_signals", guard_signals),
        trial(
            "endings::a_killed_guard_takes_the_agent_with_it",
            guard_killed,
        ),
    ]
}

async fn every_rung() {
    check("echo; exec cat >/dev/null", Rung::Close, Status::Exited(0)).await;
    check("echo; exec sleep 1000", Rung::Term, signaled(15)).await;
    check(
        "echo; kill -STOP $$; exec sleep 1000",
        Rung::Term,
        signaled(15),
    )
    .await;
    check(
        "trap '' TERM; echo; exec sleep 1000",
        Rung::Kill,
        signaled(9),
    )
    .await;
    check(
        "trap 'exit 3' TERM; echo; while :; do sleep 0.01; done",
        Rung::Term,
        Status::Exited(3),
    )
    .await;
}

async fn check(script: &str, rung: Rung, status: Status) {
    let (child, _stdout) = ready(&shell(script), 1).await;
    let ending = child.stop(up_to(rung)).await;
    assert_eq!((ending.rung, ending.status), (rung, status), "{script}");
    assert_eq!(ending.survivors, 0);
}

async fn codes_and_signals() {
    assert_eq!(end("exit 0").await.status, Status::Exited(0));
    assert_eq!(end("exit 42").await.status, Status::Exited(42));
    assert_eq!(end("kill -SEGV $$").await.status, signaled(11));
    let killed = end("kill -KILL $$").await;
    assert_eq!((killed.status, killed.rung), (signaled(9), Rung::Own));
    assert_eq!(killed.to_string(), "agent was ended by SIGKILL");
}

async fn words() {
    let ending = end(r"printf '\033[31msh: node: not found\033[0m\n' >&2; exit 127").await;
    assert_eq!(
        ending.to_string(),
        "agent exited with 127: sh: node: not found"
    );
}

async fn writer() {
    let (mut child, _stdout) = ready(&shell("echo; exec sleep 1000"), 1).await;
    let mut stdin = child.take_stdin().unwrap();
    let writer = tokio::spawn(async move {
        loop {
            if let Err(error) = stdin.write_all(&[b'x'; 4096]).await {
                return error.kind();
            }
        }
    });
    assert_eq!(child.stop(up_to(Rung::Term)).await.rung, Rung::Term);
    assert_eq!(writer.await.unwrap(), std::io::ErrorKind::BrokenPipe);
}

async fn twice() {
    let (child, _stdout) = ready(&shell("echo; exec cat"), 1).await;
    let (one, two) = tokio::join!(
        child.stop(up_to(Rung::Close)),
        child.stop(up_to(Rung::Close))
    );
    assert_eq!(one, two);
    child.kill();
    assert_eq!(child.stop(up_to(Rung::Close)).await, one);
    assert_eq!(child.wait().await, one);
}

async fn many_wait() {
    let (child, _stdout) = ready(&shell("echo; exec cat"), 1).await;
    let (one, two, stop) = tokio::join!(child.wait(), child.wait(), child.stop(up_to(Rung::Close)));
    assert_eq!(one.status, stop.status);
    assert_eq!(two.status, stop.status);
}

async fn guard_signals() {
    let (child, _stdout) = ready(&shell("echo; exec cat"), 1).await;
    assert_eq!(child.custody(), Custody::Guard);
    let guard = parent(pid(&child));
    for signal in [
        rustix::process::Signal::INT,
        rustix::process::Signal::TERM,
        rustix::process::Signal::HUP,
    ] {
        rustix::process::kill_process(guard, signal).unwrap();
    }
    let ending = child.stop(up_to(Rung::Close)).await;
    assert_eq!(
        (ending.rung, ending.status),
        (Rung::Close, Status::Exited(0))
    );
}

async fn guard_killed() {
    let mark = Mark::new();
    let program = marked("echo; exec sleep 1000", &mark);
    let (child, _stdout) = ready(&program, 1).await;
    rustix::process::kill_process(parent(pid(&child)), rustix::process::Signal::KILL).unwrap();
    assert_eq!(child.wait().await.status, Status::Lost);
    mark.expect_gone();
}

async fn end(script: &str) -> Ending {
    let child: Child = shell(script).spawn().await.unwrap();
    child.wait().await
}

fn signaled(number: i32) -> Status {
    Status::Signaled(Signal(number))
}

/// A ladder that is patient with the step that should do it, and short with those before.
fn up_to(rung: Rung) -> Ladder {
    let after = |step| match rung == step {
        true => PATIENCE,
        false => Duration::from_millis(20),
    };
    Ladder {
        after_close: after(Rung::Close),
        after_term: after(Rung::Term),
    }
}
