//! Attacks on paths that Landlock keeps unreadable, by their other names: mounts that show them elsewhere, overlays
//! that include them, and hard links beside them. The oracle is a word in the files that must never appear in the
//! output.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use attache_host::sandbox::{LandlockRules, SandboxSupport, support};
use attache_process::{Confinement, Program};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::bind_mount::{Unmount, mount_bind};
use super::sandbox_attack::{CANARY, skip};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("landlock_attack::hard_links_beside_open_nothing", links),
        trial("landlock_attack::a_second_mount_opens_nothing", mounts),
        trial("landlock_attack::an_overlay_opens_nothing", overlays),
        direct_trial(
            "landlock_attack::a_second_mount_opens_nothing_without_a_guard",
            mounts,
        ),
        trial(
            "landlock_attack::secrets_created_later_stay_unreadable",
            later,
        ),
    ]
}

async fn links() {
    let Some(home) = TestHome::new("links") else {
        return;
    };
    for (secret, link) in [
        (".netrc", "netrc-link"),
        (".aws/credentials", "aws-link"),
        ("notes", "notes-link"),
    ] {
        fs::hard_link(home.at(secret), home.at(link)).unwrap();
    }
    let said = home
        .run("cat .netrc .aws/credentials netrc-link aws-link; cat notes-link notes")
        .await;
    assert_eq!(said, "notes\nnotes\nend\n");
}

/// Each mount alone, then all together.
async fn mounts() {
    let Some(home) = TestHome::new("mounts") else {
        return;
    };
    let all = [
        (".", "../alternative"),
        (".", "../deep/below/home"),
        (".aws", "../deep/aws"),
        (".aws/sub", "../deep/below/part"),
        (".netrc", "../one"),
        (".netrc", "visible"),
        ("..", "sub/whole"),
        (".aws", "sub/aws"),
    ];
    for (_, to) in all {
        match to.ends_with("one") || to == "visible" {
            true => fs::write(home.at(to), "").unwrap(),
            false => fs::create_dir_all(home.at(to)).unwrap(),
        }
    }
    for chosen in all.chunks(1).chain([all.as_slice()]) {
        let mounted: Vec<Unmount> = chosen
            .iter()
            .filter(|(from, to)| mount_bind(&home.at(from), &home.at(to)))
            .map(|(_, to)| Unmount(home.at(to)))
            .collect();
        if mounted.is_empty() {
            return skip("nothing can be mounted");
        }
        let said = home.run(WAYS).await;
        drop(mounted);
        assert_eq!(said, "notes\nbeside\nend\n", "{chosen:?}");
    }
    let _mounted = mount_bind(&home.at("."), &home.at("../alternative"))
        .then(|| Unmount(home.at("../alternative")));
    let said = home
        .run("cat ../alternative/notes ../alternative/sub/file ../deep/beside")
        .await;
    assert_eq!(said, "notes\nsub\nbeside\nend\n");
}

async fn overlays() {
    let Some(home) = TestHome::new("overlays") else {
        return;
    };
    for name in ["merged", "work", "upper"] {
        fs::create_dir(home.at("..").join(name)).unwrap();
    }
    // The second layer must not be inside the first.
    let empty = home.base.with_extension("empty");
    fs::create_dir_all(&empty).unwrap();
    let shows = |lower: &str, upper: &str, to: &str| {
        let at = |name: &str| home.at(name).display().to_string();
        let options = match upper {
            "" => format!("lowerdir={}:{}", at(lower), empty.display()),
            _ => format!(
                "lowerdir={},upperdir={},workdir={}",
                at(lower),
                at(upper),
                at("../work")
            ),
        };
        let mut command = Command::new("mount");
        command.args(["-t", "overlay", "overlay", "-o", &options]);
        let mounted = command.arg(home.at(to)).output();
        let is_mounted = mounted.is_ok_and(|it| it.status.success());
        is_mounted.then(|| Unmount(home.at(to)))
    };
    if shows(".", "", "../merged").is_none() {
        return skip("no overlay can be mounted");
    }
    for (lower, upper, to) in [
        (".", "", "../merged"),
        (".aws", "", "../merged"),
        (".", "../upper", "../merged"),
        ("..", "", "sub"),
    ] {
        let mounted = shows(lower, upper, to).unwrap();
        let said = home.run(WAYS).await;
        drop(mounted);
        assert_eq!(said, "notes\nbeside\nend\n", "{lower} {to}");
    }
    // The home directory itself is an overlay, and its layers are visible elsewhere.
    let layer = home.at("../layer");
    fs::rename(home.at("."), &layer).unwrap();
    fs::create_dir(home.at(".")).unwrap();
    let _mounted = shows("../layer", "../upper", ".").unwrap();
    let said = home
        .run("cat .netrc ../layer/.netrc ../layer/.aws/credentials; cat notes ../layer/notes")
        .await;
    assert_eq!(said, "notes\nnotes\nend\n");
}

async fn later() {
    let Some(home) = TestHome::new("later") else {
        return;
    };
    fs::create_dir(home.at("../alternative")).unwrap();
    let mounted = mount_bind(&home.at("."), &home.at("../alternative"))
        .then(|| Unmount(home.at("../alternative")));
    if mounted.is_none() {
        return skip("nothing can be mounted");
    }
    let program = home.program(
        "echo >told; while [ ! -e changed ]; do sleep 0.05; done; cat .later ../alternative/.later",
    );
    let (_child, mut stdout) = program.spawn_captured().await.unwrap();
    while !home.at("told").exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    fs::write(home.at(".later"), CANARY).unwrap();
    fs::write(home.at("changed"), "").unwrap();
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "end\n");
}

/// A directory with secrets and other files.
struct TestHome {
    base: PathBuf,
}

impl TestHome {
    fn new(name: &str) -> Option<TestHome> {
        if let SandboxSupport::Missing { .. } = support() {
            skip(support());
            return None;
        }
        let base = fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let base = base.join(format!("landlock-attack-{name}-{}", std::process::id()));
        let home = TestHome { base };
        for name in [".aws/sub", "sub", "../deep/below"] {
            fs::create_dir_all(home.base.join("home")).unwrap();
            fs::create_dir_all(home.at(name)).unwrap();
        }
        for secret in [".netrc", ".aws/credentials", ".aws/sub/key"] {
            fs::write(home.at(secret), format!("{CANARY}\n")).unwrap();
        }
        for (name, text) in [
            ("notes", "notes\n"),
            ("sub/file", "sub\n"),
            ("../deep/beside", "beside\n"),
        ] {
            fs::write(home.at(name), text).unwrap();
        }
        Some(home)
    }

    fn at(&self, name: &str) -> PathBuf {
        let home = self.base.join("home");
        match name {
            "." => home,
            _ => match name.strip_prefix("..") {
                Some(rest) => self.base.join(rest.trim_start_matches('/')),
                None => home.join(name),
            },
        }
    }

    fn program(&self, script: &str) -> Program {
        let rules = [".netrc", ".aws", ".later"].iter().fold(
            LandlockRules::new().write_beneath(self.at(".")),
            |it, name| it.unreadable(self.at(name)),
        );
        let confinement = rules.apply(Confinement::new()).unwrap();
        let script = format!("exec 2>/dev/null; {script}; echo end");
        let program = Program::new("sh").args(["-c", &script]);
        program.cwd(self.at(".")).confine(confinement)
    }

    async fn run(&self, script: &str) -> String {
        let (_child, mut stdout) = self.program(script).spawn_captured().await.unwrap();
        let mut said = String::new();
        stdout.read_to_string(&mut said).await.unwrap();
        said
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.base).ok();
        fs::remove_dir_all(self.base.with_extension("empty")).ok();
    }
}

/// Every name that a mount gives a secret, then the readable files.
const WAYS: &str = "cat .netrc .aws/credentials .aws/sub/key visible ../one
    grep -rh . .aws ../alternative/.netrc ../alternative/.aws ../deep/below/home/.netrc ../deep/below/home/.aws
    grep -rh . ../deep/aws ../deep/below/part sub/whole/home/.netrc sub/whole/home/.aws sub/aws
    grep -rh . ../merged/.netrc ../merged/.aws ../merged/credentials ../merged/sub/key sub/home/.netrc sub/home/.aws
    cat notes ../deep/beside";
