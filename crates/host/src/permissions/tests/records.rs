//! Grants for a turn, decisions as records, and tools that are known by more than their name.

use super::*;
use crate::permissions::ContentBefore;

fn own(call: &str) -> Action {
    action(call)
}

fn mcp_call(identity: &str, input: &str) -> Action {
    let call = format!(r#"{{"title":"github: list","kind":"other","rawInput":{input}}}"#);
    action(&call).with_tool_identity(identity)
}

fn grant(permissions: &Permissions, action: &Action) {
    let grant = Grant::for_shown_action(action, &ShownContent::None, GrantedBy::User).unwrap();
    permissions.grant(grant).unwrap();
}

#[test]
fn a_grant_covers_one_use_in_its_session_until_the_turn_ends() {
    let permissions = Permissions::preset(Preset::Ask);
    let granted = run("npm test");
    let mut elsewhere = granted.clone();
    elsewhere.session = "other".into();
    let mut other_agent = granted.clone();
    other_agent.agent = "codex".to_owned();
    grant(&permissions, &granted);
    assert!(!permissions.use_grant(&elsewhere, None));
    assert!(!permissions.use_grant(&other_agent, None));
    assert!(permissions.use_grant(&granted, None));
    assert!(!permissions.use_grant(&granted, None), "used up");

    grant(&permissions, &granted);
    permissions.end_turn(&granted.session);
    assert!(!permissions.use_grant(&granted, None));

    grant(&permissions, &granted);
    permissions.end_session(&granted.session);
    assert!(!permissions.use_grant(&granted, None));

    grant(&permissions, &granted);
    permissions.end_grants_about(&run("npm test"));
    assert!(!permissions.use_grant(&granted, None));
}

/// The requests to us that a grant for each kind of tool call covers.
#[test]
fn a_rule_grants_the_effect_of_the_kind_and_the_user_what_was_shown() {
    let kinds = v1::ToolKind::KNOWN.iter().chain(&["invented"]);
    let mut table = String::new();
    for kind in kinds {
        let file = format!(r#"{{"kind":"{kind}","locations":[{{"path":"/w/a"}}]}}"#);
        let command = format!(r#"{{"kind":"{kind}","rawInput":{{"command":"npm test"}}}}"#);
        for by in [GrantedBy::User, GrantedBy::Rule] {
            let covers = |shown: &str, used: &Action, written| {
                let permissions = Permissions::preset(Preset::Ask);
                let grant = Grant::for_shown_action(&action(shown), &ShownContent::None, by);
                grant.is_some_and(|grant| {
                    permissions.grant(grant).unwrap();
                    permissions.use_grant(used, written)
                })
            };
            let read = action(r#"{"kind":"read","locations":[{"path":"/w/a"}]}"#);
            let write = action(r#"{"kind":"edit","locations":[{"path":"/w/a"}]}"#);
            let effects = [
                ("read", covers(&file, &read, None)),
                (
                    "write",
                    covers(
                        &file,
                        &write,
                        Some(WholeFileChange {
                            old: ContentBefore::Missing,
                            new: "x",
                        }),
                    ),
                ),
                ("run", covers(&command, &run("npm test"), None)),
                ("run by a file", covers(&file, &run("npm test"), None)),
                ("read by a command", covers(&command, &read, None)),
                (
                    "write by a command",
                    covers(
                        &command,
                        &write,
                        Some(WholeFileChange {
                            old: ContentBefore::Missing,
                            new: "x",
                        }),
                    ),
                ),
            ];
            let covered = effects.iter().filter(|(_, is_covered)| *is_covered);
            let covered: Vec<&str> = covered.map(|(effect, _)| *effect).collect();
            table.push_str(&format!("{kind} by {by:?}: {}\n", covered.join(", ")));
        }
    }
    expect_test::expect![[r#"
        read by User: read, run
        read by Rule: read, run
        edit by User: read, write, run
        edit by Rule: write, run
        delete by User: read, run
        delete by Rule: run
        move by User: read, write, run
        move by Rule: run
        search by User: read, run
        search by Rule: run
        execute by User: read, run
        execute by Rule: run
        think by User: read, run
        think by Rule: run
        fetch by User: read, run
        fetch by Rule: run
        switch_mode by User: read, run
        switch_mode by Rule: run
        other by User: read, run
        other by Rule: run
        invented by User: read, run
        invented by Rule: run
    "#]]
    .assert_eq(&table);
}

#[test]
fn clones_share_grants_and_enforcement() {
    let permissions = Permissions::preset(Preset::Ask);
    let clone = permissions.clone();
    grant(&clone, &run("npm test"));
    let enforcement = Enforcement {
        commands: true,
        paths: false,
    };
    clone.enforce(enforcement);
    assert!(permissions.use_grant(&run("npm test"), None));
    assert_eq!(permissions.enforcement(), enforcement);
}

#[test]
fn a_record_counts_once_it_is_restored_and_survives_a_journal() {
    let action = run("npm test");
    let first = Permissions::preset(Preset::Ask);
    let record = first
        .record(&action, &decision(true, Scope::Session))
        .unwrap();
    assert_eq!(first.recall(&action), None, "not before the journal has it");
    let kept = serde_json::to_string(&record).unwrap();

    let second = Permissions::preset(Preset::Ask);
    assert!(second.restore(serde_json::from_str(&kept).unwrap()));
    assert!(second.recall(&action).unwrap().is_allowed);
    assert_eq!(second.recall(&run("npm tests")), None);
    second.end_session(&action.session);
    assert_eq!(second.recall(&action), None);
}

#[test]
fn only_records_of_a_session_are_restored() {
    let permissions = Permissions::preset(Preset::Ask);
    let action = run("npm test");
    for scope in [Scope::Workspace, Scope::Always] {
        let record = permissions.record(&action, &decision(true, scope)).unwrap();
        assert!(!permissions.restore(record));
    }
    assert_eq!(
        permissions.record(&action, &decision(true, Scope::Once)),
        None
    );
    assert_eq!(permissions.recall(&action), None);
}

#[test]
fn a_tool_whose_definition_changed_is_another_tool() {
    let permissions = Permissions::preset(Preset::Ask);
    let decided = decision(true, Scope::Session);
    permissions.remember(&mcp_call("github #1", r#"{"q":1}"#), &decided);
    assert!(
        permissions
            .recall(&mcp_call("github #1", r#"{"q":1}"#))
            .is_some()
    );
    for other in [
        mcp_call("github #2", r#"{"q":1}"#),
        mcp_call("other #1", r#"{"q":1}"#),
        mcp_call("github #1", r#"{"q":2}"#),
        own(r#"{"title":"github: list","kind":"other","rawInput":{"q":1}}"#),
    ] {
        assert_eq!(permissions.recall(&other), None, "{other:?}");
    }
}

#[test]
fn a_decision_on_a_class_covers_the_class_and_not_another_tool() {
    let permissions = Permissions::preset(Preset::Ask);
    let class = |identity, input| mcp_call(identity, input).of_class("mcp tool");
    permissions.remember(&class("github #1", "{}"), &decision(true, Scope::Session));
    assert!(
        permissions
            .recall(&class("github #1", r#"{"q":2}"#))
            .is_some()
    );
    assert_eq!(permissions.recall(&class("github #2", "{}")), None);
    assert_eq!(
        permissions.recall(&mcp_call("github #1", "{}").of_class("fetch")),
        None
    );
    assert_eq!(
        permissions.judge(&mcp_call("github #1", "{}")),
        Verdict::Ask
    );
}

#[test]
fn a_decision_on_a_class_never_covers_a_protected_file() {
    let permissions = Permissions::preset(Preset::Ask);
    let edit = |path: &str| {
        let call = format!(r#"{{"kind":"edit","locations":[{{"path":"{path}"}}]}}"#);
        action(&call).of_class("changes to files")
    };
    permissions.remember(&edit("/w/a"), &decision(true, Scope::Session));
    assert!(permissions.recall(&edit("/w/b")).is_some());
    assert_eq!(permissions.recall(&edit("/w/.envrc")), None);
}

#[test]
fn an_identity_that_an_agent_gives_a_tool_narrows_decisions() {
    let told = |identity: &str| {
        let meta = format!(r#""_meta":{{"attache":{{"toolIdentity":"{identity}"}}}}"#);
        action(&format!(
            r#"{{"title":"list","name":"mcp__github__list","kind":"other","rawInput":{{}},{meta}}}"#
        ))
    };
    let permissions = Permissions::preset(Preset::Ask);
    permissions.remember(&told("one"), &decision(true, Scope::Session));
    assert!(matches!(permissions.judge(&told("one")), Verdict::Allow(_)));
    assert_eq!(permissions.judge(&told("two")), Verdict::Ask);
    let untold = r#"{"title":"list","name":"mcp__github__list","kind":"other","rawInput":{}}"#;
    assert_eq!(permissions.judge(&action(untold)), Verdict::Ask);
}
