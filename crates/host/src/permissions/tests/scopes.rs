//! The actions that a remembered decision covers, and those that it does not.

use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

use expect_test::{Expect, expect};

use super::*;
use crate::scratch::Scratch;

fn open(store: &Path) -> Permissions {
    let (permissions, warnings) = open_warned(store);
    assert_eq!(warnings, []);
    permissions
}

pub(super) fn open_warned(store: &Path) -> (Permissions, Vec<StoreWarning>) {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some(store.to_owned());
    Permissions::open(config)
}

/// The sessions, workspaces and processes in which a decision of a scope still counts.
fn check(scope: Scope, expected: Expect) {
    let (data, workspace, other) = (Scratch::new(), Scratch::new(), Scratch::new());
    let store = data.join("permissions.json");
    let call = r#"{"kind":"execute","rawInput":{"command":"npm test"}}"#;
    let action = action_in(&workspace, call);
    let permissions = open(&store);
    permissions.remember(&action, &decision(true, scope));
    let elsewhere = action_in(&other, call);
    let in_session = |session: &str, action: &Action| Action {
        session: session.into(),
        ..action.clone()
    };
    let mut shown = Vec::new();
    let mut judge = |what: &str, permissions: &Permissions, action: &Action| {
        let verdict = match permissions.judge(action) {
            Verdict::Allow(_) => "allow",
            Verdict::Deny(_) => "deny",
            Verdict::Ask => "ask",
        };
        shown.push(format!("{what}: {verdict}"));
    };
    judge("the same", &permissions, &action);
    judge("another session", &permissions, &in_session("t", &action));
    judge("another directory", &permissions, &elsewhere);
    let again = open(&store);
    judge("after a restart", &again, &in_session("t", &action));
    judge(
        "elsewhere after a restart",
        &again,
        &in_session("t", &elsewhere),
    );
    permissions.end_session(&action.session);
    judge("after the session", &permissions, &action);
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn once() {
    check(
        Scope::Once,
        expect![[r#"
            the same: ask
            another session: ask
            another directory: ask
            after a restart: ask
            elsewhere after a restart: ask
            after the session: ask"#]],
    );
}

#[test]
fn session() {
    check(
        Scope::Session,
        expect![[r#"
            the same: allow
            another session: ask
            another directory: ask
            after a restart: ask
            elsewhere after a restart: ask
            after the session: ask"#]],
    );
}

#[test]
fn workspace() {
    check(
        Scope::Workspace,
        expect![[r#"
            the same: allow
            another session: allow
            another directory: ask
            after a restart: allow
            elsewhere after a restart: ask
            after the session: allow"#]],
    );
}

#[test]
fn always() {
    check(
        Scope::Always,
        expect![[r#"
            the same: allow
            another session: allow
            another directory: allow
            after a restart: allow
            elsewhere after a restart: allow
            after the session: allow"#]],
    );
}

/// Remembers a decision on the first call for ever, and shows which of the others it covers.
fn check_reach(calls: &[&str], expected: Expect) {
    let permissions = Permissions::preset(Preset::Ask);
    permissions.remember(&action(calls[0]), &decision(true, Scope::Always));
    let verdicts = calls
        .iter()
        .map(|call| match permissions.judge(&action(call)) {
            Verdict::Allow(_) => "allow",
            Verdict::Deny(_) => "deny",
            Verdict::Ask => "ask",
        });
    expected.assert_eq(&verdicts.collect::<Vec<_>>().join(" "));
}

#[test]
fn the_user_is_asked_again_about_a_command_that_differs_in_anything() {
    check_reach(
        &[
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b","description":"one"}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b","description":"two","timeout":5},"title":"x"}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run b a"}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b c"}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b; c"}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b","cwd":"/w/sub"}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b","env":{"A":"1"}}}"#,
            r#"{"kind":"execute","name":"Bash","rawInput":{"command":"npm run a b","dangerouslyDisableSandbox":true}}"#,
            r#"{"kind":"execute","name":"Shell","rawInput":{"command":"npm run a b"}}"#,
            r#"{"kind":"other","name":"Bash","rawInput":{"command":"npm run a b"}}"#,
        ],
        expect!["allow allow ask ask ask ask ask ask ask ask"],
    );
}

#[test]
fn a_decision_on_a_file_covers_any_content() {
    check_reach(
        &[
            r#"{"kind":"edit","locations":[{"path":"/w/a"}],"rawInput":{"file_path":"/w/a","new_string":"1"}}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/a","line":7}],"rawInput":{"file_path":"/w/a","new_string":"2"}}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/b"}],"rawInput":{"file_path":"/w/b","new_string":"1"}}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/a"},{"path":"/w/b"}],"rawInput":{"file_path":"/w/a"}}"#,
            r#"{"kind":"delete","locations":[{"path":"/w/a"}],"rawInput":{"file_path":"/w/a"}}"#,
        ],
        expect!["allow allow ask ask ask"],
    );
}

#[test]
fn other_tools_are_asked_about_with_all_of_their_input() {
    check_reach(
        &[
            r#"{"kind":"fetch","rawInput":{"url":"https://a.example","prompt":"x"}}"#,
            r#"{"kind":"fetch","rawInput":{"prompt":"x","url":"https://a.example"}}"#,
            r#"{"kind":"fetch","rawInput":{"url":"https://b.example","prompt":"x"}}"#,
            r#"{"kind":"fetch","rawInput":{"url":"https://a.example","prompt":"y"}}"#,
        ],
        expect!["allow allow ask ask"],
    );
    check_reach(
        &[
            r#"{"kind":"other","title":"one"}"#,
            r#"{"kind":"other","title":"two"}"#,
        ],
        expect!["allow ask"],
    );
    check_reach(
        &[
            r#"{"kind":"other","name":"open_issue","rawInput":{"title":"a","description":"b","call_id":"1"}}"#,
            r#"{"kind":"other","name":"open_issue","rawInput":{"title":"a","description":"b","call_id":"2"}}"#,
            r#"{"kind":"other","name":"open_issue","rawInput":{"title":"a","description":"c","call_id":"1"}}"#,
            r#"{"kind":"other","name":"open_issue","rawInput":{"title":"x","description":"b","call_id":"1"}}"#,
        ],
        expect!["allow ask ask ask"],
    );
    check_reach(
        &[
            r#"{"kind":"other","name":"call","rawInput":{"method":"m","args":["a"]}}"#,
            r#"{"kind":"other","name":"call","rawInput":{"method":"m","args":["b"]}}"#,
        ],
        expect!["allow ask"],
    );
    check_reach(
        &[
            r#"{"kind":"other","name":"editor","rawInput":{"command":"view","path":"/w/a"}}"#,
            r#"{"kind":"other","name":"editor","rawInput":{"command":"create","path":"/w/a"}}"#,
        ],
        expect!["allow ask"],
    );
}

#[test]
fn arguments_count_in_every_shape() {
    check_reach(
        &[
            r#"{"kind":"execute","rawInput":{"command":"npm","args":"test"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"npm","args":"publish"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"npm","args":{"run":"x"}}}"#,
            r#"{"kind":"execute","rawInput":{"command":"npm"}}"#,
        ],
        expect!["allow ask ask ask"],
    );
}

#[test]
fn the_user_is_asked_about_protected_files_every_time() {
    check_reach(
        &[r#"{"kind":"edit","locations":[{"path":"/w/.git/hooks/pre-commit"}]}"#],
        expect!["ask"],
    );
}

#[test]
fn the_user_is_asked_again_for_another_agent() {
    let permissions = Permissions::preset(Preset::Ask);
    let action = run("npm test");
    permissions.remember(&action, &decision(true, Scope::Always));
    let other = Action {
        agent: "codex".to_owned(),
        ..action
    };
    assert_eq!(permissions.judge(&other), Verdict::Ask);
}

#[test]
fn a_pattern_that_the_user_chose() {
    let permissions = Permissions::preset(Preset::Ask);
    let commands = ActionPattern::Commands(CommandPattern::parse("npm run *").unwrap());
    permissions.remember_pattern(
        &run("npm run a"),
        &decision(true, Scope::Workspace),
        &commands,
    );
    let verdicts = [
        "npm run b",
        "npm run b c",
        "npm run --x",
        "npm test",
        "npm run b; rm x",
    ]
    .map(|command| matches!(permissions.judge(&run(command)), Verdict::Allow(_)));
    assert_eq!(verdicts, [true, true, false, false, false]);
    let edit = |path: &str| {
        action(&format!(
            r#"{{"kind":"edit","locations":[{{"path":"{path}"}}]}}"#
        ))
    };
    let files = ActionPattern::Files(PathPattern::parse("src/**").unwrap());
    permissions.remember_pattern(&edit("/w/src/a"), &decision(true, Scope::Workspace), &files);
    let verdicts = ["/w/src/b/c", "/w/lib/b", "/w/src/.envrc"]
        .map(|path| matches!(permissions.judge(&edit(path)), Verdict::Allow(_)));
    assert_eq!(verdicts, [true, false, false]);
}

#[test]
fn a_decision_that_denies_counts_before_those_that_allow() {
    let permissions = Permissions::preset(Preset::ApproveAll);
    let action = run("npm test");
    permissions.remember(&action, &decision(false, Scope::Workspace));
    permissions.remember(&action, &decision(true, Scope::Session));
    assert!(matches!(permissions.judge(&action), Verdict::Deny(_)));
}

#[test]
fn a_rule_that_denies_counts_before_every_decision() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"deny","command":"npm **"}]}"#,
    );
    permissions.remember(&run("npm test"), &decision(true, Scope::Always));
    assert_eq!(
        shown(&permissions.judge(&run("npm test"))),
        "deny: policy rule `rules[0]`"
    );
}

#[test]
fn nothing_that_is_remembered_is_allowed_under_deny_all() {
    let permissions = Permissions::preset(Preset::DenyAll);
    permissions.remember(&run("npm test"), &decision(true, Scope::Always));
    assert_eq!(
        shown(&permissions.judge(&run("npm test"))),
        "deny: --deny-all"
    );
}

#[test]
fn a_decision_expires() {
    let now = Arc::new(Mutex::new(UNIX_EPOCH + Duration::from_secs(1000)));
    let clock = Arc::clone(&now);
    let config = PermissionConfig::new(Preset::Ask).clock(move || *clock.lock().unwrap());
    let (permissions, _) = Permissions::open(config);
    let action = run("npm test");
    let mut decision = decision(true, Scope::Workspace);
    decision.expires = Some(UNIX_EPOCH + Duration::from_secs(1060));
    permissions.remember(&action, &decision);
    assert!(matches!(permissions.judge(&action), Verdict::Allow(_)));
    *now.lock().unwrap() += Duration::from_secs(59);
    assert_eq!(permissions.list().len(), 1);
    *now.lock().unwrap() += Duration::from_secs(1);
    assert_eq!(permissions.judge(&action), Verdict::Ask);
    assert_eq!(permissions.list(), []);
}

#[test]
fn an_expiry_that_was_set_counts_in_the_next_process() {
    let data = Scratch::new();
    let store = data.join("permissions.json");
    let open_at = |seconds: u64| {
        let now = UNIX_EPOCH + Duration::from_secs(seconds);
        let mut config = PermissionConfig::new(Preset::Ask).clock(move || now);
        config.store = Some(store.clone());
        Permissions::open(config).0
    };
    let action = run("npm test");
    let first = open_at(1000);
    let mut decision = decision(true, Scope::Always);
    decision.expires = first.expiry_time(Expiry::After(Duration::from_secs(60)));
    first.remember(&action, &decision);
    let judged = |seconds: u64| shown(&open_at(seconds).judge(&action)).starts_with("allow");
    assert_eq!([1059, 1060].map(judged), [true, false]);

    let id = open_at(1000).list()[0].id.clone();
    let hour = Expiry::After(Duration::from_secs(3600));
    let changed = open_at(1010).expire(&id, hour).unwrap();
    assert_eq!(changed.unwrap().expires, Some(4610));
    assert_eq!([4609, 4610].map(judged), [true, false]);
    open_at(1010).expire(&id, Expiry::Never).unwrap();
    assert!(judged(1_000_000));
    assert_eq!(open_at(1010).expire("none", hour).unwrap(), None);
}

#[test]
fn a_clock_that_was_set_back_does_not_extend_a_permission() {
    let now = Arc::new(Mutex::new(UNIX_EPOCH + Duration::from_secs(10_000)));
    let clock = Arc::clone(&now);
    let config = PermissionConfig::new(Preset::ApproveAll).clock(move || *clock.lock().unwrap());
    let (permissions, _) = Permissions::open(config);
    let (allowed, denied) = (run("npm test"), run("npm publish"));
    for (action, is_allowed) in [(&allowed, true), (&denied, false)] {
        let mut decision = decision(is_allowed, Scope::Workspace);
        decision.expires = Some(UNIX_EPOCH + Duration::from_secs(10_060));
        permissions.remember(action, &decision);
    }
    *now.lock().unwrap() -= Duration::from_secs(3600);
    assert_eq!(shown(&permissions.judge(&allowed)), "allow: --approve-all");
    assert!(matches!(permissions.judge(&denied), Verdict::Deny(_)));
}

#[test]
fn a_workspace_is_recognised_by_identity_and_not_by_name() {
    let (data, place) = (Scratch::new(), Scratch::new());
    let (project, link) = (place.join("project"), place.join("link"));
    std::fs::create_dir(&project).unwrap();
    std::os::unix::fs::symlink(&project, &link).unwrap();
    let call = r#"{"kind":"execute","rawInput":{"command":"npm test"}}"#;
    let permissions = open(&data.join("permissions.json"));
    permissions.remember(
        &action_in(&project, call),
        &decision(true, Scope::Workspace),
    );
    assert!(matches!(
        permissions.judge(&action_in(&link, call)),
        Verdict::Allow(_)
    ));
    std::fs::rename(&project, place.join("old")).unwrap();
    std::fs::create_dir(&project).unwrap();
    assert_eq!(permissions.judge(&action_in(&project, call)), Verdict::Ask);
}

/// Remembers a denial of the first call, and shows which of the others are denied with `--approve-all`.
fn check_denied(calls: &[&str], expected: Expect) {
    let data = Scratch::new();
    let mut config = PermissionConfig::new(Preset::ApproveAll);
    config.store = Some(data.join("permissions.json"));
    let (permissions, _) = Permissions::open(config.clone());
    permissions.remember(&action(calls[0]), &decision(false, Scope::Always));
    let (again, warnings) = Permissions::open(config);
    assert_eq!(warnings, []);
    let verdicts = calls.iter().map(|call| match again.judge(&action(call)) {
        Verdict::Deny(_) => format!("denied {call}\n"),
        _ => format!("allowed {call}\n"),
    });
    expected.assert_eq(&verdicts.collect::<String>());
}

#[test]
fn a_command_that_was_denied_is_denied_by_every_name() {
    check_denied(
        &[
            r#"{"kind":"execute","name":"bash","rawInput":{"command":"npm publish"}}"#,
            r#"{"kind":"other","name":"shell","rawInput":{"command":["npm","publish"]}}"#,
            r#"{"kind":"read","rawInput":{"command":["/usr/bin/npm","publish"]}}"#,
            r#"{"kind":"execute","rawInput":{"command":["bash","-lc","npm publish"]},"locations":[{"path":"/w/a"}]}"#,
            r#"{"kind":"execute","rawInput":{"command":"npm publish --dry-run"}}"#,
            r#"{"kind":"execute","rawInput":{"command":"npm test"}}"#,
        ],
        expect![[r#"
            denied {"kind":"execute","name":"bash","rawInput":{"command":"npm publish"}}
            denied {"kind":"other","name":"shell","rawInput":{"command":["npm","publish"]}}
            denied {"kind":"read","rawInput":{"command":["/usr/bin/npm","publish"]}}
            denied {"kind":"execute","rawInput":{"command":["bash","-lc","npm publish"]},"locations":[{"path":"/w/a"}]}
            allowed {"kind":"execute","rawInput":{"command":"npm publish --dry-run"}}
            allowed {"kind":"execute","rawInput":{"command":"npm test"}}
        "#]],
    );
}

#[test]
fn a_file_that_was_denied_is_denied_by_every_name() {
    check_denied(
        &[
            r#"{"kind":"edit","locations":[{"path":"/w/src/a.rs"}]}"#,
            r#"{"kind":"delete","name":"rm","locations":[{"path":"/w/src/../src/A.rs"}]}"#,
            r#"{"kind":"other","locations":[{"path":"src/a.rs"},{"path":"/w/b"}]}"#,
            r#"{"kind":"read","locations":[{"path":"/w/src/a.rs"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/src/b.rs"}]}"#,
        ],
        expect![[r#"
            denied {"kind":"edit","locations":[{"path":"/w/src/a.rs"}]}
            denied {"kind":"delete","name":"rm","locations":[{"path":"/w/src/../src/A.rs"}]}
            denied {"kind":"other","locations":[{"path":"src/a.rs"},{"path":"/w/b"}]}
            allowed {"kind":"read","locations":[{"path":"/w/src/a.rs"}]}
            allowed {"kind":"edit","locations":[{"path":"/w/src/b.rs"}]}
        "#]],
    );
    check_denied(
        &[
            r#"{"kind":"read","locations":[{"path":"/w/secret"}]}"#,
            r#"{"kind":"search","name":"grep","locations":[{"path":"/w/secret"}]}"#,
            r#"{"kind":"edit","locations":[{"path":"/w/secret"}]}"#,
        ],
        expect![[r#"
            denied {"kind":"read","locations":[{"path":"/w/secret"}]}
            denied {"kind":"search","name":"grep","locations":[{"path":"/w/secret"}]}
            denied {"kind":"edit","locations":[{"path":"/w/secret"}]}
        "#]],
    );
}

#[test]
fn programs_of_one_name_are_not_one_agent() {
    let permissions = Permissions::preset(Preset::Ask);
    let of = |agent: &str| Action {
        agent: agent.to_owned(),
        ..run("npm test")
    };
    permissions.remember(&of("agent"), &decision(true, Scope::Always));
    permissions.remember(&of("/a/agent"), &decision(true, Scope::Always));
    let verdicts = ["agent", "/a/agent", "/b/agent", "/a/agent #1a2b3c4d"];
    let verdicts = verdicts.map(|agent| permissions.judge(&of(agent)) != Verdict::Ask);
    assert_eq!(verdicts, [true, true, false, false]);
}

#[test]
fn a_rule_that_denies_an_agent_by_name_catches_a_program_of_that_name() {
    let policy = r#"{"rules":[{"action":"deny","agent":"gemini","kind":"execute"},{"action":"allow","agent":"codex","command":"npm test"}]}"#;
    let permissions = with_policy(Preset::Ask, policy);
    let judge = |agent: &str| {
        let agent = agent.to_owned();
        shown(&permissions.judge(&Action {
            agent,
            ..run("npm test")
        }))
    };
    let shown = [
        "gemini",
        "/x/gemini",
        "/x/gemini #1a2b3c4d",
        "codex",
        "/x/codex",
    ]
    .map(judge);
    expect![[r#"
        deny: policy rule `rules[0]`
        deny: policy rule `rules[0]`
        deny: policy rule `rules[0]`
        allow: policy rule `rules[1]`
        ask"#]]
    .assert_eq(&shown.join("\n"));
}
