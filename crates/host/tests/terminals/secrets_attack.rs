//! Attacks on secrets that appear or move while a command runs, that links and unusual names lead to, and on devices
//! and kernel keys. The oracle is a word in the files that must never appear in any output.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use attache_host::permissions::Policy;
use attache_host::sandbox::SandboxSettings;
use libtest_mimic::Trial;

use super::client::TestClient;
use super::sandbox_attack::{CANARY, at_home, terminals};
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "secrets_attack::secrets_that_come_later_are_unreadable",
            || later("project", NO_RULES),
        ),
        trial(
            "secrets_attack::a_deny_rule_does_not_weaken_the_sandbox",
            || later("project", RULES),
        ),
        trial(
            "secrets_attack::secrets_that_come_later_to_a_session_at_home_are_unreadable",
            || later("", NO_RULES),
        ),
        trial(
            "secrets_attack::a_deny_rule_does_not_weaken_a_session_at_home",
            || later("", RULES),
        ),
        trial("secrets_attack::many_files_at_home_open_nothing", crowded),
        trial(
            "secrets_attack::the_next_command_reads_what_one_makes_at_home",
            made_at_home,
        ),
        trial(
            "secrets_attack::a_refusal_names_what_was_refused",
            explained,
        ),
        trial("secrets_attack::links_to_secrets_open_nothing", links),
        trial(
            "secrets_attack::tokens_in_caches_are_unreadable_and_caches_work",
            caches,
        ),
        trial(
            "secrets_attack::hidden_places_in_a_project_leave_builds_alone",
            hidden_in_project,
        ),
        trial(
            "secrets_attack::only_ordinary_devices_can_be_opened",
            devices,
        ),
        trial("secrets_attack::keys_of_the_session_are_gone", keys),
    ]
}

/// The user, or a tool outside, creates secrets and replaces one while a command runs.
async fn later(project: &str, rules: &str) {
    let Some((mut client, home)) = at_home(project, SandboxSettings::default()) else {
        return;
    };
    for name in [".codex", ".config", "project/conf"] {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    fs::write(home.join("project/conf/denied"), CANARY).unwrap();
    let rules = Policy::parse("test", rules)
        .unwrap()
        .deny_path_rules("agent");
    client.roots = client.roots.clone().deny(rules);
    let names: Vec<String> = LATER.iter().map(|name| format!("../{name}")).collect();
    let names = match project {
        "" => LATER.join(" "),
        _ => names.join(" "),
    };
    let script = format!(
        "echo ready; until test -e go; do sleep 0.02; done; cat {names} 2>&1; cp -r {names} . 2>&1; mv {names} . 2>&1
        cat * .[a-z]* 2>/dev/null; echo end"
    );
    let id = client.shell(&script).await;
    client.until(&id, "ready").await;
    for name in LATER {
        let path = home.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Like tools save files: written beside the old one, then renamed.
        let lock = path.with_extension("lock");
        fs::write(&lock, CANARY).unwrap();
        fs::rename(lock, path).unwrap();
    }
    fs::write(home.join(project).join("go"), "").unwrap();
    client.wait(&id).await;
    let said = client.text(&id);
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.contains("end\n"), "{said}");
    // The next command cannot read them either.
    let said = client
        .output_of(&client.request("sh", &["-c", &format!("cat {names}; echo end")]))
        .await;
    assert!(!said.contains(CANARY) && said.contains("end\n"), "{said}");
}

/// A command creates so many files beside the secrets that adding a rule for each takes long.
async fn crowded() {
    let Some((client, home)) = at_home("", SandboxSettings::default()) else {
        return;
    };
    let script = "i=0; while [ $i -lt 5000 ]; do : >f$i; i=$((i+1)); done; echo made";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert_eq!(said, "made\n");
    let id = client
        .shell(
            "echo ready; until test -e go; do sleep 0.02; done; cat .pgpass; cat f4999; echo end",
        )
        .await;
    client.until(&id, "ready").await;
    fs::write(home.join(".pgpass"), CANARY).unwrap();
    fs::write(home.join("go"), "").unwrap();
    client.wait(&id).await;
    let said = client.text(&id);
    assert!(!said.contains(CANARY) && said.contains("end\n"), "{said}");
}

/// Beside secrets, a command cannot read files that it created itself; the next command can. `docs/terminals.md` says
/// so.
async fn made_at_home() {
    let Some((client, _)) = at_home("", SandboxSettings::default()) else {
        return;
    };
    let script = "mkdir new; echo inside >new/file; cat new/file 2>/dev/null; echo x >>notes; echo y >project/made; cat project/made notes";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert_eq!(said, "y\nnotes\nx\n");
    let said = client
        .output_of(&client.request("cat", &["new/file"]))
        .await;
    assert_eq!(said, "inside\n");
    let script = "mkdir other; echo x >other/file; cat other/file";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert!(said.contains("only the next command"), "{said}");
}

/// The program that reports a refusal differs from what was refused.
async fn explained() {
    let Some((mut client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    if attache_process::namespace_support().is_err() {
        return;
    }
    fs::write(home.join("project/plan"), "old").unwrap();
    let rules = r#"{"rules":[{"action":"deny","kind":"edit","path":"plan"}]}"#;
    let rules = Policy::parse("test", rules)
        .unwrap()
        .deny_path_rules("agent");
    client.roots = client.roots.clone().deny(rules);
    for script in [
        "echo x >plan",
        "echo x >./plan",
        "/usr/bin/env cp /dev/null plan",
    ] {
        let said = client
            .output_of(&client.request("/bin/sh", &["-c", script]))
            .await;
        assert!(
            said.contains("a deny rule of the policy covers `"),
            "{said}"
        );
        assert!(said.contains("project/plan`"), "{said}");
    }
}

async fn links() {
    let Some((client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    let canary = |name: &str| {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), format!("{CANARY}\n")).unwrap();
    };
    for name in ["key", "aws", "kube", "store/deep/pass"] {
        canary(&format!("dotfiles/{name}"));
    }
    canary("project/own-key");
    fs::create_dir_all(home.join(".kube/sub")).unwrap();
    for (target, link) in [
        ("../dotfiles/key", ".ssh/id_ed25519"),
        ("../dotfiles/absent", ".ssh/id_rsa_later"),
        ("../project/own-key", ".ssh/id_project"),
        ("../dotfiles/aws", ".aws/config"),
        ("../../dotfiles/kube", ".kube/sub/config"),
        ("dotfiles/store", ".password-store"),
        ("dotfiles/netrc", ".netrc-link"),
        ("/bin/sh", ".aws/shell"),
        ("../notes", ".ssh/config-notes.pub"),
    ] {
        symlink(target, home.join(link)).unwrap();
    }
    fs::remove_file(home.join(".netrc")).unwrap();
    symlink("dotfiles/netrc", home.join(".netrc")).unwrap();
    let script = "echo ready; until test -e go; do sleep 0.02; done; cd ..; exec 2>/dev/null
        cat .ssh/id_ed25519 .ssh/id_rsa_later .ssh/id_project .aws/config .kube/sub/config .netrc
        cat .password-store/deep/pass; grep -r canary dotfiles; cat project/own-key; cat .ssh/*.pub; echo end";
    let id = client.shell(script).await;
    client.until(&id, "ready").await;
    canary("dotfiles/absent");
    canary("dotfiles/netrc");
    fs::write(home.join("project/go"), "").unwrap();
    client.wait(&id).await;
    let said = client.text(&id);
    // A link to a program does not hide the program, and the target of a readable link stays readable.
    assert_eq!(said, "ready\nnotes\npublic\nend\n");
}

async fn caches() {
    let Some((client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    let secrets = [
        ".cache/huggingface/token",
        "snap/fox/common/.mozilla/key",
        ".var/app/org.mozilla.firefox/key",
        ".config/Code - Insiders/User/globalStorage/state.vscdb",
        ".claude.json",
    ];
    for name in secrets {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), CANARY).unwrap();
    }
    fs::write(home.join("snap/fox/common/beside"), "beside\n").unwrap();
    let script = "cd ..; exec 2>/dev/null
        grep -rh canary .cache snap .var .config .claude.json
        (echo x >.cache/huggingface/token) && echo wrote
        mkdir -p .cache/new .cache/huggingface/hub; echo made >.cache/new/file; cat .cache/new/file
        echo model >.cache/huggingface/hub/model; cat .cache/huggingface/hub/model
        echo here >.cache/here; cat .cache/here snap/fox/common/beside; echo end";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    match attache_process::namespace_support() {
        Ok(()) => assert_eq!(said, "made\nmodel\nhere\nbeside\nend\n"),
        Err(_) => assert!(!said.contains(CANARY), "{said}"),
    }
    let token = fs::read_to_string(home.join(secrets[0])).unwrap();
    assert!(token == CANARY || attache_process::namespace_support().is_err());
}

/// A path that the user hides in a project is covered; files that a command creates beside it stay readable for it.
async fn hidden_in_project() {
    let Some((mut client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    let project = home.join("project");
    fs::write(project.join("token"), CANARY).unwrap();
    let mut settings = SandboxSettings::default();
    settings.hide = vec![project.join("token"), project.join("absent")];
    client.terminals = terminals(&settings, &home);
    let script = "cat token 2>/dev/null; mkdir out; echo made >out/file; cat out/file";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    match attache_process::namespace_support() {
        Ok(()) => assert_eq!(said, "made\n"),
        Err(_) => assert!(!said.contains(CANARY), "{said}"),
    }
}

async fn devices() {
    let Some((client, _)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    let script = "exec 2>/dev/null
        for node in $(find /dev -type b -o -type c | grep -v ^/dev/pts/); do
          (: <$node) && echo read $node; (: >>$node) && echo write $node; done | sort
        mknod $TMPDIR/disk b 7 0 && echo disk; mknod tty c 4 0 && echo node; mknod $TMPDIR/pipe p && echo pipe
        echo end";
    let said = client
        .output_of(&client.request("bash", &["-c", script]))
        .await;
    let (opened, rest) = said.split_at(said.find("pipe").unwrap_or(0));
    assert_eq!(rest, "pipe\nend\n");
    for line in opened.lines() {
        let node = line.split(' ').nth(1).unwrap_or_default();
        assert!(ORDINARY.contains(&node), "{line}");
    }
    assert!(opened.contains("read /dev/null\n") && opened.contains("write /dev/null\n"));
    assert!(opened.contains("read /dev/urandom\n"));
}

/// The user's kernel keys, for one session and for all sessions.
async fn keys() {
    let Some((client, home)) = with_python() else {
        return;
    };
    let script = home.join("project/keys.py");
    fs::write(&script, KEYS).unwrap();
    let outside = |what: &str| {
        let mut command = std::process::Command::new("python3");
        let output = command.arg(&script).arg(what).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // A kernel or container may have no keys; then there is nothing to read.
    if outside("add") == "added\n" {
        assert_eq!(outside("find"), "found\n");
        let request = client.request("python3", &["keys.py", "find"]);
        assert_eq!(client.output_of(&request).await, "nothing\n");
        outside("remove");
    }
}

fn with_python() -> Option<(TestClient, PathBuf)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = std::env::split_paths(&path).any(|it| Path::new(&it).join("python3").exists());
    at_home("project", SandboxSettings::default()).filter(|_| has)
}

const KEYS: &str = "
import ctypes, os, sys
libc = ctypes.CDLL(None)
add_key, keyctl = (248, 250) if os.uname().machine == 'x86_64' else (217, 219)
# That of the session, the one that processes without a session use, and the user's.
SESSION, DEFAULT, USER, SEARCH, UNLINK = -3, -5, -4, 10, 9
find = lambda ring: libc.syscall(keyctl, SEARCH, ring, b'user', b'attache-canary', 0)
add = lambda ring: libc.syscall(add_key, b'user', b'attache-canary', b'x', 1, ring)
if sys.argv[1] == 'add':
    print('added' if add(DEFAULT) > 0 and add(SESSION) > 0 and add(USER) > 0 else 'refused')
elif sys.argv[1] == 'find':
    print('found' if find(SESSION) > 0 or find(USER) > 0 else 'nothing')
else:
    for ring in DEFAULT, SESSION, USER:
        libc.syscall(keyctl, UNLINK, find(ring), ring)
";
const LATER: [&str; 8] = [
    ".git-credentials",
    ".netrc",
    ".codex/auth.json",
    ".pypirc",
    ".ssh/id_new",
    ".config/op/x",
    ".config/rclone/rclone.conf",
    ".mysql_history",
];
const NO_RULES: &str = r#"{"rules":[]}"#;
const RULES: &str = r#"{"rules":[{"action":"deny","path":"conf/denied"}]}"#;
const ORDINARY: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];
