//! No process of a tree survives, however the program, its owner or the `Child` value ends.

use std::time::Duration;

use attache_process::{Child, Stdout, StopTimeouts};
use libtest_mimic::Trial;
use rustix::process::{Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::agents::{Mark, TREE, TREE_LINES, marked, pid, read_lines, ready, shell};
use super::owner::Owner;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("trees::a_clean_stop_leaves_nothing", stopped),
        trial("trees::a_killed_agent_leaves_nothing", agent_killed),
        trial("trees::a_killed_owner_leaves_nothing", owner_killed),
        trial("trees::a_dropped_child_leaves_nothing", dropped),
        Trial::test("trees::a_runtime_that_ends_leaves_nothing", || {
            runtime_ended();
            Ok(())
        }),
        trial("trees::a_cancelled_start_leaves_nothing", given_up),
        trial("trees::a_fork_bomb_is_killed", forks),
        trial("trees::a_deep_tree_is_killed", deep),
        trial("trees::a_stopped_guard_leaves_nothing", guard_stopped),
        trial(
            "trees::a_guard_stopped_again_and_again_leaves_nothing",
            guard_kept_stopped,
        ),
    ]
}

async fn stopped() {
    let (mark, child, stdout) = tree().await;
    let ending = child.stop(StopTimeouts::default()).await;
    assert_eq!(ending.survivors, 0);
    assert_eq!(mark.bearers(), []);
    expect_end(stdout).await;
}

async fn agent_killed() {
    let (mark, child, stdout) = tree().await;
    kill_process(pid(&child), Signal::KILL).unwrap();
    assert_eq!(child.wait().await.to_string(), "agent was ended by SIGKILL");
    assert_eq!(mark.bearers(), []);
    expect_end(stdout).await;
}

async fn owner_killed() {
    let mark = Mark::new();
    let mut owner = Owner::start(2, &mark);
    owner.wait_ready();
    mark.expect(1 + 2 * (2 + TREE_LINES));
    drop(owner);
    mark.expect_gone();
}

async fn dropped() {
    let (mark, child, _stdout) = tree().await;
    drop(child);
    mark.expect_gone();
}

fn runtime_ended() {
    let runtime = super::runtime();
    let (mark, child, _stdout) = runtime.block_on(tree());
    runtime.shutdown_background();
    mark.expect_gone();
    drop(child);
}

async fn given_up() {
    for micros in (0..4000).step_by(200) {
        let mark = Mark::new();
        let program = marked(TREE, &mark);
        let start = program.spawn();
        drop(tokio::time::timeout(Duration::from_micros(micros), start).await);
        mark.expect_gone();
    }
}

// Each process lives only long enough to start the next, so a list of them is old when it is read.
async fn forks() {
    let chain = r#"LEFT=$((LEFT - 1)); [ $LEFT = 0 ] || sh -c "$CHAIN" &"#;
    let program = shell(r#"echo; eval "$CHAIN"; exec sleep 1000"#);
    let program = program.env("CHAIN", chain).env("LEFT", "20000");
    let (child, stdout) = ready(&program, 1).await;
    child.kill();
    assert_eq!(child.wait().await.survivors, 0);
    expect_end(stdout).await;
}

// Each process waits for the next. A sweep used to end some two hundred levels before its time was up.
async fn deep() {
    let chain =
        r#"LEFT=$((LEFT - 1)); [ $LEFT = 0 ] && { echo; exec sleep 1000; }; sh -c "$CHAIN"; true"#;
    let program = shell(r#"eval "$CHAIN""#).env("CHAIN", chain);
    let (child, stdout) = ready(&program.env("LEFT", "600"), 1).await;
    child.kill();
    assert_eq!(child.wait().await.survivors, 0);
    expect_end(stdout).await;
}

// It continues when it has something to do.
async fn guard_stopped() {
    let line = "(setsid sleep 1000 &) ; kill -STOP $PPID; echo; exec sleep 1000";
    leaves_nothing_on_stop(line).await;
}

async fn guard_kept_stopped() {
    let line = "(setsid sleep 1000 &) ; (setsid sh -c 'while kill -STOP $0; do :; done' $PPID &); echo; exec sleep 1000";
    leaves_nothing_on_stop(line).await;
}

/// Runs a script that stops its guard and then prints a line. A guard that is stopped before it has reported the start
/// fails the start, so the script waits for a line on its input.
async fn leaves_nothing_on_stop(script: &str) {
    let mark = Mark::new();
    let program = marked(&format!("read _; {script}"), &mark);
    let mut child = program.spawn().await.unwrap();
    let mut stdin = child.take_stdin().unwrap();
    stdin.write_all(b"\n").await.unwrap();
    let mut stdout = child.take_stdout().unwrap();
    read_lines(&mut stdout, 1).await;
    let ending = child.stop(AT_ONCE).await;
    assert_eq!(ending.survivors, 0);
    assert_eq!(mark.bearers(), []);
}

const AT_ONCE: StopTimeouts = StopTimeouts::new(Duration::ZERO, Duration::ZERO);

async fn tree() -> (Mark, Child, Stdout) {
    let mark = Mark::new();
    let (child, stdout) = ready(&marked(TREE, &mark), TREE_LINES).await;
    mark.expect(1 + TREE_LINES);
    (mark, child, stdout)
}

/// Waits until no process has the other end open.
async fn expect_end(mut stdout: Stdout) {
    let end = stdout.read_u8();
    let end = tokio::time::timeout(Duration::from_secs(1), end).await;
    assert!(end.expect("the pipe is open").is_err());
}
