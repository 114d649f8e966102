//! Commands that look like an allowed one and run another.

use expect_test::expect;
use proptest::prelude::*;

use super::*;

fn corpus() -> Vec<String> {
    let corpus: Vec<String> = serde_json::from_str(include_str!("bypasses.json")).unwrap();
    assert!(corpus.len() >= 200);
    corpus
}

fn allowed(policy: &str) -> Vec<String> {
    let permissions = with_policy(Preset::Ask, policy);
    let unattended = with_policy(Preset::ApproveReads, policy);
    let is_allowed = |command: &String| {
        let as_text = run(command);
        let argv = serde_json::to_string(&command.split(' ').collect::<Vec<_>>()).unwrap();
        let as_words = action(&format!(
            r#"{{"kind":"execute","rawInput":{{"command":{argv}}}}}"#
        ));
        [as_text, as_words].iter().any(|action| {
            assert_ne!(unattended.judge(action), Verdict::Ask, "{command:?}");
            matches!(permissions.judge(action), Verdict::Allow(_))
        })
    };
    corpus().into_iter().filter(is_allowed).collect()
}

#[test]
fn nothing_passes_for_an_exact_command() {
    let policy = r#"{"rules":[{"action":"allow","command":["echo","git status","npm test"]}]}"#;
    // Each of them runs just that.
    let same = [
        "echo #x",
        "git status #x",
        "npm test #x",
        "nohup npm test",
        "timeout 5 npm test",
        "bash -c echo",
        "bash -lc \"git status\"",
        "git\tstatus",
        "npm t\\est",
    ];
    assert_eq!(allowed(policy), same);
}

#[test]
fn nothing_passes_for_a_pattern_but_plain_arguments() {
    let policy =
        r#"{"rules":[{"action":"allow","command":["echo *","git status *","npm test *"]}]}"#;
    let found = allowed(policy);
    expect![[r#"
        echo \; rm
        echo ';' rm
        echo ";" rm
        echo ^a^b
        echo #x
        git status \; rm
        git status ';' rm
        git status ";" rm
        git status ^a^b
        git status #x
        npm test \; rm
        npm test ';' rm
        npm test ";" rm
        npm test ^a^b
        npm test #x
        env echo x
        nohup npm test
        nice echo x
        time echo x
        timeout 5 npm test
        sh -c "echo x"
        bash -c echo
        bash -lc "git status"
        command echo x
        git	status
        'echo' x
        e""cho x
        npm t\est
        git status x
        npm test x"#]]
    .assert_eq(&found.join("\n"));
}

#[test]
fn no_program_that_runs_others_passes_for_a_pattern_of_its_own() {
    let programs = "env xargs find sudo nohup sh bash busybox tar sed awk rg sort perl python3 node make ssh vim git npm npx \
                    cargo gcc go split wget curl";
    let patterns: Vec<String> = programs
        .split_whitespace()
        .map(|program| format!("{program} **"))
        .collect();
    let patterns = serde_json::to_string(&patterns).unwrap();
    let policy = format!(r#"{{"rules":[{{"action":"allow","command":{patterns}}}]}}"#);
    expect![[r#"
        git status \; rm
        git status ';' rm
        git status ";" rm
        git status ^a^b
        git status #x
        npm test \; rm
        npm test ';' rm
        npm test ";" rm
        npm test ^a^b
        npm test #x
        nohup npm test
        timeout 5 npm test
        bash -lc "git status"
        git  -p status
        npm run x
        git	status
        npm t\est
        git statuss
        npm tests
        git status x
        npm test x
        git
        npm
        git stash
        git push
        go run x"#]]
    .assert_eq(&allowed(&policy).join("\n"));
}

#[test]
fn only_the_same_text_is_covered_by_what_was_remembered() {
    let permissions = Permissions::preset(Preset::Ask);
    for command in ["echo", "git status", "npm test"] {
        permissions.remember(&run(command), &decision(true, Scope::Always));
    }
    for command in corpus() {
        assert_eq!(
            permissions.judge(&run(&command)),
            Verdict::Ask,
            "{command:?}"
        );
    }
    for command in corpus() {
        let kept = permissions.remember(&run(&command), &decision(true, Scope::Session));
        if run(&command).is_protected() {
            assert_eq!(kept, None, "{command:?}");
            continue;
        }
        assert_ne!(
            permissions.judge(&run(&command)),
            Verdict::Ask,
            "{command:?}"
        );
    }
}

#[test]
fn whatever_passes_for_a_pattern_runs_that_program_alone() {
    let policy = r#"{"rules":[{"action":"allow","command":"echo **"}]}"#;
    let permissions = with_policy(Preset::Ask, policy);
    let tails = r"\PC{0,12}|[ -~\n\t\r]{0,12}|( [a-z0-9./=-]{1,6}){0,4}";
    proptest!(|(tail in tails)| {
        let command = format!("echo{tail}");
        let is_allowed = matches!(permissions.judge(&run(&command)), Verdict::Allow(_));
        let is_plain = |char: char| char.is_ascii_alphanumeric() || " -_./=:,@%+".contains(char);
        let mut words = command.split(' ');
        let is_echo = words.next() == Some("echo") && words.all(|word| !word.starts_with('='));
        if is_echo && command.chars().all(is_plain) {
            prop_assert!(is_allowed, "{:?}", command);
        }
        if is_allowed {
            // Whatever the shell reads outside of quotes runs nothing else.
            let line = run(&command).line().unwrap();
            prop_assert!(line.is_decidable(), "{:?}", command);
            let programs: Vec<_> = line.parts.iter().map(|part| part.words[0].to_string()).collect();
            prop_assert!(programs.iter().all(|program| program == "echo"), "{:?}", command);
        }
    });
}

#[test]
fn whatever_is_allowed_inside_lies_inside() {
    let policy = r#"{"rules":[{"action":"allow","kind":"edit","path":"**"}]}"#;
    let permissions = with_policy(Preset::Ask, policy);
    let names = prop::collection::vec(r"\.\.|w|a|b|\.git", 1..6);
    proptest!(|(names in names, root in "|/|/w/|/w")| {
        let path = format!("{root}{}", names.join("/"));
        let call = format!(r#"{{"kind":"edit","locations":[{{"path":"{path}"}}]}}"#);
        let is_allowed = matches!(permissions.judge(&action(&call)), Verdict::Allow(_));
        let is_straight = !names.iter().any(|name| name == ".." || name == ".git");
        let is_inside = !path.starts_with('/') || path.starts_with("/w/") || path == "/w";
        prop_assert_eq!(is_allowed, is_straight && is_inside, "{}", path);
    });
}

/// With the whole seconds that this thread alone has worked: whatever else the machine does does not count.
#[cfg(unix)]
fn timed<T>(work: impl FnOnce() -> T) -> (T, i64) {
    let now = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).tv_sec;
    let begun = now();
    (work(), now() - begun)
}

#[cfg(unix)]
#[test]
fn paths_that_no_file_has_do_not_hold_up_the_verdict() {
    let policy = r#"{"rules":[{"action":"deny","path":["/etc/**","*.pem","secrets/**","x*y"]}],"default":"allow"}"#;
    let permissions = with_policy(Preset::ApproveAll, policy);
    let deep = "a/".repeat(200_000);
    let many = vec!["a/".repeat(2000); 300];
    let many: Vec<_> = many
        .iter()
        .enumerate()
        .map(|(at, path)| format!("{path}{at}"))
        .collect();
    let [deep, many] = [vec![deep], many].map(|paths| serde_json::to_string(&paths).unwrap());
    let inputs = [
        format!(r#"{{"paths":{deep}}}"#),
        format!(r#"{{"paths":{many}}}"#),
        format!(r#"{{"command":{deep}}}"#),
        format!(
            r#"{{"command":["ls"],"args":{many},"cwd":"/w/{}"}}"#,
            "b/".repeat(1000)
        ),
    ];
    for input in inputs {
        let asked = action(&format!(r#"{{"kind":"edit","rawInput":{input}}}"#));
        let (verdict, seconds) = timed(|| shown(&permissions.judge(&asked)));
        assert!(seconds < 20, "{seconds}");
        let is_undecided = verdict.starts_with("deny: it ")
            || verdict.starts_with("deny: a rule may deny it: it ");
        assert!(is_undecided, "{verdict}");
    }
}
