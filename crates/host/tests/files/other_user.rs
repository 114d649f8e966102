//! Tests as a user other than the superuser, who may access everything.

use std::os::unix::fs::{MetadataExt, chown};

use attache_host::files::Files;
use expect_test::expect;
use libtest_mimic::Trial;
use rustix::fs::{Gid, Uid};

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "a_denial_by_the_system_is_reported_and_not_bypassed",
        denied,
    )]
}

fn denied() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the superuser can become somebody else");
        return;
    }
    let tree = TestTree::new(TREE);
    for path in [
        "@/ws",
        "@/ws/own",
        "@/ws/own-read-only",
        "@/ws/lends-rights",
        "@/ws/blind",
    ] {
        chown(tree.path(path), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let modes = [
        ("theirs", 0o644),
        ("closed", 0o600),
        ("private", 0o700),
        ("fixed", 0o755),
        ("group", 0o666),
    ];
    for (name, mode) in modes {
        tree.set_mode(&format!("@/ws/{name}"), mode);
    }
    tree.set_mode("@/ws/own", 0o640);
    tree.set_mode("@/ws/own-read-only", 0o444);
    tree.set_mode("@/ws/lends-rights", 0o6755);
    tree.set_mode("@/ws/blind", 0o300);
    let told = as_nobody(|| tree.tried(&Files::default(), &tree.roots(), TRIED));
    expect![[r#"
        read @/ws/theirs: "x"
        read @/ws/closed: -32603 denied
        read @/ws/private/f: -32603 denied
        read @/ws/private/none: -32603 denied
        write @/ws/theirs new: -32602 read_only
        write @/ws/closed new: -32602 read_only
        write @/ws/private/f new: -32603 denied
        write @/ws/fixed/f new: -32602 read_only
        write @/ws/fixed/new new: -32603 denied
        write @/ws/fixed/new/new new: -32603 denied
        write @/ws/own new: "written"
        write @/ws/own-read-only new: -32602 read_only
        write @/ws/lends-rights new: "written"
        write @/ws/hard new: -32602 read_only
        write @/ws/group new: "written"
        write @/ws/blind/new new: "written"
        read @/ws/blind/new: "new"
        write @/ws/new new: "written"
    "#]]
    .assert_eq(&told);
    let modes = ["own", "lends-rights", "group"].map(|name| {
        let path = format!("@/ws/{name}");
        let owner = std::fs::metadata(tree.path(&path)).unwrap().uid();
        format!("{name} {:o} {owner}\n", tree.mode(&path))
    });
    expect![[r#"
        own 640 65534
        lends-rights 755 65534
        group 644 65534
    "#]]
    .assert_eq(&modes.concat());
}

/// The kernel keeps users per thread, so one thread can change its user permanently.
fn as_nobody<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            rustix::thread::set_thread_groups(&[]).unwrap();
            rustix::thread::set_thread_res_gid(group, group, group).unwrap();
            rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            act()
        });
        thread.join().unwrap()
    })
}

const NOBODY: u32 = 65_534;

const TREE: &str = "
    file ws/theirs x
    file ws/closed x
    file ws/private/f x
    file ws/fixed/f x
    file ws/group x
    file ws/own x
    file ws/own-read-only x
    file ws/lends-rights x
    file outside x
    hard ws/hard outside
    dir ws/blind
";

const TRIED: &str = "
    read @/ws/theirs
    read @/ws/closed
    read @/ws/private/f
    read @/ws/private/none
    write @/ws/theirs new
    write @/ws/closed new
    write @/ws/private/f new
    write @/ws/fixed/f new
    write @/ws/fixed/new new
    write @/ws/fixed/new/new new
    write @/ws/own new
    write @/ws/own-read-only new
    write @/ws/lends-rights new
    write @/ws/hard new
    write @/ws/group new
    write @/ws/blind/new new
    read @/ws/blind/new
    write @/ws/new new
";
