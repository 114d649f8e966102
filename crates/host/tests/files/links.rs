//! Links of every shape, each read, written and used to create a file. Their targets outside are never touched.

use attache_host::files::Files;
use expect_test::expect;
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("links_are_followed_only_inside", shapes)]
}

fn shapes() {
    let told = SHAPES.map(|shape| {
        let [read, write, make] = ["read", "write", "make"].map(|what| tried(shape, what));
        format!("{shape}: {read} | {write} | {make}\n")
    });
    expect![[r#"
        ws/l f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l ./f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l d/g: "inside" | "written" ws/d/g "new" | -32002 not_found
        ws/l d: -32602 wrong_kind | -32602 wrong_kind | "written" ws/d/made "new"
        ws/l d/: -32602 wrong_kind | -32602 wrong_kind | "written" ws/d/made "new"
        ws/l .: -32602 wrong_kind | -32602 wrong_kind | "written" ws/made "new"
        ws/l d/../f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l d/e/../../f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l @/ws/f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l @/ws/d: -32602 wrong_kind | -32602 wrong_kind | "written" ws/d/made "new"
        ws/l @/ws/d/../f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l @//ws/./f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l m, ws/m f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l m, ws/m @/ws/n, ws/n d: -32602 wrong_kind | -32602 wrong_kind | "written" ws/d/made "new"
        ws/d/l ../f => ws/d/l: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l d, ws/d/m ../f => ws/l/m: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l none: -32002 not_found | -32602 dangling | -32602 dangling
        ws/l @/ws/none: -32002 not_found | -32602 dangling | -32602 dangling
        ws/l none/none: -32002 not_found | -32602 dangling | -32602 dangling
        ws/l m, ws/m none: -32002 not_found | -32602 dangling | -32602 dangling
        ws/l f/: -32002 not_found | -32002 not_found | -32002 not_found
        ws/l f/none: -32002 not_found | -32002 not_found | -32002 not_found
        ws/l l: -32602 links | -32602 links | -32602 links
        ws/l m, ws/m l: -32602 links | -32602 links | -32602 links
        ws/l l/x: -32602 links | -32602 links | -32602 links
        ws/l ..: -32602 outside | -32602 outside | -32602 outside
        ws/l ../out/f: -32602 outside | -32602 outside | -32602 outside
        ws/l ../out: -32602 outside | -32602 outside | -32602 outside
        ws/l ../out/none: -32602 outside | -32602 outside | -32602 outside
        ws/l @/out/f: -32602 outside | -32602 outside | -32602 outside
        ws/l @/out/d: -32602 outside | -32602 outside | -32602 outside
        ws/l @/out/none: -32602 outside | -32602 outside | -32602 outside
        ws/l @/ws-evil/f: -32602 outside | -32602 outside | -32602 outside
        ws/l ../ws-evil/f: -32602 outside | -32602 outside | -32602 outside
        ws/l /: -32602 outside | -32602 outside | -32602 outside
        ws/l /etc/passwd: -32602 outside | -32602 outside | -32602 outside
        ws/l ../ws/f: "inside" | "written" ws/f "new" | -32002 not_found
        ws/l m, ws/m ../out/f: -32602 outside | -32602 outside | -32602 outside
        ws/l d/../../out/f: -32602 outside | -32602 outside | -32602 outside
        ws/l @/ws/../out/f: -32602 outside | -32602 outside | -32602 outside
        ws/l /proc/self/root/etc/passwd: -32602 outside | -32602 outside | -32602 outside
        ws/l /proc/self/cwd: -32602 outside | -32602 outside | -32602 outside
    "#]].assert_eq(&told.concat());
}

/// Tries one operation in a fresh tree, and returns the result and what changed.
fn tried(shape: &str, what: &str) -> String {
    let (link, used) = shape.split_once(" => ").unwrap_or((shape, "ws/l"));
    let lines: String = link
        .split(", ")
        .map(|part| format!("link {part}\n"))
        .collect();
    let tree = TestTree::new(&format!("{FIXTURE}{lines}"));
    let (roots, files) = (tree.roots(), Files::default());
    let outside = tree.listing("@/out");
    let before = tree.listing("@/ws");
    let line = match what {
        "read" => format!("read @/{used}"),
        "write" => format!("write @/{used} new"),
        _ => format!("write @/{used}/made new"),
    };
    let told = tree.tried(&files, &roots, &line);
    if what == "read" {
        assert_eq!(told, tree.tried(&tree.walking_files(), &roots, &line));
    }
    assert_eq!(outside, tree.listing("@/out"), "{shape}: {what}");
    let after = tree.listing("@/ws");
    let changed = after.lines().filter(|line| !before.contains(line));
    let changed: Vec<_> = changed
        .map(|line| line.replace(tree.top.to_str().unwrap(), "@"))
        .collect();
    let outcome = told.split_once(": ").unwrap().1.trim_end();
    format!("{outcome} {}", changed.join(", "))
        .trim_end()
        .to_owned()
}

const FIXTURE: &str = "
    file ws/f inside
    file ws/d/g inside
    dir ws/d/e
    file out/f secret
    dir out/d
    file ws-evil/f secret
";

/// `PATH TARGET` of each link, then the path to use if it is not the first link's.
const SHAPES: [&str; 42] = [
    "ws/l f",
    "ws/l ./f",
    "ws/l d/g",
    "ws/l d",
    "ws/l d/",
    "ws/l .",
    "ws/l d/../f",
    "ws/l d/e/../../f",
    "ws/l @/ws/f",
    "ws/l @/ws/d",
    "ws/l @/ws/d/../f",
    "ws/l @//ws/./f",
    "ws/l m, ws/m f",
    "ws/l m, ws/m @/ws/n, ws/n d",
    "ws/d/l ../f => ws/d/l",
    "ws/l d, ws/d/m ../f => ws/l/m",
    "ws/l none",
    "ws/l @/ws/none",
    "ws/l none/none",
    "ws/l m, ws/m none",
    "ws/l f/",
    "ws/l f/none",
    "ws/l l",
    "ws/l m, ws/m l",
    "ws/l l/x",
    "ws/l ..",
    "ws/l ../out/f",
    "ws/l ../out",
    "ws/l ../out/none",
    "ws/l @/out/f",
    "ws/l @/out/d",
    "ws/l @/out/none",
    "ws/l @/ws-evil/f",
    "ws/l ../ws-evil/f",
    "ws/l /",
    "ws/l /etc/passwd",
    "ws/l ../ws/f",
    "ws/l m, ws/m ../out/f",
    "ws/l d/../../out/f",
    "ws/l @/ws/../out/f",
    "ws/l /proc/self/root/etc/passwd",
    "ws/l /proc/self/cwd",
];
