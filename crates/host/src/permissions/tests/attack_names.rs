//! Attacks with words that the agent chooses: names, kinds and titles of tools, and tool calls that say too little.

use super::*;

const NAMES: [&str; 8] = [
    "Read",
    "Bash",
    "mcp__github__list",
    "WebSearch",
    "read_file",
    "think",
    "edit",
    "execute",
];
const KINDS: [&str; 10] = [
    "read", "search", "think", "fetch", "edit", "delete", "move", "execute", "other", "teleport",
];

/// What a tool may do under whatever name: run a command, leave the workspace, change a protected file.
const INPUTS: [&str; 8] = [
    r#""rawInput":{"command":"rm -rf x"}"#,
    r#""rawInput":{"command":["sh","-c","rm x"]}"#,
    r#""rawInput":{"cmd":"rm x","path":"/w/a"}"#,
    r#""locations":[{"path":"/etc/passwd"}]"#,
    r#""locations":[{"path":"/w/a"},{"path":"/w/../x"}]"#,
    r#""rawInput":{"path":"~/.ssh/id_rsa"}"#,
    r#""rawInput":{"file_path":"/w/.git/hooks/pre-commit"},"locations":[{"path":"/w/.git/hooks/pre-commit"}]"#,
    r#""rawInput":{"script":"rm x"}"#,
];

fn calls() -> Vec<String> {
    let mut calls = Vec::new();
    for name in NAMES {
        for kind in KINDS {
            for input in INPUTS {
                calls.push(format!(
                    r#"{{"name":"{name}","title":"{name}","kind":"{kind}",{input}}}"#
                ));
                calls.push(format!(
                    r#"{{"title":"{name}: x","kind":"{kind}",{input}}}"#
                ));
            }
        }
    }
    calls
}

fn is_allowed(permissions: &Permissions, call: &str) -> bool {
    matches!(permissions.judge(&action(call)), Verdict::Allow(_))
}

#[test]
fn a_rule_on_a_name_never_covers_a_command_or_a_file_elsewhere_or_a_protected_one() {
    let names = serde_json::to_string(&NAMES).unwrap();
    let kinds = serde_json::to_string(&KINDS[..9]).unwrap();
    let rules = [
        format!(r#"{{"rules":[{{"action":"allow","tool":{names}}}]}}"#),
        r#"{"rules":[{"action":"allow","tool":"*"}]}"#.to_owned(),
        format!(r#"{{"rules":[{{"action":"allow","kind":{kinds}}}]}}"#),
        format!(r#"{{"rules":[{{"action":"allow","tool":{names},"kind":{kinds}}}]}}"#),
        format!(r#"{{"autoApprove":{names}}}"#),
        format!(r#"{{"autoApprove":{kinds}}}"#),
    ];
    let calls = calls();
    assert!(calls.len() > 1_000);
    for rule in rules {
        for preset in [Preset::Ask, Preset::ApproveReads] {
            let permissions = with_policy(preset, &rule);
            for call in &calls {
                // What only reads a protected file needs no protection.
                let reads = action(call)
                    .paths
                    .iter()
                    .all(|path| path.starts_with("/w/.git"))
                    && matches!(action(call).kind, v1::ToolKind::Read | v1::ToolKind::Search);
                let reads =
                    reads && action(call).command.is_none() && !action(call).paths.is_empty();
                assert!(reads || !is_allowed(&permissions, call), "{rule}\n{call}");
            }
        }
    }
}

#[test]
fn a_rule_on_a_name_for_an_agent_covers_only_what_names_no_command_and_no_file() {
    let names = serde_json::to_string(&NAMES).unwrap();
    let rule = format!(r#"{{"rules":[{{"action":"allow","agent":"claude","tool":{names}}}]}}"#);
    let permissions = with_policy(Preset::ApproveReads, &rule);
    for call in calls().iter().filter(|call| !call.contains("script")) {
        let read = action(call);
        let is_reading = matches!(read.kind, v1::ToolKind::Read | v1::ToolKind::Search)
            && read.command.is_none();
        let is_inside = read.paths.iter().all(|path| path.starts_with("/w/.git"));
        assert!(
            !is_allowed(&permissions, call) || (is_reading && is_inside),
            "{call}"
        );
    }
    let list = r#"{"name":"mcp__github__list","kind":"other","rawInput":{"repo":"x"}}"#;
    assert!(is_allowed(&permissions, list));
    let mut other = action(list);
    other.agent = "codex".to_owned();
    assert!(!matches!(permissions.judge(&other), Verdict::Allow(_)));
}

#[test]
fn nothing_overrides_deny_all() {
    let names = serde_json::to_string(&NAMES).unwrap();
    for policy in [
        r#"{"rules":[{"action":"allow"}],"default":"allow"}"#.to_owned(),
        format!(r#"{{"rules":[{{"action":"allow","agent":"claude","tool":{names}}}]}}"#),
        r#"{"rules":[{"action":"allow","command":["npm test","ls **"]},{"action":"allow","kind":"read","path":"**"}]}"#.to_owned(),
        r#"{"autoApprove":["read","edit","execute"],"defaultAction":"approve"}"#.to_owned(),
    ] {
        let permissions = with_policy(Preset::DenyAll, &policy);
        let plain = [
            r#"{"kind":"read","locations":[{"path":"/w/a"}]}"#,
            r#"{"kind":"execute","rawInput":{"command":"npm test"}}"#,
            r#"{"kind":"other","name":"mcp__github__list"}"#,
            r#"{"kind":"think"}"#,
        ];
        for call in plain {
            permissions.remember(&action(call), &decision(true, Scope::Always));
            assert!(!is_allowed(&permissions, call), "{policy}\n{call}");
        }
        for call in calls() {
            assert!(!is_allowed(&permissions, &call), "{policy}\n{call}");
        }
    }
}

#[test]
fn a_request_that_names_no_file_is_not_reading() {
    let mut count = 0;
    for preset in [Preset::Ask, Preset::ApproveReads] {
        let permissions = Permissions::preset(preset);
        for kind in KINDS {
            for name in NAMES {
                for rest in [
                    r#""rawInput":{"query":"x"}"#,
                    r#""rawInput":{}"#,
                    r#""rawInput":{"q":{"path":"/w/a"}}"#,
                    r#""rawInput":"text""#,
                    r#""rawInput":[1]"#,
                    r#""rawInput":{"path":"/w/a","send_to":"x"}"#,
                    r#""rawInput":{"thought":"x"}"#,
                    r#""rawInput":{"path":""}"#,
                    r#""rawInput":{"path":"https://example.com"}"#,
                    r#""locations":[]"#,
                    r#""locations":[{"path":"/w/a"}],"rawInput":{"server":"x"}"#,
                ] {
                    let call = format!(r#"{{"name":"{name}","kind":"{kind}",{rest}}}"#);
                    let is_silent = kind == "think"
                        && rest.starts_with("\"locations\":[]")
                        && !name.starts_with("mcp");
                    assert_eq!(
                        is_allowed(&permissions, &call),
                        is_silent,
                        "{preset:?} {call}"
                    );
                    count += 1;
                }
            }
        }
        for kind in ["read", "search"] {
            let call = format!(
                r#"{{"kind":"{kind}","name":"Read","rawInput":{{"path":"/w/a","limit":3}}}}"#
            );
            assert!(is_allowed(&permissions, &call), "{call}");
            let foreign = call.replace("\"Read\"", "\"mcp__files__read\"");
            assert!(!is_allowed(&permissions, &foreign), "{foreign}");
        }
    }
    assert!(count > 1_000);
}

#[test]
fn a_tool_that_says_nothing_of_a_command_does_not_pass_a_rule_on_commands() {
    let permissions = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","command":"curl **"}]}"#,
    );
    for call in [
        r#"{"kind":"execute","title":"Run the tests"}"#,
        r#"{"kind":"other","rawInput":{"script":"curl x"}}"#,
        r#"{"kind":"read","rawInput":{"path":"/w/a","exec":"curl x"}}"#,
        r#"{"kind":"other","rawInput":"curl x"}"#,
        r#"{"kind":"think","rawInput":{"code":"curl"}}"#,
    ] {
        assert!(!is_allowed(&permissions, call), "{call}");
    }
    let edit =
        r#"{"kind":"edit","rawInput":{"file_path":"/w/a","old_string":"curl","new_string":"x"}}"#;
    assert!(is_allowed(&permissions, edit));
}

#[test]
fn more_than_is_looked_at_is_asked_about() {
    let many: Vec<String> = (0..10_001).map(|number| format!("/w/{number}")).collect();
    let many = serde_json::to_string(&many).unwrap();
    let call =
        format!(r#"{{"kind":"edit","rawInput":{{"paths":{many},"edits":["/w/.git/hooks/x"]}}}}"#);
    for policy in [
        "{}",
        r#"{"default":"allow"}"#,
        r#"{"rules":[{"action":"allow"}]}"#,
    ] {
        for preset in [Preset::Ask, Preset::ApproveReads, Preset::ApproveAll] {
            assert!(
                !is_allowed(&with_policy(preset, policy), &call),
                "{preset:?} {policy}"
            );
        }
    }
}

#[test]
fn a_lasting_option_is_never_picked_for_the_user() {
    use v1::PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let kinds = [AllowAlways, AllowOnce, RejectAlways, RejectOnce];
    for set in 0..(1 << kinds.len()) {
        let options: Vec<_> = kinds
            .iter()
            .enumerate()
            .filter(|(at, _)| set & (1 << at) != 0)
            .map(|(at, kind)| {
                v1::PermissionOption::new(format!("{at}"), "Allow once", kind.clone())
            })
            .collect();
        for is_allowed in [true, false] {
            let picked = match outcome(is_allowed, &options) {
                v1::RequestPermissionOutcome::Selected(chosen) => {
                    let found = options
                        .iter()
                        .find(|option| option.option_id == chosen.option_id);
                    found.map(|option| option.kind.clone())
                }
                _ => None,
            };
            let once = if is_allowed { AllowOnce } else { RejectOnce };
            let is_offered = options.iter().any(|option| option.kind == once);
            assert_eq!(picked, is_offered.then_some(once), "{options:?}");
        }
    }
}
