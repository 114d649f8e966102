//! Confined commands write inside the roots and to a temporary directory of their own, and nowhere else.

use std::fs;
use std::path::Path;

use attache_host::Roots;
use attache_host::sandbox::SandboxSupport;
use attache_host::terminals::{Error, Sandbox, TerminalLimits};
use expect_test::expect;
use libtest_mimic::Trial;

use super::desk::Desk;
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
    let Some(desk) = confined().await else {
        return;
    };
    fs::write(desk.folder.join("outside"), "old").unwrap();
    let script = "exec 2>/dev/null
        echo x >file && echo inside
        (setsid sh -c 'echo x >deep') && echo grandchild inside
        (echo x >../outside) && echo outside
        (setsid sh -c 'echo x >../outside') && echo grandchild outside
        (echo x >../new) && echo new outside
        rm ../outside && echo removed
        (echo x >\"$TMPDIR/file\") && echo temporary
        cat ../outside";
    let said = desk.output_of(&desk.request("sh", &["-c", script])).await;
    expect![[r#"
        inside
        grandchild inside
        temporary
        old"#]]
    .assert_eq(&said);
    assert_eq!(fs::read(desk.folder.join("outside")).unwrap(), b"old");
    assert!(!desk.folder.join("new").exists());
}

async fn temporary() {
    let Some(desk) = confined().await else {
        return;
    };
    let first = desk
        .output_of(&desk.request("sh", &["-c", "echo x >$TMPDIR/a; printf %s $TMPDIR"]))
        .await;
    let second = desk
        .output_of(&desk.request("sh", &["-c", "cat $TMPDIR/a; printf %s $TMPDIR"]))
        .await;
    assert_eq!(second, format!("x\n{first}"));
    assert!(Path::new(&first).exists());
    desk.terminals.end_session(&desk.session).await;
    assert!(!Path::new(&first).exists());
}

async fn replaced() {
    let Some(mut desk) = confined().await else {
        return;
    };
    let inner = desk.project().join("inner");
    fs::create_dir(&inner).unwrap();
    desk.roots = Roots::open(&desk.project(), &[inner]).unwrap();
    let swap = "rmdir inner && ln -s .. inner";
    desk.output_of(&desk.request("sh", &["-c", swap])).await;
    let write = "exec 2>/dev/null; ls -d inner/project; echo x >../outside";
    let said = desk.output_of(&desk.request("sh", &["-c", write])).await;
    assert!(!desk.folder.join("outside").exists(), "{said}");
}

/// Nothing that a command inherits or finds lets it write elsewhere.
async fn ways_out() {
    let Some(desk) = confined().await else {
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
    fs::write(desk.project().join("file"), "x").unwrap();
    fs::write(desk.folder.join("old"), "x").unwrap();
    let said = desk.output_of(&desk.request("sh", &["-c", script])).await;
    expect![[r#"
        end
    "#]]
    .assert_eq(&said);
}

/// A desk with a sandbox; where there can be none, that no command starts was seen.
#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
async fn confined() -> Option<Desk> {
    let desk = Desk::with(TerminalLimits::default(), Sandbox::roots_only());
    if let SandboxSupport::Missing { .. } = Sandbox::support() {
        eprintln!("skipped: commands: {}", Sandbox::support());
        let refused = desk.create(&desk.request("true", &[])).await;
        assert!(matches!(refused, Err(Error::Start(_))), "{refused:?}");
        return None;
    }
    Some(desk)
}
