//! Verdicts on execs. The attack tests in `tests/terminals/exec_attacks.rs` run real programs.

mod attack_renamed_files;
mod files;
mod rules;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use attache_process::{
    Exec, ExecFile, ExecInterpreter, ExecProcess, ExecVerdict, FileLookup, FileOrigin, FileVersion,
};
use expect_test::{Expect, expect};

use super::{ExecRules, WatchMode, judge};
use crate::permissions::{PermissionConfig, Permissions, Policy, Preset};

fn rules(preset: Preset, policy: &str) -> ExecRules {
    let mut config = PermissionConfig::new(preset);
    config.policy = Some(Policy::parse("policy.json", policy).unwrap());
    Permissions::open(config).0.exec_rules("agent")
}

fn file(path: &str) -> ExecFile {
    ExecFile {
        path: path.into(),
        id: (1, u64::try_from(path.len()).unwrap()),
        gains_rights: false,
        changed: (0, 0),
        is_directory: false,
        has_links: false,
        version: FileVersion::default(),
        origin: FileOrigin::Shared,
    }
}

/// An exec of a path with these arguments; a path may be followed by `=>` and where links lead.
fn exec(path: &str, args: &[&str]) -> Exec {
    let (given, real) = path.split_once("=>").unwrap_or((path, path));
    Exec {
        given: given.into(),
        file: Some(file(real)),
        args: Some(args.iter().map(OsString::from).collect()),
        cwd: Some("/project".into()),
        ..Exec::default()
    }
}

/// A process that sees files below /usr, and sets these variables.
#[derive(Default)]
struct FakeProcess {
    variables: Vec<OsString>,
}

impl ExecProcess for FakeProcess {
    fn find(&self, path: &OsStr) -> FileLookup {
        let path = Path::new(path);
        match path.starts_with("/usr") {
            true => FileLookup::Found(file(path.to_str().unwrap())),
            false if path.starts_with("/closed") => FileLookup::Unknown,
            false => FileLookup::Missing,
        }
    }

    fn search_path(&self) -> Option<OsString> {
        Some("/usr/bin:/bin".into())
    }

    fn variables(&self) -> Option<Vec<OsString>> {
        Some(self.variables.clone())
    }
}

/// Programs on the `PATH` of an approved command.
struct ProgramDirectory(tempfile::TempDir);

impl ProgramDirectory {
    fn new() -> ProgramDirectory {
        let bin = ProgramDirectory(tempfile::tempdir().unwrap());
        for program in ["git", "curl", "rm", "docker"] {
            let path = bin.0.path().join(program);
            std::fs::write(&path, program).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(path, mode).unwrap();
        }
        bin
    }

    fn path(&self) -> &OsStr {
        self.0.path().as_os_str()
    }

    /// An exec of one of them.
    fn exec(&self, words: &[&str]) -> Exec {
        let path = self.0.path().join(words[0]);
        let meta = std::fs::metadata(&path).unwrap();
        let mut exec = exec(path.to_str().unwrap(), words);
        if let Some(file) = &mut exec.file {
            use std::os::unix::fs::MetadataExt;
            file.id = (meta.dev(), meta.ino());
        }
        exec
    }
}

fn verdict_on(rules: &ExecRules, exec: &Exec) -> String {
    let mut judge = judge(&rules.watch().rules).unwrap();
    match judge.judge(exec, &FakeProcess::default()) {
        ExecVerdict::Continue => "runs".to_owned(),
        ExecVerdict::Deny { why } => format!("denied: {why}"),
        ExecVerdict::Ask { why } => format!("asks: {why}"),
    }
}

/// Checks the verdict on each line, which is a path and the words of a command.
fn check(policy: &str, lines: &[&str], expected: &Expect) {
    let rules = rules(Preset::Ask, policy);
    let verdicts = lines.iter().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let verdict = verdict_on(&rules, &exec(words[0], &words[1..]));
        format!("{line}: {verdict}\n")
    });
    expected.assert_eq(&verdicts.collect::<String>());
}

const PUSH: &str = r#"{"rules": [{"action": "deny", "command": "git push **", "id": "push"}]}"#;
const CURL: &str = r#"{"rules": [{"action": "deny", "command": "curl", "id": "curl"}]}"#;

#[test]
fn attack_global_options_do_not_hide_a_subcommand() {
    let mut lines: Vec<Vec<String>> = vec![Vec::new()];
    let options: &[&[&str]] = &[
        &["-C", "dir"],
        &["-c", "a=b"],
        &["-P"],
        &["-p"],
        &["--no-pager"],
        &["--bare"],
        &["--git-dir", "x"],
        &["--git-dir=x"],
        &["--work-tree", "y"],
        &["--exec-path=/x"],
        &["--namespace", "n"],
        &["--config-env", "a=B"],
        &["--config-env=a=B"],
        &["--no-advice"],
        &["-Cdir"],
        &["--invented"],
        &["--invented", "value"],
    ];
    for first in options {
        for second in options {
            lines.push(
                first
                    .iter()
                    .chain(*second)
                    .map(|word| (*word).to_owned())
                    .collect(),
            );
        }
    }
    let rules = rules(Preset::Ask, PUSH);
    for line in &lines {
        let mut words = vec!["git"];
        words.extend(line.iter().map(String::as_str));
        words.extend(["push", "origin"]);
        let verdict = verdict_on(&rules, &exec("/usr/bin/git", &words));
        assert_eq!(verdict, "denied: policy rule `push`", "{words:?}");
        let at = words.len() - 2;
        words[at] = "log";
        words[at + 1] = "push";
        if !line.iter().any(|word| word == "--invented") {
            let verdict = verdict_on(&rules, &exec("/usr/bin/git", &words));
            assert_eq!(verdict, "runs", "{words:?}");
        }
    }
}

#[test]
fn a_program_is_known_under_its_names() {
    check(
        CURL,
        &[
            "/usr/bin/curl curl -V",
            "./curl curl",
            "/tmp/x=>/usr/bin/curl x -V",
            "/usr/bin/env env curl",
            "/bin/busybox busybox curl -V",
            "/tmp/wget=>/bin/busybox curl",
            "/bin/busybox busybox echo curl",
            "/usr/bin/coreutils coreutils --coreutils-prog=curl",
            "/lib64/ld-linux-x86-64.so.2 ld.so /usr/bin/curl -V",
            "/lib64/ld-linux-x86-64.so.2 ld.so --library-path /x --argv0 y /usr/bin/curl",
            "/lib64/ld-linux-x86-64.so.2 ld.so --argv0 curl /usr/bin/other",
            "/lib64/ld-linux-x86-64.so.2 ld.so --list /usr/bin/curl",
            "/lib64/ld-linux-x86-64.so.2 ld.so /usr/bin/env curl",
            "/usr/bin/python3 python3 -W ignore /usr/bin/curl -V",
            "/usr/bin/sh sh -c curl",
            "/usr/bin/echo echo curl",
            "/usr/bin/curl-config curl-config",
        ],
        &expect![[r#"
            /usr/bin/curl curl -V: denied: policy rule `curl`
            ./curl curl: denied: policy rule `curl`
            /tmp/x=>/usr/bin/curl x -V: denied: policy rule `curl`
            /usr/bin/env env curl: runs
            /bin/busybox busybox curl -V: denied: policy rule `curl`
            /tmp/wget=>/bin/busybox curl: denied: policy rule `curl`
            /bin/busybox busybox echo curl: runs
            /usr/bin/coreutils coreutils --coreutils-prog=curl: denied: policy rule `curl`
            /lib64/ld-linux-x86-64.so.2 ld.so /usr/bin/curl -V: denied: policy rule `curl`
            /lib64/ld-linux-x86-64.so.2 ld.so --library-path /x --argv0 y /usr/bin/curl: denied: policy rule `curl`
            /lib64/ld-linux-x86-64.so.2 ld.so --argv0 curl /usr/bin/other: denied: policy rule `curl`
            /lib64/ld-linux-x86-64.so.2 ld.so --list /usr/bin/curl: runs
            /lib64/ld-linux-x86-64.so.2 ld.so /usr/bin/env curl: runs
            /usr/bin/python3 python3 -W ignore /usr/bin/curl -V: denied: policy rule `curl`
            /usr/bin/sh sh -c curl: runs
            /usr/bin/echo echo curl: runs
            /usr/bin/curl-config curl-config: runs
        "#]],
    );
}

#[test]
fn words_of_a_pattern_count_in_their_order() {
    check(
        r#"{"rules": [
            {"action": "deny", "command": "rm -rf **", "id": "rm"},
            {"action": "deny", "command": "docker compose down **", "id": "down"},
            {"action": "ask", "command": "npm publish **", "id": "publish"},
            {"action": "deny", "command": "npm test", "id": "exactly"},
            {"action": "deny", "command": "cargo publish **", "id": "crate"}
        ]}"#,
        &[
            "/bin/rm rm -rf x",
            "/bin/rm rm -f -r x",
            "/bin/rm rm x -fr",
            "/bin/rm rm -r x",
            "/bin/rm rm --recursive rf",
            "/usr/bin/docker docker --context x compose -f y down",
            "/usr/bin/docker docker compose up",
            "/usr/bin/npm npm --prefix x publish",
            "/usr/bin/npm npm run publish",
            "/usr/bin/npm npm test",
            "/usr/bin/npm npm test --watch",
            "/usr/bin/cargo cargo +nightly --config x publish",
            "/usr/bin/cargo cargo build publish",
        ],
        &expect![[r#"
            /bin/rm rm -rf x: denied: policy rule `rm`
            /bin/rm rm -f -r x: denied: policy rule `rm`
            /bin/rm rm x -fr: denied: policy rule `rm`
            /bin/rm rm -r x: runs
            /bin/rm rm --recursive rf: runs
            /usr/bin/docker docker --context x compose -f y down: denied: policy rule `down`
            /usr/bin/docker docker compose up: asks: `docker` can have a program outside run commands, where no rule that denies commands applies
            /usr/bin/npm npm --prefix x publish: asks: policy rule `publish`
            /usr/bin/npm npm run publish: runs
            /usr/bin/npm npm test: denied: policy rule `exactly`
            /usr/bin/npm npm test --watch: runs
            /usr/bin/cargo cargo +nightly --config x publish: denied: policy rule `crate`
            /usr/bin/cargo cargo build publish: runs
        "#]],
    );
}

#[test]
fn dashed_git_commands_are_git() {
    check(
        PUSH,
        &[
            "/usr/lib/git-core/git-push git-push origin",
            "/usr/lib/git-core/git git push",
            "/usr/bin/git git-push",
            "/usr/lib/git-core/git-remote-https git-remote-https push",
            // A part of git on its own takes no subcommand; under the name `git` it does.
            "/usr/lib/git-core/git-upload-pack=>/usr/bin/git git-upload-pack repository",
            "/usr/lib/git-core/git-upload-pack=>/usr/bin/git git repository",
        ],
        &expect![[r#"
            /usr/lib/git-core/git-push git-push origin: denied: policy rule `push`
            /usr/lib/git-core/git git push: denied: policy rule `push`
            /usr/bin/git git-push: denied: policy rule `push`
            /usr/lib/git-core/git-remote-https git-remote-https push: runs
            /usr/lib/git-core/git-upload-pack=>/usr/bin/git git-upload-pack repository: runs
            /usr/lib/git-core/git-upload-pack=>/usr/bin/git git repository: asks: policy rule `push`; its subcommand is not built in and may be an alias; a rule that allows this command decides it
        "#]],
    );
}

#[test]
fn a_script_is_judged_with_its_interpreter() {
    let rules = rules(Preset::Ask, CURL);
    let mut script = exec("/project/x", &["./x", "-V"]);
    script.interpreters.push(ExecInterpreter {
        words: vec!["/usr/bin/curl".into(), "-K".into()],
        file: Some(file("/usr/bin/curl")),
    });
    assert_eq!(verdict_on(&rules, &script), "denied: policy rule `curl`");
    script.interpreters[0].words[0] = "/bin/busybox".into();
    script.interpreters[0].words[1] = "curl".into();
    script.interpreters[0].file = Some(file("/bin/busybox"));
    assert_eq!(verdict_on(&rules, &script), "denied: policy rule `curl`");
    script.interpreters[0].words[1] = "sh".into();
    assert_eq!(verdict_on(&rules, &script), "runs");
}

#[test]
fn unreadable_arguments_are_asked_about_or_denied() {
    let mut hidden = exec("/usr/bin/x", &[]);
    hidden.args = None;
    let asked = verdict_on(&rules(Preset::Ask, CURL), &hidden);
    assert_eq!(
        asked,
        "asks: the program's arguments cannot be read, so no rule can be checked"
    );
    let denied = verdict_on(&rules(Preset::ApproveAll, CURL), &hidden);
    assert!(denied.starts_with("denied: "), "{denied}");
    let mut long = exec("/usr/bin/git", &["git", "--a", "--b"]);
    long.more = 1;
    let asked = verdict_on(&rules(Preset::Ask, PUSH), &long);
    assert_eq!(
        asked,
        "asks: policy rule `push`; it has more arguments than can be checked"
    );
    long.given = "/usr/bin/other".into();
    long.file = Some(file("/usr/bin/other"));
    long.args = Some(vec!["other".into()]);
    assert_eq!(verdict_on(&rules(Preset::Ask, PUSH), &long), "runs");
}

#[test]
fn an_approved_command_is_not_asked_about_twice() {
    let ask = r#"{"rules": [{"action": "ask", "command": "git push **", "id": "push"}]}"#;
    let bin = ProgramDirectory::new();
    let words = ["git", "push", "origin"].map(str::to_owned).to_vec();
    // A link of another name was not shown to be what the rule is about.
    let linked = ["./link", "push"].map(str::to_owned).to_vec();
    let hidden =
        rules(Preset::Ask, ask).with_approved_command(linked, "/project".into(), bin.path());
    let link = exec("./link=>/usr/bin/git", &["./link", "push"]);
    assert_eq!(verdict_on(&hidden, &link), "asks: policy rule `push`");
    let rules =
        rules(Preset::Ask, ask).with_approved_command(words.clone(), "/project".into(), bin.path());
    let mut judge = judge(&rules.watch().rules).unwrap();
    let push = bin.exec(&["git", "push", "origin"]);
    let mut judge_exec = |exec: &Exec| judge.judge(exec, &FakeProcess::default());
    let why = "policy rule `push`".to_owned();
    let elsewhere = Exec {
        cwd: Some("/other".into()),
        ..push.clone()
    };
    assert_eq!(
        judge_exec(&elsewhere),
        ExecVerdict::Ask { why: why.clone() }
    );
    let other = bin.exec(&["git", "push", "origin", "--force"]);
    assert_eq!(judge_exec(&other), ExecVerdict::Ask { why: why.clone() });
    assert_eq!(judge_exec(&push), ExecVerdict::Continue);
    assert_eq!(judge_exec(&push), ExecVerdict::Ask { why });
    // A rule that denies is not overruled.
    let rules =
        self::rules(Preset::Ask, PUSH).with_approved_command(words, "/project".into(), bin.path());
    assert_eq!(verdict_on(&rules, &push), "denied: policy rule `push`");
}

#[test]
fn attack_an_approval_is_for_one_program_and_the_variables_that_were_shown() {
    let ask = r#"{"rules": [{"action": "ask", "command": "git push **", "id": "push"}]}"#;
    let bin = ProgramDirectory::new();
    let push = bin.exec(&["git", "push"]);
    let check = |line: &str, exec: &Exec, variables: &[&str]| {
        let words = ["/bin/sh", "-c", line].map(str::to_owned).to_vec();
        let rules =
            rules(Preset::Ask, ask).with_approved_command(words, "/project".into(), bin.path());
        let mut judge = judge(&rules.watch().rules).unwrap();
        let variables = variables.iter().map(OsString::from).collect();
        judge.judge(exec, &FakeProcess { variables }) == ExecVerdict::Continue
    };
    assert!(check("git push; true", &push, &[]));
    // What shells keep, and what an agent may set without asking.
    let usual = [
        "PWD=/project",
        "SHLVL=2",
        "_=/bin/git",
        "NO_COLOR=1",
        "PAGER=cat",
    ];
    assert!(check("git push; true", &push, &usual));
    assert!(check("A=b git push; true", &push, &["A=b"]));
    for variable in [
        "LD_PRELOAD=/tmp/x.so",
        "GIT_SSH_COMMAND=sh -c id",
        "PATH=/evil:/usr/bin",
        "PAGER=sh",
        "NAME",
    ] {
        assert!(!check("git push; true", &push, &[variable]), "{variable}");
    }
    assert!(!check("A=b git push; true", &push, &["A=c"]));
    assert!(!check("A=$x git push; true", &push, &["A=b"]));
    // Another file by the same name.
    let other = exec("/evil/git", &["git", "push"]);
    assert!(!check("git push; true", &other, &[]));
    let curl = Exec {
        file: bin.exec(&["curl"]).file,
        ..push.clone()
    };
    assert!(!check("git push; true", &curl, &[]));
    let gone = Exec { file: None, ..push };
    assert!(!check("git push; true", &gone, &[]));
}

#[test]
fn attack_uninspected_programs_are_asked_about_or_denied() {
    let mut hidden = exec("/project/x", &["x"]);
    hidden.unseen = Some("its file cannot be read");
    let asked = verdict_on(&rules(Preset::Ask, CURL), &hidden);
    assert!(
        asked.starts_with("asks: its file cannot be read"),
        "{asked}"
    );
    let denied = verdict_on(&rules(Preset::ApproveAll, CURL), &hidden);
    assert!(denied.starts_with("denied: "), "{denied}");
    // The program of a loader, an interpreter or a program of many names lies behind what was read.
    for (words, is_hidden) in [
        (
            &["/lib64/ld-linux-x86-64.so.2", "--inhibit-rpath", ""][..],
            true,
        ),
        (&["/usr/bin/python3", "-X", "a"], true),
        (&["/bin/busybox"], true),
        (&["/usr/bin/python3", "-c", "x"], false),
        (&["/usr/bin/sh", "/usr/bin/script", "x"], false),
        (&["/usr/bin/echo", "x"], false),
    ] {
        let mut long = exec(words[0], words);
        long.more = 1;
        let asked = verdict_on(&rules(Preset::Ask, CURL), &long);
        assert_eq!(asked.starts_with("asks: "), is_hidden, "{words:?}: {asked}");
    }
    let nested = vec!["/lib64/ld-linux-x86-64.so.2"; 40];
    let asked = verdict_on(&rules(Preset::Ask, CURL), &exec(nested[0], &nested));
    assert!(asked.starts_with("asks: "), "{asked}");
}

#[test]
fn clients_of_daemons_are_asked_about_while_something_is_denied() {
    let lines = [
        "/usr/bin/systemd-run systemd-run --user curl",
        "/usr/bin/at at now",
        "/usr/bin/at at -l",
        "/usr/bin/crontab crontab -l",
        "/usr/bin/crontab crontab -",
        "/usr/bin/docker docker --context x run alpine",
        "/usr/bin/docker docker ps",
        "/usr/bin/tmux tmux new -d curl",
        "/usr/bin/systemctl systemctl --user start x",
        "/usr/bin/systemctl systemctl status x",
        "/usr/bin/ssh ssh me@localhost curl",
        "/usr/bin/ssh ssh git@example.org git-upload-pack",
    ];
    check(
        CURL,
        &lines,
        &expect![[r#"
        /usr/bin/systemd-run systemd-run --user curl: asks: `systemd-run` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/at at now: asks: `at` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/at at -l: runs
        /usr/bin/crontab crontab -l: runs
        /usr/bin/crontab crontab -: asks: `crontab` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/docker docker --context x run alpine: asks: `docker` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/docker docker ps: runs
        /usr/bin/tmux tmux new -d curl: asks: `tmux` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/systemctl systemctl --user start x: asks: `systemctl` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/systemctl systemctl status x: runs
        /usr/bin/ssh ssh me@localhost curl: asks: `ssh` can have a program outside run commands, where no rule that denies commands applies
        /usr/bin/ssh ssh git@example.org git-upload-pack: runs
    "#]],
    );
    let allowed = r#"{"rules": [{"action": "deny", "command": "curl"}, {"action": "allow", "command": "docker run **"}]}"#;
    let docker = exec("/usr/bin/docker", &["docker", "run", "x"]);
    assert_eq!(verdict_on(&rules(Preset::Ask, allowed), &docker), "runs");
    let asks = r#"{"rules": [{"action": "ask", "command": "curl"}]}"#;
    assert_eq!(verdict_on(&rules(Preset::Ask, asks), &docker), "runs");
}

#[test]
fn only_rules_about_commands_of_this_agent_apply() {
    let policy = r#"{"rules": [
        {"action": "deny", "command": "a", "agent": "other"},
        {"action": "deny", "command": "b", "tool": "Bash"},
        {"action": "deny", "command": "d", "kind": "read"},
        {"action": "deny", "kind": "execute"},
        {"action": "allow", "command": "e"}
    ]}"#;
    let some = rules(Preset::Ask, policy);
    assert!(!some.is_enforcing());
    assert_eq!(some.clone().for_mode(WatchMode::Rules), None);
    assert_eq!(some.clone().for_mode(WatchMode::Off), None);
    let logged = some.for_mode(WatchMode::Always).unwrap();
    assert_eq!(verdict_on(&logged, &exec("/usr/bin/a", &["a"])), "runs");
    let policy =
        r#"{"rules": [{"action": "deny", "command": "a", "kind": "execute", "agent": "agent"}]}"#;
    assert!(rules(Preset::Ask, policy).is_enforcing());
}
