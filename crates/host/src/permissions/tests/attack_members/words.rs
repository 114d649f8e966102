//! Attacks with the names of members, tools and kinds.

use serde_json::{Value, json};

use super::super::*;
use super::{is_allowed, is_denied};

#[test]
fn a_rule_on_a_tool_knows_spellings_of_code_and_files() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","agent":"claude","tool":"do"}]}"#,
    );
    let call = |input: &Value| {
        let call = json!({ "kind": "other", "name": "do", "rawInput": input });
        is_allowed(&permissions, &action(&call.to_string()))
    };
    for name in [
        "pythoncode",
        "shellcommand",
        "shellcmd",
        "bashcmd",
        "COMMANDTEXT",
        "comm-and",
        "c_m_d",
        "ｃommand",
        "сommand",
        "cmd\u{200b}",
        "arguments",
        "arg",
        "steps",
        "outputfile",
        "savepath",
        "destfile",
        "logfile",
        "save_as",
        "location",
    ] {
        for value in [json!("x"), json!(["x"]), json!({ "a": "x" })] {
            assert!(!call(&json!({ name: value })), "{name} {value}");
            assert!(
                !call(&json!({ "options": [[{ name: value }]] })),
                "{name} {value}"
            );
        }
    }
    for value in [
        "a/../../etc/passwd",
        " /etc/passwd",
        "$HOME/.bashrc",
        "\"/etc/passwd\"",
        "@/etc/passwd",
        "C:\\x",
        "\\\\host\\x",
        "ftp:///etc/x",
        "AGENTS.md",
        ".git/config",
    ] {
        assert!(!call(&json!({ "x": value })), "{value}");
        assert!(!call(&json!({ "x": [{ "y": value }] })), "{value}");
    }
    for input in [
        json!({ "query": "x", "profile": "y", "description": "d", "limit": 5 }),
        json!({ "repo": "a/b", "body": "see src/lib.rs", "subscription": "s" }),
    ] {
        assert!(call(&input), "{input}");
    }
}

#[test]
fn a_tool_of_a_server_is_known_by_every_spelling_and_every_name() {
    let permissions = Permissions::preset(Preset::Ask);
    let read = r#""kind":"read","rawInput":{"path":"/w/a"}"#;
    assert!(is_allowed(
        &permissions,
        &action(&format!(r#"{{"name":"Read",{read}}}"#))
    ));
    let deny = r#"{"rules":[{"action":"deny","tool":"mcp__*"}]}"#;
    let deny = with_policy(Preset::ApproveAll, deny);
    for name in [
        "MCP__gh__rm",
        "mcp-gh-rm",
        "mcp.gh.rm",
        "Mcp_gh",
        "mcp:gh",
        " mcp__x",
        "__mcp__x",
    ] {
        let call = format!(r#"{{"name":"{name}",{read}}}"#);
        assert!(!is_allowed(&permissions, &action(&call)), "{call}");
    }
    let meta = r#""_meta":{"claudeCode":{"toolName":"mcp__gh__rm"}}"#;
    let call = action(&format!(r#"{{"name":"Read",{meta},{read}}}"#));
    assert!(call.has_unknown_input);
    assert!(!is_allowed(&permissions, &call));
    assert!(is_denied(&deny, &call));
    let told: v1::ToolCall = json::from_str(
        r#"{"toolCallId":"1","title":"x","name":"mcp__gh__rm","kind":"read","rawInput":{"path":"/w/a"}}"#,
    )
    .unwrap();
    let asked = request(r#"{"name":"Read"}"#);
    let both = Action::from_request("claude", "/w".into(), &asked, Some(&told));
    assert!(!is_allowed(&permissions, &both));
    assert!(is_denied(&deny, &both));
}

#[test]
fn a_location_without_a_path_names_no_file() {
    let permissions = Permissions::preset(Preset::Ask);
    let call = action(r#"{"kind":"read","locations":[{"path":""}]}"#);
    assert!(call.paths.is_empty() && call.has_unknown_input);
    assert!(!is_allowed(&permissions, &call));
}

#[test]
fn a_rule_that_denies_commands_as_a_kind_catches_code_under_every_kind() {
    let permissions = with_policy(
        Preset::ApproveAll,
        r#"{"rules":[{"action":"deny","kind":"execute"}]}"#,
    );
    let words = with_policy(Preset::ApproveAll, r#"{"autoDeny":["execute"]}"#);
    for rest in [
        r#""rawInput":{"script":"x"}"#,
        r#""rawInput":{"path":"a","pythonCode":"x"}"#,
        r#""rawInput":{"options":{"shell":"x"}}"#,
        r#""content":[{"type":"terminal","terminalId":"t"}]"#,
    ] {
        for kind in ["read", "edit", "other", "fetch", "think"] {
            let call = format!(r#"{{"kind":"{kind}",{rest}}}"#);
            assert!(is_denied(&permissions, &action(&call)), "{call}");
            assert!(is_denied(&words, &action(&call)), "{call}");
        }
    }
    let edit = action(r#"{"kind":"edit","rawInput":{"path":"a","content":"x"}}"#);
    assert!(is_allowed(&permissions, &edit));
}
