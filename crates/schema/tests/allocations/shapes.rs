//! Messages made to cost as much memory and time as they can: the smallest item of every list, as often as fits.

use std::fmt::Write as _;

/// A message that grows: text before, a part as often as wanted, text behind.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) payload_of: PayloadOf,
    before: &'static str,
    /// The repeated part. `#` becomes a different name of two or more letters each time.
    part: &'static str,
    after: &'static str,
}

/// Where the payload belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PayloadOf {
    /// The parameters of a method.
    Params(&'static str),
    /// The result of a method.
    Result(&'static str),
}

impl Shape {
    /// The payload with this number of parts.
    pub(crate) fn of_parts(&self, count: usize) -> String {
        let separator = if self.part.ends_with(['}', ']', '"', '0']) {
            ","
        } else {
            ""
        };
        let mut out = String::from(self.before);
        for index in 0..count {
            if index > 0 {
                out.push_str(separator);
            }
            match self.part.split_once('#') {
                Some((before, after)) => write!(out, "{before}{}{after}", letters(index)),
                None => write!(out, "{}", self.part),
            }
            .unwrap_or_default();
        }
        out.push_str(self.after);
        out
    }

    /// The payload with about this number of bytes.
    pub(crate) fn of_bytes(&self, length: usize) -> String {
        self.of_parts(length / (self.part.len() + 1))
    }
}

/// A short name, another one for each index.
fn letters(mut index: usize) -> String {
    let mut name = String::new();
    while name.len() < 2 || index > 0 {
        let digit = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[index % 64];
        name.push(char::from(digit));
        index /= 64;
    }
    name
}

macro_rules! shapes {
    ($($place:ident $method:literal $name:literal: $before:literal [$part:literal] $after:literal;)*) => {
        pub(crate) const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            payload_of: PayloadOf::$place($method),
            before: $before,
            part: $part,
            after: $after,
        }),*];
    };
}

shapes! {
    // The smallest item of every list. One of an unknown kind is kept, in the room of the largest known kind.
    Params "session/prompt" "ContentBlock, unknown": r#"{"sessionId":"","prompt":["# [r#"{"type":""}"#] "]}";
    Params "session/prompt" "ContentBlock, text": r#"{"sessionId":"","prompt":["# [r#"{"type":"text","text":""}"#] "]}";
    Params "session/prompt" "Role": r#"{"sessionId":"","prompt":[{"type":"text","text":"","annotations":{"audience":["# [r#""""#] "]}}]}";
    Params "session/prompt" "Annotations, one role each": r#"{"sessionId":"","prompt":["# [r#"{"type":"text","text":"","annotations":{"audience":[""]}}"#] "]}";
    Params "session/prompt" "Annotations, empty": r#"{"sessionId":"","prompt":["# [r#"{"type":"text","text":"","annotations":{}}"#] "]}";
    Params "session/update" "ToolCallContent, unknown": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call","toolCallId":"","title":"","content":["# [r#"{"type":""}"#] "]}}";
    Params "session/update" "ToolCallContent, of an update": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call_update","toolCallId":"","content":["# [r#"{"type":""}"#] "]}}";
    Params "session/update" "ToolCallLocation": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call","toolCallId":"","title":"","locations":["# [r#"{"path":""}"#] "]}}";
    Params "session/update" "AvailableCommand": r#"{"sessionId":"","update":{"sessionUpdate":"available_commands_update","availableCommands":["# [r#"{"name":"","description":""}"#] "]}}";
    Params "session/update" "AvailableCommandInput, unknown": r#"{"sessionId":"","update":{"sessionUpdate":"available_commands_update","availableCommands":["# [r#"{"name":"","description":"","input":0}"#] "]}}";
    Params "session/update" "PlanEntry": r#"{"sessionId":"","update":{"sessionUpdate":"plan","entries":["# [r#"{"content":"","priority":"","status":""}"#] "]}}";
    Params "session/update" "PlanEntry, of a plan with an id": r#"{"sessionId":"","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"","entries":["# [r#"{"content":"","priority":"","status":""}"#] "]}}}";
    Params "session/update" "ContentBlock, of a summary": r#"{"sessionId":"","update":{"sessionUpdate":"compaction_update","compactionId":"","status":"","summary":["# [r#"{"type":""}"#] "]}}";
    Params "session/update" "ContentBlock, of a session message": r#"{"sessionId":"","update":{"sessionUpdate":"session_message","messageId":"","content":["# [r#"{"type":""}"#] "]}}";
    Params "session/update" "FilePath, of a subagent": r#"{"sessionId":"","update":{"sessionUpdate":"subagent_update","sessionId":"","additionalDirectories":["# [r#""""#] "]}}";
    Params "session/new" "McpServer, unknown": r#"{"cwd":"","mcpServers":["# [r#"{"type":""}"#] "]}";
    Params "session/new" "McpServer, stdio": r#"{"cwd":"","mcpServers":["# [r#"{"name":"","command":"","args":[],"env":[]}"#] "]}";
    Params "session/new" "HttpHeader": r#"{"cwd":"","mcpServers":[{"type":"http","name":"","url":"","headers":["# [r#"{"name":"","value":""}"#] "]}]}";
    Params "session/new" "HttpHeader, one each": r#"{"cwd":"","mcpServers":["# [r#"{"type":"sse","name":"","url":"","headers":[{"name":"","value":""}]}"#] "]}";
    Params "session/new" "FilePath": r#"{"cwd":"","mcpServers":[],"additionalDirectories":["# [r#""""#] "]}";
    Params "session/new" "ContentBlock, of a system prompt": r#"{"cwd":"","mcpServers":[],"systemPrompt":{"mode":"","content":["# [r#"{"type":""}"#] "]}}";
    Params "terminal/create" "EnvVariable": r#"{"sessionId":"","command":"","env":["# [r#"{"name":"","value":""}"#] "]}";
    Params "terminal/create" "String": r#"{"sessionId":"","command":"","args":["# [r#""""#] "]}";
    Params "terminal/create" "String, of one escape": r#"{"sessionId":"","command":"","args":["# [r#""\n""#] "]}";
    Params "session/request_permission" "PermissionOption": r#"{"sessionId":"","toolCall":{"toolCallId":""},"options":["# [r#"{"optionId":"","name":"","kind":""}"#] "]}";
    Params "auth/status_update" "AuthAccount": r#"{"state":"","accounts":["# [r#"{"label":""}"#] "]}";
    Params "providers/set" "headers": r#"{"providerId":"","apiType":"","baseUrl":"","headers":{"# [r##""#":"""##] "}}";
    Result "initialize" "AuthMethod, unknown": r#"{"protocolVersion":1,"authMethods":["# [r#"{"type":""}"#] "]}";
    Result "initialize" "AuthMethodTerminal, one variable each": r#"{"protocolVersion":1,"authMethods":["# [r#"{"type":"terminal","id":"","name":"","env":{"":""}}"#] "]}";
    Result "session/new" "SessionMode": r#"{"sessionId":"","modes":{"currentModeId":"","availableModes":["# [r#"{"id":"","name":""}"#] "]}}";
    Result "session/new" "SessionConfigOption, unknown": r#"{"sessionId":"","configOptions":["# [r#"{"id":"","name":"","type":""}"#] "]}";
    Result "session/new" "SessionConfigOption, switch": r#"{"sessionId":"","configOptions":["# [r#"{"type":"boolean","id":"","name":"","currentValue":true}"#] "]}";
    Result "session/new" "SessionConfigSelectOption": r#"{"sessionId":"","configOptions":[{"id":"","name":"","type":"select","currentValue":"","options":["# [r#"{"value":"","name":""}"#] "]}]}";
    Result "session/new" "SessionConfigSelectGroup": r#"{"sessionId":"","configOptions":[{"id":"","name":"","type":"select","currentValue":"","options":["# [r#"{"group":"","name":"","options":[]}"#] "]}]}";
    Result "session/new" "SessionConfigSelectGroup, one choice each": r#"{"sessionId":"","configOptions":[{"id":"","name":"","type":"select","currentValue":"","options":["# [r#"{"group":"","name":"","options":[{"value":"","name":""}]}"#] "]}]}";
    Result "session/new" "choices, of which the last is none": r#"{"sessionId":"","configOptions":[{"id":"","name":"","type":"select","currentValue":"","options":["# [r#"{"value":"","name":""}"#] ",0]}]}";
    Result "session/list" "SessionInfo": r#"{"sessions":["# [r#"{"sessionId":"","cwd":""}"#] "]}";
    Result "session/list" "SessionInfo, one directory each": r#"{"sessions":["# [r#"{"sessionId":"","cwd":"","additionalDirectories":[""]}"#] "]}";
    Result "auth/status" "AuthAccount, of a result": r#"{"state":"","accounts":["# [r#"{"label":""}"#] "]}";
    Result "providers/list" "ProviderInfo": r#"{"providers":["# [r#"{"providerId":"","supported":[],"required":true}"#] "]}";
    Result "providers/list" "LlmProtocol": r#"{"providers":[{"providerId":"","required":true,"supported":["# [r#""""#] "]}]}";
    // Forms.
    Params "elicitation/create" "ElicitationPropertySchema, unknown": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"# [r##""#":{"type":""}"##] "}}}";
    Params "elicitation/create" "ElicitationPropertySchema, text": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"# [r##""#":{"type":"string"}"##] "}}}";
    Params "elicitation/create" "required": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"required":["# [r#""""#] "]}}";
    Params "elicitation/create" "enum": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"":{"type":"string","enum":["# [r#""""#] "]}}}}";
    Params "elicitation/create" "EnumOption": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"":{"type":"string","oneOf":["# [r#"{"const":"","title":""}"#] "]}}}}";
    Params "elicitation/create" "EnumOption, one each": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"# [r##""#":{"type":"string","oneOf":[{"const":"","title":""}]}"##] "}}}";
    Params "elicitation/create" "choices of several": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"":{"type":"array","items":{"type":"string","enum":["# [r#""""#] "]}}}}}";
    Params "elicitation/create" "titled choices of several": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"":{"type":"array","items":{"anyOf":["# [r#"{"const":"","title":""}"#] "]}}}}}";
    Params "elicitation/create" "choices at first": r#"{"sessionId":"","message":"","mode":"form","requestedSchema":{"properties":{"":{"type":"array","items":{"anyOf":[]},"default":["# [r#""""#] "]}}}}";
    Params "elicitation/create" "unknown mode, many members": r#"{"sessionId":"","message":"","mode":"","# [r##""#":0"##] "}";
    Params "elicitation/create" "unknown mode, one member often": r#"{"sessionId":"","message":"","mode":"","# [r#""":0"#] "}";
    Result "elicitation/create" "content": r#"{"action":"accept","content":{"# [r##""#":0"##] "}}";
    Result "elicitation/create" "content, lists of one": r#"{"action":"accept","content":{"# [r##""#":[""]"##] "}}";
    Result "elicitation/create" "list of content": r#"{"action":"accept","content":{"":["# [r#""""#] "]}}";
    Result "elicitation/create" "unknown action, many members": r#"{"action":"","# [r##""#":0"##] "}";
    // Unknown data, kept or skipped.
    Params "session/update" "unknown update, many members": r#"{"sessionId":"","update":{"sessionUpdate":"","# [r##""#":0"##] "}}";
    Params "session/update" "unknown update, its tag last": r#"{"sessionId":"","update":{"# [r##""#":0"##] r#","sessionUpdate":""}}"#;
    Params "session/update" "unknown members": r#"{"# [r#""":[]"#] r#","sessionId":"","update":{"sessionUpdate":""}}"#;
    Params "session/update" "one member often": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call","title":"","toolCallId":"","# [r#""title":"""#] "}}";
    Params "session/update" "_meta often": r#"{"sessionId":"","update":{"sessionUpdate":"plan","entries":[],"# [r#""_meta":{}"#] "}}";
    Params "session/update" "_meta of many members": r#"{"sessionId":"","update":{"sessionUpdate":"plan","entries":[],"_meta":{"# [r##""#":0"##] "}}}";
    Params "session/prompt" "_meta in every block": r#"{"sessionId":"","prompt":["# [r#"{"type":"text","text":"","_meta":{}}"#] "]}";
    Params "session/update" "bad items": r#"{"sessionId":"","update":{"sessionUpdate":"plan","entries":["# ["0"] "]}}";
    Params "session/update" "bad items that end badly": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call","title":"","toolCallId":"","content":["# [r#"{"type":"content","content":{"type":"text","text":"","annotations":{"audience":[""]},"text":0}}"#] "]}}";
    Result "mcp/message" "McpError, many members": r#"{"error":{"code":0,"message":"","# [r##""#":0"##] "}}";
    Result "mcp/message" "result": r#"{"result":["# [r#"{}"#] "]}";
    Params "proxy/successor" "params": r#"{"method":"","params":["# [r#"[]"#] "]}";
    Params "_extension" "params of an extension": "[" [r#"[]"#] "]";
    // Long tokens.
    Params "fs/write_text_file" "plain text": r#"{"sessionId":"","path":"","content":""# ["x"] r#""}"#;
    Params "fs/write_text_file" "escapes only": r#"{"sessionId":"","path":"","content":""# [r#"\n"#] r#""}"#;
    Params "fs/write_text_file" "long escapes only": r#"{"sessionId":"","path":"","content":""# [r#"\ud83e\udd80"#] r#""}"#;
    Params "fs/write_text_file" "escapes in an id": r#"{"content":"","path":"","sessionId":""# [r#"\n"#] r#""}"#;
    Params "fs/write_text_file" "escapes in a name": r#"{"content":"","path":"","sessionId":"",""# [r#"\n"#] r#"":0}"#;
    Params "session/update" "digits of a number": r#"{"sessionId":"","update":{"sessionUpdate":"usage_update","used":0,"size":0,"cost":{"currency":"","amount":0."# ["3"] "}}}";
    Params "session/update" "digits of a whole number": r#"{"sessionId":"","update":{"sessionUpdate":"usage_update","size":0,"used":1"# ["3"] "}}";
    Params "session/update" "white space": r#"{"sessionId":"","update":{"sessionUpdate":"plan","entries":["# [" "] "]}}";
    Params "session/update" "line breaks in raw values": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call","title":"","toolCallId":"","rawInput":["# ["\n"] "]}}";
    Params "session/update" "nesting": r#"{"sessionId":"","update":{"sessionUpdate":"tool_call","title":"","toolCallId":"","rawInput":["# ["[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{\"\":{}}]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"] "]}}";
}
