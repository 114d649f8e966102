//! Attacks on the directory that a command starts in: it is swapped while hundreds of commands start. No command may
//! start outside the roots, and those that do not start say why.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use attache_host::Roots;
use attache_host::sandbox::SandboxSupport;
use attache_host::terminals::{Sandbox, TerminalError, TerminalLimits};
use libtest_mimic::Trial;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::client::TestClient;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "directories_attack::a_directory_is_swapped_for_a_link",
            || swapped(Sandbox::Off),
        ),
        trial(
            "directories_attack::a_directory_is_swapped_for_a_link_in_the_sandbox",
            || swapped(sandbox()),
        ),
        trial("directories_attack::a_parent_is_swapped_for_a_link", parent),
        trial("directories_attack::a_root_is_swapped_for_a_link", root),
        trial(
            "directories_attack::a_root_that_was_replaced_is_not_entered",
            replaced,
        ),
    ]
}

/// `inner` alternates between a directory and a link to the outside.
async fn swapped(sandbox: Sandbox) {
    let client = TestClient::with(TerminalLimits::default(), sandbox);
    let inner = client.project().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::create_dir(client.folder.join("outside")).unwrap();
    let link = client.project().join("link");
    symlink("../outside", &link).unwrap();
    while_swapping(&inner, &link, &client, Some(&inner)).await;
}

async fn parent() {
    let client = TestClient::new();
    let inner = client.project().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir_all(client.folder.join("outside/b")).unwrap();
    let link = client.project().join("link");
    symlink("../outside", &link).unwrap();
    let a = client.project().join("a");
    while_swapping(&a, &link, &client, Some(&inner)).await;
}

/// The session's directory itself alternates between the original and a link to the outside.
async fn root() {
    let client = TestClient::new();
    fs::create_dir(client.folder.join("outside")).unwrap();
    let link = client.folder.join("link");
    symlink("outside", &link).unwrap();
    while_swapping(&client.project(), &link, &client, None).await;
}

async fn replaced() {
    let mut client = TestClient::new();
    let also = client.folder.join("also");
    fs::create_dir(&also).unwrap();
    client.roots = Roots::open(&client.project(), &[also]).unwrap();
    fs::create_dir(client.folder.join("outside")).unwrap();
    fs::rename(client.project(), client.folder.join("moved")).unwrap();
    symlink("outside", client.project()).unwrap();
    let refused = client.create(&client.request("pwd", &[])).await;
    assert!(
        matches!(&refused, Err(TerminalError::Directory { reason, .. }) if reason.contains("replaced")),
        "{refused:?}"
    );
}

/// Starts commands while a thread exchanges two names.
async fn while_swapping(one: &Path, other: &Path, client: &TestClient, cwd: Option<&Path>) {
    let stop = Arc::new(AtomicBool::new(false));
    let (first, second) = (one.to_owned(), other.to_owned());
    let swapper = {
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &first, CWD, &second, RenameFlags::EXCHANGE).unwrap();
            }
        })
    };
    let outside = client.folder.join("outside").canonicalize().unwrap();
    let (mut started, mut escaped, mut why) = (0, 0, String::new());
    // Refusals are fast: the swapping thread may not even run meanwhile.
    for _ in 0..MOST_TRIES {
        if started == STARTS {
            break;
        }
        let mut request = client.request("/bin/sh", &["-c", "pwd -P; readlink /proc/self/cwd"]);
        request.cwd = cwd.map(|cwd| cwd.to_str().unwrap().into());
        let id = match client.create(&request).await {
            Ok(id) => id,
            Err(error) => {
                why = error.to_string();
                continue;
            }
        };
        client.wait(&id).await;
        let said = client.text(&id);
        started += 1;
        escaped += usize::from(
            said.lines()
                .any(|line| Path::new(line).starts_with(&outside)),
        );
        client
            .terminals
            .release(&client.session, &id)
            .await
            .unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(escaped, 0, "of {started} commands that started");
    assert!(started > 0, "no command started at all: {why}");
}

fn sandbox() -> Sandbox {
    match Sandbox::support() {
        SandboxSupport::Missing { .. } => Sandbox::Off,
        SandboxSupport::Full | SandboxSupport::Partial { .. } => Sandbox::roots_only(),
    }
}

const STARTS: usize = 300;
const MOST_TRIES: usize = 100_000;
