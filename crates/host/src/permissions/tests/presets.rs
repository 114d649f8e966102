//! Verdicts of presets, without a policy and without remembered decisions.

use expect_test::{Expect, expect};

use super::*;

fn check(preset: Preset, expected: Expect) {
    let permissions = Permissions::preset(preset);
    let calls = [
        r#"{"kind":"read","locations":[{"path":"/w/a"}]}"#,
        r#"{"kind":"read","locations":[{"path":"/etc/passwd"}]}"#,
        r#"{"kind":"read","locations":[{"path":"/w/../etc/passwd"}]}"#,
        r#"{"kind":"search","rawInput":{"query":"x"}}"#,
        r#"{"kind":"think"}"#,
        r#"{"kind":"fetch","rawInput":{"url":"https://example.com"}}"#,
        r#"{"kind":"read","rawInput":{"command":"rm x"}}"#,
        r#"{"kind":"edit","locations":[{"path":"/w/a"}]}"#,
        r#"{"kind":"edit","locations":[{"path":"/w/.git/hooks/x"}]}"#,
        r#"{"kind":"execute","rawInput":{"command":"ls"}}"#,
        r#"{"kind":"teleport"}"#,
        r#"{"title":"nothing said"}"#,
    ];
    let verdicts = calls.map(|call| shown(&permissions.judge(&action(call))));
    expected.assert_eq(&verdicts.join("\n"));
}

#[test]
fn ask() {
    check(
        Preset::Ask,
        expect![[r#"
            allow: reading inside the workspace
            ask
            ask
            ask
            ask
            ask
            ask
            ask
            ask
            ask
            ask
            ask"#]],
    );
}

#[test]
fn approve_reads() {
    check(
        Preset::ApproveReads,
        expect![[r#"
            allow: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads
            deny: --approve-reads"#]],
    );
}

#[test]
fn approve_all() {
    check(
        Preset::ApproveAll,
        expect![[r#"
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all
            deny: it would change a protected file
            allow: --approve-all
            allow: --approve-all
            allow: --approve-all"#]],
    );
}

#[test]
fn deny_all() {
    check(
        Preset::DenyAll,
        expect![[r#"
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all
        deny: --deny-all"#]],
    );
}

#[test]
fn reading_that_leads_outside_in_other_words() {
    let permissions = Permissions::preset(Preset::ApproveReads);
    for input in [
        r#"{"file_path":"~/.ssh/id_rsa"}"#,
        r#"{"path":"$HOME/.netrc"}"#,
        r#"{"uri":"file:///w/%2e%2e/etc/passwd"}"#,
        r#"{"uri":"file://localhost/etc/passwd"}"#,
        r#"{"whatever":"/etc/passwd"}"#,
        r#"{"whatever":"a/../../b"}"#,
        r#"{"paths":["a","/etc/passwd"]}"#,
        r#"{"files":[{"path":"/etc/passwd"}]}"#,
    ] {
        let action = action(&format!(r#"{{"kind":"read","rawInput":{input}}}"#));
        assert!(
            matches!(permissions.judge(&action), Verdict::Deny(_)),
            "{input}"
        );
    }
}

#[test]
fn added_directories_are_inside_until_the_session_ends() {
    let permissions = Permissions::preset(Preset::ApproveReads);
    let action = action(r#"{"kind":"read","locations":[{"path":"/lib/a"}]}"#);
    let mut verdicts = vec![shown(&permissions.judge(&action))];
    permissions.add_directories(&action.session, &[PathBuf::from("/lib")]);
    verdicts.push(shown(&permissions.judge(&action)));
    permissions.end_session(&action.session);
    verdicts.push(shown(&permissions.judge(&action)));
    expect![[r#"
        deny: --approve-reads
        allow: --approve-reads
        deny: --approve-reads"#]]
    .assert_eq(&verdicts.join("\n"));
}

#[test]
fn a_user_who_is_there_is_asked_under_every_preset_but_deny_all() {
    let policy = r#"{"rules":[{"action":"ask","command":"git push **"}]}"#;
    let calls = [
        r#"{"kind":"execute","rawInput":{"command":"git push origin"}}"#,
        r#"{"kind":"edit","locations":[{"path":"/w/.git/hooks/x"}]}"#,
        r#"{"kind":"execute","rawInput":{"command":"ls"}}"#,
    ];
    let verdicts = |preset: Preset| {
        let mut config = PermissionConfig::new(preset);
        config.policy = Some(Policy::parse("policy.json", policy).unwrap());
        config.is_attended = true;
        let permissions = Permissions::open(config).0;
        let is_attended = permissions.exec_rules("agent").is_attended;
        let each = calls.map(|call| shown(&permissions.judge(&action(call))));
        format!("{}; at exec: {is_attended}", each.join("; "))
    };
    assert_eq!(
        verdicts(Preset::ApproveAll),
        "ask; ask; allow: --approve-all; at exec: true"
    );
    assert_eq!(
        verdicts(Preset::ApproveReads),
        "ask; deny: --approve-reads; deny: --approve-reads; at exec: true"
    );
    assert_eq!(
        verdicts(Preset::DenyAll),
        "deny: --deny-all; deny: --deny-all; deny: --deny-all; at exec: false"
    );
}
