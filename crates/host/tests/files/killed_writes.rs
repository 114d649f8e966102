//! A killed writer leaves the old text or the new one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use attache_host::Roots;
use attache_host::files::Files;
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) const ROLE: &str = "play-writer";

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "two_hundred_killed_writers_leave_one_whole_text",
        killed,
    )]
}

fn killed() {
    let tree = TestTree::new("");
    let path = tree.path("@/ws/f");
    fs::write(&path, text(0)).unwrap();
    let mut seen = [0, 0];
    for turn in 0..200 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .arg(ROLE)
            .arg(tree.path("@/ws"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(writer.stdout.take().unwrap()).lines();
        told.take(1 + turn % 4).for_each(|line| drop(line.unwrap()));
        for _ in 0..turn % 10 {
            look(&path);
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        seen[look(&path)] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?} is not a fair trial");
    sweep(&tree);
}

/// Returns which of the two texts is in the file; anything else is a failure.
fn look(path: &Path) -> usize {
    let found = fs::read_to_string(path).unwrap();
    let which = (0..2).find(|which| text(*which) == found);
    which.unwrap_or_else(|| panic!("{} bytes of mixed text", found.len()))
}

/// An hour later, the next write removes what killed writers left.
fn sweep(tree: &TestTree) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    for entry in fs::read_dir(tree.path("@/ws")).unwrap() {
        let file = fs::File::options().write(true).open(entry.unwrap().path());
        file.unwrap().set_modified(hour_ago).unwrap();
    }
    Files::default()
        .write(&tree.roots(), &tree.path("@/ws/f"), "end")
        .unwrap();
    assert_eq!(fs::read_dir(tree.path("@/ws")).unwrap().count(), 1);
}

/// Writes the two texts in turn until it is killed, and reports each write.
pub(crate) fn play(directory: &Path) -> ! {
    let (roots, files) = (Roots::open(directory, &[]).unwrap(), Files::default());
    let mut stdout = std::io::stdout();
    for turn in 1.. {
        let text = text(turn % 2);
        files.write(&roots, &directory.join("f"), &text).unwrap();
        // The listener may be gone.
        stdout.write_all(b"written\n").ok();
    }
    std::process::exit(1)
}

fn text(which: usize) -> String {
    ["old\n", "the new one\n"][which].repeat(40_000)
}
