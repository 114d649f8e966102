//! Attacks on covered places by other views of them: mounts of the program's own, mounts that were there before, and files
//! that take the place of covered ones. The oracle is the same as for covers.

use std::fs;

use attache_process::{Confinement, CoverAccess, CoverKind, CoveredPath, NestedMounts};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::bind_mount::{Unmount, mount_bind};
use super::covers_attack::{CANARY, Tree, skip, user_trial};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        user_trial("views_attack::nested_namespaces_work_if_allowed", nested),
        trial("views_attack::a_moved_tree_shows_nothing", moved_into_view),
        user_trial(
            "views_attack::a_moved_tree_shows_nothing_to_a_user",
            moved_into_view,
        ),
        trial("views_attack::no_call_mounts", calls),
        user_trial("views_attack::no_call_mounts_as_a_user", calls),
        trial("views_attack::parent_directories_cannot_be_renamed", above),
        user_trial(
            "views_attack::parent_directories_cannot_be_renamed_as_a_user",
            above,
        ),
        trial(
            "views_attack::a_replacement_of_a_covered_file_is_covered",
            replaced_outside,
        ),
        user_trial(
            "views_attack::a_replacement_of_a_covered_file_is_covered_as_a_user",
            replaced_outside,
        ),
        direct_trial(
            "views_attack::a_replacement_of_a_covered_file_is_covered_without_a_guard",
            replaced_outside,
        ),
        trial("views_attack::other_mounts_show_nothing", other_mounts),
        trial("views_attack::later_mounts_show_nothing", later_mounts),
    ]
}

/// If nested mounts are allowed, the sandboxes of agents work: a user and mount namespace with its own mounts.
async fn nested() {
    let Some(tree) = Tree::new() else { return };
    let script = "unshare -Urm sh -c 'mount -t tmpfs none beside-dir && mount --rbind . mnt && mount -t proc none /proc 2>/dev/null; echo mounted; cat mnt/secrets/key mnt/file' 2>/dev/null || echo refused";
    let allowed = tree.confinement().nested_mounts(NestedMounts::Allowed);
    assert!(tree.run(allowed, script).await.starts_with("mounted\n"));
    let said = tree.run(tree.confinement(), script).await;
    assert!(!said.contains(CANARY), "{said}");
    let user =
        "unshare -Ur id -u; unshare -Urm --propagation unchanged echo ours; unshare -Urn echo net";
    assert_eq!(tree.run(tree.confinement(), user).await, "0\nours\nnet\n");
}

/// A view that is made before the tree is moved into it has no cover.
async fn moved_into_view() {
    let Some(tree) = Tree::new() else { return };
    for deep in ["deeper/prod/keys", "deeper/prod/ro"] {
        fs::create_dir_all(tree.base.join(deep)).unwrap();
        fs::write(tree.base.join(deep).join("f"), format!("{CANARY}\n")).unwrap();
    }
    tree.open_to_all();
    let confinement = Confinement::new()
        .cover(tree.cover("deeper/prod/keys", CoverKind::HiddenDirectory))
        .cover(tree.cover("deeper/prod/ro", CoverKind::ReadOnly));
    let said = tree
        .run(
            confinement,
            "exec 2>/dev/null
            mkdir D
            for how in -Urm '-Um --propagation unchanged' '-Um --map-current-user'; do
                unshare $how sh -c 'mount --bind D mnt; touch ready; sleep 0.3; cat mnt/prod/keys/f; echo evil >>mnt/prod/ro/f' &
                sleep 0.1
                mv deeper/prod D/prod && echo moved
                wait
                mv D/prod deeper/prod
            done
            cat deeper/prod/ro/f; echo end",
        )
        .await;
    assert_eq!(said, format!("{CANARY}\nend\n"));
    for name in ["keys", "ro"] {
        let file = tree.base.join("deeper/prod").join(name).join("f");
        assert_eq!(fs::read_to_string(file).unwrap(), format!("{CANARY}\n"));
    }
}

/// Every call that mounts or opens by handle, made directly, also with all capabilities of a nested namespace.
async fn calls() {
    let Some(tree) = Tree::new() else { return };
    let said = tree
        .run(
            tree.confinement(),
            r#"for how in "" "unshare -Um --propagation unchanged"; do $how python3 - <<'P'
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
old = {"x86_64": [165, 166, 155, 304], "aarch64": [40, 39, 41, 265]}[platform.machine()]
for number in old + [428, 429, 430, 431, 432, 433, 442, 467, 471, 0x40000000 | 165]:
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), b"", b"", b"", 0, 0)
    want = errno.ENOSYS if number > 470 else errno.EPERM
    if result != -1 or ctypes.get_errno() != want: print("call", number, result, ctypes.get_errno())
P
done; echo end"#,
        )
        .await;
    assert_eq!(said, "end\n");
}

/// Otherwise another file could be put where the denied one was. What lies beside is moved as ever, without copying.
async fn above() {
    let Some(tree) = Tree::new() else { return };
    fs::create_dir_all(tree.base.join("a/b/c")).unwrap();
    fs::write(tree.base.join("a/b/c/key"), format!("{CANARY}\n")).unwrap();
    tree.open_to_all();
    let confinement = Confinement::new().cover(tree.cover("a/b/c/key", CoverKind::ReadOnly));
    let said = tree
        .run(
            confinement,
            r#"python3 - <<'P'
import os
def attempt(what, act, *args):
    try: act(*args); print(what, "done")
    except OSError as error: print(what, os.strerror(error.errno))
here = os.getcwd()
for name in ["a", "a/b", "a/b/c", here]: attempt(os.path.basename(name)[:3], os.rename, name, here + "-x")
attempt("replace", os.rename, "beside", "a/b/c/key")
attempt("remove", os.unlink, "a/b/c/key")
open("a/b/new", "w").close()
attempt("beside", os.rename, "a/b/new", "new")
attempt("link", os.link, "new", "a/b/c/new")
os.rename("new", "a/b/new")
P
cat a/b/c/key; ls /proc/tty/driver 2>/dev/null; echo end"#,
        )
        .await;
    let busy = "Device or resource busy";
    let own = &tree.base.file_name().unwrap().to_string_lossy()[..3];
    assert_eq!(
        said,
        format!(
            "a {busy}\nb {busy}\nc {busy}\n{own} {busy}\nreplace {busy}\nremove {busy}\nbeside done\nlink done\n{CANARY}\nend\n"
        )
    );
}

/// Files that an editor replaces when it saves, and files that appear at an empty path.
async fn replaced_outside() {
    let Some(tree) = Tree::new() else { return };
    fs::create_dir_all(tree.base.join("ro")).unwrap();
    fs::write(tree.base.join("ro/f"), "x\n").unwrap();
    tree.open_to_all();
    let later = |name: &str, access| CoveredPath {
        path: tree.base.join(name),
        access,
    };
    let confinement = tree
        .confinement()
        .cover(tree.cover("ro", CoverKind::ReadOnly))
        .keep_covered(later("later/deep", CoverAccess::Hidden))
        .keep_covered(later("turned/key", CoverAccess::Hidden));
    let script = r#"exec 2>/dev/null
        echo ready >told; while [ ! -e changed ]; do sleep 0.05; done
        tries=0; while [ $tries -lt 200 ] && touch ro/probe; do rm ro/probe; tries=$((tries+1)); sleep 0.05; done
        sleep 0.3
        cat file secrets/key later/deep/key turned/key way/key links/key
        cat ro/f; echo evil >ro/f; echo evil >ro/new; mv later x; mv ro y; rm -r secrets
        echo end"#;
    let running = tree.program(script).confine(confinement);
    let (_child, mut stdout) = running.spawn_captured().await.unwrap();
    while !tree.base.join("told").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let at = |name: &str| tree.base.join(name);
    let secret = |name: &str| fs::write(at(name), format!("{CANARY}\n")).unwrap();
    secret("saved");
    fs::rename(at("saved"), at("file")).unwrap();
    fs::rename(at("secrets"), at("old")).unwrap();
    fs::create_dir(at("secrets")).unwrap();
    secret("secrets/key");
    fs::create_dir_all(at("later/deep")).unwrap();
    secret("later/deep/key");
    fs::create_dir(at("way")).unwrap();
    secret("way/key");
    std::os::unix::fs::symlink("way", at("turned")).unwrap();
    fs::rename(at("ro"), at("ro-old")).unwrap();
    fs::create_dir(at("ro")).unwrap();
    fs::write(at("ro/f"), "y\n").unwrap();
    tree.open_to_all();
    fs::write(at("changed"), "").unwrap();
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "y\nend\n");
    for (name, is_there) in [
        ("ro/new", false),
        ("secrets/key", true),
        ("later/deep", true),
    ] {
        assert_eq!(at(name).exists(), is_there, "{name}");
    }
    assert_eq!(fs::read_to_string(at("ro/f")).unwrap(), "y\n");
}

/// Only the superuser can mount here beforehand.
async fn other_mounts() {
    let Some(tree) = Tree::new() else { return };
    if !rustix::process::geteuid().is_root() {
        return;
    }
    for name in ["alias", "inner", "part", "above", "ro"] {
        fs::create_dir(tree.base.join(name)).unwrap();
    }
    fs::write(tree.base.join("ro/f"), "x\n").unwrap();
    fs::write(tree.base.join("one"), "").unwrap();
    let mut mounted = Vec::new();
    for (from, to) in [
        (".", "alias"),
        ("secrets", "inner"),
        ("secrets/deep", "part"),
        ("..", "above"),
        ("file", "one"),
    ] {
        let (from, to) = (tree.base.join(from), tree.base.join(to));
        if mount_bind(&from, &to) {
            mounted.push(Unmount(to));
        }
    }
    if mounted.is_empty() {
        return skip("nothing can be mounted");
    }
    let confinement = tree
        .confinement()
        .cover(tree.cover("ro", CoverKind::ReadOnly));
    let said = tree
        .run(
            confinement,
            "exec 2>/dev/null
            cat alias/secrets/key alias/file inner/key inner/deep/key part/key above/${PWD##*/}/secrets/key above/${PWD##*/}/file one
            echo evil >alias/ro/f; grep -r canary alias inner part one; cat alias/beside alias/ro/f; echo end",
        )
        .await;
    drop(mounted);
    assert_eq!(said, "beside\nx\nend\n");
    assert_eq!(fs::read_to_string(tree.base.join("ro/f")).unwrap(), "x\n");
    tree.is_as_it_was();
}

async fn later_mounts() {
    let Some(tree) = Tree::new() else { return };
    if !rustix::process::geteuid().is_root() {
        return;
    }
    fs::create_dir(tree.base.join("alias")).unwrap();
    let script = "exec 2>/dev/null; echo >told; while [ ! -e changed ]; do sleep 0.05; done; cat alias/file alias/secrets/key; echo end";
    let running = tree.program(script).confine(tree.confinement());
    let (_child, mut stdout) = running.spawn_captured().await.unwrap();
    while !tree.base.join("told").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let _mounted =
        mount_bind(&tree.base, &tree.base.join("alias")).then(|| Unmount(tree.base.join("alias")));
    fs::write(tree.base.join("changed"), "").unwrap();
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "end\n");
}
