//! Confined programs, and the programs they start, write only where they may.

use std::fs;
use std::path::PathBuf;

use attache_host::sandbox::{LandlockRules, SandboxSupport, support};
use attache_process::{Confinement, Program};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("landlock::writes_only_where_it_may", writes),
        direct_trial("landlock::writes_only_where_it_may_directly", writes),
        trial("landlock::reads_and_runs_everything", reads),
        trial("landlock::signals_nobody_outside", signals),
        trial("landlock::only_the_listed_paths_are_unreadable", unreadable),
        trial("landlock::attack_others_keep_their_limits", limits),
        trial("landlock::attack_root_makes_no_device", no_device),
        trial("landlock::terminals_and_devices_work", devices),
        trial("landlock::a_missing_directory_is_reported", missing),
    ]
}

async fn writes() {
    let Some(folders) = LandlockTest::new("writes") else {
        return;
    };
    let said = folders.run(TRIES).await;
    assert_eq!(said, "inside\ngrandchild inside\nmoved\nnull\n");
    assert_eq!(folders.outside(), ["kept 5", "link 5"]);
}

async fn reads() {
    let Some(folders) = LandlockTest::new("reads") else {
        return;
    };
    let said = folders.run("cat \"$OUT/kept\"; ls \"$OUT\" | wc -l").await;
    assert_eq!(said, "old\n\n2\n");
}

async fn signals() {
    let Some(folders) = LandlockTest::new("signals") else {
        return;
    };
    if support() != SandboxSupport::Full {
        skip();
        return;
    }
    let me = std::process::id();
    let script = format!(
        "kill -0 {me} 2>/dev/null || echo no; kill -0 $PPID 2>/dev/null || echo no; kill -0 $$ && echo own"
    );
    assert_eq!(folders.run(&script).await, "no\nno\nown\n");
}

/// A limit on processor time ends a process like a signal.
async fn limits() {
    let Some(folders) = LandlockTest::new("limits") else {
        return;
    };
    let mut victim = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let script = format!(
        "python3 - <<'P'
import os, resource
from resource import RLIMIT_CPU, RLIMIT_NOFILE, prlimit
others, soft = [{}, os.getppid()], resource.getrlimit(RLIMIT_NOFILE)[1]
for other in others:
    prlimit(other, RLIMIT_CPU)
    for new in [(0, 0), (1, 1)]:
        try: prlimit(other, RLIMIT_CPU, new); print('set')
        except PermissionError: print('no')
prlimit(0, RLIMIT_NOFILE, (soft, soft)); resource.setrlimit(RLIMIT_NOFILE, (64, soft)); print('own')
P",
        victim.id()
    );
    let said = folders.run(&script).await;
    let ended = victim.try_wait().unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(said, "no\nno\nno\nno\nown\n");
    assert!(ended.is_none());
}

/// With a device file of a disk, root could read and write the whole disk.
async fn no_device() {
    let Some(folders) = LandlockTest::new("device") else {
        return;
    };
    let said = folders
        .run(
            "mknod d b 7 0 2>/dev/null && echo made; mknod c c 1 1 2>/dev/null && echo made; mkfifo f && echo fifo
            touch own && chown 1:1 own 2>/dev/null; stat -c %u own; grep CapBnd /proc/self/status",
        )
        .await;
    let expected = match rustix::process::geteuid().is_root() {
        // Rights that root's commands need: files of others, other users, ports below 1024.
        true => "fifo\n1\nCapBnd:\t00000000a00425fb\n",
        false => return assert!(said.starts_with("fifo\n"), "{said}"),
    };
    assert_eq!(said, expected);
}

async fn unreadable() {
    let Some(folders) = LandlockTest::new("unreadable") else {
        return;
    };
    fs::write(folders.base.join("beside"), "beside\n").unwrap();
    fs::write(folders.base.join("in/own"), "own\n").unwrap();
    std::os::unix::fs::symlink("../out/kept", folders.base.join("in/link")).unwrap();
    let rules = LandlockRules::new()
        .write_beneath(folders.base.join("in"))
        .unreadable(folders.base.canonicalize().unwrap().join("out"));
    let script = "exec 2>/dev/null
        cat own ../beside
        cat link && echo link
        cat \"$OUT/kept\" && echo direct
        cat /proc/self/root/\"$OUT/kept\" && echo root
        cat /proc/self/cwd/../out/kept && echo cwd
        cp -r ../out copy && cat copy/kept && echo copied
        mv ../out/kept . && echo moved
        ln ../out/kept hard && cat hard && echo linked
        tail -c 5 /proc/self/status >/dev/null && echo proc
        echo end";
    assert_eq!(
        folders.run_in(rules, script).await,
        "own\nbeside\nproc\nend\n"
    );
}

async fn devices() {
    let Some(folders) = LandlockTest::new("devices") else {
        return;
    };
    let script = "exec 2>&1
        echo x >/dev/null && echo null
        script -qec 'stty size >/dev/null && tty | cut -d/ -f3' /dev/null </dev/null | tr -d '\\r'
        head -c 4 /dev/urandom | wc -c";
    let said = folders.run(script).await;
    assert_eq!(said, "null\npts\n4\n");
}

async fn missing() {
    let rules = LandlockRules::new().write_beneath("/no/such/directory");
    let error = rules.apply(Confinement::new()).expect_err("it applies");
    assert!(error.contains("/no/such/directory"), "{error}");
}

/// A writable directory, and one beside it that is not.
struct LandlockTest {
    base: PathBuf,
}

impl LandlockTest {
    fn new(name: &str) -> Option<LandlockTest> {
        if let SandboxSupport::Missing { .. } = support() {
            skip();
            return None;
        }
        let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let base = base.join(format!("landlock-{name}-{}", std::process::id()));
        fs::create_dir_all(base.join("in")).unwrap();
        fs::create_dir_all(base.join("out")).unwrap();
        fs::write(base.join("out/kept"), "old\n\n").unwrap();
        fs::hard_link(base.join("out/kept"), base.join("out/link")).unwrap();
        Some(LandlockTest { base })
    }

    async fn run(&self, script: &str) -> String {
        let rules = LandlockRules::new().write_beneath(self.base.join("in"));
        self.run_in(rules, script).await
    }

    async fn run_in(&self, rules: LandlockRules, script: &str) -> String {
        let program = Program::new("sh").args(["-c", script]);
        let program = program.env("OUT", self.base.join("out"));
        let program = program.cwd(self.base.join("in"));
        let confinement = rules.apply(Confinement::new()).unwrap();
        let program = program.confine(confinement);
        let (_child, mut stdout) = program.spawn_captured().await.unwrap();
        let mut text = String::new();
        stdout.read_to_string(&mut text).await.unwrap();
        text
    }

    fn outside(&self) -> Vec<String> {
        let mut found: Vec<String> = fs::read_dir(self.base.join("out"))
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                format!("{name} {}", entry.metadata().unwrap().len())
            })
            .collect();
        found.sort();
        found
    }
}

impl Drop for LandlockTest {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.base).ok();
    }
}

#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
fn skip() {
    eprintln!("skipped: commands: {}", support());
}

/// Each printed line is a write that succeeded.
const TRIES: &str = r#"exec 2>/dev/null
    echo x >file && echo inside
    setsid sh -c 'echo x >deep && echo grandchild inside'
    mkdir a b && mv file a/ && mv a/file b/ && echo moved
    echo x >/dev/null && echo null
    (echo x >"$OUT/new") && echo new outside
    (echo x >"$OUT/kept") && echo changed outside
    (: >"$OUT/kept") && echo emptied outside
    truncate -s 0 "$OUT/kept" && echo truncated outside
    rm "$OUT/link" && echo removed outside
    mv "$OUT/kept" "$OUT/moved" && echo moved outside
    mv "$OUT/kept" here && echo moved in
    ln "$OUT/kept" here && echo x >>here && echo linked in
    ln -s "$OUT/kept" soft && (echo x >>soft) && echo through a link
    mkdir "$OUT/folder" && echo folder outside
    (setsid sh -c 'echo x >"$OUT/grandchild"') && echo grandchild outside
    (cd "$OUT" && echo x >new) && echo elsewhere
    (echo x >/proc/self/cwd/../out/new) && echo magic link
    (echo x >"/tmp/attache-sandbox-$$") && echo tmp
    true
"#;
