//! Attacks on rules about commands: spellings of a denied command, under every preset, and harmless lines that only
//! contain its words.

mod spellings;

use proptest::prelude::*;

use super::*;
use spellings::spellings;

/// A rule that denies, and a command that falls under it.
const DENIED: &[(&str, &[&str])] = &[
    ("curl **", &["curl", "-V"]),
    ("rm -rf **", &["rm", "-rf", "x"]),
    ("git push **", &["git", "push", "origin"]),
    ("npm publish **", &["npm", "publish"]),
    ("/opt/tool/run **", &["/opt/tool/run", "x"]),
];

const PRESETS: [Preset; 4] = [
    Preset::Ask,
    Preset::ApproveReads,
    Preset::ApproveAll,
    Preset::DenyAll,
];

fn policies(denied: &str) -> [String; 4] {
    let deny = format!(r#"{{"action":"deny","command":"{denied}"}}"#);
    let ask = format!(r#"{{"action":"ask","command":"{denied}"}}"#);
    let allow = r#"{"action":"allow","command":["echo **","ls **","cat **","sh **","env **","xargs **","git status **",
        "true","cd **","find **","sudo **","bash **","sed **","printf **","test **"]}"#;
    [
        format!(r#"{{"rules":[{deny}]}}"#),
        format!(r#"{{"rules":[{deny}],"default":"allow"}}"#),
        format!(r#"{{"rules":[{deny},{allow}],"default":"allow"}}"#),
        format!(r#"{{"rules":[{ask},{allow}],"default":"allow"}}"#),
    ]
}

fn check_never_allowed(permissions: &Permissions, line: &str, about: &str) {
    let verdict = permissions.judge(&run(line));
    assert!(
        !matches!(verdict, Verdict::Allow(_)),
        "{about}: {line:?}: {}",
        shown(&verdict)
    );
}

#[test]
fn no_spelling_of_a_denied_command_is_allowed_under_any_preset() {
    let mut count = 0;
    for (rule, words) in DENIED {
        let spellings = spellings(words);
        assert!(spellings.len() > 300, "{}", spellings.len());
        for policy in policies(rule) {
            for preset in PRESETS {
                let permissions = with_policy(preset, &policy);
                for line in &spellings {
                    check_never_allowed(&permissions, line, &format!("{rule} {preset:?}"));
                    count += 1;
                }
            }
        }
    }
    assert!(count > 20_000, "{count}");
}

#[test]
fn a_denied_command_in_plain_words_is_denied_early() {
    for (rule, words) in DENIED {
        let permissions = with_policy(Preset::Ask, &policies(rule)[0]);
        let line = words.join(" ");
        let quoted = format!("{}''{}", &line[..1], &line[1..]);
        for line in [
            line.clone(),
            quoted,
            format!("ls && {line}"),
            format!("env X=1 timeout 5 {line}"),
            format!("echo $({line})"),
            format!("sh -c '{line}'"),
            format!("find . -exec {line} \\;"),
            format!("if true; then {line}; fi"),
        ] {
            let verdict = permissions.judge(&run(&line));
            assert!(
                matches!(verdict, Verdict::Deny(_)),
                "{rule}: {line:?}: {}",
                shown(&verdict)
            );
        }
    }
}

#[test]
fn separate_words_are_judged_as_well() {
    let calls: [&[&str]; 10] = [
        &["curl", "-V"],
        &["/usr/bin/curl"],
        &["env", "curl"],
        &["bash", "-lc", "cu''rl -V"],
        &["sh", "-c", "echo x | xargs curl"],
        &["timeout", "5", "sh", "-c", "curl"],
        &["xargs", "curl"],
        &["find", ".", "-exec", "curl", "{}", ";"],
        &["busybox", "curl"],
        &["sudo", "-n", "curl"],
    ];
    for preset in PRESETS {
        let permissions = with_policy(preset, &policies("curl **")[2]);
        for words in calls {
            let words = serde_json::to_string(words).unwrap();
            let action = action(&format!(
                r#"{{"kind":"execute","rawInput":{{"command":{words}}}}}"#
            ));
            let verdict = permissions.judge(&action);
            assert!(
                matches!(verdict, Verdict::Deny(_)),
                "{preset:?} {words}: {}",
                shown(&verdict)
            );
        }
    }
}

#[test]
fn commands_in_doubt_are_not_asked_about_if_rules_are_enforced_at_exec() {
    let permissions = with_policy(Preset::ApproveAll, &policies("curl **")[0]);
    permissions.enforce(Enforcement {
        commands: true,
        paths: false,
    });
    for line in [
        "make x",
        "./run.sh",
        "cargo test",
        "$X y",
        "python3 -c 'print(1)'",
        "eval $x",
    ] {
        let verdict = permissions.judge(&run(line));
        assert!(
            matches!(verdict, Verdict::Allow(_)),
            "{line}: {}",
            shown(&verdict)
        );
    }
    let verdict = permissions.judge(&run("cu''rl x"));
    assert!(
        matches!(verdict, Verdict::Deny(_)),
        "an obvious denial comes early"
    );
}

#[test]
fn harmless_lines_with_denied_words_run() {
    let policy = r#"{"rules":[{"action":"deny","command":["curl **","rm -rf **","git push **","npm publish **"]},
        {"action":"deny","path":"secrets"}]}"#;
    let lines = [
        "echo curl",
        "echo 'curl -V'",
        "echo \"rm -rf /\"",
        "echo 'git push' # curl x",
        "echo x # rm -rf x",
        "echo secrets",
        "echo 'see secrets/key'",
        "printf '%s' 'curl; rm -rf x'",
        "echo 'a && curl b'",
        "echo '$(curl x)'",
        "echo \"\\$(curl x)\"",
        "echo '`curl`'",
        "echo \"a;curl\"",
        "echo rm -r x; echo -f",
        "test curl = curl",
        "pwd; date # curl",
        "cat <<'X'\ncurl x\n$(rm -rf y)\nX",
        "if true; then echo curl; fi",
        "for i in curl wget; do echo no; done",
        "case curl in curl) echo no;; esac",
        "[[ curl == rm ]] && echo no",
        "which curl",
        "command -v curl",
        "type curl",
    ];
    for line in lines {
        for enforced in [false, true] {
            let permissions = with_policy(Preset::ApproveAll, policy);
            permissions.enforce(Enforcement {
                commands: enforced,
                paths: enforced,
            });
            let verdict = permissions.judge(&run(line));
            assert!(
                matches!(verdict, Verdict::Allow(_)),
                "{line:?}: {}",
                shown(&verdict)
            );
        }
    }
    let commands =
        r#"{"rules":[{"action":"deny","command":["curl **","rm -rf **","git push **"]}]}"#;
    let permissions = with_policy(Preset::ApproveAll, commands);
    for line in [
        "cat curl.md",
        "ls curl rm",
        "git log --grep 'git push'",
        "git status; git diff HEAD -- curl",
        "grep -rn 'curl -V' src | head -5",
        "rg 'rm -rf' docs 2>/dev/null",
        "cat a | grep curl | wc -l",
        "rm -r x",
        "rm -f x",
        "sed -n '1,5p' curl.md",
        "git show HEAD~1 -- push",
    ] {
        let verdict = permissions.judge(&run(line));
        assert!(
            matches!(verdict, Verdict::Allow(_)),
            "{line:?}: {}",
            shown(&verdict)
        );
    }
}

#[test]
fn patterns_that_allow_cover_lines_of_which_every_part_is_allowed() {
    let policy = r#"{"rules":[
        {"action":"allow","command":["cargo test **","git status"]},
        {"action":"allow","command":["tail **","cd *"]},
        {"action":"allow","agent":"codex","command":"ls **"},
        {"action":"deny","command":"curl **"}]}"#;
    let permissions = with_policy(Preset::Ask, policy);
    let is_allowed = |line: &str| matches!(permissions.judge(&run(line)), Verdict::Allow(_));
    for line in [
        "cargo test --all 2>&1 | tail -20",
        "cd sub && cargo test && git status",
        "bash -lc 'cargo test | tail'",
        "RUST_BACKTRACE=1 cargo test",
        "timeout 60 cargo test 'a b'",
        "cargo test >/dev/null; git status",
        "(cargo test); { git status; }",
        "if cargo test; then git status; fi",
        "cargo te\\st \"x\"",
    ] {
        assert!(is_allowed(line), "{line:?}");
    }
    for line in [
        "cargo test | tee out",
        "cargo test > out",
        "cargo test >> /etc/passwd",
        "cargo test $X",
        "cargo test *.rs",
        "cargo test; ls",
        "cargo test $(git status)",
        "cargo test <<< x",
        "LD_PRELOAD=x cargo test",
        "PATH=. cargo test",
        "GIT_SSH=x git status",
        "env LD_PRELOAD=x cargo test",
        "cargo test & disown",
        "cargo test --config a=b",
        "./cargo test",
        "/tmp/cargo test",
        "tools/bash -c 'cargo test'",
        "sudo cargo test",
        "cargo() { x; }; cargo test",
        "alias cargo=x\ncargo test",
        "cargo test \u{2003}x",
        "cargo test !!",
        "cargo test\r",
        "cargo test 'open",
    ] {
        assert!(!is_allowed(line), "{line:?}");
    }
}

#[test]
fn no_line_crashes_the_parser_or_takes_long() {
    let openers = [
        "(",
        "((",
        "{ ",
        "$(",
        "${x:-",
        "`",
        "\"$(",
        "if ",
        "while true; do ",
        "case x in x) ",
        "f() { ",
        "<(",
        "$((",
        "[[ ( ",
        "! ",
        "\\",
        "'",
        "\"",
        "<<X\n",
        "for i in ",
        "{a,",
        "sh -c '",
        "eval ",
        "env ",
        "sudo ",
        "xargs ",
    ];
    for opener in openers {
        for count in [1, 8, 17, 100, 3_000] {
            for close in ["", "ls", "ls)", "}", "'"] {
                let line = format!("{}{close}", opener.repeat(count));
                let parsed = run(&line).line();
                assert!(
                    parsed.is_some_and(|line| line.parts.len() <= 256),
                    "{opener} {count}"
                );
            }
        }
    }
}

proptest! {
    /// Lines of shell words in any order: the parser never panics, and a denied program in the open never passes.
    #[test]
    fn random_lines_are_never_allowed_with_a_denied_program(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "curl", "ls", "echo", ";", "&&", "|", "(", ")", "{", "}", "$(", "`", "'", "\"", "\\", "\n", " ", " ", " ",
                "if", "then", "fi", "do", "done", "for", "in", "case", "esac", "<<X", "X", ">", "<", "&", "=", "a=b", "$x",
                "*", "#", "!", "env", "sh -c", "xargs", "[[", "]]", "-x", "0", "eval", "{a,b}", "~", ";;", "function", "time",
            ]),
            0..24,
        )
    ) {
        let permissions = with_policy(Preset::ApproveAll, r#"{"rules":[{"action":"deny","command":"curl **"}]}"#);
        let line = pieces.concat();
        let spaced = pieces.join(" ");
        for line in [&line, &spaced] {
            permissions.judge(&run(line));
            let behind = format!("{line}\ncurl x");
            let is_open = tokens_are_closed(line);
            let verdict = permissions.judge(&run(&behind));
            prop_assert!(!is_open || !matches!(verdict, Verdict::Allow(_)), "{:?}: {}", behind, shown(&verdict));
        }
    }

    #[test]
    fn any_text_can_be_split(text in r"\PC{0,64}|[ -~\n]{0,64}") {
        let line = run(&text).line();
        prop_assert!(line.is_none_or(|line| line.parts.len() <= 256));
    }
}

/// Whether a line that follows is certain to be read as a command of its own.
fn tokens_are_closed(line: &str) -> bool {
    !line.contains(['\'', '"', '\\', '`', '(', ')', '{', '}', '<', '#', '|', '&'])
        && ![
            "if", "for", "case", "do", "then", "in", "[[", "function", "esac", ";;", "fi", "done",
        ]
        .iter()
        .any(|word| line.contains(word))
}
