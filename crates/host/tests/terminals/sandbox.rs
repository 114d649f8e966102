//! Confined commands write inside the roots and to a temporary directory of their own, and nowhere else.

use std::fs;
use std::path::Path;

use attache_host::Roots;
use attache_host::sandbox::SandboxSupport;
use attache_host::terminals::{Sandbox, TerminalError, TerminalLimits};
use expect_test::expect;
use libtest_mimic::Trial;

use super::client::TestClient;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("sandbox::commands_write_only_inside_the_roots", writes),
        trial("sandbox::temporary_files_go_with_the_session", temporary),
        trial(
            "sandbox::a_root_that_a_command_has_replaced_opens_nothing",
            replaced,
        ),
        trial("sandbox::other_ways_out_are_closed", ways_out),
    ]
}

async fn writes() {
    let Some(client) = confined().await else {
        return;
    };
    fs::write(client.folder.join("outside"), "old").unwrap();
    let script = "exec 2>/dev/null
        echo x >file && echo inside
        (setsid sh -c 'echo x >deep') && echo grandchild inside
        (echo x >../outside) && echo outside
        (setsid sh -c 'echo x >../outside') && echo grandchild outside
        (echo x >../new) && echo new outside
        rm ../outside && echo removed
        (echo x >\"$TMPDIR/file\") && echo temporary
        cat ../outside";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    expect![[r#"
        inside
        grandchild inside
        temporary
        old"#]]
    .assert_eq(&said);
    assert_eq!(fs::read(client.folder.join("outside")).unwrap(), b"old");
    assert!(!client.folder.join("new").exists());
}

async fn temporary() {
    let Some(client) = confined().await else {
        return;
    };
    let first = client
        .output_of(&client.request("sh", &["-c", "echo x >$TMPDIR/a; printf %s $TMPDIR"]))
        .await;
    let second = client
        .output_of(&client.request("sh", &["-c", "cat $TMPDIR/a; printf %s $TMPDIR"]))
        .await;
    assert_eq!(second, format!("x\n{first}"));
    assert!(Path::new(&first).exists());
    client.terminals.end_session(&client.session).await;
    assert!(!Path::new(&first).exists());
}

async fn replaced() {
    let Some(mut client) = confined().await else {
        return;
    };
    let inner = client.project().join("inner");
    fs::create_dir(&inner).unwrap();
    client.roots = Roots::open(&client.project(), &[inner]).unwrap();
    let swap = "rmdir inner && ln -s .. inner";
    client.output_of(&client.request("sh", &["-c", swap])).await;
    let write = "exec 2>/dev/null; ls -d inner/project; echo x >../outside";
    let said = client
        .output_of(&client.request("sh", &["-c", write]))
        .await;
    assert!(!client.folder.join("outside").exists(), "{said}");
}

/// Nothing that a command inherits or finds lets it write elsewhere.
async fn ways_out() {
    let Some(client) = confined().await else {
        return;
    };
    let script = "exec 2>/dev/null
        ls -l /proc/self/fd | grep -v -e pipe: -e /dev/null -e /proc/ -e total
        (echo x >/dev/shm/attache-sandbox) && echo shared memory
        (echo x >/proc/$PPID/comm) && echo the one above
        mkfifo ../fifo && echo fifo
        ln file ../link && echo link
        mv file .. && echo moved
        (: >../old) && echo emptied
        kill -0 $PPID && echo signal
        echo end";
    fs::write(client.project().join("file"), "x").unwrap();
    fs::write(client.folder.join("old"), "x").unwrap();
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    expect![[r#"
        end
    "#]]
    .assert_eq(&said);
}

/// A client with a sandbox. Where the sandbox is missing, checks that no command starts.
#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
async fn confined() -> Option<TestClient> {
    let client = TestClient::with(TerminalLimits::default(), Sandbox::roots_only());
    if let SandboxSupport::Missing { .. } = Sandbox::support() {
        eprintln!("skipped: commands: {}", Sandbox::support());
        let refused = client.create(&client.request("true", &[])).await;
        assert!(
            matches!(refused, Err(TerminalError::Start(_))),
            "{refused:?}"
        );
        return None;
    }
    Some(client)
}
