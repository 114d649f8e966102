//! Grants for a turn, decisions as records, and tools that are known by more than their name.

use super::*;

fn own(call: &str) -> Action {
    action(call)
}

fn mcp_call(identity: &str, input: &str) -> Action {
    let call = format!(r#"{{"title":"github: list","kind":"other","rawInput":{input}}}"#);
    action(&call).with_tool_identity(identity)
}

fn grant(permissions: &Permissions, action: &Action) {
    let grant = Grant::of_shown(action, &ShownContent::None).unwrap();
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
    assert!(!permissions.spend(&elsewhere, None));
    assert!(!permissions.spend(&other_agent, None));
    assert!(permissions.spend(&granted, None));
    assert!(!permissions.spend(&granted, None), "used up");

    grant(&permissions, &granted);
    permissions.end_turn(&granted.session);
    assert!(!permissions.spend(&granted, None));

    grant(&permissions, &granted);
    permissions.end_session(&granted.session);
    assert!(!permissions.spend(&granted, None));

    grant(&permissions, &granted);
    permissions.retract(&run("npm test"));
    assert!(!permissions.spend(&granted, None));
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
    assert!(permissions.spend(&run("npm test"), None));
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
fn an_identity_that_an_agent_tells_of_a_tool_narrows_what_is_remembered() {
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
