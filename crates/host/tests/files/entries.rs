//! Directory entries: which are listed, removed and moved, and which are not.

use std::fs;
use std::path::Path;

use attache_host::Roots;
use attache_host::files::{FileError, FileLimits, Files};
use expect_test::expect;
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::{TestTree, outcome};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_directory_is_listed_inside_the_roots_only", listed),
        trial("files_links_and_empty_directories_are_removed", removed),
        trial("names_are_moved_and_nothing_is_replaced", moved),
        trial("nothing_protected_is_removed_or_moved", protected),
        trial(
            "a_directory_is_not_moved_into_or_out_of_a_closed_place",
            carried,
        ),
        trial("no_directory_carries_something_closed_along", carries),
        trial("a_path_tells_where_it_leads_before_it_is_used", leads),
    ]
}

fn listed() {
    let tree = TestTree::new(
        "file ws/b 12345
         dir ws/a
         link ws/c @/out
         fifo ws/d
         link ws/e a
         file out/secret x
         file ws/state/x x",
    );
    let files = Files::new(FileLimits::default(), &[tree.path("@/ws/state")]);
    let tried = "
        list @/ws
        list @/ws/a
        list @/ws/e
        list @/ws/b
        list @/ws/c
        list @/ws/none
        list @/out
        list @/ws/state
        list /proc/self/fd";
    expect![[r#"
        list @/ws: "a/, b 5, c@, d special, e@, state/"
        list @/ws/a: ""
        list @/ws/e: ""
        list @/ws/b: -32602 wrong_kind
        list @/ws/c: -32602 outside
        list @/ws/none: -32002 not_found
        list @/out: -32602 outside
        list @/ws/state: -32602 own_state
        list /proc/self/fd: -32602 outside
    "#]]
    .assert_eq(&tree.tried(&files, &tree.roots(), tried));
}

fn removed() {
    let tree = TestTree::new(
        "file ws/f x
         file ws/target x
         link ws/link target
         link ws/out @/out
         dir ws/empty
         file ws/full/f x
         fifo ws/fifo
         file out/secret x
         dir ws/nested",
    );
    let roots = Roots::open(&tree.path("@/ws"), &[tree.path("@/ws/nested")]).unwrap();
    let tried = "
        remove @/ws/f
        remove @/ws/f
        remove @/ws/link
        remove @/ws/out/secret
        remove @/ws/out
        remove @/ws/empty
        remove @/ws/full
        remove @/ws/full/f/x
        remove @/ws/fifo
        remove @/ws
        remove @/ws/nested
        remove @/ws/full/..
        remove @/out/secret
        remove ws/target";
    expect![[r#"
        remove @/ws/f: "removed"
        remove @/ws/f: -32002 not_found
        remove @/ws/link: "removed"
        remove @/ws/out/secret: -32602 outside
        remove @/ws/out: "removed"
        remove @/ws/empty: "removed"
        remove @/ws/full: -32602 not_empty
        remove @/ws/full/f/x: -32002 not_found
        remove @/ws/fifo: "removed"
        remove @/ws: -32602 is_root
        remove @/ws/nested: -32602 is_root
        remove @/ws/full/..: -32602 bad_path
        remove @/out/secret: -32602 outside
        remove ws/target: -32602 relative
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &roots, tried));
    expect![[r#"
        out/
        out/secret "x"
        ws/
        ws/full/
        ws/full/f "x"
        ws/nested/
        ws/target "x"
    "#]]
    .assert_eq(&tree.listing("@/"));
}

fn moved() {
    let tree = TestTree::new(
        "file ws/f f
         file ws/g g
         dir ws/d/e
         file ws/d/e/x x
         link ws/link g
         link ws/out @/out
         dir out
         dir more",
    );
    let roots = Roots::open(&tree.path("@/ws"), &[tree.path("@/more")]).unwrap();
    let tried = "
        move @/ws/f @/ws/g
        move @/ws/f @/ws/d
        move @/ws/f @/ws/link
        move @/ws/f @/ws/out/f
        move @/ws/f @/out/f
        move @/out @/ws/o
        move @/ws/none @/ws/n
        move @/ws/d @/ws/d/e/below
        move @/ws @/more/ws
        move @/ws/f @/ws/new/dir/f
        move @/ws/d @/more/d
        move @/ws/link @/more/link";
    expect![[r#"
        move @/ws/f @/ws/g: -32602 exists
        move @/ws/f @/ws/d: -32602 exists
        move @/ws/f @/ws/link: -32602 exists
        move @/ws/f @/ws/out/f: -32602 outside
        move @/ws/f @/out/f: -32602 outside
        move @/out @/ws/o: -32602 outside
        move @/ws/none @/ws/n: -32002 not_found
        move @/ws/d @/ws/d/e/below: -32602 bad_path
        move @/ws @/more/ws: -32602 is_root
        move @/ws/f @/ws/new/dir/f: "moved"
        move @/ws/d @/more/d: "moved"
        move @/ws/link @/more/link: "moved"
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &roots, tried));
    expect![[r#"
        more/
        more/d/
        more/d/e/
        more/d/e/x "x"
        more/link -> g
        out/
        ws/
        ws/g "g"
        ws/new/
        ws/new/dir/
        ws/new/dir/f "f"
        ws/out -> @/out
    "#]]
    .assert_eq(&tree.listing("@/").replace(tree.top.to_str().unwrap(), "@"));
}

fn protected() {
    let tree = TestTree::new(
        "file ws/.git/hooks/x x
         file ws/.envrc x
         file ws/f x
         dir ws/d
         file ws/state/x x",
    );
    let files = Files::new(FileLimits::default(), &[tree.path("@/ws/state")]);
    let before = tree.listing("@/ws");
    let tried = "
        remove @/ws/.git/hooks/x
        remove @/ws/.envrc
        remove @/ws/state/x
        remove @/ws/state
        move @/ws/.git @/ws/git
        move @/ws/.envrc @/ws/envrc
        move @/ws/f @/ws/.git/hooks/y
        move @/ws/f @/ws/.envrc
        move @/ws/f @/ws/.vscode/tasks.json
        move @/ws/d @/ws/.husky
        move @/ws/state @/ws/s
        move @/ws/f @/ws/state/f";
    expect![[r#"
        remove @/ws/.git/hooks/x: -32602 protected
        remove @/ws/.envrc: -32602 protected
        remove @/ws/state/x: -32602 own_state
        remove @/ws/state: -32602 own_state
        move @/ws/.git @/ws/git: -32602 protected
        move @/ws/.envrc @/ws/envrc: -32602 protected
        move @/ws/f @/ws/.git/hooks/y: -32602 protected
        move @/ws/f @/ws/.envrc: -32602 protected
        move @/ws/f @/ws/.vscode/tasks.json: -32602 protected
        move @/ws/d @/ws/.husky: -32602 protected
        move @/ws/state @/ws/s: -32602 own_state
        move @/ws/f @/ws/state/f: -32602 own_state
    "#]]
    .assert_eq(&tree.tried(&files, &tree.roots(), tried));
    assert_eq!(before, tree.listing("@/ws"));
}

fn carried() {
    let tree = TestTree::new(
        "file ws/prepared/fish/config.fish x
         file ws/.local/x x
         dir ws/harmless
         file ws/parent/state/x x",
    );
    let files = Files::new(FileLimits::default(), &[tree.path("@/ws/parent/state")]);
    let files = files.home(&tree.path("@/ws"));
    let tried = "
        move @/ws/prepared @/ws/.config
        move @/ws/.local @/ws/local
        move @/ws/parent @/ws/other
        move @/ws/harmless @/ws/.cache";
    expect![[r#"
        move @/ws/prepared @/ws/.config: -32602 protected
        move @/ws/.local @/ws/local: -32602 protected
        move @/ws/parent @/ws/other: -32602 protected
        move @/ws/harmless @/ws/.cache: "moved"
    "#]]
    .assert_eq(&tree.tried(&files, &tree.roots(), tried));
}

fn leads() {
    let tree = TestTree::new(
        "file ws/f x
         link ws/link f
         link ws/way d
         dir ws/d
         link ws/out @/out
         file out/secret x
         link ws/dangling none",
    );
    let (roots, files) = (tree.roots(), Files::default());
    let shown = |path: &Path| {
        path.display()
            .to_string()
            .replace(tree.top.to_str().unwrap(), "@")
    };
    let told = [
        "f",
        "link",
        "way/new",
        "d/../f",
        "out/secret",
        "dangling",
        ".git/x",
        "../out",
    ]
    .map(|name| {
        let path = tree.path(&format!("@/ws/{name}"));
        let read = outcome(files.resolve_read(&roots, &path).map(|path| shown(&path)));
        let write = outcome(files.resolve_write(&roots, &path).map(|path| shown(&path)));
        let remove = files.resolve_removal(&roots, &path);
        let remove = outcome(remove.map(|(path, what)| format!("{} {what:?}", shown(&path))));
        format!("{name}: {read} | {write} | {remove}\n")
    });
    expect![[r#"
        f: "@/ws/f" | "@/ws/f" | "@/ws/f File { size: 1 }"
        link: "@/ws/f" | "@/ws/f" | "@/ws/link Link"
        way/new: "@/ws/d/new" | "@/ws/d/new" | -32002 not_found
        d/../f: "@/ws/f" | "@/ws/f" | "@/ws/f File { size: 1 }"
        out/secret: -32602 outside | -32602 outside | -32602 outside
        dangling: -32002 not_found | -32602 dangling | "@/ws/dangling Link"
        .git/x: "@/ws/.git/x" | -32602 protected | -32002 not_found
        ../out: -32602 outside | -32602 outside | -32602 outside
    "#]]
    .assert_eq(&told.concat());
    assert!(files.open(&roots, &tree.path("@/ws/link")).is_ok());
    assert_eq!(
        outcome(
            files
                .open(&roots, &tree.path("@/ws/d"))
                .map(|_| String::new())
        ),
        "-32602 wrong_kind"
    );
    fs::remove_file(tree.path("@/ws/f")).unwrap();
    assert_eq!(
        outcome(
            files
                .open(&roots, &tree.path("@/ws/link"))
                .map(|_| String::new())
        ),
        "-32002 not_found"
    );
}

/// Every closed name at every depth, under all kinds of names.
fn carries() {
    let closed = [
        ".git/config",
        ".GIT/x",
        ".envrc",
        ".vscode/tasks.json",
        ".claude/settings.json",
        ".mcp.json",
        ".husky/pre-commit",
        ".attache.json",
        "deep/er/.idea/x",
        "a/b/c/.devcontainer.json",
    ];
    let files = Files::default();
    for path in closed {
        let tree = TestTree::new(&format!(
            "file ws/dir/x x\nfile ws/dir/inner/{path} x\ndir ws/other"
        ));
        let before = tree.listing("@");
        for moved in ["dir", "dir/inner"] {
            let (from, to) = (
                tree.path(&format!("@/ws/{moved}")),
                tree.path("@/ws/other/new"),
            );
            let outcome = files.rename(&tree.roots(), &from, &to);
            assert!(
                matches!(outcome, Err(FileError::Protected { .. })),
                "{path}: {outcome:?}"
            );
        }
        assert_eq!(tree.listing("@"), before, "{path}");
    }
    let tree = TestTree::new(
        "file ws/bare/r/HEAD x\ndir ws/bare/r/objects\ndir ws/bare/r/refs\nfile ws/open/a/b x",
    );
    let rename =
        |from: &str, to: &str| files.rename(&tree.roots(), &tree.path(from), &tree.path(to));
    assert!(rename("@/ws/bare", "@/ws/x").is_err());
    assert!(rename("@/ws/open", "@/ws/x").is_ok());
    // Names that are closed only in the home directory.
    let tree = TestTree::new("file ws/prep/fish/config.fish x");
    let files = Files::default().home(&tree.path("@/ws"));
    let outcome = files.rename(
        &tree.roots(),
        &tree.path("@/ws/prep"),
        &tree.path("@/ws/.config"),
    );
    assert!(
        matches!(outcome, Err(FileError::Protected { .. })),
        "{outcome:?}"
    );
}
