//! Paths that agents may not write, in any spelling, whether they exist or not.

use attache_host::Roots;
use attache_host::files::{FileError, FileLimits, Files};
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::TestTree;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("protected_names_are_closed_however_spelled", spellings),
        trial("names_that_only_look_alike_are_open", alike),
        trial("protected_places_are_closed_through_links", through_links),
        trial("a_root_inside_a_repository_is_closed", root_inside),
        trial("a_repository_cannot_be_planted", planted),
        trial("shell_files_are_closed_at_home_only", home),
        trial("our_own_state_is_closed_to_reads_and_writes", state),
    ]
}

fn spellings() {
    let (missing, present) = (TestTree::new(""), TestTree::new(PRESENT));
    let files = Files::default();
    let mut count = 0;
    for tree in [&missing, &present] {
        let (roots, before) = (tree.roots(), tree.listing("@"));
        for name in NAMES {
            for spelling in spellings_of(name) {
                for path in [
                    format!("@/ws/{spelling}"),
                    format!("@/ws/new/deep/{spelling}"),
                ] {
                    let path = tree.path(&path);
                    assert!(files.check_write(&roots, &path, "").is_err(), "{path:?}");
                    let written = files.write(&roots, &path, "x");
                    assert!(
                        matches!(written, Err(FileError::Protected { .. })),
                        "{path:?}: {written:?}"
                    );
                    count += 1;
                }
            }
        }
        assert_eq!(before, tree.listing("@"));
    }
    assert_eq!(count, 2 * 2 * NAMES.len() * 9);
}

fn spellings_of(name: &str) -> [String; 9] {
    let swapped = name.chars().map(|c| {
        if c.is_uppercase() {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        }
    });
    let first = name.find(|c: char| c.is_ascii_lowercase()).unwrap();
    let (head, tail) = name.split_at(first + 1);
    [
        name.to_owned(),
        name.to_uppercase(),
        swapped.collect(),
        format!("{head}\u{200c}{tail}"),
        format!("{head}\u{fe0f}{tail}"),
        format!("\u{feff}{name}"),
        name.replace('i', "\u{131}")
            .replace('s', "\u{17f}")
            .replace('k', "\u{212a}"),
        name.chars().map(fullwidth).collect(),
        name.replacen('.', "\u{2024}", 1),
    ]
}

fn fullwidth(c: char) -> char {
    match c {
        'a'..='z' => char::from_u32(u32::from(c) - u32::from('a') + 0xff41).unwrap(),
        c => c,
    }
}

fn check(tree: &TestTree, files: &Files, roots: &Roots, tried: &str, expected: Expect) {
    expected.assert_eq(&tree.tried(files, roots, tried));
}

fn alike() {
    let tree = TestTree::new(PRESENT);
    check(
        &tree,
        &Files::default(),
        &tree.roots(),
        "write @/ws/.gitignore x
         write @/ws/.gitattributes x
         write @/ws/.github/workflows/ci.yml x
         write @/ws/git/hooks/x x
         write @/ws/.bashrc x
         write @/ws/hooks/pre-commit x
         write @/ws/.git.d/x x
         write @/ws/.git. x
         write @/ws/.git::$INDEX_ALLOCATION/config x
         write @/ws/GIT~1/config x
         write @/ws/VSCODE~2/tasks.json x
         write @/ws/MCP~1.JSO x
         write @/ws/c~1 x
         write @/ws/git~ x
         read @/ws/.git/config
         read @/ws/.vscode/tasks.json",
        expect![[r#"
            write @/ws/.gitignore x: "written"
            write @/ws/.gitattributes x: "written"
            write @/ws/.github/workflows/ci.yml x: "written"
            write @/ws/git/hooks/x x: "written"
            write @/ws/.bashrc x: "written"
            write @/ws/hooks/pre-commit x: "written"
            write @/ws/.git.d/x x: "written"
            write @/ws/.git. x: -32602 protected
            write @/ws/.git::$INDEX_ALLOCATION/config x: -32602 protected
            write @/ws/GIT~1/config x: -32602 protected
            write @/ws/VSCODE~2/tasks.json x: -32602 protected
            write @/ws/MCP~1.JSO x: -32602 protected
            write @/ws/c~1 x: "written"
            write @/ws/git~ x: "written"
            read @/ws/.git/config: "old"
            read @/ws/.vscode/tasks.json: "old"
        "#]],
    );
}

fn through_links() {
    let tree = TestTree::new(
        "dir ws/.git/hooks
         link ws/innocent .git
         link ws/hooks @/ws/.git/hooks
         file ws/real text
         link ws/.envrc real
         link ws/tasks .vscode
         link ws/d/.vscode ../d
         dir ws/d",
    );
    check(
        &tree,
        &Files::default(),
        &tree.roots(),
        "write @/ws/innocent/hooks/pre-commit x
         write @/ws/hooks/pre-commit x
         write @/ws/d/../.git/config x
         write @/ws/tasks/x x
         write @/ws/.envrc x
         write @/ws/d/.vscode/tasks.json x",
        expect![[r#"
            write @/ws/innocent/hooks/pre-commit x: -32602 protected
            write @/ws/hooks/pre-commit x: -32602 protected
            write @/ws/d/../.git/config x: -32602 protected
            write @/ws/tasks/x x: -32602 dangling
            write @/ws/.envrc x: -32602 protected
            write @/ws/d/.vscode/tasks.json x: -32602 protected
        "#]],
    );
}

fn root_inside() {
    let tree = TestTree::new("dir ws/.git/hooks");
    for root in ["@/ws/.git", "@/ws/.git/hooks"] {
        let roots = Roots::open(&tree.path(root), &[]).unwrap();
        let written = Files::default().write(&roots, &tree.path(root).join("config"), "x");
        assert!(matches!(written, Err(FileError::Protected { .. })));
    }
}

fn planted() {
    let tree = TestTree::new("file ws/bare/HEAD ref\ndir ws/bare/objects\ndir ws/bare/refs");
    check(
        &tree,
        &Files::default(),
        &tree.roots(),
        "write @/ws/bare/config x
         write @/ws/bare/hooks/post-checkout x
         write @/ws/trap/config x
         write @/ws/trap/objects/x x
         write @/ws/trap/refs/x x
         write @/ws/trap/HEAD x
         write @/ws/snare/HEAD x
         write @/ws/snare/refs/x x
         write @/ws/snare/objects/x x",
        expect![[r#"
            write @/ws/bare/config x: -32602 protected
            write @/ws/bare/hooks/post-checkout x: -32602 protected
            write @/ws/trap/config x: "written"
            write @/ws/trap/objects/x x: "written"
            write @/ws/trap/refs/x x: "written"
            write @/ws/trap/HEAD x: -32602 protected
            write @/ws/snare/HEAD x: "written"
            write @/ws/snare/refs/x x: "written"
            write @/ws/snare/objects/x x: -32602 protected
        "#]],
    );
}

fn home() {
    let tree = TestTree::new("dir ws/dotfiles");
    let files = Files::default().home(&tree.path("@/ws"));
    check(
        &tree,
        &files,
        &tree.roots(),
        "write @/ws/.bashrc x
         write @/ws/.ZSHRC x
         write @/ws/.ssh/authorized_keys x
         write @/ws/.config/fish/config.fish x
         write @/ws/.config/other/x x
         write @/ws/dotfiles/.bashrc x
         write @/ws/notes x",
        expect![[r#"
            write @/ws/.bashrc x: -32602 protected
            write @/ws/.ZSHRC x: -32602 protected
            write @/ws/.ssh/authorized_keys x: -32602 protected
            write @/ws/.config/fish/config.fish x: -32602 protected
            write @/ws/.config/other/x x: "written"
            write @/ws/dotfiles/.bashrc x: "written"
            write @/ws/notes x: "written"
        "#]],
    );
}

fn state() {
    let tree = TestTree::new(
        "file ws/data/state/log secret\nlink ws/link data/state/log\nlink there @/ws/data\nfile ws/x text",
    );
    let state = ["@/there/state", "@/ws/data/later", "@/ws/caf\u{e9}"].map(|path| tree.path(path));
    let files = Files::new(FileLimits::default(), &state);
    let tried = "
        read @/ws/data/state/log
        read @/ws/link
        read @/ws/data/state/none
        read @/ws/data/x
        read @/ws/x
        write @/ws/data/state/log x
        write @/ws/data/STATE/log x
        write @/ws/data/later/x x
        write @/ws/data/later x
        write @/ws/cafe\u{301}/x x
        write @/ws/data/x x";
    check(
        &tree,
        &files,
        &tree.roots(),
        tried,
        expect![[r#"
            read @/ws/data/state/log: -32602 own_state
            read @/ws/link: -32602 own_state
            read @/ws/data/state/none: -32602 own_state
            read @/ws/data/x: -32002 not_found
            read @/ws/x: "text"
            write @/ws/data/state/log x: -32602 own_state
            write @/ws/data/STATE/log x: -32602 own_state
            write @/ws/data/later/x x: -32602 own_state
            write @/ws/data/later x: -32602 own_state
            write @/ws/café/x x: -32602 own_state
            write @/ws/data/x x: "written"
        "#]],
    );
    let inside = Roots::open(&tree.path("@/ws/data/state"), &[]).unwrap();
    check(
        &tree,
        &files,
        &inside,
        "read @/ws/data/state/log",
        expect![[r#"
            read @/ws/data/state/log: -32602 own_state
        "#]],
    );
}

const NAMES: [&str; 14] = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/info/attributes",
    ".git",
    ".vscode/tasks.json",
    ".zed/settings.json",
    ".idea/workspace.xml",
    ".cursor/mcp.json",
    ".claude/settings.json",
    ".mcp.json",
    ".envrc",
    ".attache.json",
    ".attache/permissions",
    ".husky/pre-push",
];

const PRESENT: &str = "
    file ws/.git/config old
    file ws/.git/hooks/pre-commit old
    file ws/.git/info/attributes old
    file ws/.vscode/tasks.json old
    file ws/.zed/settings.json old
    file ws/.idea/workspace.xml old
    file ws/.cursor/mcp.json old
    file ws/.claude/settings.json old
    file ws/.mcp.json old
    file ws/.envrc old
    file ws/.attache.json old
    file ws/.attache/permissions old
    file ws/.husky/pre-push old
";
