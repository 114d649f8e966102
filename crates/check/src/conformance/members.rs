//! The members of each protocol type. Additional data belongs into `_meta`. Typed readers drop unknown members, so this
//! module inspects the raw JSON.

use serde_json::Value;

/// Fails if an object has other members than these and `_meta`.
pub(crate) fn only(value: &Value, known: &[&str]) -> Result<(), String> {
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    let strange = |name: &&String| *name != "_meta" && !known.contains(&name.as_str());
    match object.keys().find(strange) {
        Some(_) => Err("there is a member that is not in the protocol".to_owned()),
        None => Ok(()),
    }
}

/// The members of an update of this kind; `None` if the protocol has no such kind.
pub(crate) fn of_update(kind: &str) -> Option<&'static [&'static str]> {
    let found = UPDATES.iter().find(|(known, _)| *known == kind);
    found.map(|(_, members)| *members)
}

pub(crate) const INITIALIZE: &[&str] = &[
    "protocolVersion",
    "agentCapabilities",
    "authMethods",
    "agentInfo",
];

pub(crate) const AGENT_CAPABILITIES: &[&str] = &[
    "loadSession",
    "promptCapabilities",
    "mcpCapabilities",
    "sessionCapabilities",
    "auth",
    "providers",
];

pub(crate) const SESSION_CAPABILITIES: &[&str] = &[
    "list",
    "delete",
    "additionalDirectories",
    "resume",
    "close",
    "fork",
    "archive",
    "status",
    "title",
    "systemPrompt",
];

pub(crate) const NEW_SESSION: &[&str] = &["sessionId", "modes", "configOptions"];
pub(crate) const PROMPT: &[&str] = &["stopReason", "usage"];
pub(crate) const NEWS: &[&str] = &["sessionId", "update"];
pub(crate) const PERMISSION: &[&str] = &["sessionId", "toolCall", "options"];
pub(crate) const CLIENT_HELLO: &[&str] = &["protocolVersion", "clientCapabilities", "clientInfo"];
pub(crate) const NEW_PARAMS: &[&str] =
    &["cwd", "mcpServers", "additionalDirectories", "systemPrompt"];
pub(crate) const PROMPT_PARAMS: &[&str] = &["sessionId", "prompt"];

const CHUNK: &[&str] = &["sessionUpdate", "content", "messageId"];
const TOOL_CALL: &[&str] = &[
    "sessionUpdate",
    "toolCallId",
    "title",
    "name",
    "kind",
    "status",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
];

const UPDATES: &[(&str, &[&str])] = &[
    ("user_message_chunk", CHUNK),
    ("agent_message_chunk", CHUNK),
    ("agent_thought_chunk", CHUNK),
    ("tool_call", TOOL_CALL),
    ("tool_call_update", TOOL_CALL),
    ("plan", &["sessionUpdate", "entries"]),
    ("plan_update", &["sessionUpdate", "plan"]),
    ("plan_removed", &["sessionUpdate", "planId"]),
    (
        "available_commands_update",
        &["sessionUpdate", "availableCommands"],
    ),
    ("current_mode_update", &["sessionUpdate", "currentModeId"]),
    ("config_option_update", &["sessionUpdate", "configOptions"]),
    (
        "session_info_update",
        &["sessionUpdate", "title", "updatedAt"],
    ),
    ("usage_update", &["sessionUpdate", "used", "size", "cost"]),
    (
        "notice",
        &["sessionUpdate", "severity", "title", "description"],
    ),
    (
        "compaction_update",
        &[
            "sessionUpdate",
            "compactionId",
            "status",
            "summary",
            "error",
        ],
    ),
    (
        "compaction_summary_chunk",
        &["sessionUpdate", "compactionId", "content"],
    ),
];
