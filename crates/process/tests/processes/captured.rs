//! Commands: no input, one output, and background processes that live until the command is stopped.

use std::time::{Duration, Instant};

use attache_process::{Child, ExitStatus, Signal, Stdout, StopTimeouts};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::agents::{Mark, PATIENCE, TREE, TREE_LINES, marked, pid, read_lines, shell, until};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("captured::both_outputs_keep_their_order", in_order),
        direct_trial(
            "captured::both_outputs_keep_their_order_without_a_guard",
            in_order,
        ),
        trial("captured::a_command_has_no_input_and_no_terminal", no_input),
        direct_trial(
            "captured::a_command_has_no_input_and_no_terminal_without_a_guard",
            no_input,
        ),
        trial("captured::background_processes_live_until_a_stop", lives_on),
        direct_trial(
            "captured::the_process_group_lives_until_a_stop",
            group_lives_on,
        ),
        trial("captured::background_processes_can_end_by_themselves", ends),
        trial("captured::a_dropped_command_leaves_nothing", dropped),
        trial(
            "captured::a_file_over_the_limit_ends_the_command",
            large_file,
        ),
    ]
}

async fn in_order() {
    let script = "for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done";
    let (child, mut stdout) = shell(script).spawn_captured().await.unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    let wanted: Vec<String> = (1..10).map(|i| format!("out{i}\nerr{i}\n")).collect();
    assert_eq!(text, wanted.concat());
    assert_eq!(child.exited().await, ExitStatus::Exited(0));
    assert_eq!(child.stop(StopTimeouts::default()).await.survivors, 0);
}

async fn no_input() {
    let script = "cat; [ -t 1 ] || echo no terminal; (: </dev/tty) 2>/dev/null || echo nowhere;
        ls /proc/self/fd | wc -l; ulimit -c; cat /proc/self/oom_score_adj";
    let (_child, mut stdout) = shell(script).spawn_captured().await.unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    // The fourth descriptor is the one with which `ls` reads the directory.
    assert_eq!(text, "no terminal\nnowhere\n4\n0\n500\n");
}

async fn lives_on() {
    let (mark, child, stdout) = left_behind().await;
    mark.expect(TREE_LINES);
    let begun = Instant::now();
    assert_eq!(child.stop(StopTimeouts::default()).await.survivors, 0);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(mark.bearers(), []);
    expect_end(stdout).await;
}

async fn group_lives_on() {
    let mark = Mark::new();
    let program = marked("sh -c 'echo up; exec sleep 1000' &", &mark);
    let (child, mut stdout) = program.spawn_captured().await.unwrap();
    read_lines(&mut stdout, 1).await;
    assert_eq!(child.exited().await, ExitStatus::Exited(0));
    mark.expect(1);
    child.stop(StopTimeouts::default()).await;
    mark.expect_gone();
}

async fn ends() {
    let program = shell("(exec setsid sh -c 'echo a; sleep 0.05; echo b') & exit 3");
    let (child, mut stdout) = program.spawn_captured().await.unwrap();
    assert_eq!(child.exited().await, ExitStatus::Exited(3));
    assert_eq!(child.wait().await.status, ExitStatus::Exited(3));
    assert!(!stdout.is_drained());
    assert_eq!(read_lines(&mut stdout, 2).await, "a\nb\n");
    assert!(stdout.is_drained());
}

async fn dropped() {
    let (mark, child, _stdout) = left_behind().await;
    drop(child);
    mark.expect_gone();
}

async fn large_file() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("large-{}", std::process::id()));
    let program = shell("exec dd if=/dev/zero of=\"$0\" bs=4096 count=1000 2>/dev/null");
    let program = program.arg(&file).largest_file(65536);
    let (child, _stdout) = program.spawn_captured().await.unwrap();
    assert_eq!(child.exited().await, ExitStatus::Signaled(Signal(25)));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 65536);
    std::fs::remove_file(file).unwrap();
}

/// A command that has ended, and the tree it left behind.
async fn left_behind() -> (Mark, Child, Stdout) {
    let mark = Mark::new();
    let script = TREE.replace(STAY, "");
    let program = marked(&script, &mark);
    let (child, mut stdout) = program.spawn_captured().await.unwrap();
    read_lines(&mut stdout, TREE_LINES).await;
    assert_eq!(child.exited().await, ExitStatus::Exited(0));
    until("its own process is gone", PATIENCE, || {
        match mark.bearers().contains(&pid(&child)) {
            false => Ok(()),
            true => Err("it is there".to_owned()),
        }
    });
    (mark, child, stdout)
}

async fn expect_end(mut stdout: Stdout) {
    let end = tokio::time::timeout(Duration::from_secs(1), stdout.read_u8()).await;
    assert!(end.expect("the pipe is open").is_err());
}

/// A command with which an agent waits.
const STAY: &str = "exec cat >/dev/null";
