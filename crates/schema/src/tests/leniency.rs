//! How invalid members are decoded: one test for each row of the protocol's leniency table.
//!
//! The official crate is asked about every case. Where we differ on purpose, the case says why.

use super::traps::ReadOutcome::{Read, Refused};
use super::traps::{ComparedType, check, on, value};

/// The expected treatment of members that have the wrong type.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// Wrong types and `null` count as absent.
    Dropped,
    /// Wrong types are rejected, and `null` counts as absent.
    NullDropped,
    /// Wrong types and `null` are rejected, and the member is required.
    Required,
    /// Wrong types are rejected, `null` counts as empty, and the member is required.
    RequiredOrNull,
    /// Wrong types count as absent, and `null` is kept.
    NullKept,
    /// Wrong types are rejected, and `null` is kept.
    StrictNullKept,
}

/// Gives members of an object, written as `name:type`, every value of another type.
fn check_members(rule: Rule, rows: &[(ComparedType, &str, &str)]) {
    for (of, rest, members) in rows {
        for member in members.split_whitespace() {
            let (name, fit) = member.split_once(':').expect("a name and a type");
            let member = Member {
                of: *of,
                rest,
                name,
            };
            if matches!(rule, Rule::Required | Rule::RequiredOrNull) {
                member.refused(None, &format!("{name}: missing"));
            }
            for (json, kind) in OTHERS {
                if !fits(kind, fit) {
                    member.check(rule, json, kind, fit);
                }
            }
        }
    }
}

const OTHERS: [(&str, &str); 6] = [
    ("null", "null"),
    ("true", "boolean"),
    ("7", "number"),
    ("\"text\"", "string"),
    ("[]", "list"),
    ("{}", "object"),
];

/// A `struct` is an object; for how the official crate reads a list in its place, see `a_list_is_not_an_object`.
fn fits(kind: &str, fit: &str) -> bool {
    match fit {
        "struct" => matches!(kind, "object" | "list"),
        "map" => kind == "object",
        _ => kind == fit,
    }
}

/// A member and the object it is put into, which lacks it.
struct Member<'a> {
    of: ComparedType,
    rest: &'a str,
    name: &'a str,
}

impl Member<'_> {
    fn check(&self, rule: Rule, json: &str, kind: &str, fit: &str) {
        match (rule, kind) {
            (Rule::NullKept | Rule::StrictNullKept, "null") => self.same_as(json, Some(json)),
            (Rule::RequiredOrNull, "null") => self.same_as(json, Some("[]")),
            (Rule::Dropped | Rule::NullKept, _) | (Rule::NullDropped, "null") => {
                self.same_as(json, None)
            }
            _ => {
                let words = format!(
                    "{}: expected {}, found {}",
                    self.name,
                    noun(fit),
                    noun(kind)
                );
                self.refused(Some(json), &words);
            }
        }
    }

    /// Checks that both crates read the object as if the member had another value, or were absent.
    fn same_as(&self, json: &str, other: Option<&str>) {
        let (text, meant) = (self.with(Some(json)), self.with(other));
        let said = format!("{} {text}", self.of.name);
        let ours = (self.of.ours)(&text).unwrap_or_else(|error| panic!("{said}: {error}"));
        let theirs = (self.of.official)(&text).unwrap_or_else(|error| panic!("{said}: {error}"));
        assert_eq!(Ok(&ours), (self.of.ours)(&meant).as_ref(), "{said}");
        assert_eq!(theirs, value(&ours), "{said}");
    }

    fn refused(&self, json: Option<&str>, words: &str) {
        let text = self.with(json);
        let said = format!("{} {text}", self.of.name);
        assert_eq!((self.of.ours)(&text), Err(words.to_owned()), "{said}");
        assert!(
            (self.of.official)(&text).is_err(),
            "official types read {said}"
        );
    }

    fn with(&self, json: Option<&str>) -> String {
        let Some(json) = json else {
            return self.rest.to_owned();
        };
        let open = self.rest.strip_suffix('}').expect("an object");
        let comma = if open == "{" { "" } else { "," };
        format!("{open}{comma}\"{}\":{json}}}", self.name)
    }
}

fn noun(kind: &str) -> &'static str {
    match kind {
        "null" => "null",
        "boolean" => "a boolean",
        "number" => "a number",
        "string" => "a string",
        "list" => "an array",
        _ => "an object",
    }
}

#[test]
#[rustfmt::skip]
fn default_on_error_in_capabilities() {
    check_members(Rule::Dropped, &[
        (on!(InitializeRequest), r#"{"protocolVersion":1}"#, "clientCapabilities:struct clientInfo:struct"),
        (on!(InitializeResponse), r#"{"protocolVersion":1}"#, "agentCapabilities:struct agentInfo:struct"),
        (on!(Implementation), r#"{"name":"n","version":"1"}"#, "title:string"),
        (on!(ClientCapabilities), "{}", "fs:struct terminal:boolean session:struct subagents:struct"),
        (on!(ClientCapabilities), "{}", "plan:struct auth:struct elicitation:struct"),
        (on!(FileSystemCapabilities), "{}", "readTextFile:boolean writeTextFile:boolean"),
        (on!(ClientSessionCapabilities), "{}", "compaction:struct configOptions:struct notices:struct"),
        (on!(SessionConfigOptionsCapabilities), "{}", "boolean:struct"),
        (on!(AuthCapabilities), "{}", "terminal:boolean"),
        (on!(ElicitationCapabilities), "{}", "form:struct url:struct"),
        (on!(AgentCapabilities), "{}", "loadSession:boolean promptCapabilities:struct providers:struct"),
        (on!(AgentCapabilities), "{}", "mcpCapabilities:struct sessionCapabilities:struct auth:struct"),
        (on!(PromptCapabilities), "{}", "image:boolean audio:boolean embeddedContext:boolean"),
        (on!(McpCapabilities), "{}", "http:boolean sse:boolean acp:boolean"),
        (on!(SessionCapabilities), "{}", "list:struct delete:struct additionalDirectories:struct"),
        (on!(SessionCapabilities), "{}", "systemPrompt:struct fork:struct archive:struct status:struct"),
        (on!(SessionCapabilities), "{}", "title:struct resume:struct close:struct"),
        (on!(SessionSystemPromptCapabilities), "{}", "mode:struct"),
        (on!(SessionSystemPromptModeCapabilities), "{}", "override:struct"),
        (on!(AgentAuthCapabilities), "{}", "status:struct logout:struct"),
        (on!(SubagentSessionCapabilities), "{}", "cancel:struct"),
    ]);
}

#[test]
#[rustfmt::skip]
fn default_on_error_in_display_members() {
    check_members(Rule::Dropped, &[
        (on!(AuthMethodAgent), r#"{"id":"a","name":"n"}"#, "description:string _meta:map"),
        (on!(AuthMethodTerminal), r#"{"id":"a","name":"n"}"#, "description:string"),
        (on!(AuthAccount), r#"{"label":"l"}"#, "active:boolean name:string email:string organization:string"),
        (on!(SessionConfigOption), r#"{"id":"c","name":"n","type":"boolean","currentValue":true}"#,
            "description:string category:string _meta:map"),
        (on!(SessionConfigSelectOption), r#"{"value":"v","name":"n"}"#, "description:string"),
        (on!(TextContent), r#"{"text":"t"}"#, "annotations:struct _meta:map"),
        (on!(ImageContent), r#"{"data":"","mimeType":"image/png"}"#, "uri:string annotations:struct"),
        (on!(AudioContent), r#"{"data":"","mimeType":"audio/wav"}"#, "annotations:struct"),
        (on!(ResourceLink), r#"{"name":"n","uri":"u"}"#, "title:string description:string mimeType:string"),
        (on!(ResourceLink), r#"{"name":"n","uri":"u"}"#, "size:number annotations:struct"),
        (on!(EmbeddedResource), r#"{"resource":{"text":"t","uri":"u"}}"#, "annotations:struct"),
        (on!(TextResourceContents), r#"{"text":"t","uri":"u"}"#, "mimeType:string"),
        (on!(BlobResourceContents), r#"{"blob":"","uri":"u"}"#, "mimeType:string"),
        (on!(Annotations), "{}", "lastModified:string priority:number"),
        (on!(ElicitationSessionScope), r#"{"sessionId":"s"}"#, "toolCallId:string"),
        (on!(ElicitationSchema), r#"{"type":"object","properties":{}}"#, "title:string description:string"),
        (on!(ElicitationSchema), r#"{"properties":{}}"#, "type:string"),
        (on!(StringPropertySchema), "{}", "title:string description:string default:string"),
        (on!(NumberPropertySchema), "{}", "title:string description:string default:number"),
        (on!(IntegerPropertySchema), "{}", "title:string description:string default:number"),
        (on!(BooleanPropertySchema), "{}", "title:string description:string default:boolean"),
        (on!(MultiSelectPropertySchema), r#"{"items":{"anyOf":[]}}"#, "title:string description:string default:list"),
        (on!(EnumOption), r#"{"const":"c","title":"t"}"#, "description:string"),
        (on!(SessionMode), r#"{"id":"m","name":"n"}"#, "description:string"),
        (on!(Notice), r#"{"severity":"info","title":"t"}"#, "description:string _meta:map"),
        (on!(AvailableCommand), r#"{"name":"n","description":"d"}"#, "input:struct"),
        (on!(UsageUpdate), r#"{"used":1,"size":2}"#, "cost:struct"),
        (on!(ContentChunk), r#"{"content":{"type":"text","text":"t"}}"#, "messageId:string"),
    ]);
}

#[test]
#[rustfmt::skip]
fn default_on_error_in_results_and_tool_calls() {
    check_members(Rule::Dropped, &[
        (on!(PromptResponse), r#"{"stopReason":"end_turn"}"#, "usage:struct _meta:map"),
        (on!(Usage), r#"{"totalTokens":1,"inputTokens":1,"outputTokens":0}"#,
            "thoughtTokens:number cachedReadTokens:number cachedWriteTokens:number"),
        (on!(NewSessionResponse), r#"{"sessionId":"s"}"#, "modes:struct configOptions:list"),
        (on!(LoadSessionResponse), "{}", "modes:struct configOptions:list"),
        (on!(ResumeSessionResponse), "{}", "modes:struct configOptions:list"),
        (on!(ForkSessionResponse), r#"{"sessionId":"s"}"#, "modes:struct configOptions:list"),
        (on!(ListSessionsResponse), r#"{"sessions":[]}"#, "nextCursor:string"),
        (on!(SessionInfo), r#"{"sessionId":"s","cwd":"/"}"#,
            "additionalDirectories:list title:string updatedAt:string archived:boolean"),
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t"}"#, "name:string kind:string status:string _meta:map"),
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t"}"#, "content:list locations:list"),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c"}"#, "title:string name:string kind:string status:string"),
        (on!(ToolCallUpdate), r#"{"toolCallId":"c"}"#, "content:list locations:list _meta:map"),
        (on!(Diff), r#"{"path":"/a","newText":""}"#, "oldText:string"),
        (on!(ToolCallLocation), r#"{"path":"/a"}"#, "line:number"),
        (on!(TerminalOutputResponse), r#"{"output":"","truncated":false}"#, "exitStatus:struct"),
        (on!(TerminalExitStatus), "{}", "exitCode:number signal:string"),
        (on!(WaitForTerminalExitResponse), "{}", "exitCode:number signal:string _meta:map"),
        (on!(IdleStateUpdate), "{}", "usage:struct stopReason:string"),
        (on!(IdleStopReason), r#"{"stopReason":"error"}"#, "error:struct"),
        (on!(AuthStatusResponse), r#"{"state":"unknown"}"#, "accounts:list"),
        (on!(AuthStatusUpdateNotification), r#"{"state":"unknown"}"#, "accounts:list"),
        (on!(InitializeResponse), r#"{"protocolVersion":1}"#, "authMethods:list _meta:map"),
    ]);
}

#[test]
fn bad_items_of_a_list_are_skipped() {
    for (of, rest, name, item) in LISTS {
        let list = |items: &str| Member { of, rest, name }.with(Some(&format!("[{items}]")));
        let (good, mixed) = (
            list(&format!("{item},{item}")),
            list(&format!("{item},null,7,[[]],{{}},{item}")),
        );
        let written =
            (of.ours)(&good).unwrap_or_else(|error| panic!("{} {good}: {error}", of.name));
        assert_eq!(
            value(&written)[name],
            value(&good)[name],
            "{} {good}",
            of.name
        );
        assert_eq!(
            (of.ours)(&mixed).as_ref(),
            Ok(&written),
            "{} {mixed}",
            of.name
        );
        assert_eq!(
            (of.official)(&mixed),
            Ok(value(&written)),
            "{} {mixed}",
            of.name
        );
    }
}

#[rustfmt::skip]
const LISTS: [(ComparedType, &str, &str, &str); 22] = [
    (on!(InitializeResponse), r#"{"protocolVersion":1}"#, "authMethods", r#"{"id":"a","name":"n"}"#),
    (on!(NewSessionResponse), r#"{"sessionId":"s"}"#, "configOptions", SWITCH),
    (on!(LoadSessionResponse), "{}", "configOptions", SWITCH),
    (on!(ResumeSessionResponse), "{}", "configOptions", SWITCH),
    (on!(ForkSessionResponse), r#"{"sessionId":"s"}"#, "configOptions", SWITCH),
    (on!(SetSessionConfigOptionResponse), "{}", "configOptions", SWITCH),
    (on!(ConfigOptionUpdate), "{}", "configOptions", SWITCH),
    (on!(SessionConfigSelectGroup), r#"{"group":"g","name":"n"}"#, "options", r#"{"value":"v","name":"n"}"#),
    (on!(ListSessionsResponse), "{}", "sessions", r#"{"sessionId":"s","cwd":"/"}"#),
    (on!(SessionInfo), r#"{"sessionId":"s","cwd":"/"}"#, "additionalDirectories", r#""/a""#),
    (on!(SessionModeState), r#"{"currentModeId":"m"}"#, "availableModes", r#"{"id":"m","name":"n"}"#),
    (on!(ToolCall), r#"{"toolCallId":"c","title":"t"}"#, "content", r#"{"type":"terminal","terminalId":"t"}"#),
    (on!(ToolCall), r#"{"toolCallId":"c","title":"t"}"#, "locations", r#"{"path":"/a"}"#),
    (on!(ToolCallUpdate), r#"{"toolCallId":"c"}"#, "content", r#"{"type":"terminal","terminalId":"t"}"#),
    (on!(ToolCallUpdate), r#"{"toolCallId":"c"}"#, "locations", r#"{"path":"/a"}"#),
    (on!(Plan), "{}", "entries", r#"{"content":"c","priority":"low","status":"pending"}"#),
    (on!(AvailableCommandsUpdate), "{}", "availableCommands", r#"{"name":"n","description":"d"}"#),
    (on!(Annotations), "{}", "audience", r#""user""#),
    (on!(ProviderInfo), r#"{"providerId":"p","required":false}"#, "supported", r#""openai""#),
    (on!(AuthStatusResponse), r#"{"state":"unknown"}"#, "accounts", r#"{"label":"l"}"#),
    (on!(CompactionUpdate), r#"{"compactionId":"c","status":"completed"}"#, "summary", r#"{"type":"text","text":"t"}"#),
    (on!(SessionMessage), r#"{"messageId":"m"}"#, "content", r#"{"type":"text","text":"t"}"#),
];

const SWITCH: &str = r#"{"id":"c","name":"n","type":"boolean","currentValue":true}"#;

#[test]
#[rustfmt::skip]
fn default_on_null_and_nothing_else() {
    check_members(Rule::RequiredOrNull, &[
        (on!(NewSessionRequest), r#"{"cwd":"/"}"#, "mcpServers:list"),
        (on!(LoadSessionRequest), r#"{"sessionId":"s","cwd":"/"}"#, "mcpServers:list"),
        (on!(McpServerStdio), r#"{"name":"n","command":"/c","args":[]}"#, "env:list"),
        (on!(McpServerStdio), r#"{"name":"n","command":"/c","env":[]}"#, "args:list"),
        (on!(McpServerHttp), r#"{"name":"n","url":"u"}"#, "headers:list"),
        (on!(McpServerSse), r#"{"name":"n","url":"u"}"#, "headers:list"),
    ]);
    check_members(Rule::NullDropped, &[
        (on!(NewSessionRequest), r#"{"cwd":"/","mcpServers":[]}"#, "additionalDirectories:list"),
        (on!(LoadSessionRequest), r#"{"sessionId":"s","cwd":"/","mcpServers":[]}"#, "additionalDirectories:list"),
        (on!(ResumeSessionRequest), r#"{"sessionId":"s","cwd":"/"}"#, "mcpServers:list additionalDirectories:list"),
        (on!(ForkSessionRequest), r#"{"sessionId":"s","cwd":"/"}"#, "mcpServers:list additionalDirectories:list"),
        (on!(CreateTerminalRequest), r#"{"sessionId":"s","command":"c"}"#, "args:list env:list"),
        (on!(AuthMethodTerminal), r#"{"id":"a","name":"n"}"#, "args:list env:map"),
    ]);
}

#[test]
#[rustfmt::skip]
fn null_instead_of_a_payload() {
    let tolerant = [
        on!(AuthenticateResponse), on!(LogoutRequest), on!(LogoutResponse), on!(AuthStatusRequest),
        on!(LoadSessionResponse), on!(ResumeSessionResponse), on!(CloseSessionResponse),
        on!(DeleteSessionResponse), on!(ArchiveSessionResponse), on!(UnarchiveSessionResponse),
        on!(ListSessionsRequest), on!(SetSessionModeResponse), on!(WriteTextFileResponse),
        on!(ReleaseTerminalResponse), on!(KillTerminalResponse), on!(WaitForTerminalExitResponse),
        on!(ListProvidersRequest), on!(SetProviderResponse), on!(DisableProviderResponse),
    ];
    for of in tolerant {
        check(&[(of, "null", Read("{}")), (of, "{}", Read("{}"))]);
        check(&[(of, "7", Refused("expected an object, found a number"))]);
    }
    let strict = [
        on!(InitializeResponse), on!(NewSessionResponse), on!(ForkSessionResponse), on!(PromptResponse),
        on!(ListSessionsResponse), on!(SetSessionConfigOptionResponse), on!(SetSessionTitleResponse),
        on!(SessionStatusResponse), on!(RequestPermissionResponse), on!(ReadTextFileResponse),
        on!(CreateTerminalResponse), on!(TerminalOutputResponse), on!(CreateElicitationResponse),
        on!(AuthStatusResponse), on!(ListProvidersResponse), on!(MessageMcpResponse),
    ];
    for of in strict {
        check(&[(of, "null", Refused("expected an object, found null"))]);
    }
}

#[test]
#[rustfmt::skip]
fn absent_null_and_a_value_are_distinct() {
    check_members(Rule::NullKept, &[
        (on!(SessionInfoUpdate), "{}", "title:string updatedAt:string"),
        (on!(CompactionUpdate), r#"{"compactionId":"c","status":"failed"}"#, "summary:list error:string _meta:map"),
        (on!(SubagentUpdate), r#"{"sessionId":"s"}"#, "title:string description:string state:struct _meta:map"),
        (on!(SubagentUpdate), r#"{"sessionId":"s"}"#, "capabilities:struct"),
        (on!(SessionMessage), r#"{"messageId":"m"}"#, "senderSessionId:string recipientSessionId:string"),
        (on!(SessionMessage), r#"{"messageId":"m"}"#, "senderMessageId:string recipientMessageId:string"),
        (on!(SessionMessage), r#"{"messageId":"m"}"#, "content:list _meta:map"),
    ]);
    check_members(Rule::StrictNullKept, &[
        (on!(SubagentUpdate), r#"{"sessionId":"s"}"#, "cwd:string additionalDirectories:list"),
    ]);
    check(&[
        (on!(SessionInfoUpdate), r#"{"title":null,"updatedAt":"u"}"#, Read(r#"{"title":null,"updatedAt":"u"}"#)),
        (on!(SessionInfoUpdate), r#"{"_meta":null}"#, Read("{}")),
    ]);
}

#[test]
#[rustfmt::skip]
fn strict_optional_members() {
    check_members(Rule::NullDropped, &[
        (on!(ReadTextFileRequest), r#"{"sessionId":"s","path":"/a"}"#, "line:number limit:number"),
        (on!(CreateTerminalRequest), r#"{"sessionId":"s","command":"c"}"#, "cwd:string outputByteLimit:number"),
        (on!(ListSessionsRequest), "{}", "cwd:string cursor:string archived:string"),
        (on!(NewSessionRequest), r#"{"cwd":"/","mcpServers":[]}"#, "systemPrompt:struct"),
        (on!(MessageMcpRequest), r#"{"serverId":"s","requestId":"r","method":"m"}"#, "params:map"),
        (on!(MessageMcpNotification), r#"{"serverId":"s","requestId":"r","method":"m"}"#, "params:map"),
        (on!(ProviderInfo), r#"{"providerId":"p","supported":[],"required":true}"#, "current:struct"),
        (on!(ElicitationSchema), r#"{"type":"object","properties":{}}"#, "required:list"),
        (on!(StringPropertySchema), "{}", "minLength:number maxLength:number pattern:string format:string"),
        (on!(StringPropertySchema), "{}", "enum:list oneOf:list"),
        (on!(NumberPropertySchema), "{}", "minimum:number maximum:number"),
        (on!(IntegerPropertySchema), "{}", "minimum:number maximum:number"),
        (on!(MultiSelectPropertySchema), r#"{"items":{"anyOf":[]}}"#, "minItems:number maxItems:number"),
        (on!(ElicitationAcceptAction), "{}", "content:map"),
    ]);
    let base = r#"{"sessionId":"s","path":"/a","line":LINE}"#;
    for line in ["-1", "1.5", "1e3", "4294967296"] {
        let input = base.replace("LINE", line);
        let words = "line: not an integer of type u32";
        check(&[(on!(ReadTextFileRequest), &input, Refused(words))]);
    }
}

#[test]
#[rustfmt::skip]
fn strict_required_members() {
    check_members(Rule::Required, &[
        (on!(AuthenticateRequest), "{}", "methodId:string"),
        (on!(NewSessionRequest), r#"{"mcpServers":[]}"#, "cwd:string"),
        (on!(LoadSessionRequest), r#"{"cwd":"/","mcpServers":[]}"#, "sessionId:string"),
        (on!(ResumeSessionRequest), r#"{"sessionId":"s"}"#, "cwd:string"),
        (on!(CloseSessionRequest), "{}", "sessionId:string"),
        (on!(SetSessionTitleRequest), r#"{"sessionId":"s"}"#, "title:string"),
        (on!(SetSessionModeRequest), r#"{"sessionId":"s"}"#, "modeId:string"),
        (on!(PromptRequest), r#"{"sessionId":"s"}"#, "prompt:list"),
        (on!(CancelNotification), "{}", "sessionId:string"),
        (on!(RequestPermissionRequest), r#"{"sessionId":"s","toolCall":{"toolCallId":"c"}}"#, "options:list"),
        (on!(RequestPermissionRequest), r#"{"sessionId":"s","options":[]}"#, "toolCall:struct"),
        (on!(RequestPermissionResponse), "{}", "outcome:struct"),
        (on!(PermissionOption), r#"{"optionId":"o","name":"n"}"#, "kind:string"),
        (on!(PermissionOption), r#"{"name":"n","kind":"allow_once"}"#, "optionId:string"),
        (on!(PromptResponse), "{}", "stopReason:string"),
        (on!(ReadTextFileRequest), r#"{"sessionId":"s"}"#, "path:string"),
        (on!(WriteTextFileRequest), r#"{"sessionId":"s","path":"/a"}"#, "content:string"),
        (on!(ReadTextFileResponse), "{}", "content:string"),
        (on!(CreateTerminalRequest), r#"{"sessionId":"s"}"#, "command:string"),
        (on!(TerminalOutputRequest), r#"{"sessionId":"s"}"#, "terminalId:string"),
        (on!(TerminalOutputResponse), r#"{"output":""}"#, "truncated:boolean"),
        (on!(SessionNotification), r#"{"sessionId":"s"}"#, "update:struct"),
        (on!(ContentChunk), "{}", "content:struct"),
        (on!(ToolCall), r#"{"toolCallId":"c"}"#, "title:string"),
        (on!(ToolCallUpdate), "{}", "toolCallId:string"),
        (on!(UsageUpdate), r#"{"used":1}"#, "size:number"),
        (on!(McpServerHttp), r#"{"name":"n","headers":[]}"#, "url:string"),
        (on!(ListProvidersResponse), "{}", "providers:list"),
        (on!(CompleteElicitationNotification), "{}", "elicitationId:string"),
    ]);
}

/// A list is required even where `null` is accepted or invalid items are skipped.
#[test]
#[rustfmt::skip]
fn a_required_list_that_is_missing() {
    check(&[
        (on!(NewSessionRequest), r#"{"cwd":"/"}"#, Refused("mcpServers: missing")),
        (on!(ListSessionsResponse), "{}", Refused("sessions: missing")),
        (on!(ListSessionsResponse), r#"{"sessions":7}"#, Read(r#"{"sessions":[]}"#)),
        (on!(Plan), "{}", Refused("entries: missing")),
        (on!(Plan), r#"{"entries":null}"#, Read(r#"{"entries":[]}"#)),
        (on!(SetSessionConfigOptionResponse), "{}", Refused("configOptions: missing")),
        (on!(ConfigOptionUpdate), "{}", Refused("configOptions: missing")),
        (on!(ConfigOptionUpdate), r#"{"configOptions":{}}"#, Read(r#"{"configOptions":[]}"#)),
        (on!(AvailableCommandsUpdate), "{}", Refused("availableCommands: missing")),
        (on!(SessionModeState), r#"{"currentModeId":"m"}"#, Refused("availableModes: missing")),
    ]);
}

#[test]
#[rustfmt::skip]
fn unknown_members_are_ignored() {
    for (of, rest) in [
        (on!(InitializeRequest), r#"{"protocolVersion":1}"#),
        (on!(NewSessionRequest), r#"{"cwd":"/","mcpServers":[]}"#),
        (on!(PromptResponse), r#"{"stopReason":"end_turn"}"#),
        (on!(ToolCall), r#"{"toolCallId":"c","title":"t"}"#),
        (on!(ContentBlock), r#"{"type":"text","text":"t"}"#),
        (on!(McpServer), r#"{"name":"n","command":"/c","args":[],"env":[]}"#),
        (on!(SessionConfigOption), SWITCH),
        (on!(CreateElicitationResponse), r#"{"action":"decline"}"#),
        (on!(KillTerminalResponse), "{}"),
    ] {
        for json in ["null", "7", r#"{"deep":[1,{"er":"x"}]}"#] {
            Member { of, rest, name: "colour" }.same_as(json, None);
        }
    }
}
