//! A write leaves the complete new file with the mode of the old one, and nothing else.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use attache_host::Roots;
use attache_host::files::Files;
use expect_test::expect;
use libtest_mimic::Trial;
use rustix::fs::XattrFlags;

use crate::suite::trial;
use crate::tree::{TestTree, outcome};

pub(crate) const ROLE: &str = "play-without-mask";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_write_makes_the_file_and_its_directories", made),
        trial("a_write_keeps_the_mode_without_dangerous_bits", modes),
        trial("a_write_keeps_the_owner", owner),
        trial(
            "a_write_keeps_the_access_list_and_takes_no_other",
            access_list,
        ),
        trial("nothing_is_made_for_everybody_to_write", umask),
        trial("a_hard_link_is_not_written", hard_links),
        trial("a_read_only_file_is_not_written", read_only),
        trial("writers_at_once_leave_one_whole_text", at_once),
        trial("temporary_files_of_killed_writes_are_removed", swept),
        trial("a_message_says_what_to_do", messages),
    ]
}

fn made() {
    let tree = TestTree::new(
        "file ws/old old\nlink ws/link dir/file\nfile ws/dir/file old\nfile ws/file x",
    );
    let tried = "
        write @/ws/new text
        write @/ws/empty
        write @/ws/a/b/c/new text
        write @/ws/old new
        write @/ws/link new
        write @/ws/file/below new
        write @/ws/dir/../dir/other new";
    expect![[r#"
        write @/ws/new text: "written"
        write @/ws/empty: "written"
        write @/ws/a/b/c/new text: "written"
        write @/ws/old new: "written"
        write @/ws/link new: "written"
        write @/ws/file/below new: -32002 not_found
        write @/ws/dir/../dir/other new: "written"
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &tree.roots(), tried));
    expect![[r#"
        ws/a/
        ws/a/b/
        ws/a/b/c/
        ws/a/b/c/new "text"
        ws/dir/
        ws/dir/file "new"
        ws/dir/other "new"
        ws/empty ""
        ws/file "x"
        ws/link -> dir/file
        ws/new "text"
        ws/old "new"
    "#]]
    .assert_eq(&tree.listing("@/ws"));
}

fn modes() {
    let tree = TestTree::new("file ws/f x");
    let (roots, files) = (tree.roots(), Files::default());
    let mut told = String::new();
    for mode in [
        0o600, 0o640, 0o644, 0o755, 0o200, 0o666, 0o777, 0o4755, 0o2755, 0o6777, 0o1644,
    ] {
        tree.set_mode("@/ws/f", mode);
        files.write(&roots, &tree.path("@/ws/f"), "y").unwrap();
        told += &format!("{mode:o} -> {:o}\n", tree.mode("@/ws/f"));
    }
    expect![[r#"
        600 -> 600
        640 -> 640
        644 -> 644
        755 -> 755
        200 -> 200
        666 -> 664
        777 -> 775
        4755 -> 755
        2755 -> 755
        6777 -> 775
        1644 -> 644
    "#]]
    .assert_eq(&told);
}

fn owner() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the superuser can see whether an owner is kept");
        return;
    }
    let tree = TestTree::new("file ws/f x");
    std::os::unix::fs::chown(tree.path("@/ws/f"), Some(1234), Some(2345)).unwrap();
    Files::default()
        .write(&tree.roots(), &tree.path("@/ws/f"), "y")
        .unwrap();
    let metadata = fs::metadata(tree.path("@/ws/f")).unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (1234, 2345));
}

fn access_list() {
    let tree = TestTree::new("file ws/listed x\nfile ws/plain x");
    tree.set_mode("@/ws/plain", 0o640);
    let set = |path: &str, name: &str| {
        rustix::fs::setxattr(tree.path(path), name, &list(), XattrFlags::empty())
    };
    if set("@/ws/listed", "system.posix_acl_access").is_err() {
        eprintln!("skipped: the file system has no access lists");
        return;
    }
    // New files inherit the list from now on.
    set("@/ws", "system.posix_acl_default").unwrap();
    let (roots, files) = (tree.roots(), Files::default());
    for path in ["@/ws/listed", "@/ws/plain"] {
        files.write(&roots, &tree.path(path), "y").unwrap();
    }
    let get = |path: &str| {
        let mut value = Vec::with_capacity(256);
        let space = rustix::buffer::spare_capacity(&mut value);
        let got = rustix::fs::getxattr(tree.path(path), "system.posix_acl_access", space);
        got.map(|_| value).ok()
    };
    assert_eq!(get("@/ws/listed"), Some(list()));
    assert_eq!(tree.mode("@/ws/listed"), 0o660);
    assert_eq!(get("@/ws/plain"), None);
    assert_eq!(tree.mode("@/ws/plain"), 0o640);
}

/// The owner and user 1234 may read and write; the group and everybody else may do nothing.
fn list() -> Vec<u8> {
    let none = u32::MAX;
    let entries = [
        (1, 6, none),
        (2, 6, 1234),
        (4, 0, none),
        (16, 6, none),
        (32, 0, none),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, who) in entries {
        bytes.extend(u16::to_le_bytes(tag));
        bytes.extend(u16::to_le_bytes(rights));
        bytes.extend(u32::to_le_bytes(who));
    }
    bytes
}

/// The umask belongs to the process, so the test needs another process.
fn umask() {
    let tree = TestTree::new("");
    let mut child = Command::new(std::env::current_exe().unwrap());
    let status = child.arg(ROLE).arg(tree.path("@/ws")).status().unwrap();
    assert!(status.success());
    let modes = (tree.mode("@/ws/dir"), tree.mode("@/ws/dir/f"));
    assert_eq!(modes, (0o775, 0o664));
}

pub(crate) fn play(directory: &Path) -> ! {
    rustix::process::umask(rustix::fs::Mode::empty());
    let roots = Roots::open(directory, &[]).unwrap();
    let path = directory.join("dir/f");
    Files::default().write(&roots, &path, "x").unwrap();
    std::process::exit(0)
}

fn hard_links() {
    let tree = TestTree::new("file outside secret\nhard ws/f outside\nfile ws/a x\nhard ws/b ws/a");
    let tried = "
        write @/ws/f new
        write @/ws/a new
        read @/ws/a";
    expect![[r#"
        write @/ws/f new: -32602 hard_linked
        write @/ws/a new: -32602 hard_linked
        read @/ws/a: "x"
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &tree.roots(), tried));
    expect![[r#"
        outside "secret"
        ws/
        ws/a "x"
        ws/b "x"
        ws/f "secret"
    "#]]
    .assert_eq(&tree.listing("@"));
}

fn read_only() {
    let tree = TestTree::new("file ws/f old");
    tree.set_mode("@/ws/f", 0o444);
    let tried = "write @/ws/f new\nread @/ws/f";
    expect![[r#"
        write @/ws/f new: -32602 read_only
        read @/ws/f: "old"
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &tree.roots(), tried));
    assert_eq!(tree.mode("@/ws/f"), 0o444);
}

fn at_once() {
    let tree = TestTree::new("file ws/f aaaa");
    let (roots, files, path) = (tree.roots(), Files::default(), tree.path("@/ws/f"));
    std::thread::scope(|scope| {
        for letter in ["a", "b", "c", "d"] {
            let (roots, files, path) = (&roots, &files, &path);
            scope.spawn(move || {
                for _ in 0..25 {
                    files.write(roots, path, &letter.repeat(10_000)).unwrap();
                    let text = files.read(roots, path, None, None).unwrap();
                    assert!("abcd".chars().any(|c| text.chars().all(|other| other == c)));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(tree.path("@/ws")).unwrap().count(), 1);
}

fn swept() {
    let tree = TestTree::new("file ws/f x");
    let left = |name: &str, age: u64| {
        let path = tree.path("@/ws").join(name);
        fs::write(&path, "half").unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(then)
            .unwrap();
    };
    left(".attache-write-0123456789abcdef.tmp", 3600);
    left(".attache-write-fedcba9876543210.tmp", 1);
    left(".attache-write-of-a-person", 3600);
    Files::default()
        .write(&tree.roots(), &tree.path("@/ws/f"), "y")
        .unwrap();
    expect![[r#"
        ws/.attache-write-fedcba9876543210.tmp "half"
        ws/.attache-write-of-a-person "half"
        ws/f "y"
    "#]]
    .assert_eq(&tree.listing("@/ws"));
}

fn messages() {
    let tree = TestTree::new(
        "fifo ws/pipe\nfile ws/old x\nhard ws/hard ws/old\nlink ws/gone none\nlink ws/loop loop\nfile ws/zero \\0",
    );
    let (roots, files) = (tree.roots(), Files::default());
    let mut told = String::new();
    let hostile = "@/ws/\u{1b}[2Jx\u{202e}\n";
    for path in [
        "a",
        "@/x",
        "@/ws/none",
        "@/ws/pipe",
        "@/ws",
        "@/ws/loop",
        "@/ws/zero",
        "@/ws/zero/",
        hostile,
    ] {
        let error = files
            .read(&roots, &tree.path(path), None, None)
            .unwrap_err();
        told += &format!("{error}\n");
    }
    for path in ["@/ws/.git/hooks/x", "@/ws/hard", "@/ws/gone"] {
        let error = files.write(&roots, &tree.path(path), "x").unwrap_err();
        told += &format!("{error}\n");
    }
    expect![[r#"
        `a` is not an absolute path; start it at the root
        `@/x` lies outside the directories of this session; add its directory to the session
        there is no file `@/ws/none`
        `@/ws/pipe` is not a regular file; name a regular file
        `@/ws` is a directory; name a regular file
        `@/ws/loop` leads through too many links; use the path of the file itself
        `@/ws/zero` is not text: it is binary or not UTF-8; read it with a tool for its format
        `@/ws/zero/` is a file, but the path ends with a slash; name it without the slash
        there is no file `@/ws/\u{1b}[2Jx\u{202e}\n`
        `@/ws/.git/hooks/x` is protected, because a change to it can run commands later; ask the user to change it
        `@/ws/hard` has more than one hard link, and writing it would change or separate them; replace it by a copy first
        `@/ws/gone` leads through a link whose target is missing; use the path of the target
    "#]].assert_eq(&told.replace(tree.top.to_str().unwrap(), "@"));
    let long = tree.path(&format!("@/ws/{}", "x".repeat(4_000)));
    let error = files.read(&roots, &long, None, None).unwrap_err();
    assert!(error.to_string().len() < 400);
    let error = attache_rpc::Error::from(error);
    assert_eq!(error.data.unwrap().as_str(), r#"{"kind":"bad_path"}"#);
    assert_eq!(
        outcome(files.read(&roots, &long, None, None)),
        "-32602 bad_path"
    );
}
