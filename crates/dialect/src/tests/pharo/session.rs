//! Sessions: their directory, modes and options.

use serde_json::Value;

use super::{agent, check, client, of_session};
use crate::tests::call_translator::{call, id};
use crate::{CallTranslator, Dialect, Role};

#[test]
fn mcp_servers() {
    check(
        "session/new",
        r#"{"cwd":"/p","mcpServers":[
            {"transport":"stdio","command":"/usr/bin/files","args":["-v"],"env":{"KEY":"secret"}},
            {"transport":"stdio","command":"/opt/files","args":[],"env":{}},
            {"transport":"http","url":"https://me:pw@tools.example:8080/mcp?x","headers":{"Authorization":"t"}},
            {"transport":"sse","name":"old","url":"https://x/y","headers":{}}]}"#,
        r#"{"cwd":"/p","mcpServers":[
            {"name":"files","command":"/usr/bin/files","args":["-v"],"env":[{"name":"KEY","value":"secret"}]},
            {"name":"files-2","command":"/opt/files","args":[],"env":[]},
            {"type":"http","name":"tools.example:8080","url":"https://me:pw@tools.example:8080/mcp?x",
                "headers":[{"name":"Authorization","value":"t"}]},
            {"type":"sse","name":"old","url":"https://x/y","headers":[]}]}"#,
    );
    client().reads(
        "session/new",
        r#"{"cwd":"/p","mcpServers":[{"transport":"stdio","command":"a"},{"transport":"http","url":"b"}]}"#,
        r#"{"cwd":"/p","mcpServers":[{"name":"a","command":"a","args":[],"env":[]},
            {"type":"http","name":"b","url":"b","headers":[]}]}"#,
    );
    agent().writes(
        "session/new",
        r#"{"cwd":"/p","mcpServers":
            [{"transport":"stdio","name":"mine","command":"/bin/a","args":[],"env":{"A":"2"}}]}"#,
        r#"{"cwd":"/p","mcpServers":[{"name":"mine","command":"/bin/a","args":[],
            "env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}"#,
    );
}

#[test]
fn a_loaded_session_keeps_its_directory() {
    client()
        .reads(
            "session/new",
            r#"{"cwd":"/p","mcpServers":[]}"#,
            r#"{"cwd":"/p","mcpServers":[]}"#,
        )
        .writes_result(
            "session/new",
            r#"{"sessionId":"s"}"#,
            r#"{"sessionId":"s"}"#,
        )
        .reads(
            "session/load",
            r#"{"sessionId":"s","mcpServers":[]}"#,
            r#"{"sessionId":"s","cwd":"/p","mcpServers":[]}"#,
        )
        .writes_result("session/load", "null", r#"{"modes":null}"#)
        .refuses(
            "session/load",
            r#"{"sessionId":"other","mcpServers":[]}"#,
            NO_DIRECTORY,
        );
}

#[test]
fn a_stored_session_is_loaded_in_its_directory() {
    client()
        .remembers("old", "/old")
        .remembers("empty", "")
        .reads(
            "session/load",
            r#"{"sessionId":"old","mcpServers":[]}"#,
            r#"{"sessionId":"old","cwd":"/old","mcpServers":[]}"#,
        )
        .reads(
            "session/load",
            r#"{"sessionId":"old","cwd":"/moved","mcpServers":[]}"#,
            r#"{"sessionId":"old","cwd":"/moved","mcpServers":[]}"#,
        )
        .refuses(
            "session/load",
            r#"{"sessionId":"empty","mcpServers":[]}"#,
            NO_DIRECTORY,
        );
}

#[test]
fn the_directory_of_a_load_counts_after_success() {
    let named = r#"{"sessionId":"s","cwd":"/p","mcpServers":[]}"#;
    let unnamed = r#"{"sessionId":"s","mcpServers":[]}"#;
    client()
        .reads("session/load", named, named)
        .writes_error(
            "session/load",
            r#"{"code":-32603,"message":"m"}"#,
            r#"{"code":-32603,"message":"m"}"#,
        )
        .refuses("session/load", unnamed, NO_DIRECTORY)
        .reads("session/load", named, named)
        .writes_result("session/load", "null", "{}")
        .reads("session/load", unnamed, named);
}

#[test]
fn overlong_values_are_not_remembered() {
    let long = "x".repeat(4097);
    let new = format!(r#"{{"cwd":"/{long}","mcpServers":[]}}"#);
    let load = format!(r#"{{"sessionId":"s","cwd":"/{long}","mcpServers":[]}}"#);
    let unnamed = r#"{"sessionId":"s","mcpServers":[]}"#;
    client()
        .remembers("s", &long)
        .reads("session/new", &new, &new)
        .writes_result(
            "session/new",
            r#"{"sessionId":"s"}"#,
            r#"{"sessionId":"s"}"#,
        )
        .reads("session/load", &load, &load)
        .writes_result("session/load", "null", "{}")
        .refuses("session/load", unnamed, NO_DIRECTORY)
        .writes(
            "session/update",
            &of_session(&format!(
                r#"{{"type":"tool_call","toolCallId":"t","title":"{long}"}}"#
            )),
            &of_session(&format!(
                r#"{{"sessionUpdate":"tool_call","toolCallId":"t","title":"{long}"}}"#
            )),
        )
        .writes(
            "session/request_permission",
            r#"{"sessionId":"s","toolCallId":"t","title":"Tool call t","options":[]}"#,
            r#"{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}"#,
        );
}

#[test]
fn too_many_modes_are_not_remembered() {
    let mode = |id: &str| format!(r#"{{"modeId":"{id}","title":"t"}}"#);
    let mut modes: Vec<String> = (0..300).map(|number| mode(&number.to_string())).collect();
    modes[0] = mode(&"x".repeat(4097));
    let modes = modes.join(",");
    let mut translator = CallTranslator::new(Dialect::Pharo, Role::Agent);
    let result =
        format!(r#"{{"protocolVersion":1,"agentCapabilities":{{"sessionModes":[{modes}]}}}}"#);
    translator
        .read_result(id(), "initialize", &result)
        .expect("read");
    let update = of_session(&format!(
        r#"{{"type":"current_mode_update","modeId":"{}"}}"#,
        "x".repeat(4097)
    ));
    translator
        .read_call(call("session/update", &update))
        .expect("read");
    let load = r#"{"sessionId":"s","cwd":"/p","mcpServers":[]}"#;
    translator
        .write_call(call("session/load", load))
        .expect("written");
    let result = translator.read_result(id(), "session/load", "null");
    let result: Value = serde_json::from_str(&result.expect("read")).expect("JSON");
    let modes = &result["modes"];
    assert_eq!(modes["currentModeId"], "1");
    assert_eq!(modes["availableModes"].as_array().map(Vec::len), Some(256));
}

#[test]
fn directories_of_concurrent_sessions_are_not_mixed_up() {
    let new = |cwd: &str| format!(r#"{{"cwd":"{cwd}","mcpServers":[]}}"#);
    let made = |id: &str| format!(r#"{{"sessionId":"{id}"}}"#);
    let load = |id: &str| format!(r#"{{"sessionId":"{id}","mcpServers":[]}}"#);
    let loaded =
        |id: &str, cwd: &str| format!(r#"{{"sessionId":"{id}","cwd":"{cwd}","mcpServers":[]}}"#);
    client()
        .reads("session/new", &new("/a"), &new("/a"))
        .reads("session/new", &new("/b"), &new("/b"))
        .reads("session/new", &new("/c"), &new("/c"))
        .refuses(
            "session/new",
            "[]",
            "Invalid params: expected an object, found an array (-32602)",
        )
        .out_of_turn()
        .writes_error(
            "session/new",
            r#"{"code":-32001,"message":"log in"}"#,
            r#"{"code":-32000,"message":"log in"}"#,
        )
        .out_of_turn()
        .writes_result("session/new", &made("b"), &made("b"))
        .writes_result("session/new", &made("a"), &made("a"))
        .reads("session/load", &load("a"), &loaded("a", "/a"))
        .reads("session/load", &load("b"), &loaded("b", "/b"));
}

#[test]
fn concurrent_option_changes_are_not_mixed_up() {
    let options = |big: &str, loud: bool| {
        format!(
            r#"[{{"id":"model","name":"Model","type":"select","currentValue":"{big}",
                "options":[{{"value":"big","name":"Big"}}]}},
                {{"id":"loud","name":"Loud","type":"boolean","currentValue":{loud}}}]"#
        )
    };
    let list = |big, loud| format!(r#"{{"configOptions":{}}}"#, options(big, loud));
    let session = format!(
        r#"{{"sessionId":"s","configOptions":{}}}"#,
        options("small", false)
    );
    agent()
        .reads_result("session/new", &session, &session)
        .writes(
            "session/set_config_option",
            r#"{"sessionId":"s","option":"model","value":"big"}"#,
            r#"{"sessionId":"s","configId":"model","value":"big"}"#,
        )
        .writes(
            "session/set_config_option",
            r#"{"sessionId":"s","option":"loud","value":true}"#,
            r#"{"sessionId":"s","configId":"loud","value":true,"type":"boolean"}"#,
        )
        .out_of_their_turn()
        .reads_result("session/set_config_option", "null", &list("small", true))
        .reads_result("session/set_config_option", "null", &list("big", true));
}

#[test]
fn config_options() {
    check(
        "session/set_config_option",
        r#"{"sessionId":"s","option":"autoApproveTools","value":true}"#,
        r#"{"sessionId":"s","configId":"autoApproveTools","value":true,"type":"boolean"}"#,
    );
    let set = r#"{"sessionId":"s","configId":"model","value":"big"}"#;
    let theirs = r#"{"sessionId":"s","option":"model","value":"big"}"#;
    check("session/set_config_option", theirs, set);
    let options = |value: &str| {
        format!(
            r#"[{{"id":"model","name":"Model","type":"select","currentValue":"{value}",
                "options":[{{"value":"big","name":"Big"}}]}}]"#
        )
    };
    let session = format!(
        r#"{{"sessionId":"s","configOptions":{}}}"#,
        options("small")
    );
    agent()
        .reads_result("session/new", &session, &session)
        .writes("session/set_config_option", theirs, set)
        .reads_result(
            "session/set_config_option",
            "null",
            &format!(r#"{{"configOptions":{}}}"#, options("big")),
        );
    agent()
        .writes("session/set_config_option", theirs, set)
        .reads_result(
            "session/set_config_option",
            "null",
            r#"{"configOptions":[]}"#,
        );
    client().writes_result(
        "session/set_config_option",
        "null",
        r#"{"configOptions":[]}"#,
    );
}

const NO_DIRECTORY: &str = "Invalid params: cwd: missing, and the session's directory is not known here; send it with the \
     call (-32602)";
