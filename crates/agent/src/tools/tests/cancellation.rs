//! Tests of dropped calls: they leave no process, no terminal and no half-written file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};

use super::super::FileRules;
use super::super::tree::{HiddenFiles, TreeWalk, WalkContext, run_blocking};
use super::{ClientOffer, TestWorkplace, eventually};

/// The process id that a command has written to the file `pid`.
pub(super) fn pid(stage: &TestWorkplace) -> Pid {
    let text = stage.disk("ws/pid").unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

pub(super) fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid).is_ok()
}

fn has_pid(stage: &TestWorkplace) -> bool {
    stage
        .disk("ws/pid")
        .is_some_and(|text| text.ends_with('\n'))
}

#[tokio::test]
async fn a_running_command_is_killed_and_its_terminal_released() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(offer, &[]).await;
        let command = r#"{"command":"echo $$ > pid; exec sleep 1000"}"#;
        let prepared = stage.prepare("run", command).await.unwrap();
        let workplace = stage.workplace.clone();
        let running = tokio::spawn(async move { prepared.perform(&workplace, drop).await });
        eventually("it runs", || has_pid(&stage)).await;
        let pid = pid(&stage);
        assert!(is_alive(pid));
        running.abort();
        eventually("the connection is closed", || !is_alive(pid)).await;
        if offer == ClientOffer::Everything {
            eventually("it is released", || {
                stage.asked().ends_with("kill\nrelease")
            })
            .await;
        }
    }
}

#[tokio::test]
async fn a_terminal_whose_call_was_cancelled_during_creation_is_released() {
    let stage = TestWorkplace::with(ClientOffer::Everything, &[]).await;
    let gate = Arc::clone(&stage.editor.gate).lock_owned().await;
    let prepared = stage
        .prepare("run", r#"{"command":"echo $$ > pid; exec sleep 1000"}"#)
        .await
        .unwrap();
    let workplace = stage.workplace.clone();
    let running = tokio::spawn(async move { prepared.perform(&workplace, drop).await });
    eventually("it is asked for", || stage.asked().contains("create")).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    drop(gate);
    eventually("it is released", || {
        stage.asked().ends_with("kill\nrelease")
    })
    .await;
    if has_pid(&stage) {
        assert!(!is_alive(pid(&stage)));
    }
}

#[tokio::test]
async fn commands_in_the_background_end_with_the_workplace() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        for is_closed in [true, false] {
            let stage = TestWorkplace::with(offer, &[]).await;
            let command = r#"{"command":"echo $$ > pid; exec sleep 1000","background":true}"#;
            assert!(!stage.outcome("run", command).await.failed);
            eventually("it runs", || has_pid(&stage)).await;
            let pid = pid(&stage);
            assert!(is_alive(pid));
            let TestWorkplace {
                workplace,
                editor,
                _top,
                ..
            } = stage;
            match is_closed {
                true => {
                    workplace.close().await;
                    assert!(!is_alive(pid));
                }
                false => drop(workplace),
            }
            eventually("the connection is closed", || !is_alive(pid)).await;
            if offer == ClientOffer::Everything {
                eventually("it is released", || {
                    editor.asked().ends_with(&["release".to_owned()])
                })
                .await;
            }
        }
    }
}

#[tokio::test]
async fn a_dropped_write_leaves_the_old_or_the_new_text() {
    let old = "old\n".repeat(100_000);
    let new = "new\n".repeat(100_000);
    for steps in 0..40 {
        let stage = TestWorkplace::new(&[("ws/a", &old)]).await;
        let input = format!(r#"{{"path":"a","content":{new:?}}}"#);
        let prepared = stage.prepare("write", &input).await.unwrap();
        let workplace = stage.workplace.clone();
        let running = tokio::spawn(async move { prepared.perform(&workplace, drop).await });
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
        running.abort();
        let text = stage.disk("ws/a").unwrap();
        assert!(text == old || text == new);
    }
}

#[tokio::test]
async fn searches_stop_when_dropped_or_timed_out() {
    let stage = TestWorkplace::new(&[("ws/a", ""), ("ws/d/b", "")]).await;
    let (begun, ended) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let (begin, end) = (Arc::clone(&begun), Arc::clone(&ended));
    let workplace = stage.workplace.clone();
    let looking = tokio::spawn(async move {
        let look = run_blocking(&workplace, LONG, move |_, _, stop| {
            begin.store(true, Ordering::Relaxed);
            while !stop.is_due() {
                std::thread::yield_now();
            }
            end.store(true, Ordering::Relaxed);
            Ok(())
        });
        look.await.is_ok()
    });
    eventually("it looks", || begun.load(Ordering::Relaxed)).await;
    assert!(!ended.load(Ordering::Relaxed));
    looking.abort();
    eventually("it has stopped", || ended.load(Ordering::Relaxed)).await;

    for (limit, found) in [(LONG, 3), (Duration::ZERO, 0)] {
        let top = stage.path("ws");
        let count = run_blocking(&stage.workplace, limit, move |files, roots, stop| {
            let here = WalkContext {
                files,
                roots,
                stop,
                rules: &FileRules::default(),
                tool: "glob",
            };
            Ok(TreeWalk::new(here, &top, HiddenFiles::Skip)?.count())
        });
        assert_eq!(count.await.unwrap(), found);
    }
}

const LONG: Duration = Duration::from_secs(600);
