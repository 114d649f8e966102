//! Attacks with words that the agent chooses: names, kinds and titles of tools, and tool calls that say too little.

use serde_json::Value;

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

/// Inputs of a tool under any name: a command, a path outside the workspace, a protected file.
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
    for call in &calls() {
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
                    assert!(!is_allowed(&permissions, &call), "{preset:?} {call}");
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
fn a_rule_on_a_tool_covers_a_script_or_code_under_that_name() {
    let policies = [
        r#"{"rules":[{"action":"allow","agent":"claude","tool":"Bash"}]}"#,
        r#"{"rules":[{"action":"allow","agent":"claude","kind":["execute","other","fetch"]}]}"#,
        r#"{"rules":[{"action":"allow","agent":"claude","tool":"Bash","path":"/w/**"}]}"#,
        r#"{"rules":[{"action":"allow","path":"/w/**"}]}"#,
        r#"{"autoApprove":["Bash","execute","other"]}"#,
    ];
    let judges = policies.map(|policy| with_policy(Preset::ApproveReads, policy));
    let mut count = 0;
    for member in [
        "script",
        "code",
        "Script",
        "shell",
        "program",
        "exec",
        "stdin",
        "args",
        "command_line",
        "commandLine",
        "commands",
        "interpreter",
        "run",
        "eval",
        "source_code",
    ] {
        for value in [r#""rm -rf ~""#, r#"["rm","-rf"]"#, r#"{"a":1}"#] {
            for beside in ["", r#","repo":"x""#, r#","path":"/w/a""#] {
                for input in [
                    format!(r#"{{"{member}":{value}{beside}}}"#),
                    format!(r#"{{"options":[{{"{member}":{value}}}]{beside}}}"#),
                ] {
                    for kind in ["execute", "other", "fetch", "read", "edit"] {
                        let call =
                            format!(r#"{{"name":"Bash","kind":"{kind}","rawInput":{input}}}"#);
                        for (policy, permissions) in policies.iter().zip(&judges) {
                            assert!(!is_allowed(permissions, &call), "{policy}\n{call}");
                            count += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(count > 5_000, "{count}");
    let unseen = r#"{"name":"Bash","kind":"execute","title":"Run the tests"}"#;
    assert!(!is_allowed(&judges[0], unseen));
    let editing = r#"{"name":"edit","kind":"edit","rawInput":{"command":"create","path":"/w/a","file_text":"x"}}"#;
    assert!(is_allowed(&judges[3], editing));
}

/// Inputs of the reading tools of agents in use, by the role of their members.
const READINGS: [&str; 7] = [
    r#"{"path":"/w/a","offset":3,"limit":"10"}"#,
    r#"{"file_path":"/w/a","pages":"1-5,8","description":"look"}"#,
    r#"{"pattern":"x|y","path":"/w","glob":["*.rs"],"output_mode":"content","-n":true,"-A":2,"type":"rust"}"#,
    r#"{"paths":["/w/a","b"],"recursive":false,"file_filtering_options":{"respect_git_ignore":true}}"#,
    r#"{"files":[{"path":"/w/a","start_line":1}],"env":{},"timeout":5}"#,
    r#"{"path":"/w/a","view_range":[1,20],"tool_call_id":"c1"}"#,
    r#"{"path":"/w/a","limit":null,"env":null}"#,
];

#[test]
fn a_known_member_with_an_unexpected_value_does_not_count_as_reading() {
    let strange = [
        r#""; rm -rf ~""#,
        r#""$(id)""#,
        r#"{"command":"rm"}"#,
        r#"[{"command":"rm"}]"#,
        r#""/w/a\u0000/etc/passwd""#,
        r#"[["x"]]"#,
        r#"{"X":"y"}"#,
        "true",
    ];
    // A text that is only searched for, shown or looked for as a file may be any text; other members may not.
    let texts = [
        "path",
        "file_path",
        "paths",
        "files",
        "pattern",
        "glob",
        "description",
        "tool_call_id",
    ];
    let permissions = Permissions::preset(Preset::Ask);
    let mut count = 0;
    for reading in READINGS {
        let call = |input: &str| format!(r#"{{"kind":"read","rawInput":{input}}}"#);
        assert!(is_allowed(&permissions, &call(reading)), "{reading}");
        let members: serde_json::Map<String, Value> = serde_json::from_str(reading).unwrap();
        for name in members.keys() {
            for value in strange {
                let value: Value = serde_json::from_str(value).unwrap();
                let is_text = value.as_str().is_some_and(|text| !text.contains('\0'));
                let is_switch = value.is_boolean() && ["-n", "recursive"].contains(&name.as_str());
                if is_switch || (is_text && texts.contains(&name.as_str())) {
                    continue;
                }
                let mut mutated = members.clone();
                mutated.insert(name.clone(), value);
                let mutated = call(&Value::Object(mutated).to_string());
                assert!(!is_allowed(&permissions, &mutated), "{mutated}");
                count += 1;
            }
        }
        for content in [
            r#"{"type":"content","content":{"type":"text","text":"x"}}"#,
            r#"{"type":"terminal","terminalId":"t"}"#,
            r#"{"type":"diff","path":"/w/a","newText":"x"}"#,
            r#"{"type":"hologram"}"#,
        ] {
            let call = format!(r#"{{"kind":"read","rawInput":{reading},"content":[{content}]}}"#);
            assert!(!is_allowed(&permissions, &call), "{call}");
            count += 1;
        }
    }
    let located = r#"{"kind":"read","locations":[{"path":"/w/a\u0000/etc"}]}"#;
    assert!(!is_allowed(&permissions, located));
    assert!(count > 120, "{count}");
}

#[test]
fn a_tool_that_names_no_command_does_not_pass_a_rule_on_commands() {
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
fn the_user_is_asked_about_actions_too_large_to_inspect() {
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
            let picked = match pick_option(is_allowed, &options) {
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

/// Inputs that show that a file would be written, whatever the tool is called.
const WRITES: [&str; 12] = [
    r#""rawInput":{"path":"{}","content":"x"}"#,
    r#""rawInput":{"file_path":"{}","old_string":"a","new_string":"b"}"#,
    r#""rawInput":{"path":"{}","newText":"x"}"#,
    r#""rawInput":{"path":"{}","edits":[{"old":"a","new":"b"}]}"#,
    r#""rawInput":{"changes":{"{}":{"add":1}}}"#,
    r#""rawInput":{"command":"create","path":"{}"}"#,
    r#""rawInput":{"command":"undo_edit","path":"{}"}"#,
    r#""rawInput":{"path":"{}","script":"s/a/b/"}"#,
    r#""content":[{"type":"diff","path":"{}","newText":"x"}]"#,
    r#""rawInput":{"path":"{}"},"content":[{"type":"diff","path":"{}","newText":"x"}]"#,
    r#""name":"mcp__files__write","rawInput":{"path":"{}"}"#,
    r#""_meta":{"attache":{"toolIdentity":"x"}},"rawInput":{"path":"{}"}"#,
];

#[test]
fn no_kind_makes_a_write_reading() {
    for kind in KINDS {
        for write in WRITES {
            let call = |path: &str| {
                let rest = write.replace("{}", path);
                format!(r#"{{"title":"Read","kind":"{kind}",{rest}}}"#)
            };
            let plain = call("/w/src/a");
            for preset in [Preset::Ask, Preset::ApproveReads] {
                let permissions = Permissions::preset(preset);
                assert!(!is_allowed(&permissions, &plain), "{preset:?} {plain}");
            }
            let hook = call("/w/.git/hooks/pre-commit");
            assert!(action(&hook).is_protected(), "{hook}");
            for permissions in [
                Permissions::preset(Preset::ApproveAll),
                with_policy(Preset::Ask, r#"{"default":"allow"}"#),
                with_policy(
                    Preset::Ask,
                    r#"{"rules":[{"action":"allow"},{"action":"allow","path":"**"}]}"#,
                ),
            ] {
                assert!(!is_allowed(&permissions, &hook), "{hook}");
            }
        }
    }
}

#[test]
fn reading_a_protected_file_needs_no_protection() {
    for path in ["/w/AGENTS.md", "/w/.git/config", "/w/CLAUDE.md"] {
        let read =
            format!(r#"{{"kind":"read","rawInput":{{"path":"{path}","offset":1,"limit":9}}}}"#);
        for preset in [Preset::Ask, Preset::ApproveReads, Preset::ApproveAll] {
            assert!(
                is_allowed(&Permissions::preset(preset), &read),
                "{preset:?} {read}"
            );
        }
    }
}

#[test]
fn a_remembered_permission_to_read_covers_no_writing_and_nothing_unknown() {
    for kind in ["read", "search", "edit"] {
        let asked = format!(r#"{{"kind":"{kind}","rawInput":{{"path":"/x/a","limit":3}}}}"#);
        let permissions = Permissions::preset(Preset::Ask);
        permissions.remember(&action(&asked), &decision(true, Scope::Session));
        let again = asked.replace('3', "4");
        assert!(is_allowed(&permissions, &again), "{again}");
        for write in WRITES {
            let rest = write.replace("{}", "/x/a");
            let call = format!(r#"{{"kind":"{kind}",{rest}}}"#);
            // Content belongs to an edit.
            let is_edit = kind == "edit"
                && !["script", "mcp", "_meta"]
                    .iter()
                    .any(|it| rest.contains(it));
            assert!(is_edit || !is_allowed(&permissions, &call), "{call}");
        }
    }
}

#[test]
fn a_remembered_denial_of_writing_covers_a_tool_that_claims_to_read() {
    for write in WRITES {
        let call = |kind: &str| format!(r#"{{"kind":"{kind}",{}}}"#, write.replace("{}", "/w/a"));
        let permissions = with_policy(Preset::Ask, r#"{"default":"allow"}"#);
        permissions.remember(&action(&call("edit")), &decision(false, Scope::Session));
        for kind in KINDS {
            let call = call(kind);
            let verdict = permissions.judge(&action(&call));
            assert!(matches!(verdict, Verdict::Deny(_)), "{call}");
        }
        let read = r#"{"kind":"read","rawInput":{"path":"/w/a"}}"#;
        assert!(is_allowed(&permissions, read));
    }
}

#[test]
fn a_pattern_of_files_does_not_lead_out_of_the_workspace() {
    for preset in [Preset::Ask, Preset::ApproveReads] {
        let permissions = Permissions::preset(preset);
        for member in ["glob", "include", "pattern"] {
            for pattern in [
                "/etc/*",
                "../../etc/*",
                "~/.ssh/*",
                "a/../../x",
                "/{etc,x}/passwd",
            ] {
                for value in [
                    format!(r#""{pattern}""#),
                    format!(r#"["*.rs","{pattern}"]"#),
                ] {
                    for kind in ["read", "search"] {
                        let call = format!(
                            r#"{{"kind":"{kind}","rawInput":{{"path":"/w/src","{member}":{value}}}}}"#
                        );
                        assert!(!is_allowed(&permissions, &call), "{call}");
                    }
                }
            }
            let call = format!(
                r#"{{"kind":"search","rawInput":{{"path":"/w/src","{member}":"**/*.rs"}}}}"#
            );
            assert!(is_allowed(&permissions, &call), "{call}");
        }
    }
}
