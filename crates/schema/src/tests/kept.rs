//! Unknown data is kept as received and written back unchanged, and the message around it is decoded.

use attache_rpc::Message;
use expect_test::{Expect, expect};

use super::traps::ReadOutcome::{Kept, Read};
use super::traps::{FUTURE, check, on};
use crate::call;
use crate::json::{self, Decode, Encode};
use crate::method::{Method, Notification, Request};
use crate::v1;

/// Members that no other JSON library would write in the same way: numbers beyond all types, a member that occurs
/// twice, an order of its own, an escape that need not be.
const ODD: &str =
    r#""z":1.0,"a":1e400,"m":12345678901234567890123,"d":{"k":1,"k":-0},"s":"\u0041\/""#;

/// Reads a text, writes it back, and compares the differences.
fn check_again<T: Decode + Encode>(text: &str, expect: Expect) {
    expect.assert_eq(&again::<T>(text));
}

fn again<T: Decode + Encode>(text: &str) -> String {
    let value = json::from_str::<T>(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    json::to_string(&value)
}

#[test]
fn an_unknown_variant_is_kept_byte_for_byte() {
    fn unchanged<T: Decode + Encode>(tag: &str) {
        for text in [
            format!(r#"{{"{tag}":"_odd",{ODD}}}"#),
            format!(r#"{{{ODD},"{tag}":"_odd"}}"#),
            format!(r#"{{ "{tag}" : "\u005fodd" ,{ODD}, "_meta" : [ ] }}"#),
        ] {
            assert_eq!(again::<T>(&text), text);
            assert_eq!(
                again::<Vec<T>>(&format!("[{text},{text}]")),
                format!("[{text},{text}]")
            );
        }
    }
    unchanged::<v1::SessionUpdate>("sessionUpdate");
    unchanged::<v1::ContentBlock>("type");
    unchanged::<v1::ToolCallContent>("type");
    unchanged::<v1::PlanUpdateContent>("type");
    unchanged::<v1::SessionConfigKind>("type");
    unchanged::<v1::RequestPermissionOutcome>("outcome");
    unchanged::<v1::ElicitationMode>("mode");
    unchanged::<v1::ElicitationAction>("action");
    unchanged::<v1::ElicitationPropertySchema>("type");
    unchanged::<v1::MultiSelectItems>("type");
    unchanged::<v1::AvailableCommandInput>("type");
    unchanged::<v1::McpServer>("type");
    unchanged::<v1::AuthMethod>("type");
    unchanged::<v1::StateUpdate>("state");
    unchanged::<v1::IdleStopReason>("stopReason");
}

#[test]
fn a_message_with_an_unknown_variant_is_kept() {
    fn unchanged<T: Decode + Encode>(before: &str, tag: &str, after: &str) {
        let text = format!(r#"{before}{{"{tag}":"_odd",{ODD}}}{after}"#);
        assert_eq!(again::<T>(&text), text);
    }
    let text = r#"{"type":"text","text":"t"}"#;
    unchanged::<v1::SessionNotification>(r#"{"sessionId":"s","update":"#, "sessionUpdate", "}");
    unchanged::<v1::PromptRequest>(
        r#"{"sessionId":"s","prompt":["#,
        "type",
        &format!(",{text}]}}"),
    );
    unchanged::<v1::ToolCallUpdate>(r#"{"toolCallId":"c","content":["#, "type", "]}");
    unchanged::<v1::NewSessionRequest>(r#"{"cwd":"/","mcpServers":["#, "type", "]}");
    unchanged::<v1::RequestPermissionResponse>(r#"{"outcome":"#, "outcome", "}");
    unchanged::<v1::PlanUpdate>(r#"{"plan":"#, "type", "}");
    unchanged::<v1::SubagentUpdate>(r#"{"sessionId":"s","state":"#, "state", "}");
    unchanged::<v1::ElicitationSchema>(r#"{"type":"object","properties":{"p":"#, "type", "}}");
    unchanged::<v1::AvailableCommand>(r#"{"name":"n","description":"d","input":"#, "type", "}");
}

/// An unknown variant that is spread among the members of the object around it: those come first.
#[test]
fn an_unknown_fragment_keeps_its_members() {
    check_again::<v1::SessionConfigOption>(
        &format!(r#"{{"type":"_odd",{ODD},"name":"n","id":"c","_meta":{{"a":1}}}}"#),
        expect![[
            r#"{"id":"c","name":"n","type":"_odd","z":1.0,"a":1e400,"m":12345678901234567890123,"d":{"k":1,"k":-0},"s":"\u0041\/","_meta":{"a":1}}"#
        ]],
    );
    check_again::<v1::CreateElicitationRequest>(
        &format!(r#"{{"mode":"_odd",{ODD},"sessionId":"s","requestId":7,"message":"m"}}"#),
        expect![[
            r#"{"message":"m","sessionId":"s","mode":"_odd","z":1.0,"a":1e400,"m":12345678901234567890123,"d":{"k":1,"k":-0},"s":"\u0041\/"}"#
        ]],
    );
    check_again::<v1::CreateElicitationResponse>(
        &format!(r#"{{"action":"_odd",{ODD},"_meta":{{"a":1}}}}"#),
        expect![[
            r#"{"action":"_odd","z":1.0,"a":1e400,"m":12345678901234567890123,"d":{"k":1,"k":-0},"s":"\u0041\/","_meta":{"a":1}}"#
        ]],
    );
    check_again::<v1::StateUpdate>(
        &format!(r#"{{"state":"idle","stopReason":"_odd",{ODD},"_meta":{{"a":1}}}}"#),
        expect![[
            r#"{"state":"idle","stopReason":"_odd","z":1.0,"a":1e400,"m":12345678901234567890123,"d":{"k":1,"k":-0},"s":"\u0041\/","_meta":{"a":1}}"#
        ]],
    );
    check_again::<v1::MessageMcpResponse>(
        &format!(r#"{{"error":{{{ODD},"data":null,"message":"m","code":1}}}}"#),
        expect![[
            r#"{"error":{"code":1,"message":"m","z":1.0,"a":1e400,"m":12345678901234567890123,"d":{"k":1,"k":-0},"s":"\u0041\/","data":null}}"#
        ]],
    );
}

#[test]
fn an_unknown_enum_value_is_kept() {
    fn unchanged<T: Decode + Encode>() {
        for text in [
            r#""_x""#,
            r#""""#,
            r#""End_Turn""#,
            r#""ünï\n""#,
            r#"" open""#,
        ] {
            assert_eq!(again::<T>(text), text);
        }
    }
    unchanged::<v1::AuthState>();
    unchanged::<v1::CompactionStatus>();
    unchanged::<v1::ElicitationSchemaType>();
    unchanged::<v1::LlmProtocol>();
    unchanged::<v1::NoticeSeverity>();
    unchanged::<v1::PermissionOptionKind>();
    unchanged::<v1::PlanEntryPriority>();
    unchanged::<v1::PlanEntryStatus>();
    unchanged::<v1::Role>();
    unchanged::<v1::SessionArchiveFilter>();
    unchanged::<v1::SessionConfigOptionCategory>();
    unchanged::<v1::SessionStatus>();
    unchanged::<v1::StopReason>();
    unchanged::<v1::StringFormat>();
    unchanged::<v1::SystemPromptMode>();
    unchanged::<v1::ToolCallStatus>();
    unchanged::<v1::ToolKind>();
}

#[test]
fn raw_members_are_kept_byte_for_byte() {
    for text in [
        format!(r#"{{"toolCallId":"c","title":"t","rawInput":{{{ODD}}},"rawOutput":[1.0,1e400]}}"#),
        format!(r#"{{"toolCallId":"c","title":"t","_meta":{{{ODD}}}}}"#),
    ] {
        assert_eq!(again::<v1::ToolCall>(&text), text);
    }
    let text = format!(r#"{{"method":"m","params":{{{ODD}}}}}"#);
    assert_eq!(again::<v1::ProxySuccessorRequest>(&text), text);
    let text = format!(r#"{{"serverId":"s","requestId":"r","method":"m","params":{{{ODD}}}}}"#);
    assert_eq!(again::<v1::MessageMcpRequest>(&text), text);
    let text = format!(r#"{{"code":7,"message":"m","data":{{{ODD}}}}}"#);
    assert_eq!(again::<v1::Error>(&text), text);
}

#[test]
fn ids_are_kept_byte_for_byte() {
    for id in [
        "0",
        "-0",
        "1",
        "1.0",
        "1e3",
        "1.50",
        "12345678901234567890123",
        "null",
        r#""""#,
        r#""1""#,
        r#""\u0031""#,
        r#""a\/b""#,
    ] {
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":1,"message":"m"}}}}"#),
        ] {
            let mut written = String::new();
            let message = Message::parse_str(&line);
            message
                .unwrap_or_else(|bad| panic!("{line}: {bad:?}"))
                .write(&mut written);
            assert_eq!(written, line);
        }
        let text = format!(r#"{{"requestId":{id}}}"#);
        assert_eq!(again::<v1::CancelRequestNotification>(&text), text);
    }
}

#[test]
fn three_states_survive() {
    for text in [
        r#"{"compactionId":"c","status":"failed"}"#,
        r#"{"compactionId":"c","status":"failed","summary":null,"error":null,"_meta":null}"#,
        r#"{"compactionId":"c","status":"failed","summary":[],"error":"e","_meta":{}}"#,
    ] {
        assert_eq!(again::<v1::CompactionUpdate>(text), text);
    }
    for text in [
        "{}",
        r#"{"title":null,"updatedAt":null}"#,
        r#"{"title":"","updatedAt":"u"}"#,
    ] {
        assert_eq!(again::<v1::SessionInfoUpdate>(text), text);
    }
    for text in [
        r#"{"sessionId":"s"}"#,
        r#"{"sessionId":"s","title":null,"capabilities":null,"state":null,"cwd":null,"additionalDirectories":null}"#,
        r#"{"sessionId":"s","capabilities":{},"state":{"state":"running"},"cwd":"/","additionalDirectories":[]}"#,
    ] {
        assert_eq!(again::<v1::SubagentUpdate>(text), text);
    }
}

/// A line break inside a message would end it.
#[test]
fn raw_values_are_written_on_one_line() {
    check_again::<v1::SessionNotification>(
        "{\n  \"sessionId\": \"s\",\n  \"update\": {\r\n\t\"sessionUpdate\": \"_odd\",\n\t\"a b\": [ 1,\n 2 ], \"s\": \"x  \\n \\\" y\"\n}\n}",
        expect![[
            r#"{"sessionId":"s","update":{"sessionUpdate":"_odd","a b":[1,2],"s":"x  \n \" y"}}"#
        ]],
    );
    check_again::<v1::ToolCall>(
        "{\"toolCallId\": \"c\", \"title\": \"t\",\n\"rawInput\": {\n  \"a\\\\\": \"\\\\\",\n  \"b\": {\n }\n}, \"_meta\": {\r\"k\":\n1}}",
        expect![[
            r#"{"toolCallId":"c","title":"t","rawInput":{"a\\":"\\","b":{}},"_meta":{"k":1}}"#
        ]],
    );
}

#[test]
fn extension_methods_are_kept() {
    let params = format!("{{{ODD}}}");
    for params in [&*params, "[1.0,1e400]", "{}"] {
        let calls = [
            written(
                call::ClientRequest::decode("_x/y", Some(params)),
                call::ClientRequest::encode_params,
            ),
            written(
                call::ClientNotification::decode("_x/y", Some(params)),
                call::ClientNotification::encode_params,
            ),
            written(
                call::AgentRequest::decode("_x/y", Some(params)),
                call::AgentRequest::encode_params,
            ),
            written(
                call::AgentNotification::decode("_x/y", Some(params)),
                call::AgentNotification::encode_params,
            ),
        ];
        assert!(calls.iter().all(|written| written == params), "{calls:?}");
    }
    let without = call::ClientRequest::decode("_x/y", None).expect("an extension");
    assert_eq!(without.method(), "_x/y");
    for method in ["x/y", "", "session/_new", "$/x"] {
        let error = call::ClientRequest::decode(method, Some("{}")).expect_err(method);
        assert_eq!(error.code, v1::Error::METHOD_NOT_FOUND);
    }
}

fn written<C: std::fmt::Debug>(call: Result<C, v1::Error>, write: fn(&C, &mut String)) -> String {
    let mut out = String::new();
    write(&call.expect("an extension"), &mut out);
    out
}

/// Adds extension data to an object and expects it back byte for byte.
fn check_meta<T: Decode + Encode>(text: &str) {
    let meta = format!(r#""_meta":{{{ODD}}}"#);
    let open = text.strip_suffix('}').expect("an object");
    let comma = if open == "{" { "" } else { "," };
    let written = again::<T>(&format!("{open}{comma}{meta}}}"));
    assert!(written.contains(&meta), "{text}: {written}");
}

fn request<R: Request>(params: &str, result: &str) -> &'static str {
    check_meta::<R>(params);
    check_meta::<R::Response>(result);
    R::METHOD.name
}

fn notification<N: Notification>(params: &str) -> &'static str {
    check_meta::<N>(params);
    N::METHOD.name
}

#[test]
#[rustfmt::skip]
fn meta_is_kept_in_every_message() {
    const S: &str = r#"{"sessionId":"s"}"#;
    const T: &str = r#"{"sessionId":"s","terminalId":"t"}"#;
    const MCP: &str = r#"{"serverId":"s","requestId":"r","method":"m"}"#;
    let covered = [
        request::<v1::InitializeRequest>(r#"{"protocolVersion":1}"#, r#"{"protocolVersion":1}"#),
        request::<v1::AuthenticateRequest>(r#"{"methodId":"a"}"#, "{}"),
        request::<v1::LogoutRequest>("{}", "{}"),
        request::<v1::AuthStatusRequest>("{}", r#"{"state":"unknown"}"#),
        request::<v1::NewSessionRequest>(r#"{"cwd":"/","mcpServers":[]}"#, S),
        request::<v1::LoadSessionRequest>(r#"{"sessionId":"s","cwd":"/","mcpServers":[]}"#, "{}"),
        request::<v1::ResumeSessionRequest>(r#"{"sessionId":"s","cwd":"/"}"#, "{}"),
        request::<v1::ForkSessionRequest>(r#"{"sessionId":"s","cwd":"/"}"#, S),
        request::<v1::CloseSessionRequest>(S, "{}"),
        request::<v1::ListSessionsRequest>("{}", r#"{"sessions":[]}"#),
        request::<v1::DeleteSessionRequest>(S, "{}"),
        request::<v1::ArchiveSessionRequest>(S, "{}"),
        request::<v1::UnarchiveSessionRequest>(S, "{}"),
        request::<v1::SessionStatusRequest>(S, r#"{"status":"open"}"#),
        request::<v1::SetSessionTitleRequest>(r#"{"sessionId":"s","title":"t"}"#, r#"{"title":"t"}"#),
        request::<v1::SetSessionModeRequest>(r#"{"sessionId":"s","modeId":"m"}"#, "{}"),
        request::<v1::SetSessionConfigOptionRequest>(r#"{"sessionId":"s","configId":"c","value":"v"}"#, r#"{"configOptions":[]}"#),
        request::<v1::PromptRequest>(r#"{"sessionId":"s","prompt":[]}"#, r#"{"stopReason":"end_turn"}"#),
        request::<v1::ListProvidersRequest>("{}", r#"{"providers":[]}"#),
        request::<v1::SetProviderRequest>(r#"{"providerId":"p","apiType":"openai","baseUrl":"u"}"#, "{}"),
        request::<v1::DisableProviderRequest>(r#"{"providerId":"p"}"#, "{}"),
        request::<v1::RequestPermissionRequest>(r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}"#,
            r#"{"outcome":{"outcome":"cancelled"}}"#),
        request::<v1::ReadTextFileRequest>(r#"{"sessionId":"s","path":"/a"}"#, r#"{"content":""}"#),
        request::<v1::WriteTextFileRequest>(r#"{"sessionId":"s","path":"/a","content":""}"#, "{}"),
        request::<v1::CreateTerminalRequest>(r#"{"sessionId":"s","command":"c"}"#, r#"{"terminalId":"t"}"#),
        request::<v1::TerminalOutputRequest>(T, r#"{"output":"","truncated":false}"#),
        request::<v1::WaitForTerminalExitRequest>(T, "{}"),
        request::<v1::KillTerminalRequest>(T, "{}"),
        request::<v1::ReleaseTerminalRequest>(T, "{}"),
        request::<v1::CreateElicitationRequest>(r#"{"message":"m","sessionId":"s","mode":"form","requestedSchema":{}}"#,
            r#"{"action":"cancel"}"#),
        request::<v1::MessageMcpRequest>(MCP, r#"{"result":null}"#),
        request::<v1::InitializeProxyRequest>(r#"{"protocolVersion":1}"#, r#"{"protocolVersion":1}"#),
        request::<v1::ProxySuccessorRequest>(r#"{"method":"m"}"#, "{}"),
        notification::<v1::CancelNotification>(S),
        notification::<v1::MessageMcpNotification>(MCP),
        notification::<v1::SessionNotification>(r#"{"sessionId":"s","update":{"sessionUpdate":"_x"}}"#),
        notification::<v1::CompleteElicitationNotification>(r#"{"elicitationId":"e"}"#),
        notification::<v1::AuthStatusUpdateNotification>(r#"{"state":"unknown"}"#),
        notification::<v1::ProxySuccessorNotification>(r#"{"method":"m"}"#),
        notification::<v1::CancelRequestNotification>(r#"{"requestId":1}"#),
    ];
    let all = Method::all().map(|method| method.name);
    assert_eq!(sorted(covered), sorted(all));
}

fn sorted(names: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_unstable();
    names
}

/// The official sets are closed, and most unknown values cost a whole message there.
#[test]
#[rustfmt::skip]
fn unknown_values_are_kept() {
    check(&[
        (on!(SessionUpdate), r#"{"sessionUpdate":"news","x":1}"#, Kept(r#"{"sessionUpdate":"news","x":1}"#, FUTURE)),
        (on!(ContentBlock), r#"{"type":"video","x":1}"#, Kept(r#"{"type":"video","x":1}"#, FUTURE)),
        (on!(ToolCallContent), r#"{"type":"table","x":1}"#, Kept(r#"{"type":"table","x":1}"#, FUTURE)),
        (on!(PlanUpdateContent), r#"{"type":"graph","x":1}"#, Kept(r#"{"type":"graph","x":1}"#, FUTURE)),
        (on!(SessionConfigKind), r#"{"type":"slider","x":1}"#, Kept(r#"{"type":"slider","x":1}"#, FUTURE)),
        (on!(RequestPermissionOutcome), r#"{"outcome":"later"}"#, Kept(r#"{"outcome":"later"}"#, NO_CONSENT)),
        (on!(PermissionOptionKind), r#""allow_today""#, Kept(r#""allow_today""#, NO_CONSENT)),
        (on!(StopReason), r#""paused""#, Kept(r#""paused""#, "the turn has ended all the same")),
        (on!(PlanEntryStatus), r#""blocked""#, Kept(r#""blocked""#, FUTURE)),
        (on!(PlanEntryPriority), r#""urgent""#, Kept(r#""urgent""#, FUTURE)),
        (on!(Role), r#""system""#, Kept(r#""system""#, FUTURE)),
        (on!(ToolKind), r#""paint""#, Kept(r#""paint""#, "passed on, and shown as other")),
        (on!(ToolCallStatus), r#""paused""#, Kept(r#""paused""#, FUTURE)),
        (on!(StringFormat), r#""colour""#, Kept(r#""colour""#, FUTURE)),
        (on!(ElicitationSchemaType), r#""table""#, Kept(r#""table""#, FUTURE)),
        (on!(McpServer), r#"{"type":"ws","name":"n"}"#, Kept(r#"{"type":"ws","name":"n"}"#, FUTURE)),
        (on!(McpServer), r#"{"type":"ws","name":"n","command":"/c","args":[],"env":[]}"#,
            Kept(r#"{"type":"ws","name":"n","command":"/c","args":[],"env":[]}"#, "never run as a command")),
        (on!(AuthMethod), r#"{"type":"env_var","id":"a","name":"n","x":1}"#,
            Kept(r#"{"type":"env_var","id":"a","name":"n","x":1}"#, "never passed to authenticate")),
        (on!(AvailableCommand), r#"{"name":"n","description":"d","input":{"form":1}}"#,
            Kept(r#"{"name":"n","description":"d","input":{"form":1}}"#, FUTURE)),
        (on!(RequestId), "1.5", Kept("1.5", "an answer carries the very id of its question")),
        (on!(RequestId), "1e20", Kept("1e20", "an answer carries the very id of its question")),
        (on!(Error), "{}", Kept(r#"{"code":-32603,"message":""}"#, "an error that is badly made is still one")),
    ]);
}

const NO_CONSENT: &str = "the question or answer lives, and is never taken for a permission";

/// Sets that are open in the official crate too.
#[test]
#[rustfmt::skip]
fn open_sets_are_open() {
    for of in [
        on!(NoticeSeverity), on!(CompactionStatus), on!(AuthState), on!(SessionStatus), on!(SessionArchiveFilter),
        on!(SystemPromptMode), on!(LlmProtocol), on!(SessionConfigOptionCategory),
    ] {
        check(&[(of, r#""_x""#, Read(r#""_x""#)), (of, r#""new""#, Read(r#""new""#))]);
    }
    check(&[
        (on!(StateUpdate), r#"{"state":"asleep","x":1}"#, Read(r#"{"state":"asleep","x":1}"#)),
        (on!(IdleStateUpdate), r#"{"stopReason":"bored","x":1}"#, Read(r#"{"stopReason":"bored","x":1}"#)),
        (on!(ElicitationPropertySchema), r#"{"type":"colour","x":1}"#, Read(r#"{"type":"colour","x":1}"#)),
        (on!(MultiSelectItems), r#"{"type":"colour","x":1}"#, Read(r#"{"type":"colour","x":1}"#)),
        (on!(ElicitationAction), r#"{"action":"later","x":1}"#, Read(r#"{"action":"later","x":1}"#)),
        (on!(CreateElicitationRequest), r#"{"message":"m","sessionId":"s","mode":"chat","x":1}"#,
            Read(r#"{"message":"m","sessionId":"s","mode":"chat","x":1}"#)),
    ]);
}
