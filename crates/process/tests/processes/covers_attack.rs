//! Attacks on covered files: attempts of a program to read, change or uncover them. The oracle is a word in the covered
//! files that never appears in what the program prints.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use attache_process::{
    Confinement, Cover, CoverKind, Error, Network, Program, guard, namespace_support,
};
use landlock::{ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::trial::{DIRECT, elsewhere_as};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("covers_attack::hidden_files_cannot_be_read", hidden),
        user_trial(
            "covers_attack::hidden_files_cannot_be_read_as_a_user",
            hidden,
        ),
        secretive_trial(
            "covers_attack::hidden_files_cannot_be_read_as_a_user_without_inspection",
            "ATTACHE_TEST_USER",
        ),
        secretive_trial(
            "covers_attack::hidden_files_cannot_be_read_as_such_a_user_without_a_guard",
            DIRECT,
        ),
        user_trial(
            "covers_attack::hidden_files_cannot_be_read_as_a_user_inside_landlock",
            hidden_and_fenced,
        ),
        user_trial(
            "covers_attack::read_only_files_cannot_be_changed_as_a_user",
            read_only,
        ),
        direct_trial(
            "covers_attack::hidden_files_cannot_be_read_without_a_guard",
            hidden,
        ),
        trial(
            "covers_attack::hidden_files_cannot_be_read_inside_landlock",
            hidden_and_fenced,
        ),
        trial(
            "covers_attack::read_only_files_cannot_be_changed",
            read_only,
        ),
        trial(
            "covers_attack::a_working_directory_can_be_covered",
            standing,
        ),
        user_trial(
            "covers_attack::a_working_directory_can_be_covered_as_a_user",
            standing,
        ),
        direct_trial(
            "covers_attack::a_working_directory_can_be_covered_without_a_guard",
            standing,
        ),
        trial("covers_attack::no_capability_is_left", capabilities),
        trial(
            "covers_attack::a_program_does_not_start_if_a_covered_file_was_replaced",
            replaced,
        ),
        trial("covers_attack::only_the_loopback_device_exists", network),
        trial("directory_attack::the_open_directory_counts", directory),
    ]
}

/// A test as an ordinary user: only an ordinary user can nest a namespace in ours.
pub(super) fn user_trial<T, F>(name: &'static str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    match rustix::process::geteuid().is_root() {
        true => elsewhere_as(name, "ATTACHE_TEST_USER", Some(NOBODY), test),
        false => trial(name, test),
    }
}

/// The same test in a process that forbids inspection, like the real program. It cannot write its own files in `/proc`
/// unless it runs as the superuser.
fn secretive_trial(name: &'static str, variable: &'static str) -> Trial {
    let user = rustix::process::geteuid().is_root().then_some(NOBODY);
    elsewhere_as(name, variable, user, || async {
        guard::forbid_inspection().unwrap();
        hidden().await;
    })
}

async fn hidden() {
    let Some(tree) = Tree::new() else { return };
    let said = tree.run(tree.confinement(), WAYS).await;
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.ends_with("beside\nend\n"), "{said}");
    tree.is_as_it_was();
}

async fn hidden_and_fenced() {
    let Some(tree) = Tree::new() else { return };
    let Some(ruleset) = writing_beneath(&tree.base) else {
        return skip("this kernel has no Landlock");
    };
    let confinement = tree.confinement().landlock_ruleset(Arc::new(ruleset));
    let said = tree.run(confinement, WAYS).await;
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.ends_with("beside\nend\n"), "{said}");
    tree.is_as_it_was();
}

/// A ruleset that allows writing only there and to `/dev/null`, if the kernel has Landlock.
fn writing_beneath(directory: &Path) -> Option<OwnedFd> {
    let writing = AccessFs::from_write(ABI::V6);
    let ruleset = Ruleset::default().handle_access(writing).unwrap();
    let mut ruleset = ruleset.create().unwrap();
    for place in [directory, Path::new("/dev/null")] {
        let rule = PathBeneath::new(PathFd::new(place).unwrap(), writing);
        ruleset = ruleset.add_rule(rule).unwrap();
    }
    ruleset.into()
}

async fn read_only() {
    let Some(tree) = Tree::new() else { return };
    let confinement = Confinement::new().cover(tree.cover("secrets", CoverKind::ReadOnly));
    let said = tree
        .run(
            confinement,
            "exec 2>/dev/null
            cat secrets/key
            (echo x >secrets/key) && echo wrote
            (echo x >secrets/new) && echo made
            rm -f secrets/key && echo removed
            mv secrets moved && echo moved
            chmod 777 secrets/key && echo mode
            ln secrets/key hard && echo linked
            umount secrets && echo unmounted
            mount -o remount,bind,rw secrets && echo remounted
            unshare -Urm sh -c 'mount -o remount,bind,rw secrets; umount -l secrets; echo x >secrets/new' && echo nested
            echo end",
        )
        .await;
    assert_eq!(said, format!("{CANARY}\nend\n"));
    tree.is_as_it_was();
}

/// A program that starts in a read-only directory, or below it, gets past neither that cover nor one inside.
async fn standing() {
    let Some(tree) = Tree::new() else { return };
    let conf = tree.base.join("conf");
    fs::create_dir_all(conf.join("keys")).unwrap();
    fs::create_dir_all(conf.join("deep/er")).unwrap();
    fs::write(conf.join("keys/prod"), CANARY).unwrap();
    fs::write(conf.join("app.yml"), "as it was").unwrap();
    for (above, start, up) in [
        (conf.clone(), "conf", "."),
        (conf.clone(), "conf/deep/er", "../.."),
        (tree.base.clone(), "conf", "."),
    ] {
        let open: OwnedFd = fs::File::open(tree.base.join(start)).unwrap().into();
        let line = format!(
            "exec 2>/dev/null; cat {up}/k*/*; grep -r . {up}; (echo x >{up}/app.yml) && echo wrote; (echo x >new) && echo made; echo end"
        );
        for directory in [None, Some(Arc::new(open))] {
            let mut program = Program::new("sh")
                .args(["-c", &line])
                .cwd(tree.base.join(start));
            if let Some(directory) = directory {
                program = program.directory(directory);
            }
            let confinement = Confinement::new()
                .cover(cover(&above, CoverKind::ReadOnly))
                .cover(tree.cover("conf/keys", CoverKind::HiddenDirectory));
            let said = output(program.confine(confinement)).await;
            assert_eq!(
                said,
                format!("{up}/app.yml:as it was\nend\n"),
                "{above:?} {start}"
            );
        }
    }
    assert_eq!(fs::read(conf.join("app.yml")).unwrap(), b"as it was");
}

async fn capabilities() {
    let Some(tree) = Tree::new() else { return };
    let said = tree
        .run(
            tree.confinement(),
            "grep -E '^(Cap...|NoNewPrivs):' /proc/self/status; id -u; ls /proc/self/fd | wc -l; umount secrets 2>&1 | grep -c -i -E 'permission|superuser|must be'",
        )
        .await;
    let none = "0000000000000000";
    let expected = format!(
        "CapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\nCapAmb:\t{none}\nNoNewPrivs:\t1\n{}\n4\n1\n",
        rustix::process::getuid().as_raw()
    );
    assert_eq!(said, expected);
}

async fn replaced() {
    let Some(tree) = Tree::new() else { return };
    let confinement = tree.confinement();
    fs::rename(tree.base.join("secrets"), tree.base.join("elsewhere")).unwrap();
    fs::create_dir(tree.base.join("secrets")).unwrap();
    let program = tree.program("cat elsewhere/key").confine(confinement);
    let error = program.spawn_captured().await.map(drop);
    assert!(matches!(error, Err(Error::Moved { .. })), "{error:?}");
}

async fn network() {
    let Some(tree) = Tree::new() else { return };
    let confinement = Confinement::new().network(Network::Loopback);
    let said = tree
        .run(
            confinement,
            "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; wc -l </proc/net/route; cat secrets/key",
        )
        .await;
    assert_eq!(said, format!("lo\n1\n{CANARY}\n"));
}

/// The directory is entered by its descriptor: what has its name by then does not count.
async fn directory() {
    let Some(tree) = Tree::new() else { return };
    let (inside, outside) = (tree.base.join("inside"), tree.base.join("secrets"));
    fs::create_dir(&inside).unwrap();
    let open: OwnedFd = fs::File::open(&inside).unwrap().into();
    fs::rename(&inside, tree.base.join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    for confinement in [Confinement::new(), tree.confinement()] {
        let program = Program::new("sh").args(["-c", "ls; readlink /proc/self/cwd"]);
        let program = program
            .cwd(&inside)
            .directory(Arc::new(open.try_clone().unwrap()));
        let said = output(program.confine(confinement)).await;
        assert_eq!(said, format!("{}\n", tree.base.join("moved").display()));
    }
}

/// A directory with a tree and a file that are hidden, and one beside them that is not.
pub(super) struct Tree {
    pub(super) base: PathBuf,
}

impl Tree {
    pub(super) fn new() -> Option<Tree> {
        if let Err(missing) = namespace_support() {
            // Another program must come to the same result.
            let mut unshare = Command::new("unshare");
            unshare.args(["-Urmn", "mount", "-t", "tmpfs", "none", "/mnt"]);
            let has_others = unshare.output().is_ok_and(|it| it.status.success());
            assert!(!has_others, "{missing}");
            skip(missing);
            return None;
        }
        let base = scratch();
        fs::create_dir_all(base.join("secrets/deep")).unwrap();
        fs::create_dir(base.join("beside-dir")).unwrap();
        fs::create_dir(base.join("mnt")).unwrap();
        fs::write(base.join("secrets/key"), format!("{CANARY}\n")).unwrap();
        fs::write(base.join("secrets/deep/key"), format!("{CANARY}\n")).unwrap();
        fs::write(base.join("file"), format!("{CANARY}\n")).unwrap();
        fs::write(base.join("beside"), "beside\n").unwrap();
        std::os::unix::fs::symlink("secrets/key", base.join("link")).unwrap();
        std::os::unix::fs::symlink("secrets", base.join("links")).unwrap();
        Some(Tree { base })
    }

    pub(super) fn cover(&self, name: &str, kind: CoverKind) -> Cover {
        cover(&self.base.join(name), kind)
    }

    pub(super) fn confinement(&self) -> Confinement {
        Confinement::new()
            .cover(self.cover("secrets", CoverKind::HiddenDirectory))
            .cover(self.cover("secrets/key", CoverKind::HiddenFile))
            .cover(self.cover("file", CoverKind::HiddenFile))
    }

    pub(super) fn program(&self, script: &str) -> Program {
        let program = Program::new("sh").args(["-c", script]);
        program
            .env("OWNER", std::process::id().to_string())
            .cwd(&self.base)
    }

    pub(super) async fn run(&self, confinement: Confinement, script: &str) -> String {
        output(self.program(script).confine(confinement)).await
    }

    /// The superuser's tests make files that a test of an ordinary user changes.
    pub(super) fn open_to_all(&self) {
        let mut command = Command::new("chmod");
        command.arg("-R").arg("a+rwX").arg(&self.base);
        command.status().unwrap();
    }

    pub(super) fn is_as_it_was(&self) {
        for name in ["secrets/key", "secrets/deep/key", "file"] {
            let text = fs::read_to_string(self.base.join(name)).unwrap();
            assert_eq!(text, format!("{CANARY}\n"), "{name}");
        }
        assert_eq!(fs::read_dir(self.base.join("secrets")).unwrap().count(), 2);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.base).ok();
    }
}

fn cover(path: &Path, kind: CoverKind) -> Cover {
    let found = fs::symlink_metadata(path).unwrap();
    Cover {
        path: path.to_owned(),
        device: found.dev(),
        inode: found.ino(),
        kind,
    }
}

async fn output(program: Program) -> String {
    let (_child, mut stdout) = program.spawn_captured().await.unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    text
}

fn scratch() -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let base = std::env::temp_dir();
    let base = base.join(format!("attache-covers-{}-{next}", std::process::id()));
    fs::create_dir_all(&base).unwrap();
    base.canonicalize().unwrap()
}

#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
pub(super) fn skip(reason: impl std::fmt::Display) {
    eprintln!("skipped: nothing can be covered: {reason}");
}

const NOBODY: u32 = 65534;
pub(super) const CANARY: &str = "canary-4f1d";

/// Commands that may show or change the hidden files. Their error messages are discarded.
const WAYS: &str = r#"
    exec 2>/dev/null
    here=$(pwd)
    for path in secrets/key secrets/deep/key ./secrets//key secrets/../secrets/key link links/key file "$here/file" \
        "/proc/self/cwd/file" "/proc/self/root$here/file" "/proc/$$/root$here/secrets/key" "/proc/thread-self/root$here/file" \
        "/proc/$PPID/root$here/file" "/proc/$PPID/cwd/file" "/proc/1/root$here/file" "/proc/$OWNER/root$here/file" \
        "/proc/$OWNER/cwd/file" "/proc/$PPID/cwd/secrets/key" "/proc/self/task/$$/root$here/file"
    do
        cat "$path"; head -n 1 "$path"; cp "$path" copy && cat copy; ln "$path" hard && cat hard; ln -s "$path" soft && cat soft
        dd if="$path"; tar cf - "$path"; read line <"$path" && echo "$line"; grep -r . "$path"; rm -f copy hard soft
    done
    for process in /proc/[0-9]*; do cat "$process/root$here/file" "$process/cwd/file" "$process/cwd/secrets/key"; done
    for fd in /proc/self/fd/* /proc/$PPID/fd/* /proc/$OWNER/fd/*; do cat "$fd/secrets/key" "$fd/key"; done
    grep -r canary .; find . -type f -exec cat {} +; tar cf - . ; ls -R secrets
    chmod 777 secrets file; cat secrets/key file
    mv secrets moved; mv file moved-file; cat moved/key moved-file; mv moved secrets; mv moved-file file
    rm -rf secrets file; rmdir secrets; echo x >file; echo x >secrets/key; mkdir secrets/new
    umount secrets; umount file; umount -l secrets; umount -a; umount -l "$here"; cat secrets/key file
    mount -o remount,rw secrets; mount --bind . mnt; cat mnt/secrets/key mnt/file
    nsenter -t $PPID -m cat "$here/file"; nsenter -t $OWNER -U -m cat "$here/file"; nsenter -t 1 -m cat "$here/file"
    chroot /proc/$PPID/root cat "$here/file"
    for how in "-Urm" "-Um --map-current-user" "-UrmpfC" "-Urm --propagation private" "-Urm --propagation unchanged"; do
        unshare $how sh -c '
            umount secrets; umount -l secrets; umount file; umount -l file; umount -a; cat secrets/key file
            mount --bind . mnt; cat mnt/secrets/key mnt/file
            mount --bind "'"$here"'/.." mnt; cat mnt/*/secrets/key mnt/*/file
            mount --rbind . mnt; umount -l mnt/secrets; umount -l mnt/file; cat mnt/secrets/key mnt/file
            mount --move secrets beside-dir; cat secrets/key
            mount -t tmpfs none mnt && mkdir mnt/u mnt/w mnt/o &&
                mount -t overlay none -o "lowerdir='"$here"',upperdir=mnt/u,workdir=mnt/w" mnt/o; cat mnt/o/secrets/key mnt/o/file
            mount -t overlay none -o "lowerdir=/" mnt; cat "mnt'"$here"'/file"
            mount --make-rprivate /; mount --make-rshared /; umount secrets; cat secrets/key
            mount --bind / mnt && cat "mnt'"$here"'/file"
            cd mnt && pivot_root . . ; cat "'"$here"'/file"; umount -l /; cat "'"$here"'/file"
            unshare -Urm sh -c "umount -l secrets; umount -l file; cat secrets/key file"
            cat /proc/1/root'"$here"'/file
        '
    done
    python3 - <<'P'
import os
def show(*a, **k):
    try: print(open(*a, **k).read())
    except Exception: pass
for p in ["secrets/key","file",os.path.realpath("link"),b"file"]: show(p)
for flags in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY, os.O_PATH):
    try:
        fd = os.open("file", flags); print(os.read(fd, 99)); show(f"/proc/self/fd/{fd}")
    except Exception: pass
try:
    d = os.open("secrets", os.O_PATH); show("key", opener=lambda p, f: os.open(p, f, dir_fd=d)); show("..", opener=lambda p, f: os.open("../file", f, dir_fd=d))
except Exception: pass
P
    cat beside
    echo end
"#;
