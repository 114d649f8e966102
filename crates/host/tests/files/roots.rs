//! Which directories may be roots, which paths belong to them, and what happens when they disappear.

use std::fs;
use std::path::Path;

use attache_host::Roots;
use attache_host::files::Files;
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("roots_that_cannot_be_opened_are_named", refused_roots),
        trial("the_whole_system_needs_consent", whole_system),
        trial("a_path_is_taken_as_it_is_or_refused", shapes_of_reads),
        trial(
            "a_write_to_an_invalid_path_creates_nothing",
            shapes_of_writes,
        ),
        trial("nested_repeated_and_linked_roots", several_roots),
        trial("a_root_that_is_moved_is_closed", moved),
        trial("a_root_that_is_replaced_is_closed", replaced),
        trial("a_root_that_is_removed_is_closed", removed),
        trial("a_root_whose_link_is_turned_is_closed", turned),
        trial(
            "a_command_directory_is_resolved_inside_the_roots",
            directories,
        ),
    ]
}

fn refused_roots() {
    let tree = TestTree::new("file ws/file x\nlink loop @/loop");
    let open = |path: &str| match Roots::open(&tree.path(path), &[]) {
        Ok(_) => "opened".to_owned(),
        Err(error) => error.to_string().replace(tree.top.to_str().unwrap(), "@"),
    };
    let paths = [
        "",
        "ws",
        "~",
        "@/none",
        "@/ws/file",
        "@/loop",
        "@/ws",
        "/",
        "/../",
        "/proc/self/root",
    ];
    let told: String = paths
        .map(|path| format!("{path}: {}\n", open(path)))
        .concat();
    expect![[r#"
        : `` is not a valid path: it is empty
        ws: `ws` is not an absolute path; start it at the root
        ~: `~` is not an absolute path; start it at the root
        @/none: `@/none` cannot be a session's directory: No such file or directory (os error 2)
        @/ws/file: `@/ws/file` cannot be a session's directory: Not a directory (os error 20)
        @/loop: `@/loop` cannot be a session's directory: Too many levels of symbolic links (os error 40)
        @/ws: opened
        /: `/` is the whole file system; name a directory below it, or agree to it explicitly
        /../: `/../` is the whole file system; name a directory below it, or agree to it explicitly
        /proc/self/root: `/proc/self/root` is the whole file system; name a directory below it, or agree to it explicitly
    "#]].assert_eq(&told);
}

fn whole_system() {
    let tree = TestTree::new("file ws/a text");
    let roots = Roots::open_unbounded(Path::new("/"), &[]).unwrap();
    let lines = "
        read @/ws/a
        read /proc/self/environ
        read /sys/kernel/uevent_seqnum
        read /dev/zero
        read /dev/null
        write /proc/self/comm x
        write /dev/null x";
    let told = tree.tried(&Files::default(), &roots, lines);
    expect![[r#"
        read @/ws/a: "text"
        read /proc/self/environ: -32602 wrong_kind
        read /sys/kernel/uevent_seqnum: -32602 wrong_kind
        read /dev/zero: -32602 wrong_kind
        read /dev/null: -32602 wrong_kind
        write /proc/self/comm x: -32602 wrong_kind
        write /dev/null x: -32602 wrong_kind
    "#]]
    .assert_eq(&told);
    Roots::open(&tree.path("@/ws"), &["/".into()]).unwrap_err();
}

fn check(tree: &TestTree, roots: &Roots, lines: &str, expected: Expect) {
    expected.assert_eq(&tree.tried(&Files::default(), roots, lines));
}

fn shapes_of_reads() {
    shapes(
        "read @/ws/a
         read @//ws//a
         read @/ws/./a
         read @/ws/none
         read @/ws/none/../a
         read @/ws/a/
         read @/ws/a/.
         read @/ws/a/..
         read @/ws/a/../a
         read @/ws
         read @/ws/
         read @/ws/..
         read @/ws/../a
         read @/ws/../ws/a
         read @/ws/../ws-evil/a
         read @/ws-evil/a
         read @/ws-evil/none
         read @/none/../ws/a
         read /
         read /etc/passwd
         read /none
         read a
         read ./a
         read ../a
         read ~/a
         read file:///etc/passwd
         read @/ws/~
         read @/ws/%2e%2e
         read @/ws/%2e%2e/%2e%2e/a
         read @/ws/\\
         read @/ws/..\\a",
        expect![[r#"
            read @/ws/a: "text"
            read @//ws//a: "text"
            read @/ws/./a: "text"
            read @/ws/none: -32002 not_found
            read @/ws/none/../a: -32002 not_found
            read @/ws/a/: -32602 wrong_kind
            read @/ws/a/.: -32602 wrong_kind
            read @/ws/a/..: -32002 not_found
            read @/ws/a/../a: -32002 not_found
            read @/ws: -32602 wrong_kind
            read @/ws/: -32602 wrong_kind
            read @/ws/..: -32602 outside
            read @/ws/../a: -32602 outside
            read @/ws/../ws/a: "text"
            read @/ws/../ws-evil/a: -32602 outside
            read @/ws-evil/a: -32602 outside
            read @/ws-evil/none: -32602 outside
            read @/none/../ws/a: -32602 outside
            read /: -32602 outside
            read /etc/passwd: -32602 outside
            read /none: -32602 outside
            read a: -32602 relative
            read ./a: -32602 relative
            read ../a: -32602 relative
            read ~/a: -32602 relative
            read file:///etc/passwd: -32602 relative
            read @/ws/~: "tilde"
            read @/ws/%2e%2e: "percent"
            read @/ws/%2e%2e/%2e%2e/a: -32002 not_found
            read @/ws/\: "backslash"
            read @/ws/..\a: -32002 not_found
        "#]],
    );
}

fn shapes_of_writes() {
    shapes(
        "read @/ws/a\\0
         read @/ws/a\\nb
         read @/ws/LONG
         read @/ws/SLASHES/a
         write @/ws/LONG x
         write @/ws x
         write @/ws/new/ x
         write @/ws/none/../new x
         write @/ws/../new x
         write @/ws-evil/new x
         write new x",
        expect![[r#"
            read @/ws/a\0: -32602 bad_path
            read @/ws/a\nb: -32002 not_found
            read @/ws/LONG: -32602 bad_path
            read @/ws/SLASHES/a: -32602 bad_path
            write @/ws/LONG x: -32602 bad_path
            write @/ws x: -32602 wrong_kind
            write @/ws/new/ x: -32602 wrong_kind
            write @/ws/none/../new x: -32002 not_found
            write @/ws/../new x: -32602 outside
            write @/ws-evil/new x: -32602 outside
            write new x: -32602 relative
        "#]],
    );
}

/// Tries operations that must change nothing.
fn shapes(lines: &str, expected: Expect) {
    let tree = TestTree::new(
        "file ws/a text
         file ws/\\ backslash
         file ws/%2e%2e percent
         file ws/~ tilde
         file ws-evil/a secret
         file a secret",
    );
    let (long, slashes) = ("x".repeat(300), "x/".repeat(2500));
    let lines = lines.replace("LONG", &long).replace("SLASHES", &slashes);
    let before = tree.listing("@");
    let told = tree.tried(&Files::default(), &tree.roots(), &lines);
    let told = told.replace(&long, "LONG").replace(&slashes, "SLASHES");
    expected.assert_eq(&told);
    assert_eq!(before, tree.listing("@"));
}

fn several_roots() {
    let tree = TestTree::new(
        "file ws/a in-ws
         file ws/sub/b in-sub
         link ws/sub/up ../a
         file other/c in-other
         link ws/to-other @/other/c
         link ws/to-other-dir ../other
         link short @/ws
         link name-of-other @/other
         file secret secret",
    );
    let additional = ["@/ws/sub", "@/ws", "@/name-of-other"].map(|path| tree.path(path));
    let roots = Roots::open(&tree.path("@/short"), &additional).unwrap();
    let named: Vec<_> = roots
        .paths()
        .map(|path| path.strip_prefix(&tree.top).unwrap())
        .collect();
    assert_eq!(
        named
            .iter()
            .map(|path| path.to_str().unwrap())
            .collect::<Vec<_>>(),
        ["short", "ws/sub", "ws", "name-of-other"]
    );
    assert_eq!(roots.cwd(), tree.path("@/short"));
    check(
        &tree,
        &roots,
        "read @/short/a
         read @/ws/a
         read @/short/sub/b
         read @/ws/sub/b
         read @/ws/sub/up
         read @/ws/sub/../a
         read @/ws/sub/../../secret
         read @/other/c
         read @/name-of-other/c
         read @/ws/to-other
         read @/ws/to-other-dir/c
         read @/ws/to-other-dir/../secret
         read @/ws/to-other-dir/../ws/a
         read @/secret",
        expect![[r#"
            read @/short/a: "in-ws"
            read @/ws/a: "in-ws"
            read @/short/sub/b: "in-sub"
            read @/ws/sub/b: "in-sub"
            read @/ws/sub/up: "in-ws"
            read @/ws/sub/../a: "in-ws"
            read @/ws/sub/../../secret: -32602 outside
            read @/other/c: "in-other"
            read @/name-of-other/c: "in-other"
            read @/ws/to-other: "in-other"
            read @/ws/to-other-dir/c: "in-other"
            read @/ws/to-other-dir/../secret: -32602 outside
            read @/ws/to-other-dir/../ws/a: "in-ws"
            read @/secret: -32602 outside
        "#]],
    );
}

const TOUCH: &str = "
    read @/ws/a
    write @/ws/a new
    write @/ws/b/c new";

fn moved() {
    let tree = TestTree::new("file ws/a old");
    let roots = tree.roots();
    fs::rename(tree.path("@/ws"), tree.path("@/gone")).unwrap();
    check(
        &tree,
        &roots,
        TOUCH,
        expect![[r#"
        read @/ws/a: -32603 root_gone
        write @/ws/a new: -32603 root_gone
        write @/ws/b/c new: -32603 root_gone
    "#]],
    );
    expect![[r#"
        gone/
        gone/a "old"
    "#]]
    .assert_eq(&tree.listing("@"));
    fs::rename(tree.path("@/gone"), tree.path("@/ws")).unwrap();
    check(
        &tree,
        &roots,
        "read @/ws/a",
        expect![[r#"
        read @/ws/a: "old"
    "#]],
    );
}

fn replaced() {
    let tree = TestTree::new("file ws/a old\nfile new/a other");
    let roots = tree.roots();
    fs::rename(tree.path("@/ws"), tree.path("@/gone")).unwrap();
    fs::rename(tree.path("@/new"), tree.path("@/ws")).unwrap();
    check(
        &tree,
        &roots,
        TOUCH,
        expect![[r#"
        read @/ws/a: -32603 root_gone
        write @/ws/a new: -32603 root_gone
        write @/ws/b/c new: -32603 root_gone
    "#]],
    );
    expect![[r#"
        gone/
        gone/a "old"
        ws/
        ws/a "other"
    "#]]
    .assert_eq(&tree.listing("@"));
}

fn removed() {
    let tree = TestTree::new("file ws/a old");
    let roots = tree.roots();
    fs::remove_dir_all(tree.path("@/ws")).unwrap();
    check(
        &tree,
        &roots,
        TOUCH,
        expect![[r#"
        read @/ws/a: -32603 root_gone
        write @/ws/a new: -32603 root_gone
        write @/ws/b/c new: -32603 root_gone
    "#]],
    );
    expect![[""]].assert_eq(&tree.listing("@"));
}

fn turned() {
    let tree = TestTree::new("file ws/a old\nfile new/a other\nlink name @/ws");
    let roots = Roots::open(&tree.path("@/name"), &[]).unwrap();
    check(
        &tree,
        &roots,
        "read @/name/a",
        expect![[r#"
        read @/name/a: "old"
    "#]],
    );
    fs::remove_file(tree.path("@/name")).unwrap();
    std::os::unix::fs::symlink(tree.path("@/new"), tree.path("@/name")).unwrap();
    check(
        &tree,
        &roots,
        "read @/name/a\nread @/ws/a",
        expect![[r#"
        read @/name/a: -32603 root_gone
        read @/ws/a: -32603 root_gone
    "#]],
    );
}

fn directories() {
    let tree = TestTree::new(
        "file ws/a text
         dir ws/sub/deep
         link ws/inside sub/deep
         link ws/outside ..
         link ws/absolute @/ws/sub
         link short @/ws",
    );
    let roots = Roots::open(&tree.path("@/short"), &[]).unwrap();
    let lines = [
        "@/short",
        "@/ws",
        "@/ws/",
        "@/short/sub",
        "@/short/inside",
        "@/ws/absolute/deep/..",
        "@/ws/outside",
        "@/ws/..",
        "@/ws/a",
        "@/ws/none",
        "sub",
        "@/other",
    ];
    let told: String = lines
        .map(|line| match roots.resolve_directory(&tree.path(line)) {
            Ok(path) => format!("{line}: {}\n", path.display()),
            Err(error) => format!("{line}: {error}\n"),
        })
        .concat();
    expect![[r#"
        @/short: @/ws
        @/ws: @/ws
        @/ws/: @/ws
        @/short/sub: @/ws/sub
        @/short/inside: @/ws/sub/deep
        @/ws/absolute/deep/..: @/ws/sub
        @/ws/outside: `@/ws/outside` lies outside the directories of this session; add its directory to the session
        @/ws/..: `@/ws/..` lies outside the directories of this session; add its directory to the session
        @/ws/a: `@/ws/a` is not a directory; name a directory
        @/ws/none: there is no file `@/ws/none`
        sub: `sub` is not an absolute path; start it at the root
        @/other: `@/other` lies outside the directories of this session; add its directory to the session
    "#]].assert_eq(&told.replace(tree.top.to_str().unwrap(), "@"));
}
