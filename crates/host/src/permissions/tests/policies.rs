//! Policies: what they say to questions, and what is said about bad ones.

use expect_test::{Expect, expect};

use super::*;

fn check(preset: Preset, policy: &str, tool_calls: &[&str], expected: Expect) {
    let permissions = with_policy(preset, policy);
    let verdicts = tool_calls
        .iter()
        .map(|call| shown(&permissions.judge(&action(call))));
    expected.assert_eq(&verdicts.collect::<Vec<_>>().join("\n"));
}

fn check_bad(policy: &str, expected: Expect) {
    let error = Policy::parse("policy.json", policy).unwrap_err();
    expected.assert_eq(&error.to_string());
}

const NPM_TEST: &str = r#"{"kind":"execute","rawInput":{"command":"npm test"}}"#;

#[test]
fn deny_beats_ask_and_ask_beats_allow_in_any_order() {
    check(
        Preset::Ask,
        r#"{"rules":[
            {"action":"allow","kind":"execute"},
            {"action":"ask","command":"git push **"},
            {"action":"deny","id":"no-force","command":"git push --force **","reason":"talk to Ann"}]}"#,
        &[
            NPM_TEST,
            r#"{"kind":"execute","rawInput":{"command":"git push origin"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"git push --force origin"}}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/a"}]}"#,
        ],
        expect![[r#"
            ask
            ask
            deny: policy rule `no-force`: talk to Ann
            ask"#]],
    );
}

#[test]
fn patterns_of_commands() {
    let run = |command: &str| {
        format!(
            r#"{{"kind":"execute","rawInput":{{"command":{}}}}}"#,
            serde_json::Value::from(command)
        )
    };
    let calls: Vec<String> = [
        "git status",
        "git status -s",
        "git log main",
        "git log --all",
        "cargo test -p x",
        "cargo test --config a=b",
        "make test",
        "make test all",
        "/usr/bin/git status",
        "git  status",
        "GIT status",
        "bash -c x",
        "python3 -m pytest",
        "python3 -m http",
    ]
    .into_iter()
    .map(run)
    .collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    check(
        Preset::ApproveReads,
        r#"{"rules":[{"action":"allow","command":["git status","git log *","cargo test **","make test","bash **","python3 -m pytest"]}]}"#,
        &calls,
        expect![[r#"
            allow: policy rule `rules[0]`
            deny: --approve-reads
            allow: policy rule `rules[0]`
            deny: --approve-reads
            allow: policy rule `rules[0]`
            deny: --approve-reads
            allow: policy rule `rules[0]`
            deny: --approve-reads
            deny: --approve-reads
            allow: policy rule `rules[0]`
            deny: --approve-reads
            deny: --approve-reads
            allow: policy rule `rules[0]`
            deny: --approve-reads"#]],
    );
}

#[test]
fn rules_that_deny_look_into_what_a_shell_would_read() {
    check(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","command":"rm **"},{"action":"deny","path":"**/.env"}]}"#,
        &[
            r#"{"kind":"execute","rawInput":{"command":"echo x; rm -rf /"}}"#,
            r#"{"kind":"execute","rawInput":{"command":["bash","-lc","cd a && /bin/rm b"]}}"#,
            r#"{"kind":"execute","rawInput":{"command":["bash","-lc","cargo test | tail"]}}"#,
            r#"{"kind":"execute","rawInput":{"command":"r''m x"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"$(echo cm0gLXJm | base64 -d)"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"git rm --cached x"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"uv run rm x"}}"#,
            r#"{"kind":"execute","rawInput":{"command":["bundle","exec","rm","x"]}}"#,
            r#"{"kind":"execute","rawInput":{"command":"gosu root rm x"}}"#,
            r#"{"kind":"execute","title":"`rm -rf x`"}"#,
            r#"{"kind":"execute","title":"Run rm x"}"#,
            r#"{"kind":"execute","title":"Run the tests"}"#,
            r#"{"kind":"execute","rawInput":{"command":"cat sub/.ENV"}}"#,
            r#"{"kind":"read","locations":[{"path":"/w/sub/x/../.env"}]}"#,
            r#"{"kind":"read","locations":[{"path":"/w/sub/.env.d"}]}"#,
        ],
        expect![[r#"
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: a rule may deny it: its program may do more than its words say; a rule can allow this command
            deny: policy rule `rules[0]`
            deny: a rule may deny it: it is unknown which of its words a program gets
            deny: a rule may deny it: its program may do more than its words say; a rule can allow this command
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: a rule may deny it: it does not say what it runs
            deny: policy rule `rules[1]`
            deny: policy rule `rules[1]`
            allow: --approve-all"#]],
    );
}

#[test]
fn words_are_paths_from_where_the_command_runs() {
    check(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","path":"config/keys"}]}"#,
        &[
            r#"{"kind":"execute","rawInput":{"command":"cat keys","cwd":"/w/config"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"cat keys","cwd":"config"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"cat ../config/keys/a","cwd":"/w/src"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"cat --file=config/keys"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"cat keys","cwd":"/w/src"}}"#,
        ],
        expect![[r#"
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            deny: policy rule `rules[0]`
            allow: --approve-all"#]],
    );
}

#[test]
fn patterns_of_paths() {
    check(
        Preset::ApproveReads,
        r#"{"rules":[
            {"action":"allow","kind":["edit","delete"],"path":["src/**","*.md"]},
            {"action":"allow","kind":"edit","path":"/tmp/out/*.txt"},
            {"action":"allow","kind":"edit","path":"./.envrc"},
            {"action":"deny","path":"secrets"}]}"#,
        &[
            r#"{"kind":"edit","locations":[{"path":"/w/src/a.rs"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/src/a.rs"},{"path":"/w/b.rs"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/docs/x/a.md"},{"path":"src/b.rs"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/other/src/a.rs"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/src/../b.rs"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/tmp/out/a.txt"}]}"#,
            r#"{"kind":"delete","locations":[{"path":"/tmp/out/a.txt"}]}"#,
            r#"{"kind":"edit"}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/src/.git/hooks/x"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/.envrc"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/src/Secrets/a"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/src/a"}],"rawInput":{"command":"sh x"}}"#,
        ],
        expect![[r#"
            allow: policy rule `rules[0]`
            deny: --approve-reads
            allow: policy rule `rules[0]`
            deny: --approve-reads
            deny: --approve-reads
            allow: policy rule `rules[1]`
            deny: a rule may deny it: it may reach files that a rule is about
            deny: --approve-reads
            deny: --approve-reads
            allow: policy rule `rules[2]`
            deny: policy rule `rules[3]`
            deny: a rule may deny it: it runs a script, or what a shell reads"#]],
    );
}

#[test]
fn agents_and_tools() {
    check(
        Preset::ApproveReads,
        r#"{"rules":[
            {"action":"allow","agent":"claude","tool":["mcp__github__*","WebSearch"]},
            {"action":"allow","agent":"codex","kind":"other"},
            {"action":"deny","tool":"mcp__github__delete"}]}"#,
        &[
            r#"{"kind":"other","name":"mcp__github__list"}"#,
            r#"{"kind":"other","name":"mcp__github__delete"}"#,
            r#"{"kind":"fetch","rawInput":{"tool":"WebSearch"}}"#,
            r#"{"kind":"other","title":"mcp__github__list"}"#,
        ],
        expect![[r#"
            allow: policy rule `rules[0]`
            deny: policy rule `rules[2]`
            allow: policy rule `rules[0]`
            deny: --approve-reads"#]],
    );
}

#[test]
fn the_policy_of_acpx() {
    check(
        Preset::ApproveReads,
        r#"{"autoDeny":["delete","Danger"],"autoApprove":["edit","Bash"],"escalate":["execute"],"defaultAction":"approve"}"#,
        &[
            r#"{"kind":"delete","locations":[{"path":"/w/a"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/a"}]}"#,
            r#"{"kind":"edit","title":"Danger: edit","locations":[{"path":"/w/a"}]}"#,
            r#"{"kind":"execute","title":"edit","rawInput":{"command":"x"}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"x"}}"#,
            r#"{"kind":"fetch"}"#,
            r#"{"kind":"move","locations":[{"path":"/w/.git/config"}]}"#,
        ],
        expect![[r#"
            deny: policy rule `autoDeny[0]`
            allow: policy rule `autoApprove[0]`
            deny: policy rule `autoDeny[1]`
            deny: policy rule `escalate[0]` asks, and nobody can be asked
            deny: policy rule `escalate[0]` asks, and nobody can be asked
            allow: default of the policy
            deny: it would change a protected file"#]],
    );
}

#[test]
fn a_default_of_its_own() {
    check(
        Preset::ApproveAll,
        r#"{"default":"ask"}"#,
        &[NPM_TEST],
        expect!["deny: the policy asks, and nobody can be asked"],
    );
}

#[test]
fn bad_policies() {
    check_bad(
        "{\n \"rules\": [\n  {\"action\": \"deny\"},\n  {\"action\": \"allow\",\n   \"kind\": \"raed\"}\n ]\n}",
        expect!["policy.json:5:12: rules[1].kind: unknown tool kind; did you mean `read`?"],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","kind":["edit","delte"]}]}"#,
        expect!["policy.json:1:44: rules[0].kind[1]: unknown tool kind; did you mean `delete`?"],
    );
    check_bad(
        r#"{"rules":[{"action":"permit"}]}"#,
        expect![
            "policy.json:1:21: rules[0].action: unknown action; expected one of allow, ask, deny"
        ],
    );
    check_bad(
        r#"{"rules":[{"kind":"read"}]}"#,
        expect!["policy.json:1:11: rules[0]: `action` is missing; use `allow`, `ask` or `deny`"],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","comand":"ls"}]}"#,
        expect!["policy.json:1:38: rules[0]: unknown field; did you mean `command`?"],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","command":"ls | wc"}]}"#,
        expect![
            "policy.json:1:39: rules[0].command: a word in it means something to a shell; write plain words, and `*` only as the last one"
        ],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","command":[]}]}"#,
        expect![
            "policy.json:1:39: rules[0].command: the list is empty; name something, or leave it out for everything"
        ],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","kind":"execute","path":"src/**"}]}"#,
        expect![
            "policy.json:1:11: rules[0]: a path does not say what a command does; name the commands with `command`"
        ],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","path":"src/[a"}]}"#,
        expect!["policy.json:1:36: rules[0].path: unclosed character class; missing ']'"],
    );
    check_bad(
        r#"{"rules":[{"action":"allow","path":"../x"}]}"#,
        expect!["policy.json:1:36: rules[0].path: a pattern has no `..` and at most 1024 letters"],
    );
    check_bad(
        "{\n \"rules\": 3}",
        expect!["policy.json:2:11: rules: expected an array, found a number"],
    );
    check_bad(
        "{\n \"rules\": [}",
        expect!["policy.json:2:12: not JSON: no value starts here"],
    );
    check_bad(
        r#"{"default":"deny","defaultAction":"deny"}"#,
        expect![
            "policy.json:1:35: defaultAction: there is a default already; keep one of `default` and `defaultAction`"
        ],
    );
    check_bad(
        r#"{"rules":[],"rules":[]}"#,
        expect!["policy.json:1:21: rules: occurs twice; keep one"],
    );
}

#[test]
fn a_path_that_no_file_can_have_is_bad() {
    for pattern in ["secrets/", "/", "a//b", "./", "a/./b"] {
        let policy = format!(r#"{{"rules":[{{"action":"deny","path":"{pattern}"}}]}}"#);
        let error = Policy::parse("policy.json", &policy).unwrap_err();
        assert!(error.to_string().contains("it matches nothing"), "{error}");
    }
}

#[test]
fn of_a_hundred_thousand_rules_a_handful_is_looked_at() {
    let rules = (0..100_000).map(|number| match number % 4 {
        0 => format!(r#"{{"action":"deny","command":"tool{number} **"}}"#),
        1 => format!(r#"{{"action":"allow","kind":"edit","path":"gen{number}/**"}}"#),
        2 => format!(r#"{{"action":"deny","path":"**/secret{number}.txt"}}"#),
        _ => format!(r#"{{"action":"allow","agent":"claude","tool":"mcp{number}"}}"#),
    });
    let policy = format!(r#"{{"rules":[{}]}}"#, rules.collect::<Vec<_>>().join(","));
    let permissions = with_policy(Preset::ApproveReads, &policy);
    let calls = [
        r#"{"kind":"edit","locations":[{"path":"/w/gen99997/a/b"}]}"#,
        r#"{"kind":"read","locations":[{"path":"/w/x/secret99998.txt"}]}"#,
        r#"{"kind":"execute","rawInput":{"command":"echo a; tool99996 b"}}"#,
        r#"{"kind":"other","name":"mcp99999"}"#,
        r#"{"kind":"edit","locations":[{"path":"/w/other"}]}"#,
    ]
    .map(action);
    let verdicts: Vec<String> = calls
        .iter()
        .map(|call| shown(&permissions.judge(call)))
        .collect();
    expect![[r#"
        allow: policy rule `rules[99997]`
        deny: policy rule `rules[99998]`
        deny: policy rule `rules[99996]`
        allow: policy rule `rules[99999]`
        deny: --approve-reads"#]]
    .assert_eq(&verdicts.join("\n"));
    let policy = permissions.config.policy.as_ref().unwrap();
    let looked_at = calls.iter().map(|call| {
        let facts = ActionFacts::of(call, &[]);
        policy.deny.catch_candidates(&facts).len()
            + policy.ask.catch_candidates(&facts).len()
            + policy.allow.allow_candidates(&facts).len()
    });
    assert!(looked_at.max().unwrap() <= 8);
}

#[test]
fn a_rule_on_the_unknown_program_of_a_line_settles_the_doubt() {
    let rules = r#"{"rules":[{"action":"deny","path":"**/.env"},{"action":"deny","command":"rm **"},
        {"action":"allow","command":"cargo **"}]}"#;
    for (preset, line, is_allowed) in [
        (Preset::ApproveAll, "cargo build", true),
        (Preset::ApproveAll, "cargo build | tail -1", true),
        (Preset::ApproveAll, "cd crates && cargo build", true),
        (Preset::ApproveAll, "cargo build; echo done", true),
        (Preset::ApproveAll, "CI=1 cargo build 2>&1 | head", true),
        (Preset::ApproveAll, "cargo build | make", false),
        (Preset::ApproveAll, "make; cargo build", false),
        (Preset::ApproveAll, "cargo build > log", false),
        (Preset::ApproveAll, "cargo build && cat .env", false),
        (Preset::ApproveAll, "cargo build && cat *", false),
        (Preset::ApproveAll, "cargo build && rm x", false),
        (Preset::ApproveAll, "cargo build; $x", false),
        (Preset::ApproveAll, "eval cargo build", false),
        (Preset::ApproveReads, "cargo build | tail -1", false),
        (Preset::DenyAll, "cargo build | tail -1", false),
    ] {
        let verdict = with_policy(preset, rules).judge(&run(line));
        let found = matches!(verdict, Verdict::Allow(_));
        assert_eq!(found, is_allowed, "{line}: {verdict:?}");
    }
}

#[test]
fn a_huge_command_is_not_analysed_and_not_allowed() {
    let permissions = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","path":"**/.env"}]}"#,
    );
    let words: Vec<String> = (0..100_000).map(|number| format!("w{number};")).collect();
    let action = run(&words.join(" "));
    let verdict = shown(&permissions.judge(&action));
    let expected = "deny: a rule may deny it: it may reach files that a rule is about";
    assert_eq!(verdict, expected);
    assert!(ActionFacts::of(&action, &[]).all_path_views().count() < 10_000);
}

#[test]
fn comments_and_trailing_commas_are_allowed() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{
            // Ann's rules, é
            "rules": [
                { "action": "deny", "command": "echo /* no */ // comment", /* that was a word */ },
                { "action": "allow", "command": ["npm test", ], },
            ], // done
        }"#
        .replace("echo /* no */ // comment", "npm publish")
        .as_str(),
    );
    assert_eq!(
        shown(&permissions.judge(&run("npm test"))),
        "allow: policy rule `rules[1]`"
    );
    assert_eq!(
        shown(&permissions.judge(&run("npm publish"))),
        "deny: policy rule `rules[0]`"
    );
    let reason =
        r#"{"rules":[{"action":"deny","command":"ls","reason":"see http://a/*b*/, \" // x"}]}"#;
    let denied = with_policy(Preset::Ask, reason).judge(&run("ls"));
    assert!(
        shown(&denied).ends_with("see http://a/*b*/, \" // x"),
        "{denied:?}"
    );
    let place = |text: &str| Policy::parse("p", text).unwrap_err().to_string();
    assert!(
        place("{\n  // é, x\n  \"rulez\": []\n}").starts_with("p:3:"),
        "{}",
        place("{\n// x\n\"rulez\": []}")
    );
    assert!(Policy::parse("p", "{ /* open").is_err());
    assert!(Policy::parse("p", "{ \"rules\": [ , ] }").is_err());
}
