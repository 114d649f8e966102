//! Mutations for the passive checks on agents.

use crate::conformance::tests::mutation::Change::{
    After, Before, BeforeRaw, Drop, Duplicate, Raw, Remove, Reorder, Result, Set,
};
use crate::conformance::tests::mutation::Target::{Outgoing, Response, Update};
use crate::conformance::tests::mutation::{Mutation, mutation};

const INIT: &str = "initialize";
const NEW: &str = "session/new";
const CHUNK: &str = "agent_message_chunk";
const CHANGE: &str = "tool_call_update";
const COMMANDS: &str = "available_commands_update";
const ASKS: &str = "session/request_permission";
const READ: &str = "\"kind\":\"read\"";

pub(super) static ALL: &[Mutation] = &[
    mutation("agent.framing.utf8", "initialize", Response(INIT), "", BeforeRaw(b"{\"jsonrpc\":\"2.0\",\"method\":\"_x\xff\"}\n")),
    mutation("agent.framing.newline", "end-of-input", Response("_attache.check/last"), "", Raw(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"x\"}}")),
    mutation("agent.framing.clean", "initialize", Response(INIT), "", Before("starting up")),
    mutation("agent.framing.json", "initialize", Response(INIT), "", Before("{\"jsonrpc\":\"2.0\",")),
    mutation("agent.framing.no-batch", "initialize", Response(INIT), "", Before(r#"[{"jsonrpc":"2.0","method":"_x"}]"#)),
    mutation("agent.framing.jsonrpc", "initialize", Response(INIT), "", Before(r#"{"method":"_x","params":{}}"#)),
    mutation("agent.framing.members", "initialize", Response(INIT), "", Before(r#"{"jsonrpc":"2.0","method":"_x","params":{},"mood":1}"#)),
    mutation("agent.framing.one-outcome", "initialize", Response(INIT), "", Before(r#"{"jsonrpc":"2.0","id":null,"result":{},"error":{"code":1,"message":"m"}}"#)),
    mutation("agent.framing.error", "initialize", Response(INIT), "", Before(r#"{"jsonrpc":"2.0","id":null,"error":{"code":"x"}}"#)),
    mutation("agent.framing.params", "initialize", Response(INIT), "", Before(r#"{"jsonrpc":"2.0","method":"_x","params":[1]}"#)),
    mutation("agent.framing.request-id", "initialize", Response(INIT), "", Before(r#"{"jsonrpc":"2.0","id":1.5,"method":"_x","params":{}}"#)),
    mutation("agent.framing.unique-id", "cancellation", Outgoing(ASKS), "", Duplicate),
    mutation("agent.framing.known-id", "initialize", Response(INIT), "", Before(r#"{"jsonrpc":"2.0","id":99999,"result":{}}"#)),
    mutation("agent.framing.one-answer", "initialize", Response(INIT), "", Duplicate),
    mutation("agent.update.readable", "session-config", Update(COMMANDS), "", Before(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7}}"#)),
    mutation("agent.update.kind", "session-config", Update(COMMANDS), "", Before(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"smell"}}}"#)),
    mutation("agent.update.members", "session-config", Update(COMMANDS), "", Set("/params/update/mood", "1")),
    mutation("agent.update.content", "tool-calls", Update(CHUNK), "", Set("/params/update/content", r#"{"type":"smell"}"#)),
    mutation("agent.update.in-turn", "tool-calls", Update(CHUNK), "", Reorder),
    mutation("agent.result.readable", "turn", Response("session/prompt"), "\"id\":4,", Result("{}")),
    mutation("agent.tool.announced", "tool-calls", Update("tool_call"), READ, Drop),
    mutation("agent.tool.unique", "tool-calls", Update("tool_call"), READ, Duplicate),
    mutation("agent.tool.forward", "client-services", Update("tool_call"), "", Set("/params/update/status", "\"failed\"")),
    mutation("agent.tool.defined", "tool-calls", Update("tool_call"), READ, Set("/params/update/kind", "\"dream\"")),
    mutation("agent.tool.title", "tool-calls", Update("tool_call"), READ, Set("/params/update/title", "\"\"")),
    mutation("agent.tool.paths", "tool-calls", Update("tool_call"), READ, Set("/params/update/locations/0/path", "\"x\"")),
    mutation("agent.tool.lines", "tool-calls", Update("tool_call"), READ, Set("/params/update/locations/0/line", "0")),
    mutation("agent.tool.name", "tool-calls", Update(CHANGE), "\"status\":\"completed\",\"content\"", Set("/params/update/name", "\"other\"")),
    mutation("agent.tool.terminal-first", "client-services", Update(CHANGE), "\"}]}}}", Drop),
    mutation("agent.plan.entries", "tool-calls", Update("plan"), "", Set("/params/update/entries/0/priority", "\"x\"")),
    mutation("agent.plan.fenced", "client-services", Update("plan"), "", Set("/params/update", r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}"#)),
    mutation("agent.usage.whole", "tool-calls", Update("usage_update"), "", Remove("/params/update/cost/currency")),
    mutation("agent.info.times", "tool-calls", Update("session_info_update"), "", Set("/params/update/updatedAt", "\"yesterday\"")),
    mutation("agent.mode.listed", "session-config", Response(NEW), "", Set("/result/modes/currentModeId", "\"zz\"")),
    mutation("agent.mode.announced", "tool-calls", Update("current_mode_update"), "", Set("/params/update/currentModeId", "\"zz\"")),
    mutation("agent.config.present", "session-config", Response(NEW), "", Set("/result/configOptions/0/currentValue", "\"zz\"")),
    mutation("agent.config.category", "session-config", Response(NEW), "", Set("/result/configOptions/0/category", "\"mine\"")),
    mutation("agent.config.announced", "tool-calls", Update("config_option_update"), "", Set("/params/update/configOptions", r#"[{"id":"o","name":"O","type":"select","currentValue":"y","options":[{"value":"x","name":"X"},{"value":"y","name":"Y"}],"category":"model"}]"#)),
    mutation("agent.notice.fenced", "client-services", Update("plan"), "", Set("/params/update", r#"{"sessionUpdate":"notice","severity":"info","title":"Note"}"#)),
    mutation("agent.notice.title", "tool-calls", Update("notice"), "", Set("/params/update/title", "\"\"")),
    mutation("agent.compaction.once", "tool-calls", Update("compaction_update"), "completed", Duplicate),
    mutation("agent.permission.ids", "tool-calls", Outgoing(ASKS), "", Set("/params/options", r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"no","name":"No","kind":"reject_once"}]"#)),
    mutation("agent.permission.kinds", "tool-calls", Outgoing(ASKS), "", Set("/params/options", r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"x","name":"X","kind":"perhaps"}]"#)),
    mutation("agent.permission.members", "tool-calls", Outgoing(ASKS), "", Set("/params/mood", "1")),
    mutation("agent.fs.paths", "client-services", Outgoing("fs/read_text_file"), "", Set("/params/path", "\"hello.txt\"")).also(&["agent.fs.inside"]),
    mutation("agent.fs.lines", "client-services", Outgoing("fs/read_text_file"), "", Set("/params/line", "0")),
    mutation("agent.terminal.cwd", "client-services", Outgoing("terminal/create"), "", Set("/params/cwd", "\"x\"")),
    mutation("agent.terminal.env", "client-services", Outgoing("terminal/create"), "", Set("/params/env", "{}")),
    mutation("agent.elicitation.secret", "elicitation", Outgoing("elicitation/create"), "", Set("/params/requestedSchema/properties", r#"{"password":{"type":"string"}}"#)),
    mutation("agent.elicitation.page", "elicitation", Outgoing("elicitation/create"), "", Set("/params", r#"{"sessionId":"s","mode":"url","message":"m","url":"http://user:pw@example.org/","elicitationId":"e"}"#)),
    mutation("agent.auth.terminal", "initialize", Response(INIT), "", Set("/result/authMethods", r#"[{"id":"t","name":"T","type":"terminal"}]"#)),
    mutation("agent.ext.names", "initialize", Response(INIT), "", After(r#"{"jsonrpc":"2.0","method":"my/news","params":{}}"#)),
    mutation("agent.ext.case", "session-config", Update(COMMANDS), "", Before(r#"{"jsonrpc":"2.0","method":"session/update","params":{"session_id":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}"#)).also(&["agent.update.readable", "agent.update.members"]),
];
