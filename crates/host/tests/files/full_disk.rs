//! A full disk, and a disk that is mounted over a root. Both need a mount, so they run in a process with its own
//! namespace.

use std::fs;
use std::path::Path;
use std::process::Command;

use attache_host::Roots;
use attache_host::files::{FileError, Files};
use libtest_mimic::Trial;
use rustix::mount::{MountFlags, mount};

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) const ROLE: &str = "play-full-disk";

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("a_full_disk_leaves_the_old_text_and_no_litter", full)]
}

fn full() {
    let can = Command::new("unshare").args([NAMESPACE, "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: `unshare {NAMESPACE}` does not work here, so nothing can be mounted");
        return;
    }
    let tree = TestTree::new("");
    let output = Command::new("unshare")
        .arg(NAMESPACE)
        .arg(std::env::current_exe().unwrap())
        .arg(ROLE)
        .arg(tree.path("@/ws"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

pub(crate) fn play(path: &Path) -> ! {
    let before = Roots::open(path, &[]).unwrap();
    mount(
        "tmpfs",
        path,
        "tmpfs",
        MountFlags::empty(),
        Some(c"size=128k,nr_inodes=12"),
    )
    .unwrap();
    let files = Files::default();
    let read = files.read(&before, &path.join("f"), None, None);
    assert!(matches!(read, Err(FileError::RootGone { .. })), "{read:?}");
    let roots = Roots::open(path, &[]).unwrap();
    files.write(&roots, &path.join("f"), "old").unwrap();
    no_space(&files, &roots, path);
    no_names(&files, &roots, path);
    std::process::exit(0)
}

/// From no free page to enough pages, so that each step fails once.
fn no_space(files: &Files, roots: &Roots, path: &Path) {
    let new = "n".repeat(64 * 1024);
    let mut failed = 0;
    for filled in (0..=128).rev().step_by(4) {
        // Text that does not fit is cut, which fills the disk.
        fs::write(path.join("filler"), vec![b'x'; filled * 1024]).ok();
        match files.write(roots, &path.join("f"), &new) {
            Ok(()) => break,
            Err(error) => {
                assert!(error.to_string().contains("No space left"), "{error}");
                failed += 1;
            }
        }
        assert_eq!(fs::read_to_string(path.join("f")).unwrap(), "old");
        assert_eq!(fs::read_dir(path).unwrap().count(), 2, "litter");
    }
    assert!(failed > 4, "only {failed} writes failed");
    assert_eq!(fs::read_to_string(path.join("f")).unwrap(), new);
}

/// No inode is left for the directory, the temporary file, or what lies between.
fn no_names(files: &Files, roots: &Roots, path: &Path) {
    fs::remove_file(path.join("filler")).unwrap();
    let names = (0..).map(|number| path.join(format!("name-{number}")));
    let taken = names.map_while(|name| fs::write(name, "").ok()).count();
    let error = files.write(roots, &path.join("f"), "newer").unwrap_err();
    assert!(error.to_string().contains("No space left"), "{error}");
    for free in 0..3 {
        let error = files.write(roots, &path.join("a/b/c"), "x").unwrap_err();
        assert!(error.to_string().contains("No space left"), "{error}");
        fs::remove_file(path.join(format!("name-{free}"))).unwrap();
        fs::remove_dir_all(path.join("a")).ok();
    }
    assert!(taken > 3);
    files.write(roots, &path.join("a/b/c"), "x").unwrap();
}

const NAMESPACE: &str = "-rm";
