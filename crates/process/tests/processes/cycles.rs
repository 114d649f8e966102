//! Starts and ends five hundred trees, half of them by killing the owner, and checks that no process is left.

use std::time::Duration;

use attache_process::StopTimeouts;
use libtest_mimic::Trial;
use rustix::process::{Signal, getpid, kill_process};

use super::agents::{
    Mark, PATIENCE, PROMISE, TREE, TREE_LINES, marked, pid, ready, until, zombies_of,
};
use super::owner::Owner;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("cycles::trees_ended_in_each_way_in_turn", each_way),
        trial("cycles::trees_whose_owner_is_killed", owners),
    ]
}

async fn each_way() {
    for cycle in 0..TREES {
        let mark = Mark::new();
        let (child, _stdout) = ready(&marked(TREE, &mark), TREE_LINES).await;
        match cycle % 5 {
            0 => drop(child.stop(StopTimeouts::default()).await),
            1 => drop(child.stop(AT_ONCE).await),
            2 => drop(child),
            3 => {
                kill_process(pid(&child), Signal::KILL).unwrap();
                child.wait().await;
            }
            _ => {
                kill_process(pid(&child), Signal::KILL).unwrap();
                drop(child);
            }
        }
        mark.expect_gone();
    }
    until("no guard is a zombie", PROMISE, || {
        match zombies_of(getpid()) {
            0 => Ok(()),
            count => Err(format!("{count} zombies")),
        }
    });
}

async fn owners() {
    for cycle in 0..TREES / PER_OWNER {
        let mark = Mark::new();
        let mut owner = Owner::start(PER_OWNER, &mark);
        if cycle % 2 == 0 {
            owner.wait_ready();
        } else {
            // Somewhere between the first tree and the last.
            let some = 6 * (1 + cycle % PER_OWNER);
            until("some of the trees", PATIENCE, || {
                match mark.bearers().len() {
                    count if count >= some => Ok(()),
                    count => Err(format!("{count} processes")),
                }
            });
        }
        drop(owner);
        mark.expect_gone();
    }
}

const TREES: usize = 250;
const PER_OWNER: usize = 5;
const AT_ONCE: StopTimeouts = StopTimeouts::new(Duration::ZERO, Duration::ZERO);
