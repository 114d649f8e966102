//! The file descriptors of a guard and a program, and that none of them leaks.

use std::collections::BTreeSet;
use std::fs;

use libtest_mimic::Trial;
use rustix::process::Pid;

use super::agents::{PATIENCE, PROMISE, parent, pid, ready, shell, until, zombies_of};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("files::a_program_has_three_descriptors", three),
        direct_trial(
            "files::a_program_has_three_descriptors_without_a_guard",
            three,
        ),
        trial("files::a_guard_inherits_no_descriptors_of_its_owner", guard),
        direct_trial("files::no_descriptor_is_left_after_a_program", nothing_left),
        trial("files::orphans_do_not_stay_zombies", orphans),
    ]
}

async fn three() {
    let leak = rustix::io::dup(fs::File::open("/etc/passwd").unwrap()).unwrap();
    let (child, _stdout) = ready(&shell("echo; read -r line"), 1).await;
    let held: BTreeSet<String> = held(pid(&child)).into_iter().map(|(fd, _)| fd).collect();
    assert_eq!(held, ["0", "1", "2"].map(str::to_owned).into());
    drop(leak);
}

async fn guard() {
    let leak = rustix::io::dup(fs::File::open("/etc/passwd").unwrap()).unwrap();
    let (child, _stdout) = ready(&shell("echo; exec sleep 1000"), 1).await;
    let held = held(parent(pid(&child)));
    assert!(held.len() <= 6, "{held:?}");
    let foreign = |link: &str| link.contains("passwd") || link.starts_with("pipe:");
    assert!(!held.iter().any(|(_, link)| foreign(link)), "{held:?}");
    drop(leak);
}

// In a process of its own, since the other tests open and close files meanwhile.
async fn nothing_left() {
    let me = rustix::process::getpid();
    let mut before = 0;
    for round in 0..20 {
        let (child, stdout) = ready(&shell("echo; exec cat"), 1).await;
        drop(stdout);
        child.kill();
        child.wait().await;
        drop(child);
        if round == 0 {
            before = held(me).len();
        }
    }
    until("as many files as before", PROMISE, || {
        match held(me).len() {
            count if count <= before => Ok(()),
            count => Err(format!("{count} after {before}")),
        }
    });
    assert_eq!(zombies_of(me), 0);
}

async fn orphans() {
    let script = "for i in 1 2 3 4 5 6 7 8 9; do (sh -c 'exit 0' &); done; echo; exec cat";
    let (child, _stdout) = ready(&shell(script), 1).await;
    let guard = parent(pid(&child));
    until("no zombies", PATIENCE, || match zombies_of(guard) {
        0 => Ok(()),
        count => Err(format!("{count} zombies")),
    });
}

fn held(pid: Pid) -> Vec<(String, String)> {
    let folder = format!("/proc/{}/fd", pid.as_raw_nonzero());
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let link = |path| fs::read_link(path).map(|link| link.display().to_string());
    entries
        .map(|entry| {
            let fd = entry.file_name().into_string().unwrap();
            (fd, link(entry.path()).unwrap_or_default())
        })
        .collect()
}
