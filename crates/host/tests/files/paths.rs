//! Random paths in an unchanging tree, where the system itself can say where each leads.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use attache_host::Roots;
use attache_host::files::{FileError, Files};
use expect_test::expect;
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "a_hundred_thousand_random_paths_lead_where_the_system_says",
        random,
    )]
}

fn random() {
    let tree = TestTree::new(TREE);
    let additional = [tree.path("@/more"), tree.path("@/ws/a")];
    let roots = Roots::open(&tree.path("@/name"), &additional).unwrap();
    let (at_once, walking) = (Files::default(), tree.walking_files());
    let mut oracle = PathModel {
        inside: [tree.path("@/ws"), tree.path("@/more")],
        real: HashMap::new(),
    };
    let mut dice = RandomPaths(0x9e37_79b9_7f4a_7c15);
    // Read, missing, outside, and refused although the path returns inside.
    let mut counts = [0; 4];
    for _ in 0..100_000 {
        let path = tree.path(&dice.path());
        let read = at_once.read(&roots, &path, None, None);
        let walked = walking.read(&roots, &path, None, None);
        assert_eq!(format!("{read:?}"), format!("{walked:?}"), "{path:?}");
        let (strays, end) = oracle.judge(&path);
        match (&read, end) {
            (Ok(text), ExpectedTarget::Inside(real)) => {
                assert_eq!(text, &fs::read_to_string(real).unwrap(), "{path:?}");
                counts[0] += 1;
            }
            (
                Err(
                    FileError::NotFound { .. }
                    | FileError::WrongKind { .. }
                    | FileError::Links { .. },
                ),
                ExpectedTarget::Nowhere,
            ) => {
                counts[1] += 1;
            }
            (Err(FileError::Outside { .. }), ExpectedTarget::Outside) => counts[2] += 1,
            (Err(FileError::Outside { .. }), _) if strays => counts[3] += 1,
            (read, end) => panic!("{path:?}: {read:?}, but {end:?}"),
        }
    }
    expect![[r#"
        [
            10944,
            44120,
            44917,
            19,
        ]
    "#]]
    .assert_debug_eq(&counts);
}

/// Where the system says that a path leads.
#[derive(Debug)]
enum ExpectedTarget {
    Inside(PathBuf),
    Outside,
    /// Inside, but not to a file.
    Nowhere,
}

struct PathModel {
    inside: [PathBuf; 2],
    real: HashMap<PathBuf, Option<PathBuf>>,
}

impl PathModel {
    /// Follows the path name by name. A path that leaves the roots and returns may be refused.
    fn judge(&mut self, path: &Path) -> (bool, ExpectedTarget) {
        let [workspace, more] = self.inside.clone();
        let starts = [&workspace, &more, &workspace.with_file_name("name")];
        if !starts.iter().any(|start| path.starts_with(start)) {
            return (false, ExpectedTarget::Outside);
        }
        let (mut strays, mut is_inside) = (false, true);
        let mut so_far = PathBuf::new();
        for (index, name) in path.iter().enumerate() {
            so_far.push(name);
            if index + 1 < workspace.iter().count() {
                continue;
            }
            match self.real(&so_far) {
                Some(real) => is_inside = self.is_inside(&real),
                None if !is_inside || leads_out(&so_far) => {
                    return (strays, ExpectedTarget::Outside);
                }
                None => return (strays, ExpectedTarget::Nowhere),
            }
            strays |= !is_inside;
        }
        let end = match self.real(&so_far) {
            _ if !is_inside => ExpectedTarget::Outside,
            Some(real) if real.is_file() => ExpectedTarget::Inside(real),
            _ => ExpectedTarget::Nowhere,
        };
        (strays, end)
    }

    fn real(&mut self, path: &Path) -> Option<PathBuf> {
        let known = self.real.entry(path.to_owned());
        known.or_insert_with(|| fs::canonicalize(path).ok()).clone()
    }

    fn is_inside(&self, real: &Path) -> bool {
        self.inside.iter().any(|root| real.starts_with(root))
    }
}

/// A link to a missing file outside still leads outside.
fn leads_out(path: &Path) -> bool {
    fs::read_link(path).is_ok_and(|target| target.ends_with("outside-none"))
}

struct RandomPaths(u64);

impl RandomPaths {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn path(&mut self) -> String {
        let mut path = STARTS[self.below(STARTS.len())].to_owned();
        for _ in 0..self.below(7) {
            path.push('/');
            path.push_str(NAMES[self.below(NAMES.len())]);
        }
        if path.ends_with(['/', '.']) || self.below(3) > 0 {
            path.push_str("/f");
        }
        path
    }
}

const STARTS: [&str; 9] = [
    "@/ws",
    "@/ws",
    "@/ws",
    "@/name",
    "@/more",
    "@/ws/a",
    "@/ws-evil",
    "@",
    "/etc",
];

const NAMES: [&str; 22] = [
    "a",
    "a",
    "b",
    "b",
    "f",
    "f",
    "f",
    "..",
    "..",
    "..",
    ".",
    "",
    "none",
    "up",
    "out",
    "absolute",
    "gone",
    "loop",
    "more",
    "back",
    "outside-gone",
    "...",
];

const TREE: &str = "
    file ws/f 1
    file ws/a/f 2
    file ws/a/b/f 3
    file ws/b/f 4
    file more/f 5
    file more/a/f 6
    file out/f secret
    file ws-evil/f secret
    file f secret
    link name @/ws
    link ws/a/up ..
    link ws/a/b/up ../..
    link ws/out ../out
    link ws/a/out @/out
    link ws/b/absolute @/ws/a
    link ws/absolute @/ws/a/b/f
    link ws/a/absolute @/name/b
    link ws/gone none
    link ws/a/gone @/ws/none
    link ws/loop loop
    link ws/a/loop b/loop
    link ws/a/b/loop ../loop
    link ws/more ../more
    link ws/b/more @/more
    link more/back @/ws
    link more/a/back @/name/a/b
    link ws/b/outside-gone @/outside-none
    link ws/outside-gone ../outside-none
";
