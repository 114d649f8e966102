//! Another process swaps directories for links to the outside while an agent reads and writes through them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use attache_host::files::Files;
use libtest_mimic::Trial;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "thirty_seconds_of_swapped_links_let_nothing_out",
        swapped,
    )]
}

fn swapped() {
    let tree = TestTree::new(
        "file ws/d/f inside
         dir ws/d/e
         file out/f secret
         dir out/e
         link ws/d-link @/out
         file ws/f inside
         link ws/f-link ../out/f",
    );
    let outside = tree.listing("@/out");
    let is_over = AtomicBool::new(false);
    let counts = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for name in ["@/ws/d", "@/ws/f"] {
                    let (path, link) = (tree.path(name), tree.path(&format!("{name}-link")));
                    renameat_with(CWD, &path, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                }
            }
        });
        let counts = attack(&tree);
        is_over.store(true, Ordering::Relaxed);
        counts
    });
    eprintln!("{counts:?}");
    assert_eq!(counts.escapes, 0);
    assert_eq!(outside, tree.listing("@/out"));
    assert!(
        counts.read > 1000 && counts.refused > 1000 && counts.written > 10,
        "{counts:?} is not a fair trial"
    );
    assert!(
        counts.careless_escapes > 0,
        "{counts:?}: the race is not real"
    );
}

#[derive(Debug, Default)]
struct RaceCounts {
    read: u64,
    refused: u64,
    written: u64,
    escapes: u64,
    /// The same attack on a reader that checks first and opens afterwards.
    careless_escapes: u64,
}

fn attack(tree: &TestTree) -> RaceCounts {
    let (roots, files, walking) = (tree.roots(), Files::default(), tree.walking_files());
    let paths = ["@/ws/d/f", "@/ws/f", "@/ws/d/e/../f", "@/ws/d/../f"].map(|path| tree.path(path));
    let end = Instant::now() + Duration::from_secs(30);
    let mut counts = RaceCounts::default();
    for turn in 0_u64.. {
        if turn % 256 == 0 {
            if Instant::now() > end {
                break;
            }
            for path in ["@/ws/d/new", "@/ws/d/f", "@/ws/d/e/new", "@/ws/f"] {
                let is_written = files.write(&roots, &tree.path(path), "inside").is_ok();
                counts.written += u64::from(is_written);
            }
        }
        let files = [&files, &walking][usize::from(turn % 2 == 0)];
        for path in &paths {
            match files.read(&roots, path, None, None) {
                Ok(text) if text == "inside" => counts.read += 1,
                Ok(_) => counts.escapes += 1,
                Err(_) => counts.refused += 1,
            }
        }
        let careless = careless_read(&tree.path("@/ws"), &paths[0]);
        counts.careless_escapes += u64::from(careless.as_deref() == Some("secret"));
    }
    counts
}

/// The careless way: check where the path leads, then open it.
fn careless_read(root: &Path, path: &PathBuf) -> Option<String> {
    let real = fs::canonicalize(path).ok()?;
    if !real.starts_with(root) {
        return None;
    }
    fs::read_to_string(path).ok()
}
