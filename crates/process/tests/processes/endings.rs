//! How programs end: by themselves, and at each step of being stopped.

use std::time::Duration;

use attache_process::{Child, ChildExit, Custody, ExitStatus, Signal, StopStep, StopTimeouts};
use libtest_mimic::Trial;
use tokio::io::AsyncWriteExt;

use super::agents::{Mark, PATIENCE, marked, parent, pid, ready, shell};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "endings::every_step_of_stop_can_end_the_program",
            every_step,
        ),
        direct_trial(
            "endings::every_step_of_stop_can_end_the_program_without_a_guard",
            every_step,
        ),
        trial("endings::codes_and_signals", codes_and_signals),
        direct_trial(
            "endings::codes_and_signals_without_a_guard",
            codes_and_signals,
        ),
        trial(
            "endings::a_missing_command_in_a_script_shows_its_own_message",
            words,
        ),
        trial("endings::stop_closes_standard_input_during_a_write", writer),
        trial("endings::stop_works_twice_and_after_the_end", twice),
        trial("endings::all_waiting_tasks_learn_of_the_end", many_wait),
        trial("endings::a_guard_does_not_take_signals", guard_signals),
        trial("endings::a_killed_guard_ends_the_program", guard_killed),
    ]
}

async fn every_step() {
    check(
        "echo; exec cat >/dev/null",
        StopStep::Close,
        ExitStatus::Exited(0),
    )
    .await;
    check("echo; exec sleep 1000", StopStep::Term, signaled(15)).await;
    check(
        "echo; kill -STOP $$; exec sleep 1000",
        StopStep::Term,
        signaled(15),
    )
    .await;
    check(
        "trap '' TERM; echo; exec sleep 1000",
        StopStep::Kill,
        signaled(9),
    )
    .await;
    check(
        "trap 'exit 3' TERM; echo; while :; do sleep 0.01; done",
        StopStep::Term,
        ExitStatus::Exited(3),
    )
    .await;
}

async fn check(script: &str, step: StopStep, status: ExitStatus) {
    let (child, _stdout) = ready(&shell(script), 1).await;
    let ending = child.stop(up_to(step)).await;
    assert_eq!((ending.step, ending.status), (step, status), "{script}");
    assert_eq!(ending.survivors, 0);
}

async fn codes_and_signals() {
    assert_eq!(end("exit 0").await.status, ExitStatus::Exited(0));
    assert_eq!(end("exit 42").await.status, ExitStatus::Exited(42));
    assert_eq!(end("kill -SEGV $$").await.status, signaled(11));
    let killed = end("kill -KILL $$").await;
    assert_eq!((killed.status, killed.step), (signaled(9), StopStep::Own));
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
    assert_eq!(child.stop(up_to(StopStep::Term)).await.step, StopStep::Term);
    assert_eq!(writer.await.unwrap(), std::io::ErrorKind::BrokenPipe);
}

async fn twice() {
    let (child, _stdout) = ready(&shell("echo; exec cat"), 1).await;
    let (one, two) = tokio::join!(
        child.stop(up_to(StopStep::Close)),
        child.stop(up_to(StopStep::Close))
    );
    assert_eq!(one, two);
    child.kill();
    assert_eq!(child.stop(up_to(StopStep::Close)).await, one);
    assert_eq!(child.wait().await, one);
}

async fn many_wait() {
    let (child, _stdout) = ready(&shell("echo; exec cat"), 1).await;
    let (one, two, stop) = tokio::join!(
        child.wait(),
        child.wait(),
        child.stop(up_to(StopStep::Close))
    );
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
    let ending = child.stop(up_to(StopStep::Close)).await;
    assert_eq!(
        (ending.step, ending.status),
        (StopStep::Close, ExitStatus::Exited(0))
    );
}

async fn guard_killed() {
    let mark = Mark::new();
    let program = marked("echo; exec sleep 1000", &mark);
    let (child, _stdout) = ready(&program, 1).await;
    rustix::process::kill_process(parent(pid(&child)), rustix::process::Signal::KILL).unwrap();
    assert_eq!(child.wait().await.status, ExitStatus::Lost);
    mark.expect_gone();
}

async fn end(script: &str) -> ChildExit {
    let child: Child = shell(script).spawn().await.unwrap();
    child.wait().await
}

fn signaled(number: i32) -> ExitStatus {
    ExitStatus::Signaled(Signal(number))
}

/// Timeouts that are patient with the step that should do it, and short with those before.
fn up_to(step: StopStep) -> StopTimeouts {
    let after = |earlier| match step == earlier {
        true => PATIENCE,
        false => Duration::from_millis(20),
    };
    StopTimeouts::new(after(StopStep::Close), after(StopStep::Term))
}
