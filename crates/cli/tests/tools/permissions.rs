//! `attache permissions`.

use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use attache::v1;
use attache_host::permissions::{
    Action, Decision, PermissionConfig, Permissions, Preset, Scope, Verdict,
};
use expect_test::{Expect, expect};

use crate::Machine;

/// A machine where two decisions were made: one for the project, one that expires.
fn remembering() -> Machine {
    let machine = Machine::new();
    let (permissions, _) = open(&machine);
    let decision = |is_allowed, scope| Decision {
        is_allowed,
        scope,
        expires: None,
    };
    let project = machine.path("project");
    permissions.remember(
        &asks("claude", &project, "npm test"),
        &decision(true, Scope::Workspace),
    );
    let until = Decision {
        expires: Some(UNIX_EPOCH + Duration::from_secs(4_000_000_000)),
        ..decision(false, Scope::Always)
    };
    permissions.remember(&asks("gemini", &project, "curl \u{1b}[2J"), &until);
    machine
}

fn open(machine: &Machine) -> (Permissions, usize) {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some(machine.path("home/attache/data/permissions.json"));
    let (permissions, warnings) = Permissions::open(config);
    (permissions, warnings.len())
}

fn asks(agent: &str, workspace: &Path, command: &str) -> Action {
    let input = serde_json::json!({ "command": command });
    let call = v1::ToolCallUpdate::new("c")
        .kind(v1::ToolKind::Execute)
        .raw_input(input);
    let request = v1::RequestPermissionRequest::new("s", call, Vec::<v1::PermissionOption>::new());
    Action::from_request(agent, workspace.to_owned(), &request, None)
}

/// With the ids, which are never the same, by their order, and columns two spaces apart.
fn check(machine: &Machine, arguments: &[&str], expected: &Expect) {
    let ids = ids(machine);
    let mut shown = machine.shown(&machine.attache(arguments));
    while shown.contains("   ") {
        shown = shown.replace("   ", "  ");
    }
    for (index, id) in ids.iter().enumerate() {
        shown = shown.replace(id, &format!("id-{index}"));
    }
    expected.assert_eq(&shown);
}

fn ids(machine: &Machine) -> Vec<String> {
    let listed = open(machine).0.list();
    listed.into_iter().map(|remembered| remembered.id).collect()
}

#[test]
fn nothing_is_remembered() {
    let machine = Machine::new();
    check(
        &machine,
        &["permissions"],
        &expect![[r#"
        err: no decisions are remembered
        exit: 0
    "#]],
    );
    check(
        &machine,
        &["permissions", "list", "--json"],
        &expect![[r#"
            []
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["permissions", "clear"],
        &expect![[r#"
        err: there was nothing to revoke
        exit: 0
    "#]],
    );
    assert!(!machine.path("home/attache/data").exists());
}

#[test]
fn decisions_are_listed() {
    let machine = remembering();
    check(
        &machine,
        &["permissions"],
        &expect![[r#"
            ID  AGENT  WORKSPACE  WHAT  DECISION  SCOPE  EXPIRES
            id-0  claude  ~/project  execute npm test  allow  workspace  never
            id-1  gemini  any  execute curl ␛[2J  deny  always  2096-10-02T07:06:40Z
            exit: 0
        "#]],
    );
    let output = machine.attache(&["permissions", "--json"]);
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed[0]["what"], "npm test");
    assert_eq!(listed[1]["expires"], "2096-10-02T07:06:40Z");
}

#[test]
fn decisions_are_revoked_and_asked_again() {
    let machine = remembering();
    let question = asks("claude", &machine.path("project"), "npm test");
    let running = open(&machine).0;
    assert_ne!(running.judge(&question), Verdict::Ask);
    let id = ids(&machine).remove(0);
    check(
        &machine,
        &["permissions", "revoke", &id, "00000000"],
        &expect![[r#"
            err: revoked id-0: execute npm test
            err: there is no decision `00000000`; `attache permissions` lists them
            exit: 1
        "#]],
    );
    assert_eq!(running.judge(&question), Verdict::Ask);
}

#[test]
fn decisions_of_a_directory_or_an_agent_are_cleared() {
    let machine = remembering();
    check(
        &machine,
        &["permissions", "clear", "--workspace", "."],
        &expect![[r#"
            err: revoked 1 decision
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["permissions", "clear", "-a", "claude"],
        &expect![[r#"
            err: there was nothing to revoke
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["permissions", "clear", "-a", "gemini"],
        &expect![[r#"
            err: revoked 1 decision
            exit: 0
        "#]],
    );
    assert_eq!(open(&machine).0.list().len(), 0);
}

#[test]
fn a_file_that_was_changed_by_somebody_else() {
    let machine = remembering();
    let store = machine.path("home/attache/data/permissions.json");
    let text = fs::read_to_string(&store).unwrap();
    fs::write(
        &store,
        text.replace("\"is_allowed\": false", "\"is_allowed\": true"),
    )
    .unwrap();
    check(
        &machine,
        &["permissions"],
        &expect![[r#"
        err: remembered decisions are ignored: `~/home/attache/data/permissions.json` was changed by somebody else
        err: no decisions are remembered
        exit: 1
    "#]],
    );
}

#[test]
fn policies_are_checked() {
    let machine = Machine::new();
    machine.file(
        "project/good.json",
        r#"{"rules": [{"action": "deny", "command": "rm **"}]}"#,
    );
    machine.file(
        "project/bad.json",
        "{\n  \"rules\": [\n    {\"action\": \"deny\", \"kind\": \"raed\"}\n  ]\n}\n",
    );
    check(
        &machine,
        &["permissions", "check", "good.json"],
        &expect![[r#"
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["permissions", "check", "bad.json"],
        &expect![[r#"
            err: bad.json:3:32: rules[0].kind: unknown tool kind; did you mean `read`?
            exit: 2
        "#]],
    );
    check(
        &machine,
        &["permissions", "check", "none.json"],
        &expect![[r#"
            err: none.json: cannot be read: No such file or directory (os error 2)
            exit: 2
        "#]],
    );
}

#[test]
fn rules_that_allow_less_than_they_look_like_are_named() {
    let machine = Machine::new();
    machine.file(
        "project/policy.json",
        r#"{"rules": [{"action": "allow", "tool": "Bash"}, {"action": "allow", "kind": "execute"},
            {"action": "allow", "agent": "claude", "tool": "WebSearch"}, {"action": "allow", "command": "bash **"}]}"#,
    );
    check(
        &machine,
        &["permissions", "check", "policy.json"],
        &expect![[r#"
            err: policy.json: rule `rules[0]` allows nothing without `agent`, because the agent chooses names and kinds; write a rule with `agent` and `tool`; commands need `command` and files need `path`
            err: policy.json: rule `rules[1]` allows no command, because the agent chooses the kind; name the commands with `command`
            err: policy.json: rule `rules[3]` allows nothing with `bash **`: that program runs others; name those with patterns of their own
            exit: 0
        "#]],
    );
}

#[test]
fn many_programs_revoke_at_the_same_time() {
    let machine = Machine::new();
    let (permissions, _) = open(&machine);
    for number in 0..12 {
        let question = asks(
            "claude",
            &machine.path("project"),
            &format!("npm run {number}"),
        );
        let decision = Decision {
            is_allowed: true,
            scope: Scope::Always,
            expires: None,
        };
        permissions.remember(&question, &decision);
    }
    let ids = ids(&machine);
    assert_eq!(ids.len(), 12);
    std::thread::scope(|scope| {
        for id in &ids[1..] {
            let machine = &machine;
            scope.spawn(move || {
                let output = machine.attache(&["permissions", "revoke", id]);
                assert!(output.status.success(), "{}", machine.shown(&output));
            });
        }
    });
    assert_eq!(self::ids(&machine), ids[..1]);
}

#[test]
fn a_decision_is_given_an_end_by_the_beginning_of_its_id() {
    let machine = remembering();
    let id = ids(&machine)[0].clone();
    let before = std::time::SystemTime::now();
    let output = machine.attache(&["permissions", "expire", &id[..4], "--in", "8h"]);
    assert_eq!(output.status.code(), Some(0));
    let first = &open(&machine).0.list()[0];
    let expires = UNIX_EPOCH + Duration::from_secs(first.expires.unwrap());
    let hours = expires.duration_since(before).unwrap().as_secs_f64() / 3600.0;
    assert!((7.99..8.01).contains(&hours), "{hours}");
    check(
        &machine,
        &["permissions", "expire", &id, "--never"],
        &expect![[r#"
            err: id-0 is kept until revoked: execute npm test
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["permissions", "expire", "zzzz", "--never"],
        &expect![[r#"
            err: there is no decision `zzzz`; `attache permissions` lists them
            exit: 1
        "#]],
    );
    for arguments in [
        &["permissions", "expire", &id][..],
        &["permissions", "expire", &id, "--in", "soon"],
        &["permissions", "expire", &id, "--in", "1h", "--never"],
    ] {
        assert_eq!(machine.attache(arguments).status.code(), Some(2));
    }
    check(
        &machine,
        &["permissions", "revoke", &id[..5]],
        &expect![[r#"
            err: revoked id-0: execute npm test
            exit: 0
        "#]],
    );
}
