//! Parts of the protocol that are easily misread, in the order of the reference.
//!
//! The official crate is asked about every case. Where we differ on purpose, the case says why.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call;
use crate::json::{self, Decode, Encode};

/// One of our types and its official counterpart: how each reads and rewrites a text.
#[derive(Clone, Copy)]
pub(super) struct ComparedType {
    pub(super) name: &'static str,
    pub(super) ours: fn(&str) -> Result<String, String>,
    pub(super) official: fn(&str) -> Result<Value, String>,
}

macro_rules! on {
    ($Name:ident) => {
        $crate::tests::traps::ComparedType {
            name: stringify!($Name),
            ours: $crate::tests::traps::ours::<$crate::v1::$Name>,
            official: $crate::tests::traps::theirs::<agent_client_protocol_schema::v1::$Name>,
        }
    };
}

pub(super) use on;

pub(super) fn ours<T: Decode + Encode>(text: &str) -> Result<String, String> {
    match json::from_str::<T>(text) {
        Ok(value) => Ok(json::to_string(&value)),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn theirs<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    match serde_json::from_str::<T>(text) {
        Ok(value) => Ok(serde_json::to_value(value).expect("official types write what they read")),
        Err(error) => Err(error.to_string()),
    }
}

/// The expected result of reading a text.
pub(super) enum ReadOutcome {
    /// Both crates read the text, and write this.
    Read(&'static str),
    /// Both crates reject the text; contains our error message.
    Refused(&'static str),
    /// We read the text and write this, but the official crate rejects it; with the reason.
    Kept(&'static str, &'static str),
    /// We reject the text with this message, but the official crate reads it; with the reason.
    Stricter(&'static str, &'static str),
}

use ReadOutcome::{Kept, Read, Refused, Stricter};

pub(super) fn check(cases: &[(ComparedType, &str, ReadOutcome)]) {
    for (of, input, fate) in cases {
        let (ours, theirs) = ((of.ours)(input), (of.official)(input));
        let said = format!("{} {input}: {ours:?}, officially {theirs:?}", of.name);
        match *fate {
            Read(written) => {
                assert_eq!(ours.as_deref(), Ok(written), "{said}");
                assert_eq!(theirs, Ok(value(written)), "{said}");
            }
            Refused(words) => {
                assert_eq!(ours.as_deref(), Err(&words.to_owned()), "{said}");
                assert!(theirs.is_err(), "{said}");
            }
            Kept(written, why) => {
                assert_eq!(ours.as_deref(), Ok(written), "{said}");
                assert_ne!(
                    theirs,
                    Ok(value(written)),
                    "no difference any more ({why}): {said}"
                );
            }
            Stricter(words, why) => {
                assert_eq!(ours.as_deref(), Err(&words.to_owned()), "{said}");
                assert!(theirs.is_ok(), "no difference any more ({why}): {said}");
            }
        }
    }
}

pub(super) fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// 1.1: `initialize` needs a version that is a whole number.
#[test]
#[rustfmt::skip]
fn protocol_version() {
    check(&[
        (on!(InitializeRequest), "{}", Refused("protocolVersion: missing")),
        (on!(InitializeRequest), r#"{"protocolVersion":"1"}"#, Refused("protocolVersion: expected a number, found a string")),
        (on!(InitializeRequest), r#"{"protocolVersion":null}"#, Refused("protocolVersion: expected a number, found null")),
        (on!(InitializeRequest), r#"{"protocolVersion":70000}"#,
            Refused("protocolVersion: not an integer of type u16")),
        (on!(InitializeRequest), r#"{"protocolVersion":1.0}"#,
            Refused("protocolVersion: not an integer of type u16")),
    ]);
}

/// 1.1, 1.4: paths MUST be absolute, but the receiver checks that, not the decoder.
#[test]
#[rustfmt::skip]
fn relative_paths_are_read() {
    check(&[
        (on!(NewSessionRequest), r#"{"cwd":"a","mcpServers":[]}"#, Read(r#"{"cwd":"a","mcpServers":[]}"#)),
        (on!(ReadTextFileRequest), r#"{"sessionId":"s","path":""}"#, Read(r#"{"sessionId":"s","path":""}"#)),
    ]);
    let absolute = ["/a", r"C:\a", "c:/a", r"\\host\share"].map(crate::FilePath::from);
    assert!(absolute.iter().all(crate::FilePath::is_absolute));
    let relative = ["", "a", "./a", "C:a", r"\a", "~/a", "file:///a"].map(crate::FilePath::from);
    assert!(!relative.iter().any(crate::FilePath::is_absolute));
}

/// 1.1: a boolean is accepted only with `type: "boolean"`, a string with any type.
#[test]
#[rustfmt::skip]
fn the_value_of_a_config_option() {
    let of = on!(SetSessionConfigOptionRequest);
    check(&[
        (of, r#"{"sessionId":"s","configId":"c","value":"v"}"#, Read(r#"{"sessionId":"s","configId":"c","value":"v"}"#)),
        (of, r#"{"sessionId":"s","configId":"c","value":true,"type":"boolean"}"#,
            Read(r#"{"sessionId":"s","configId":"c","type":"boolean","value":true}"#)),
        (of, r#"{"sessionId":"s","configId":"c","value":true}"#,
            Refused(r#"value: a boolean needs the member type with the value "boolean""#)),
        (of, r#"{"sessionId":"s","configId":"c","type":"slider","value":true}"#,
            Refused(r#"value: a boolean needs the member type with the value "boolean""#)),
        (of, r#"{"sessionId":"s","configId":"c","type":"slider","value":"v"}"#,
            Read(r#"{"sessionId":"s","configId":"c","value":"v"}"#)),
        (of, r#"{"sessionId":"s","configId":"c","type":"boolean","value":"v"}"#,
            Read(r#"{"sessionId":"s","configId":"c","value":"v"}"#)),
        (of, r#"{"sessionId":"s","configId":"c","type":"boolean"}"#, Refused("value: missing")),
        (of, r#"{"sessionId":"s","configId":"c","value":7}"#, Refused("value: expected a string, found a number")),
    ]);
}

/// 1.1: the official crate rejects a prompt with an unknown block. We keep the block, and the agent decides.
#[test]
#[rustfmt::skip]
fn a_prompt_with_an_unknown_block() {
    check(&[
        (on!(PromptRequest), r#"{"sessionId":"s","prompt":[{"type":"video","url":"u"}]}"#,
            Kept(r#"{"sessionId":"s","prompt":[{"type":"video","url":"u"}]}"#, FUTURE)),
        (on!(PromptRequest), r#"{"sessionId":"s","prompt":[{"text":"t"}]}"#, Refused("prompt[0].type: missing")),
        (on!(PromptRequest), r#"{"sessionId":"s","prompt":["t"]}"#, Refused("prompt[0]: expected an object, found a string")),
        (on!(PromptRequest), r#"{"sessionId":"s","prompt":[]}"#, Read(r#"{"sessionId":"s","prompt":[]}"#)),
    ]);
}

pub(super) const FUTURE: &str = "a later version may say it, and the message around it must live";

/// 1.1, 1.2: some requests may have no parameters, and an id may have any type.
#[test]
#[rustfmt::skip]
fn parameters_that_are_not_there() {
    for method in ["logout", "session/list", "auth/status", "providers/list"] {
        for params in [None, Some("null"), Some("{}")] {
            assert!(call::ClientRequest::decode(method, params).is_ok(), "{method} {params:?}");
        }
    }
    let error = call::ClientRequest::decode("session/new", None).expect_err("a working directory is needed");
    assert_eq!(error.message, "Invalid params: params: expected an object, found null");
    for id in ["7", "-7", r#""7""#, "null"] {
        let params = format!(r#"{{"requestId":{id}}}"#);
        let cancel = call::ProtocolLevelNotification::decode("$/cancel_request", Some(&params));
        assert!(cancel.is_ok(), "{params}");
    }
}

/// 1.3
#[test]
#[rustfmt::skip]
fn providers() {
    let of = on!(SetProviderRequest);
    check(&[
        (of, r#"{"providerId":"p","apiType":"_x","baseUrl":"u"}"#, Read(r#"{"providerId":"p","apiType":"_x","baseUrl":"u"}"#)),
        (of, r#"{"providerId":"p","apiType":"_x","baseUrl":"u","headers":null}"#,
            Refused("headers: expected an object, found null")),
        (on!(SetSessionTitleRequest), r#"{"sessionId":"s","title":null}"#, Refused("title: expected a string, found null")),
    ]);
}

/// 1.4
#[test]
#[rustfmt::skip]
fn permissions() {
    check(&[
        (on!(RequestPermissionRequest), r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}"#,
            Read(r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}"#)),
        (on!(RequestPermissionRequest),
            r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"n","kind":"allow_today"}]}"#,
            Kept(r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"n","kind":"allow_today"}]}"#,
                "the person can still choose another answer")),
        (on!(RequestPermissionRequest), r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"n"}]}"#,
            Refused("options[0].kind: missing")),
        (on!(RequestPermissionResponse), r#"{"outcome":{"outcome":"selected"}}"#, Refused("outcome.optionId: missing")),
        (on!(RequestPermissionResponse), r#"{"outcome":"cancelled"}"#, Refused("outcome: expected an object, found a string")),
        (on!(RequestPermissionResponse), r#"{"outcome":{"optionId":"allow"}}"#, Refused("outcome.outcome: missing")),
        (on!(RequestPermissionResponse), r#"{"outcome":{"outcome":"cancelled","optionId":"allow"}}"#,
            Read(r#"{"outcome":{"outcome":"cancelled"}}"#)),
    ]);
}

/// 1.4
#[test]
#[rustfmt::skip]
fn files_and_terminals() {
    check(&[
        (on!(ReadTextFileRequest), r#"{"sessionId":"s","path":"/a","line":0}"#, Read(r#"{"sessionId":"s","path":"/a","line":0}"#)),
        (on!(WaitForTerminalExitResponse), "null", Read("{}")),
        (on!(WaitForTerminalExitResponse), r#"{"exitCode":-1}"#, Read("{}")),
        (on!(WaitForTerminalExitResponse), r#"{"exitCode":-1,"signal":"SIGTERM"}"#, Read(r#"{"signal":"SIGTERM"}"#)),
        (on!(WaitForTerminalExitResponse), r#"{"exitCode":4294967295}"#, Read(r#"{"exitCode":4294967295}"#)),
        (on!(TerminalOutputResponse), r#"{"output":"","truncated":false,"exitStatus":{"exitCode":-1}}"#,
            Read(r#"{"output":"","truncated":false,"exitStatus":{}}"#)),
    ]);
}

/// 1.4, 2.11
#[test]
#[rustfmt::skip]
fn elicitation() {
    let of = on!(CreateElicitationRequest);
    check(&[
        (of, r#"{"message":"m","sessionId":"s","requestedSchema":{}}"#, Refused("mode: missing")),
        (of, r#"{"message":"m","mode":"form","requestedSchema":{}}"#, Refused("sessionId: missing")),
        (of, r#"{"message":"m","mode":"form","sessionId":"s"}"#, Refused("requestedSchema: missing")),
        (of, r#"{"message":"m","mode":"url","sessionId":"s","url":"u"}"#, Refused("elicitationId: missing")),
        (of, r#"{"message":"m","mode":"form","sessionId":"s","requestId":7,"requestedSchema":{}}"#,
            Read(r#"{"message":"m","sessionId":"s","mode":"form","requestedSchema":{"type":"object","properties":{}}}"#)),
        (of, r#"{"message":"m","mode":"form","sessionId":7,"requestId":7,"requestedSchema":{}}"#,
            Read(r#"{"message":"m","requestId":7,"mode":"form","requestedSchema":{"type":"object","properties":{}}}"#)),
        (of, r#"{"message":"m","mode":"url","requestId":null,"elicitationId":"e","url":"u"}"#,
            Read(r#"{"message":"m","requestId":null,"mode":"url","elicitationId":"e","url":"u"}"#)),
        (on!(ElicitationSchema), r#"{"properties":{"a":{}}}"#, Refused("properties[0].type: missing")),
        (on!(ElicitationSchema), r#"{"properties":{"a":{"type":"array"}}}"#, Refused("properties[0].items: missing")),
        (on!(ElicitationSchema), r#"{"properties":{"a":{"type":"string","minLength":-1}}}"#,
            Refused("properties[0].minLength: not an integer of type u32")),
        (on!(MultiSelectItems), r#"{"type":null,"anyOf":[]}"#, Read(r#"{"anyOf":[]}"#)),
        (on!(ElicitationSchema), r#"{"properties":null}"#, Refused("properties: expected an object, found null")),
        (on!(CreateElicitationResponse), "{}", Refused("action: missing")),
        (on!(CreateElicitationResponse), r#"{"action":"accept"}"#, Read(r#"{"action":"accept"}"#)),
        (on!(CreateElicitationResponse), r#"{"action":"accept","content":null}"#, Read(r#"{"action":"accept"}"#)),
        (on!(CreateElicitationResponse), r#"{"action":"accept","content":{"a":{"b":1}}}"#,
            Refused("content[0]: expected a string, a number, a boolean or a list of strings, found an object")),
        (on!(CreateElicitationResponse), r#"{"action":"accept","content":{"a":null}}"#,
            Refused("content[0]: expected a string, a number, a boolean or a list of strings, found null")),
        (on!(CreateElicitationResponse), r#"{"action":"accept","content":{"a":1,"b":1.5,"c":["x"],"d":false}}"#,
            Read(r#"{"action":"accept","content":{"a":1,"b":1.5,"c":["x"],"d":false}}"#)),
        (on!(CreateElicitationResponse), r#"{"action":"decline","content":{"a":{}}}"#, Read(r#"{"action":"decline"}"#)),
    ]);
}

/// 1.4: an error of the MCP server is part of a successful response.
#[test]
#[rustfmt::skip]
fn mcp_answers() {
    let of = on!(MessageMcpResponse);
    check(&[
        (of, r#"{"result":null}"#, Read(r#"{"result":null}"#)),
        (of, r#"{"error":{"code":1,"message":"m","extra":[1]}}"#, Read(r#"{"error":{"code":1,"message":"m","extra":[1]}}"#)),
        (of, r#"{"error":{"code":1,"message":"m"},"result":{"a":1}}"#, Read(r#"{"result":{"a":1}}"#)),
        (of, r#"{"error":7,"result":null}"#, Read(r#"{"result":null}"#)),
        (of, r#"{"error":{"message":"m"}}"#, Refused("result: missing")),
        (of, "{}", Refused("result: missing")),
    ]);
}

/// 1.6
#[test]
#[rustfmt::skip]
fn proxies() {
    check(&[
        (on!(InitializeProxyRequest), "{}", Refused("protocolVersion: missing")),
        (on!(ProxySuccessorRequest), r#"{"method":"m","params":[1],"meta":{"a":1}}"#, Read(r#"{"method":"m","params":[1]}"#)),
        (on!(ProxySuccessorRequest), r#"{"method":"m","params":{"_meta":{"in":1}},"_meta":{"out":1}}"#,
            Read(r#"{"method":"m","params":{"_meta":{"in":1}},"_meta":{"out":1}}"#)),
        (on!(ProxySuccessorRequest), r#"{"params":{}}"#, Refused("method: missing")),
    ]);
}

/// 2.2: a `_meta` that is not an object is ignored.
#[test]
#[rustfmt::skip]
fn meta() {
    check(&[
        (on!(CancelNotification), r#"{"sessionId":"s","_meta":{"a":{"b":1}}}"#, Read(r#"{"sessionId":"s","_meta":{"a":{"b":1}}}"#)),
        (on!(CancelNotification), r#"{"sessionId":"s","_meta":{}}"#, Read(r#"{"sessionId":"s","_meta":{}}"#)),
        (on!(CancelNotification), r#"{"sessionId":"s","_meta":null}"#, Read(r#"{"sessionId":"s"}"#)),
        (on!(CancelNotification), r#"{"sessionId":"s","_meta":"x"}"#, Read(r#"{"sessionId":"s"}"#)),
        (on!(CompactionCapabilities), r#"{"_meta":{"a":1}}"#, Read("{}")),
        (on!(NoticeCapabilities), r#"{"_meta":{"a":1}}"#, Read("{}")),
        (on!(CompactionUpdate), r#"{"compactionId":"c","status":"failed","_meta":null}"#,
            Read(r#"{"compactionId":"c","status":"failed","_meta":null}"#)),
        (on!(SubagentUpdate), r#"{"sessionId":"s","_meta":null}"#, Read(r#"{"sessionId":"s","_meta":null}"#)),
        (on!(SessionMessage), r#"{"messageId":"m","_meta":null}"#, Read(r#"{"messageId":"m","_meta":null}"#)),
    ]);
}

/// 2.3
#[test]
#[rustfmt::skip]
fn updates() {
    let of = on!(SessionUpdate);
    check(&[
        (of, r#"{"sessionUpdate":"current_mode_update","modeId":"m"}"#, Refused("currentModeId: missing")),
        (of, r#"{"sessionUpdate":"agent_message_chunk","content":"text"}"#, Refused("content: expected an object, found a string")),
        (of, r#"{"sessionUpdate":"tool_call","toolCallId":"c"}"#, Refused("title: missing")),
        (of, r#"{"sessionUpdate":"notice","severity":"info","title":""}"#,
            Read(r#"{"sessionUpdate":"notice","severity":"info","title":""}"#)),
        (of, r#"{"sessionUpdate":7}"#, Refused("sessionUpdate: expected a string, found a number")),
        (of, r#"{"type":"message"}"#, Refused("sessionUpdate: missing")),
        (of, r#"{"content":{"type":"text","text":"t"},"sessionUpdate":"agent_message_chunk"}"#,
            Read(r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t"}}"#)),
        (of, r#"{"sessionUpdate":"session_info_update","title":null}"#, Read(r#"{"sessionUpdate":"session_info_update","title":null}"#)),
        (of, r#"{"sessionUpdate":"usage_update","used":-1,"size":1}"#, Refused("used: not an integer of type u64")),
        (of, r#"{"sessionUpdate":"usage_update","used":1,"size":1,"cost":{"amount":"1","currency":"EUR"}}"#,
            Read(r#"{"sessionUpdate":"usage_update","used":1,"size":1}"#)),
    ]);
}

/// 2.4, 2.5
#[test]
#[rustfmt::skip]
fn content() {
    check(&[
        (on!(EmbeddedResource), r#"{"resource":{"uri":"u","blob":"AA==","text":"t"}}"#, Read(r#"{"resource":{"text":"t","uri":"u"}}"#)),
        (on!(EmbeddedResource), r#"{"resource":{"uri":"u","blob":"AA==","text":7}}"#, Read(r#"{"resource":{"blob":"AA==","uri":"u"}}"#)),
        (on!(EmbeddedResource), r#"{"resource":{"uri":"u"}}"#, Refused("resource.text: missing")),
        (on!(ToolCallContent), r#"{"type":"diff","path":"/a","newText":"n","oldText":null}"#,
            Read(r#"{"type":"diff","path":"/a","newText":"n"}"#)),
        (on!(ToolCallContent), r#"{"type":"diff","path":"/a","newText":"n","oldText":""}"#,
            Read(r#"{"type":"diff","path":"/a","newText":"n","oldText":""}"#)),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c","locations":[{"path":"/a","line":"x"},{"line":1},{"path":"/b","line":-1}]}"#,
            Read(r#"{"toolCallId":"c","locations":[{"path":"/a"},{"path":"/b"}]}"#)),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c","content":[{"type":"content","content":{"type":"video"}}]}"#,
            Kept(r#"{"toolCallId":"c","content":[{"type":"content","content":{"type":"video"}}]}"#, FUTURE)),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c","content":[{"type":"text","text":"bare"}]}"#,
            Kept(r#"{"toolCallId":"c","content":[{"type":"text","text":"bare"}]}"#, FUTURE)),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c","content":[]}"#, Read(r#"{"toolCallId":"c","content":[]}"#)),
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t","content":[]}"#, Read(r#"{"toolCallId":"c","title":"t"}"#)),
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t","rawInput":null}"#, Read(r#"{"toolCallId":"c","title":"t"}"#)),
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t","rawInput":false}"#,
            Read(r#"{"toolCallId":"c","title":"t","rawInput":false}"#)),
    ]);
}

/// 2.6: the effect of an unknown value on its message. In the official crate, a kind becomes `other`, a status is
/// ignored, and a step of a plan is dropped.
#[test]
#[rustfmt::skip]
fn unknown_values_in_place() {
    check(&[
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t","kind":"paint","status":"paused"}"#,
            Kept(r#"{"toolCallId":"c","title":"t","kind":"paint","status":"paused"}"#, FUTURE)),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c","status":"paused"}"#, Kept(r#"{"toolCallId":"c","status":"paused"}"#, FUTURE)),
        (on!(Plan), r#"{"entries":[{"content":"c","priority":"urgent","status":"blocked"}]}"#,
            Kept(r#"{"entries":[{"content":"c","priority":"urgent","status":"blocked"}]}"#, FUTURE)),
        (on!(Plan), r#"{"entries":[{"content":"c","status":"pending"}]}"#, Read(r#"{"entries":[]}"#)),
        (on!(Annotations), r#"{"audience":["user","system",7]}"#, Kept(r#"{"audience":["user","system"]}"#, FUTURE)),
        (on!(PromptResponse), r#"{"stopReason":"paused"}"#, Kept(r#"{"stopReason":"paused"}"#, FUTURE)),
        (on!(PromptResponse), r#"{"stopReason":null}"#, Refused("stopReason: expected a string, found null")),
        (on!(NewSessionRequest), r#"{"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"maybe","content":[]}}"#,
            Read(r#"{"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"maybe","content":[]}}"#)),
        (on!(ListSessionsRequest), r#"{"archived":"maybe"}"#, Read(r#"{"archived":"maybe"}"#)),
    ]);
}

/// 2.7
#[test]
#[rustfmt::skip]
fn config_options() {
    check(&[
        (on!(ConfigOptionUpdate),
            r#"{"configOptions":[{"id":"c","name":"n","type":"select","currentValue":"v","options":[{"value":"v","name":"n"},{"value":"w"}]}]}"#,
            Read(r#"{"configOptions":[]}"#)),
        (on!(ConfigOptionUpdate),
            r#"{"configOptions":[{"id":"c","name":"n","type":"select","currentValue":"v","options":[{"group":"g","name":"n","options":[{"value":"w"}]}]}]}"#,
            Read(r#"{"configOptions":[{"id":"c","name":"n","type":"select","currentValue":"v","options":[{"group":"g","name":"n","options":[]}]}]}"#)),
        (on!(SessionConfigOption), r#"{"id":"c","name":"n","type":"select","currentValue":"v","options":[]}"#,
            Read(r#"{"id":"c","name":"n","type":"select","currentValue":"v","options":[]}"#)),
        (on!(SessionConfigOption), r#"{"id":"c","name":"n","type":"boolean","currentValue":"true"}"#,
            Refused("currentValue: expected a boolean, found a string")),
        (on!(SessionConfigOption), r#"{"id":"c","name":"n","currentValue":"v","options":[]}"#, Refused("type: missing")),
        (on!(SessionConfigOption), r#"{"id":"c","name":"n","type":"slider","at":1,"category":"_x"}"#,
            Kept(r#"{"id":"c","name":"n","type":"slider","at":1,"category":"_x"}"#, FUTURE)),
    ]);
}

/// 2.8
#[test]
#[rustfmt::skip]
fn mcp_servers() {
    let of = on!(McpServer);
    let stdio = r#"{"name":"n","command":"/c","args":[],"env":[]}"#;
    check(&[
        (of, stdio, Read(stdio)),
        (of, r#"{"type":"stdio","name":"n","command":"/c","args":null,"env":null}"#, Read(stdio)),
        (of, r#"{"type":null,"name":"n","command":"/c","args":[],"env":[]}"#, Read(stdio)),
        (of, r#"{"type":7,"name":"n","command":"/c","args":[],"env":[]}"#,
            Stricter("type: expected a string, found a number", "such a type cannot be meant")),
        (of, r#"{"name":"n","command":"/c"}"#, Refused("args: missing")),
        (of, r#"{"name":"n","command":"/c","args":[]}"#, Refused("env: missing")),
        (of, r#"{"name":"n","command":"/c","args":[],"env":{"A":"b"}}"#, Refused("env: expected an array, found an object")),
        (of, r#"{"type":"http","name":"n","url":"u"}"#, Refused("headers: missing")),
        (of, r#"{"type":"http","name":"n","url":"u","headers":null}"#, Read(r#"{"type":"http","name":"n","url":"u","headers":[]}"#)),
        (of, r#"{"type":"http","name":"n","url":"u","command":"/c","args":[],"env":[]}"#,
            Stricter("headers: missing", "a server on the network is never run as a command")),
        (of, r#"{"name":"n","url":"u","headers":[]}"#, Refused("command: missing")),
        (of, r#"{"type":"acp","name":"n"}"#, Refused("serverId: missing")),
        (on!(NewSessionRequest), r#"{"cwd":"/","mcpServers":[{"name":"n"}]}"#, Refused("mcpServers[0].command: missing")),
    ]);
}

/// 2.9
#[test]
#[rustfmt::skip]
fn auth_methods() {
    let of = on!(AuthMethod);
    check(&[
        (of, r#"{"id":"a","name":"n"}"#, Read(r#"{"id":"a","name":"n"}"#)),
        (of, r#"{"type":"agent","id":"a","name":"n"}"#, Read(r#"{"id":"a","name":"n"}"#)),
        (of, r#"{"type":null,"id":"a","name":"n"}"#, Read(r#"{"id":"a","name":"n"}"#)),
        (of, r#"{"type":7,"id":"a","name":"n"}"#,
            Stricter("type: expected a string, found a number", "such a type cannot be meant")),
        (of, r#"{"type":"terminal","id":"a","name":"n","args":"x"}"#, Refused("args: expected an array, found a string")),
        (of, r#"{"type":"terminal","id":"a","name":"n","env":[]}"#, Refused("env: expected an object, found an array")),
        (of, r#"{"type":"terminal","id":"a"}"#, Refused("name: missing")),
        (of, r#"{"id":"a","name":"n","args":"x","env":7}"#, Read(r#"{"id":"a","name":"n"}"#)),
        (of, r#"{"type":"env_var","id":"a","name":"n","vars":[]}"#,
            Kept(r#"{"type":"env_var","id":"a","name":"n","vars":[]}"#, "the agent cannot log in by itself")),
        (on!(InitializeResponse),
            r#"{"protocolVersion":1,"agentCapabilities":7,"authMethods":[{"type":"terminal","id":"a","name":"n","args":7},{"id":"b"},{"id":"c","name":"n"}]}"#,
            Read(concat!(r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":"#,
                r#"{"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,"sse":false,"acp":false},"#,
                r#""sessionCapabilities":{},"auth":{}},"authMethods":[{"id":"c","name":"n"}]}"#))),
    ]);
}

/// 2.10: an object means "supported", and so does `true` for a boolean capability; any other value does not.
#[test]
#[rustfmt::skip]
fn capabilities() {
    check(&[
        (on!(SessionCapabilities), r#"{"resume":{},"close":{"_meta":{"a":1}},"list":{"pages":true}}"#,
            Read(r#"{"list":{},"resume":{},"close":{"_meta":{"a":1}}}"#)),
        (on!(SessionCapabilities), r#"{"resume":true,"close":"yes","list":1,"fork":null}"#, Read("{}")),
        (on!(AgentAuthCapabilities), r#"{"status":true,"logout":false}"#, Read("{}")),
        (on!(McpCapabilities), r#"{"http":1,"sse":"true","acp":{}}"#, Read(r#"{"http":false,"sse":false,"acp":false}"#)),
        (on!(ClientCapabilities), r#"{"terminal":{},"fs":{"readTextFile":true,"writeTextFile":{}},"elicitation":{}}"#,
            Read(r#"{"fs":{"readTextFile":true,"writeTextFile":false},"terminal":false,"auth":{"terminal":false},"elicitation":{}}"#)),
        (on!(SessionCapabilities), r#"{"resume":[]}"#, Kept("{}", POSITIONAL)),
    ]);
}

const POSITIONAL: &str = "an object is an object: reading one from a list is an accident of serde";

#[test]
#[rustfmt::skip]
fn a_list_is_not_an_object() {
    let words = "expected an object, found an array";
    check(&[
        (on!(CancelNotification), r#"["s"]"#, Stricter(words, POSITIONAL)),
        (on!(LogoutRequest), "[]", Stricter(words, POSITIONAL)),
        (on!(EnvVariable), r#"["A","b"]"#, Stricter(words, POSITIONAL)),
        (on!(TextContent), r#"{"text":"t","annotations":[]}"#, Kept(r#"{"text":"t"}"#, POSITIONAL)),
    ]);
}

#[test]
#[rustfmt::skip]
fn a_member_that_occurs_twice() {
    check(&[
        (on!(CancelNotification), r#"{"sessionId":"a","sessionId":"b"}"#,
            Kept(r#"{"sessionId":"b"}"#, "the last one counts, as in JavaScript")),
    ]);
}

#[test]
#[rustfmt::skip]
fn an_error_names_the_place_and_never_the_text() {
    check(&[
        (on!(PromptRequest), r#"{"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"text","text":["secret"]}]}"#,
            Refused("prompt[1].text: expected a string, found an array")),
        (on!(NewSessionRequest), r#"{"cwd":"/","mcpServers":[{"name":"n","command":"/c","args":["a",{"secret":1}],"env":[]}]}"#,
            Refused("mcpServers[0].args[1]: expected a string, found an object")),
        (on!(SetProviderRequest), r#"{"providerId":"p","apiType":"openai","baseUrl":"u","headers":{"secret":"x","token":7}}"#,
            Refused("headers[1]: expected a string, found a number")),
        (on!(NewSessionRequest), r#""secret""#, Refused("expected an object, found a string")),
    ]);
}
