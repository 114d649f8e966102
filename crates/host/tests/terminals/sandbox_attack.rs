//! Attacks on paths that commands must not read or write: denied trees inside the roots, secrets in the home directory,
//! and paths that one command tries to open for the next. The oracle is a word in the files that must never appear in
//! any output.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use attache_host::Roots;
use attache_host::permissions::Policy;
use attache_host::sandbox::{SandboxPlaces, SandboxSettings, SandboxSupport};
use attache_host::terminals::{Sandbox, TerminalLimits, Terminals};
use attache_process::namespace_support;
use libtest_mimic::Trial;

use super::client::TestClient;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("sandbox_attack::no_spelling_reads_a_denied_tree", spellings),
        trial(
            "sandbox_attack::denied_trees_hold_without_a_sandbox",
            || denied(Sandbox::Off),
        ),
        trial("sandbox_attack::denied_trees_hold_in_the_sandbox", || {
            denied(Sandbox::roots_only())
        }),
        trial(
            "sandbox_attack::a_tree_moved_by_one_command_is_hidden_from_the_next",
            moved,
        ),
        trial("sandbox_attack::secrets_at_home_are_unreadable", secrets),
        trial(
            "sandbox_attack::secrets_inside_the_session_are_unreadable",
            secrets_inside,
        ),
        trial(
            "sandbox_attack::a_link_in_a_cache_opens_nothing",
            linked_cache,
        ),
        trial(
            "sandbox_attack::a_forged_worktree_opens_nothing",
            forged_worktree,
        ),
        trial(
            "sandbox_attack::a_refusal_names_the_path_and_the_setting",
            advice,
        ),
        trial("sandbox_attack::tools_work", tools),
    ]
}

/// Hundreds of spellings of the path of a denied file, each with many programs.
async fn spellings() {
    let Some(client) = denying(Sandbox::roots_only()) else {
        return;
    };
    let base = client.project().display().to_string();
    let mut paths = Vec::new();
    for file in ["secrets/key", "app/.env", "way/key", "file-way"] {
        for before in [
            "",
            "./",
            "app/../",
            "$PWD/",
            "\"$PWD\"/",
            "way/../",
            "/proc/self/cwd/",
            "/proc/$$/cwd/",
            "//$PWD//",
            "/proc/self/root$PWD/",
            "~+/",
            "/dev/fd/../cwd/",
        ] {
            paths.push(format!("{before}{file}"));
        }
        let quoted = file.replace('e', "'e'");
        let (head, tail) = file.split_at(3);
        paths.extend([
            quoted,
            format!("{head}\"\"{tail}"),
            format!("{head}''{tail}"),
            format!("{head}\\{tail}"),
            format!("$(printf %s {file})"),
            format!("`echo {file}`"),
            format!("{}*", &file[..file.len() - 1]),
            format!("{}?", &file[..file.len() - 1]),
            format!("[{}]{}", &file[..1], &file[1..]),
            format!("{{{file},}}"),
            format!("{base}/{file}"),
        ]);
    }
    let mut scripts = String::from("exec 2>/dev/null\n");
    let mut tried = 0;
    for path in &paths {
        for program in PROGRAMS {
            scripts.push_str(&program.replace("PATH", path));
            scripts.push('\n');
            tried += 1;
        }
    }
    fs::write(client.project().join("try.sh"), scripts + "echo end\n").unwrap();
    assert!(tried > 700, "{tried}");
    let said = client.output_of(&client.request("bash", &["try.sh"])).await;
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.ends_with("end\n"), "{said}");
}

async fn denied(sandbox: Sandbox) {
    let Some(client) = denying(sandbox) else {
        return;
    };
    let script = "exec 2>/dev/null
        grep -r canary .; find . -type f -exec cat {} +; tar cf - . | tr -d '\\0'
        echo x >secrets/key; rm -rf secrets app/.env; mv secrets other; chmod -R 777 .
        mkdir secrets/new; ln secrets/key hard; cp -r secrets copy; cat hard copy/key
        umount secrets; unshare -Urm sh -c 'umount -l secrets; cat secrets/key app/.env'
        cat /proc/$PPID/cwd/secrets/key /proc/$PPID/root$PWD/secrets/key
        for fd in /proc/self/fd/*; do cat $fd/secrets/key $fd/key; done
        cat open; echo end";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.ends_with("open\nend\n"), "{said}");
    for name in ["secrets/key", "app/.env"] {
        let text = fs::read_to_string(client.project().join(name)).unwrap();
        assert_eq!(text, format!("{CANARY}\n"));
    }
    // No command starts in it either.
    let inside = client.project().join("secrets");
    let request = client.request("ls", &[]).cwd(inside.to_str().unwrap());
    let refused = client.create(&request).await.unwrap_err().to_string();
    assert!(refused.contains("policy rule"), "{refused}");
}

async fn moved() {
    let Some(client) = denying(Sandbox::roots_only()) else {
        return;
    };
    assert!(client.roots.denied().paths().count() > 0);
    fs::create_dir(client.project().join("outer")).unwrap();
    // Moved by someone who may: the user, or an agent whose rules do not deny it.
    fs::rename(
        client.project().join("secrets"),
        client.project().join("outer/elsewhere"),
    )
    .unwrap();
    let script = "cat outer/elsewhere/key; ls outer";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.contains("elsewhere\n"), "{said}");
}

async fn secrets() {
    let Some((client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    let script = format!(
        "exec 2>/dev/null; cd {home}
        cat .aws/credentials .ssh/id_rsa .netrc; cat /proc/self/root{home}/.netrc
        grep -r canary {home}; cp -r {home} copy && cat copy/.netrc
        ln .netrc project/hard && cat project/hard; mv .netrc project/ && cat project/.netrc
        cat .ssh/config .ssh/id_rsa.pub notes",
        home = home.display()
    );
    let said = client
        .output_of(&client.request("sh", &["-c", &script]))
        .await;
    assert_eq!(said, "config\npublic\nnotes\n");
    // A secret that the user opens is readable.
    let read = home.join(".netrc");
    let mut settings = SandboxSettings::default();
    settings.read = vec![read.clone()];
    let mut client = client;
    client.terminals = terminals(&settings, &home);
    let said = client
        .output_of(&client.request("cat", &[read.to_str().unwrap()]))
        .await;
    assert_eq!(said, format!("{CANARY}\n"));
}

/// The user works in the home directory itself, where Landlock alone cannot exclude anything.
async fn secrets_inside() {
    let Some((client, _)) = at_home("", SandboxSettings::default()) else {
        return;
    };
    if let Err(reason) = namespace_support() {
        return skip(reason);
    }
    let script = "exec 2>/dev/null
        cat .aws/credentials .ssh/id_rsa .netrc; grep -r canary .; find . -type f -exec cat {} + | grep canary
        echo x >>.netrc; rm -f .netrc .ssh/id_rsa; echo new >project/made && cat project/made; cat .ssh/config notes";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert_eq!(said, "new\nconfig\nnotes\n");
}

/// A command replaces a cache by a link to another directory: the next command cannot write there.
async fn linked_cache() {
    let Some((client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    fs::create_dir_all(home.join(".cache/uv")).unwrap();
    fs::create_dir_all(home.join(".cache/go-build")).unwrap();
    let script = format!(
        "cd {}/.cache && rmdir uv go-build && ln -s ../../home uv && ln -s .. go-build && echo linked",
        home.display()
    );
    let said = client
        .output_of(&client.request("sh", &["-c", &script]))
        .await;
    assert_eq!(said, "linked\n");
    let script = format!(
        "exec 2>/dev/null; cd {}; (echo x >escaped) && echo escaped; (echo x >.bashrc) && echo shell; echo end",
        home.display()
    );
    let said = client
        .output_of(&client.request("sh", &["-c", &script]))
        .await;
    assert_eq!(said, "end\n");
}

async fn forged_worktree() {
    let Some((client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    fs::create_dir_all(home.join("other/objects")).unwrap();
    fs::create_dir_all(home.join("other/worktrees/x")).unwrap();
    for pointer in ["../other/worktrees/x", "../other", "/", ".."] {
        let git = home.join("project").join(".git");
        fs::write(&git, format!("gitdir: {pointer}\n")).unwrap();
        let script = format!(
            "exec 2>/dev/null; cd {}/other; (echo x >objects/x) && echo objects; (echo x >worktrees/x/y) && echo own; echo end",
            home.display()
        );
        let said = client
            .output_of(&client.request("sh", &["-c", &script]))
            .await;
        assert_eq!(said, "end\n", "{pointer}");
    }
    // A real worktree works.
    fs::remove_file(home.join("project").join(".git")).unwrap();
    let script = "set -e; export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
        git init -q -b main ../repo; cd ../repo; git commit -q --allow-empty -m one; git worktree add -q ../tree -b side";
    let made = std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(home.join("project"))
        .status();
    assert!(made.unwrap().success());
    let roots = Roots::open(&home.join("tree"), &[]).unwrap();
    let mut client = client;
    client.roots = roots;
    let script = "export GIT_CONFIG_GLOBAL=/dev/null; echo x >file && git add file && git -c user.name=x -c user.email=x@x commit -q -m two 2>&1 && git log --format=%s | head -1; (echo x >../repo/.git/config) 2>/dev/null && echo config";
    let said = client
        .output_of(&client.request("sh", &["-c", script]))
        .await;
    assert!(
        said.contains("two\n") && !said.contains("config\n"),
        "{said}"
    );
}

async fn advice() {
    let Some((client, home)) = at_home("project", SandboxSettings::default()) else {
        return;
    };
    let home = home.display().to_string();
    for (script, expected) in [
        (
            format!("echo x >{home}/new"),
            Some(("/new", "--no-sandbox")),
        ),
        (
            format!("echo x >>{home}/notes"),
            Some(("/notes", "attache config set sandbox.write '[\"")),
        ),
        (
            format!("cat {home}/.netrc"),
            Some((".netrc", "attache config set sandbox.read '[\"")),
        ),
        (
            "cat ../.ssh/id_rsa".to_owned(),
            Some(("id_rsa", "sandbox.read")),
        ),
        // The sandbox did not cause the refusal, or the cause is unknown.
        ("echo 'Permission denied'; false".to_owned(), None),
        (
            "mkdir no; chmod 0 no; echo \"cannot open 'no/file': Permission denied\"; false"
                .to_owned(),
            None,
        ),
        // In a pipeline, the exit code is that of another program.
        (
            format!("cat {home}/.netrc 2>&1 | cat"),
            Some((".netrc", "sandbox.read")),
        ),
        ("true".to_owned(), None),
    ] {
        let said = client
            .output_of(&client.request("sh", &["-c", &script]))
            .await;
        let note = said.lines().find(|line| line.starts_with("[attache: "));
        match expected {
            Some((_, setting)) => {
                let note = note.unwrap_or_else(|| panic!("{script}: {said}"));
                assert!(
                    note.contains(&home) && note.contains(setting),
                    "{script}: {note}"
                );
            }
            None => assert_eq!(note, None, "{script}"),
        }
    }
}

/// Typical actions of builds.
async fn tools() {
    let mut settings = SandboxSettings::default();
    settings.write = vec!["/dev/shm".into()];
    let Some((client, home)) = at_home("project", settings) else {
        return;
    };
    let script = "set -e
        t=$(mktemp); echo temporary >$t; cat $t; rm $t
        t=$(mktemp -d); rmdir $t
        t=$(mktemp /dev/shm/attache-XXXXXX); rm $t
        mkdir -p ~/.cache/go-build/00 && echo x >~/.cache/go-build/00/x && echo cache
        script -qec 'echo pty' /dev/null </dev/null | tr -d '\\r'
        git init -q . && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x && echo git
        echo x | tee /dev/null >/dev/stdout | cat >/dev/null; (sleep 0 & wait); echo end";
    let script = script.replace('~', home.to_str().unwrap());
    let said = client
        .output_of(&client.request("bash", &["-c", &script]))
        .await;
    assert_eq!(said, "temporary\ncache\npty\ngit\nend\n");
    for (program, args) in [
        (
            "python3",
            [
                "-c",
                "import multiprocessing as m; q = m.Queue(); q.put(1); print(q.get())",
            ],
        ),
        ("node", ["-e", "console.log(1)"]),
        ("npm", ["--version", "--silent"]),
    ] {
        if which(program) {
            let id = client
                .create(&client.request(program, &args))
                .await
                .unwrap();
            let exit = client.wait(&id).await;
            assert_eq!(exit.exit_code, Some(0), "{program}: {}", client.text(&id));
        }
    }
}

/// A project in which a policy denies a tree, a name and a pattern.
fn denying(sandbox: Sandbox) -> Option<TestClient> {
    if let Err(reason) = namespace_support() {
        skip(reason);
        return None;
    }
    let mut client = TestClient::with(TerminalLimits::default(), with_landlock(sandbox));
    let project = client.project();
    for name in ["secrets", "app"] {
        fs::create_dir(project.join(name)).unwrap();
    }
    for name in ["secrets/key", "app/.env"] {
        fs::write(project.join(name), format!("{CANARY}\n")).unwrap();
    }
    fs::write(project.join("open"), "open\n").unwrap();
    symlink("secrets", project.join("way")).unwrap();
    symlink("secrets/key", project.join("file-way")).unwrap();
    let rules =
        r#"{"rules":[{"action":"deny","path":"secrets/**"},{"action":"deny","path":".env"}]}"#;
    let rules = Policy::parse("test", rules)
        .unwrap()
        .deny_path_rules("agent");
    client.roots = client.roots.clone().deny(rules);
    Some(client)
}

fn with_landlock(sandbox: Sandbox) -> Sandbox {
    match Sandbox::support() {
        SandboxSupport::Missing { .. } => Sandbox::Off,
        SandboxSupport::Full | SandboxSupport::Partial { .. } => sandbox,
    }
}

/// A session in a directory of a home directory with secrets, in the usual sandbox.
pub(super) fn at_home(
    project: &str,
    settings: SandboxSettings,
) -> Option<(TestClient, std::path::PathBuf)> {
    if let SandboxSupport::Missing { reason } = Sandbox::support() {
        skip(reason);
        return None;
    }
    let mut client = TestClient::with(TerminalLimits::default(), Sandbox::Off);
    let home = client.folder.canonicalize().unwrap().join("home");
    for name in [".aws", ".ssh", ".cache", "project"] {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    for name in [".aws/credentials", ".ssh/id_rsa", ".netrc"] {
        fs::write(home.join(name), format!("{CANARY}\n")).unwrap();
    }
    fs::write(home.join(".ssh/config"), "config\n").unwrap();
    fs::write(home.join(".ssh/id_rsa.pub"), "public\n").unwrap();
    fs::write(home.join("notes"), "notes\n").unwrap();
    let roots = Roots::open(&home.join(project), &[]).unwrap();
    client.terminals = terminals(&settings, &home);
    client.roots = roots;
    Some((client, home))
}

pub(super) fn terminals(settings: &SandboxSettings, home: &Path) -> Terminals {
    let places = SandboxPlaces::for_home(settings, &[], home);
    Terminals::new(TerminalLimits::default(), Sandbox::On(Arc::new(places)))
}

fn which(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).exists())
}

#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
pub(super) fn skip(reason: impl std::fmt::Display) {
    eprintln!("skipped: {reason}");
}

pub(super) const CANARY: &str = "canary-b3d9";
const PROGRAMS: [&str; 16] = [
    "cat PATH",
    "head -n1 <PATH",
    "read -r line <PATH && echo \"$line\"",
    "echo \"$(<PATH)\"",
    "cp PATH copied && cat copied; rm -f copied",
    "ln PATH linked && cat linked; rm -f linked",
    "ln -s PATH soft && cat soft; rm -f soft",
    "grep -r . PATH",
    "find PATH -exec cat {} \\;",
    "tar cf - PATH | tr -d '\\0'",
    "dd if=PATH",
    "sed -n p PATH",
    "awk 1 PATH",
    "bash -c 'cat \"$1\"' x PATH",
    "xargs cat <<<PATH",
    "mapfile -t a <PATH; echo \"${a[@]}\"",
];
