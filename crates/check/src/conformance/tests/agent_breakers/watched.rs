//! What is watched in everything that is said.

use crate::conformance::tests::mutation::Change::{
    After, Before, BeforeRaw, Drop, Later, Raw, Remove, Result, Set, Twice,
};
use crate::conformance::tests::mutation::On::{Answer, Call, Update};
use crate::conformance::tests::mutation::{Breaker, b};

const INIT: &str = "initialize";
const NEW: &str = "session/new";
const CHUNK: &str = "agent_message_chunk";
const CHANGE: &str = "tool_call_update";
const COMMANDS: &str = "available_commands_update";
const ASKS: &str = "session/request_permission";
const READ: &str = "\"kind\":\"read\"";

pub(super) static ALL: &[Breaker] = &[
    b("agent.framing.utf8", "greeting", Answer(INIT), "", BeforeRaw(b"{\"jsonrpc\":\"2.0\",\"method\":\"_x\xff\"}\n")),
    b("agent.framing.newline", "farewell", Answer("_attache.check/last"), "", Raw(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"x\"}}")),
    b("agent.framing.clean", "greeting", Answer(INIT), "", Before("starting up")),
    b("agent.framing.json", "greeting", Answer(INIT), "", Before("{\"jsonrpc\":\"2.0\",")),
    b("agent.framing.no-batch", "greeting", Answer(INIT), "", Before(r#"[{"jsonrpc":"2.0","method":"_x"}]"#)),
    b("agent.framing.jsonrpc", "greeting", Answer(INIT), "", Before(r#"{"method":"_x","params":{}}"#)),
    b("agent.framing.members", "greeting", Answer(INIT), "", Before(r#"{"jsonrpc":"2.0","method":"_x","params":{},"mood":1}"#)),
    b("agent.framing.one-outcome", "greeting", Answer(INIT), "", Before(r#"{"jsonrpc":"2.0","id":null,"result":{},"error":{"code":1,"message":"m"}}"#)),
    b("agent.framing.error", "greeting", Answer(INIT), "", Before(r#"{"jsonrpc":"2.0","id":null,"error":{"code":"x"}}"#)),
    b("agent.framing.params", "greeting", Answer(INIT), "", Before(r#"{"jsonrpc":"2.0","method":"_x","params":[1]}"#)),
    b("agent.framing.request-id", "greeting", Answer(INIT), "", Before(r#"{"jsonrpc":"2.0","id":1.5,"method":"_x","params":{}}"#)),
    b("agent.framing.unique-id", "cancel", Call(ASKS), "", Twice),
    b("agent.framing.known-id", "greeting", Answer(INIT), "", Before(r#"{"jsonrpc":"2.0","id":99999,"result":{}}"#)),
    b("agent.framing.one-answer", "greeting", Answer(INIT), "", Twice),
    b("agent.update.readable", "choices", Update(COMMANDS), "", Before(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7}}"#)),
    b("agent.update.kind", "choices", Update(COMMANDS), "", Before(r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"smell"}}}"#)),
    b("agent.update.members", "choices", Update(COMMANDS), "", Set("/params/update/mood", "1")),
    b("agent.update.content", "tools", Update(CHUNK), "", Set("/params/update/content", r#"{"type":"smell"}"#)),
    b("agent.update.in-turn", "tools", Update(CHUNK), "", Later),
    b("agent.result.readable", "turn", Answer("session/prompt"), "\"id\":4,", Result("{}")),
    b("agent.tool.announced", "tools", Update("tool_call"), READ, Drop),
    b("agent.tool.unique", "tools", Update("tool_call"), READ, Twice),
    b("agent.tool.forward", "services", Update("tool_call"), "", Set("/params/update/status", "\"failed\"")),
    b("agent.tool.defined", "tools", Update("tool_call"), READ, Set("/params/update/kind", "\"dream\"")),
    b("agent.tool.title", "tools", Update("tool_call"), READ, Set("/params/update/title", "\"\"")),
    b("agent.tool.paths", "tools", Update("tool_call"), READ, Set("/params/update/locations/0/path", "\"x\"")),
    b("agent.tool.lines", "tools", Update("tool_call"), READ, Set("/params/update/locations/0/line", "0")),
    b("agent.tool.name", "tools", Update(CHANGE), "\"status\":\"completed\",\"content\"", Set("/params/update/name", "\"other\"")),
    b("agent.tool.terminal-first", "services", Update(CHANGE), "\"}]}}}", Drop),
    b("agent.plan.entries", "tools", Update("plan"), "", Set("/params/update/entries/0/priority", "\"x\"")),
    b("agent.plan.fenced", "services", Update("plan"), "", Set("/params/update", r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}"#)),
    b("agent.usage.whole", "tools", Update("usage_update"), "", Remove("/params/update/cost/currency")),
    b("agent.info.times", "tools", Update("session_info_update"), "", Set("/params/update/updatedAt", "\"yesterday\"")),
    b("agent.mode.listed", "choices", Answer(NEW), "", Set("/result/modes/currentModeId", "\"zz\"")),
    b("agent.mode.announced", "tools", Update("current_mode_update"), "", Set("/params/update/currentModeId", "\"zz\"")),
    b("agent.config.present", "choices", Answer(NEW), "", Set("/result/configOptions/0/currentValue", "\"zz\"")),
    b("agent.config.category", "choices", Answer(NEW), "", Set("/result/configOptions/0/category", "\"mine\"")),
    b("agent.config.announced", "tools", Update("config_option_update"), "", Set("/params/update/configOptions", r#"[{"id":"o","name":"O","type":"select","currentValue":"y","options":[{"value":"x","name":"X"},{"value":"y","name":"Y"}],"category":"model"}]"#)),
    b("agent.notice.fenced", "services", Update("plan"), "", Set("/params/update", r#"{"sessionUpdate":"notice","severity":"info","title":"Note"}"#)),
    b("agent.notice.title", "tools", Update("notice"), "", Set("/params/update/title", "\"\"")),
    b("agent.compaction.once", "tools", Update("compaction_update"), "completed", Twice),
    b("agent.permission.ids", "tools", Call(ASKS), "", Set("/params/options", r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"no","name":"No","kind":"reject_once"}]"#)),
    b("agent.permission.kinds", "tools", Call(ASKS), "", Set("/params/options", r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"x","name":"X","kind":"perhaps"}]"#)),
    b("agent.permission.members", "tools", Call(ASKS), "", Set("/params/mood", "1")),
    b("agent.fs.paths", "services", Call("fs/read_text_file"), "", Set("/params/path", "\"hello.txt\"")).also(&["agent.fs.inside"]),
    b("agent.fs.lines", "services", Call("fs/read_text_file"), "", Set("/params/line", "0")),
    b("agent.terminal.cwd", "services", Call("terminal/create"), "", Set("/params/cwd", "\"x\"")),
    b("agent.terminal.env", "services", Call("terminal/create"), "", Set("/params/env", "{}")),
    b("agent.elicitation.secret", "forms", Call("elicitation/create"), "", Set("/params/requestedSchema/properties", r#"{"password":{"type":"string"}}"#)),
    b("agent.elicitation.page", "forms", Call("elicitation/create"), "", Set("/params", r#"{"sessionId":"s","mode":"url","message":"m","url":"http://user:pw@example.org/","elicitationId":"e"}"#)),
    b("agent.auth.terminal", "greeting", Answer(INIT), "", Set("/result/authMethods", r#"[{"id":"t","name":"T","type":"terminal"}]"#)),
    b("agent.ext.names", "greeting", Answer(INIT), "", After(r#"{"jsonrpc":"2.0","method":"my/news","params":{}}"#)),
    b("agent.ext.case", "choices", Update(COMMANDS), "", Before(r#"{"jsonrpc":"2.0","method":"session/update","params":{"session_id":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}"#)).also(&["agent.update.readable", "agent.update.members"]),
];
