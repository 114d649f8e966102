//! The guarantees of custody without a guard.

use attache_process::{Custody, StopTimeouts};
use libtest_mimic::Trial;
use rustix::process::{Signal, kill_process};

use super::agents::{Mark, TREE, TREE_LINES, deaf, marked, pid, ready};
use super::direct_trial;
use super::owner::Owner;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        direct_trial("direct::a_clean_stop_ends_descendants", stopped),
        direct_trial("direct::a_dropped_child_ends_descendants", dropped),
        direct_trial(
            "direct::a_killed_agent_leaves_only_other_sessions",
            agent_killed,
        ),
        direct_trial("direct::a_killed_owner_takes_the_agent", owner_killed),
    ]
}

async fn stopped() {
    let mark = Mark::new();
    let (child, _stdout) = ready(&marked(FAMILY, &mark), 2).await;
    assert_eq!(child.custody(), Custody::Direct);
    let ending = child.stop(StopTimeouts::default()).await;
    assert_eq!(ending.survivors, 0);
    mark.expect_gone();

    let (child, _stdout) = ready(&marked(FAMILY, &mark), 2).await;
    child.kill();
    assert_eq!(child.wait().await.survivors, 0);
    mark.expect_gone();
}

async fn dropped() {
    let mark = Mark::new();
    let (child, _stdout) = ready(&marked(&deaf(FAMILY), &mark), 2).await;
    drop(child);
    mark.expect_gone();
}

async fn agent_killed() {
    let mark = Mark::new();
    let (child, _stdout) = ready(&marked(GROUP, &mark), 1).await;
    kill_process(pid(&child), Signal::KILL).unwrap();
    child.wait().await;
    mark.expect_gone();

    let (child, _stdout) = ready(&marked(TREE, &mark), TREE_LINES).await;
    kill_process(pid(&child), Signal::KILL).unwrap();
    child.wait().await;
    mark.expect(2);
}

async fn owner_killed() {
    let mark = Mark::new();
    let mut owner = Owner::start(1, &mark);
    owner.wait_ready();
    mark.expect(2 + TREE_LINES);
    drop(owner);
    mark.expect(TREE_LINES);
}

/// A grandchild in the group, and one in a session of its own.
const FAMILY: &str = "
    sh -c 'echo plain; exec sleep 1000' &
    setsid sh -c 'echo session; exec sleep 1000' &
    exec cat >/dev/null";
const GROUP: &str = "sh -c 'echo plain; exec sleep 1000' & exec cat >/dev/null";
