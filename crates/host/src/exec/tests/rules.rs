//! Rules before a command runs and when it is executed: both say the same, what was approved is not asked about again,
//! and paths count.

use attache_schema::v1;

use super::*;
use crate::permissions::{Action, Enforcement, Verdict};

/// Checks the verdicts on execs, in order, after a line was approved in `/project`. Each exec is a directory and words.
fn check_line(line: &str, execs: &[&str], expected: &Expect) {
    let ask = r#"{"rules": [{"action": "ask", "command": ["git push **", "curl"], "id": "ask"},
        {"action": "deny", "command": "rm **", "id": "deny"}]}"#;
    let words = ["/bin/sh", "-c", line].map(str::to_owned).to_vec();
    let bin = ProgramDirectory::new();
    let rules = rules(Preset::Ask, ask).with_approved_command(words, "/project".into(), bin.path());
    let mut judge = judge(&rules.watch().rules).unwrap();
    let verdicts = execs.iter().map(|line| {
        let (cwd, line) = line.split_once(": ").unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let mut exec = bin.exec(&words);
        exec.cwd = Some(cwd.into());
        let verdict = match judge.judge(&exec, &FakeProcess::default()) {
            ExecVerdict::Continue => "runs",
            ExecVerdict::Deny { .. } => "denied",
            ExecVerdict::Ask { .. } => "asks",
        };
        format!("{cwd}: {line}: {verdict}\n")
    });
    expected.assert_eq(&verdicts.collect::<String>());
}

#[test]
fn each_known_part_of_an_approved_line_runs_once() {
    check_line(
        "git push a && git push a; cd sub && git push b; curl $x; x=1 curl y; rm z",
        &[
            "/project: git push a",
            "/project: git push a",
            "/project: git push a",
            "/other: git push b",
            "/project/sub: git push b --force",
            "/project/sub: git push b",
            "/project/sub: git push b",
            "/project/sub: curl x",
            "/project/sub: curl y",
            "/project/sub: rm z",
        ],
        &expect![[r#"
            /project: git push a: runs
            /project: git push a: runs
            /project: git push a: asks
            /other: git push b: asks
            /project/sub: git push b --force: asks
            /project/sub: git push b: runs
            /project/sub: git push b: asks
            /project/sub: curl x: asks
            /project/sub: curl y: runs
            /project/sub: rm z: denied
        "#]],
    );
    // Options that change the directory are not followed.
    check_line(
        "env -C /etc git push a; timeout 5 git push b; cd $x && git push c",
        &[
            "/etc: git push a",
            "/project: git push b",
            "/somewhere: git push c",
        ],
        &expect![[r#"
            /etc: git push a: asks
            /project: git push b: runs
            /somewhere: git push c: asks
        "#]],
    );
}

#[test]
fn a_rule_with_a_path_looks_at_the_directory_and_the_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("keys/deep")).unwrap();
    std::fs::create_dir(base.join("src")).unwrap();
    std::os::unix::fs::symlink("keys", base.join("link")).unwrap();
    let policy = r#"{"rules": [
        {"action": "deny", "command": ["cat **", "git add **"], "path": ["keys", "*.pem", "~/.aws"], "id": "keys"},
        {"action": "ask", "command": "cat", "path": "/etc", "id": "etc"}]}"#;
    let rules = rules(Preset::Ask, policy).started_in(&base);
    assert!(rules.is_enforcing() && !rules.is_complete());
    let home = std::env::home_dir().unwrap();
    let home = home.join(".aws/credentials");
    let home = home.to_str().unwrap();
    let denied = "denied: policy rule `keys`";
    for (cwd, words, expected) in [
        ("", &["cat", "keys/a"][..], denied),
        ("", &["cat", "-n", "./src/../keys/a"], denied),
        ("", &["cat", "KEYS/a"], denied),
        ("", &["cat", "link/a"], denied),
        ("", &["cat", "src/x.pem"], denied),
        ("", &["cat", home], denied),
        ("src", &["cat", "../keys/a"], denied),
        ("keys/deep", &["cat", "a"], denied),
        ("keys", &["cat"], denied),
        ("", &["git", "-C", "src", "add", "--file=keys/a"], denied),
        ("", &["cat", "src/a"], "runs"),
        ("src", &["cat", "a", "-"], "runs"),
        ("", &["ls", "keys"], "runs"),
        ("", &["git", "log", "keys"], "runs"),
        ("", &["cat", "/etc/passwd"], "asks: policy rule `etc`"),
    ] {
        let mut exec = exec(&format!("/usr/bin/{}", words[0]), words);
        exec.cwd = Some(base.join(cwd).components().collect());
        assert_eq!(verdict_on(&rules, &exec), expected, "{cwd} {words:?}");
    }
    let many: Vec<String> = (0..400).map(|at| format!("f{at}")).collect();
    let mut words = vec!["cat"];
    words.extend(many.iter().map(String::as_str));
    let mut exec = exec("/usr/bin/cat", &words);
    exec.cwd = Some(base);
    assert_eq!(
        verdict_on(&rules, &exec),
        "asks: policy rule `keys`; it has more arguments than can be checked"
    );
}

#[test]
fn attack_no_spelling_of_an_argument_hides_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("secrets")).unwrap();
    std::fs::write(base.join("secrets/key"), "").unwrap();
    std::fs::write(base.join("ok.txt"), "").unwrap();
    let policy =
        r#"{"rules": [{"action": "deny", "command": "curl", "path": "./secrets", "id": "no"}]}"#;
    let rules = rules(Preset::Ask, policy).started_in(&base);
    let verdict = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut exec = exec("/usr/bin/curl", &words);
        exec.cwd = Some(base.clone());
        verdict_on(&rules, &exec)
    };
    let line = |line: &str| -> Vec<String> {
        let line = line.replace("$PWD", base.to_str().unwrap());
        line.split(' ').map(str::to_owned).collect()
    };
    for paths in [
        "secrets/key",
        "./secrets/key",
        "x/../secrets/key",
        "$PWD/secrets/key",
        "%73ecrets/key",
        "{secrets/key}",
        "{x,secrets/key}",
        "secret{s,}/key",
        "secret[s-s]/key",
        "secret?/key",
        "s*/key",
    ] {
        for around in [
            "P",
            "-TP",
            "-T P",
            "@P",
            "-d @P",
            "-d@P",
            "--data-binary=@P",
            "x=@P",
            "x=<P",
            "n@P",
            "-F x=@a,P",
            "x=@\"P\";type=a",
            "--upload-file=P",
            "P:password",
        ] {
            let words = line(&format!("curl {} u", around.replace('P', paths)));
            assert_eq!(verdict(&words), "denied: policy rule `no`", "{words:?}");
        }
    }
    for address in [
        "file://$PWD/secrets/key",
        "file://localhost$PWD/secrets/key",
        "FILE://LOCALHOST$PWD/secrets/key",
        "file:$PWD/secrets/key",
        "file://$PWD/%73ecrets/key",
        "file://localhost$PWD/%73%65crets/key",
        "--url=file://localhost$PWD/%73ecrets/key",
        "file://$PWD/{secrets,x}/key",
        "file://$PWD/secret[s-s]/key",
        "file://$PWD/x/../secrets/key?x#y",
    ] {
        let words = line(&format!("curl {address}"));
        assert_eq!(verdict(&words), "denied: policy rule `no`", "{words:?}");
    }
    for harmless in [
        "curl -T ok.txt https://secret.example/%20?a={b}",
        "curl -d @ok.txt user@host:/x",
        "curl -H 'a:b[1]' https://[::1]/x",
        "curl file://localhost$PWD/ok.txt",
        "curl -o /dev/null https://x/[1-3].{png,jpg}",
    ] {
        assert_eq!(verdict(&line(harmless)), "runs", "{harmless}");
    }
}

#[test]
fn attack_a_separate_program_of_git_is_an_alias_if_git_cannot_find_it() {
    let rules = rules(Preset::Ask, PUSH);
    let verdict = |line: &str, variable: Option<&str>| {
        let words: Vec<&str> = line.split(' ').collect();
        let process = FakeProcess {
            variables: variable.into_iter().map(OsString::from).collect(),
        };
        let mut judge = judge(&rules.watch().rules).unwrap();
        matches!(
            judge.judge(&exec("/usr/bin/git", &words), &process),
            ExecVerdict::Continue
        )
    };
    for name in [
        "submodule",
        "sh-i18n--envsubst",
        "web--browse",
        "mergetool--lib",
    ] {
        let line = format!("git {name} update");
        assert!(verdict(&line, None), "{line}");
        assert!(
            verdict(&line, Some("GIT_EXEC_PATH=/usr/lib/git-core")),
            "{line}"
        );
        assert!(!verdict(&line, Some("GIT_EXEC_PATH=/tmp")), "{line}");
        assert!(
            !verdict(&format!("git --exec-path=/tmp {name}"), None),
            "{line}"
        );
        assert!(!verdict(
            &format!("git --exec-path=/tmp -c alias.{name}=push {name}"),
            None
        ));
    }
    assert!(verdict("git status", Some("GIT_EXEC_PATH=/tmp")));
    assert!(verdict("git --exec-path=/tmp status", None));
    assert!(!verdict("git svn fetch", None));
}

const RENAMED: &str = r#"{"default": "allow", "rules": [
    {"action": "deny", "command": ["git push **", "cargo publish **", "cargo test **"], "id": "no"},
    {"action": "deny", "command": ["npm install **", "npm publish **", "docker run **"], "id": "no"},
    {"action": "allow", "command": "git lfs **"}]}"#;

#[test]
fn attack_other_names_of_a_subcommand() {
    let denied = "denied: policy rule `no`";
    let alias = "asks: policy rule `no`; its subcommand is not built in and may be an alias; a rule that allows this \
        command decides it";
    let permissions = {
        let mut config = PermissionConfig::new(Preset::Ask);
        config.policy = Some(Policy::parse("policy.json", RENAMED).unwrap());
        Permissions::open(config).0
    };
    permissions.enforce(Enforcement {
        commands: true,
        paths: true,
    });
    let rules = permissions.exec_rules("agent");
    for (line, expected) in [
        ("git -c help.autocorrect=-1 pusg", alias),
        ("git p", alias),
        ("git status", "runs"),
        ("git lfs pull", "runs"),
        ("cargo t", denied),
        ("cargo zz", alias),
        ("cargo r", alias),
        ("cargo +nightly -q t", denied),
        ("cargo build", "runs"),
        ("cargo clippy", "runs"),
        ("npm i x", denied),
        ("npm add x", denied),
        ("npm inst x", denied),
        ("npm --prefix a publ", denied),
        ("npm test", "runs"),
        ("npm run publish", "runs"),
        ("docker container run x", denied),
        ("docker --context x container run x", denied),
        (
            "podman run x",
            "asks: `podman` can have a program outside run commands, where no rule that denies commands applies",
        ),
        ("docker ps", "runs"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let executed = verdict_on(&rules, &exec(&format!("/usr/bin/{}", words[0]), &words));
        assert_eq!(executed, expected, "{line}");
        let action = running(&words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        let verdict = permissions.judge(&action);
        let is_right = match expected {
            it if it == denied => matches!(verdict, Verdict::Deny(_)),
            it if it == alias => verdict == Verdict::Ask,
            _ => matches!(verdict, Verdict::Allow(_)),
        };
        assert!(is_right, "{line}: {verdict:?}");
    }
    // The user has seen it.
    let words = ["git", "pusg"].map(str::to_owned).to_vec();
    let bin = ProgramDirectory::new();
    let rules = rules.with_approved_command(words, "/project".into(), bin.path());
    assert_eq!(verdict_on(&rules, &bin.exec(&["git", "pusg"])), "runs");
}

/// Programs, words and options in every order: a plain command is judged the same before it runs and when it is
/// executed.
#[test]
fn both_layers_agree_on_plain_commands() {
    let patterns = [
        "git",
        "git push **",
        "git push",
        "git push --force **",
        "git -C x push **",
        "git stash drop",
        "rm -rf **",
        "rm -r",
        "docker compose down *",
        "npm publish",
        "npm run build **",
        "cargo +nightly publish **",
        "python3 -m http.server **",
        "/usr/bin/tool go **",
        "tool",
    ];
    let programs: Vec<&str> = "git rm docker npm cargo python3 tool GIT"
        .split(' ')
        .collect();
    let words = "push --force -f -rf -r -C x --odd --git-dir=y compose down stash drop publish run build +nightly -m \
        http.server go --";
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut next = 1_u64;
    let mut random = |below: usize| {
        next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(next >> 33).unwrap() % below
    };
    let (mut denied, mut allowed) = (0, 0);
    for pattern in patterns {
        let policy = format!(r#"{{"rules": [{{"action": "deny", "command": "{pattern}"}}]}}"#);
        let mut config = PermissionConfig::new(Preset::Ask);
        config.policy = Some(Policy::parse("policy.json", &policy).unwrap());
        let permissions = Permissions::open(config).0;
        let rules = permissions.exec_rules("agent");
        for _ in 0..400 {
            let program = match random(2) {
                0 => pattern.split(' ').next().unwrap(),
                _ => programs[random(programs.len())],
            };
            let mut command = vec![program.to_owned()];
            let own: Vec<&str> = pattern.split(' ').skip(1).collect();
            for _ in 0..random(6) {
                let word = match random(2) {
                    0 if !own.is_empty() => own[random(own.len())],
                    _ => words[random(words.len())],
                };
                command.push(word.replace('*', "x"));
            }
            let is_denied = |words: &[String]| permissions.denying_rule(&running(words)).is_some();
            let before = is_denied(&command);
            let line = format!("{}; true", command.join(" "));
            let in_shell = ["sh", "-c", &line].map(str::to_owned);
            assert_eq!(before, is_denied(&in_shell), "{pattern}: {command:?}");
            let args: Vec<&str> = command.iter().map(String::as_str).collect();
            let path = match program.contains('/') {
                true => program.to_owned(),
                false => format!("/opt/{program}"),
            };
            let executed = verdict_on(&rules, &exec(&path, &args)).starts_with("denied");
            assert_eq!(before, executed, "{pattern}: {command:?}");
            match before {
                true => denied += 1,
                false => allowed += 1,
            }
        }
    }
    assert!(denied > 500 && allowed > 500, "{denied} {allowed}");
}

fn running(words: &[String]) -> Action {
    let mut request = v1::CreateTerminalRequest::new("session", words[0].as_str());
    request.args = words[1..].to_vec();
    Action::from_terminal_request("agent", "/project".into(), &request)
}
