//! Turns, cancellation, tools, permission, files and terminals.

use crate::conformance::tests::mutation::Change::{After, Before, Drop, Fail, Later, Remove, Result, Set, Slow};
use crate::conformance::tests::mutation::On::{Answer, Call, Update};
use crate::conformance::tests::mutation::{Breaker, b};

const PROMPT: &str = "session/prompt";
const ENDED: &str = "\"end_turn\"";
const STOP: &str = "/result/stopReason";
const STATUS: &str = "/params/update/status";
const CHUNK: &str = "agent_message_chunk";
const CHANGE: &str = "tool_call_update";
const ASKS: &str = "session/request_permission";

pub(super) static ALL: &[Breaker] = &[
    b("agent.turn.ends", "turn", Answer(PROMPT), "\"id\":3,", Fail(-32603)),
    b("agent.turn.stop-reason", "turn", Answer(PROMPT), "\"id\":3,", Set(STOP, "\"done\"")),
    b("agent.turn.members", "turn", Answer(PROMPT), "\"id\":3,", Set("/result/mood", "1")),
    b("agent.turn.says-something", "turn", Update(CHUNK), "", Drop),
    b("agent.turn.again", "turn", Answer(PROMPT), "\"id\":4,", Fail(-32603)),
    b("agent.turn.meta", "turn", Answer(PROMPT), "\"id\":11,", Fail(-32603)),
    b("agent.content.link", "turn", Answer(PROMPT), "\"id\":5,", Fail(-32602)),
    b("agent.content.text-blocks", "turn", Answer(PROMPT), "\"id\":6,", Fail(-32602)),
    b("agent.content.image", "turn", Answer(PROMPT), "\"id\":7,", Fail(-32602)),
    b("agent.content.audio", "turn", Answer(PROMPT), "\"id\":8,", Fail(-32602)),
    b("agent.content.embedded-text", "turn", Answer(PROMPT), "\"id\":9,", Fail(-32602)),
    b("agent.content.embedded-blob", "turn", Answer(PROMPT), "\"id\":10,", Fail(-32602)),
    b("agent.content.unknown", "turn", Answer(PROMPT), "\"id\":12,", Result(r#"{"stopReason":"end_turn"}"#)),
    b("agent.content.none", "turn", Answer(PROMPT), "\"id\":13,", Drop),
    b("agent.content.large", "turn", Answer(PROMPT), "\"id\":14,", Drop),
    b("agent.turn.two-sessions", "turn", Answer(PROMPT), "\"id\":17,", Fail(-32603)),
    b("agent.turn.own-session", "turn", Update(CHUNK), "", Set("/params/sessionId", "\"stranger\"")),
    b("agent.turn.two-prompts", "turn", Answer(PROMPT), "\"id\":19,", Drop),
    b("agent.cancel.late", "cancel", Answer(PROMPT), "\"id\":5,", Set(STOP, "\"cancelled\"")),
    b("agent.cancel.mid-text", "cancel", Answer(PROMPT), "\"id\":7,", Set(STOP, ENDED)),
    b("agent.cancel.no-error", "cancel", Answer(PROMPT), "\"id\":7,", Fail(-32603)).also(&["agent.cancel.mid-text"]),
    b("agent.cancel.soon", "cancel", Answer(PROMPT), "\"id\":7,", Slow),
    b("agent.cancel.nothing-after", "cancel", Update(CHUNK), "tock", Later).also(&["agent.update.in-turn"]),
    b("agent.cancel.then-prompt", "cancel", Answer(PROMPT), "\"id\":9,", Fail(-32603)),
    b("agent.cancel.at-once", "cancel", Answer(PROMPT), "\"id\":11,", Set(STOP, ENDED)),
    b("agent.cancel.one-of-two", "cancel", Answer(PROMPT), "\"id\":14,", After(r#"{"jsonrpc":"2.0","id":15,"result":{"stopReason":"cancelled"}}"#)).also(&["agent.framing.one-answer"]),
    b("agent.cancel.request", "cancel", Answer(PROMPT), "\"id\":18,", Fail(-32603)),
    b("agent.cancel.mid-tool", "cancel", Answer(PROMPT), "\"id\":21,", Set(STOP, ENDED)),
    b("agent.cancel.tools-settle", "cancel", Update(CHANGE), "\"failed\"", Drop),
    b("agent.cancel.terminals-released", "cancel", Call("terminal/release"), "", Drop),
    b("agent.cancel.pending-permission", "cancel", Answer(PROMPT), "\"id\":24,", Set(STOP, ENDED)),
    b("agent.cancel.permission-not-run", "cancel", Update(CHANGE), "\"failed\"", Set(STATUS, "\"completed\"")),
    b("agent.tool.turn-ends", "tools", Answer(PROMPT), "\"id\":4,", Fail(-32603)),
    b("agent.tool.settled", "tools", Update(CHANGE), "\"status\":\"completed\",\"content\"", Drop),
    b("agent.plan.reported", "tools", Update("plan"), "", Drop),
    b("agent.permission.allowed", "tools", Answer(PROMPT), "\"id\":8,", Fail(-32603)),
    b("agent.permission.allowed-runs", "tools", Update(CHANGE), "\"completed\"}", Set(STATUS, "\"failed\"")),
    b("agent.permission.options", "tools", Call(ASKS), "", Set("/params/options", "[]")).also(&["agent.permission.choice", "agent.permission.allowed-runs"]),
    b("agent.permission.named", "tools", Call(ASKS), "", Set("/params/options/0/name", "\"\"")),
    b("agent.permission.choice", "tools", Call(ASKS), "", Set("/params/options", r#"[{"optionId":"yes","name":"Yes","kind":"allow_once"}]"#)),
    b("agent.permission.call", "tools", Call(ASKS), "", Remove("/params/toolCall/toolCallId")),
    b("agent.permission.rejected", "tools", Answer(PROMPT), "\"id\":10,", Drop),
    b("agent.permission.left", "tools", Answer(PROMPT), "\"id\":12,", Drop),
    b("agent.permission.unanswerable", "tools", Answer(PROMPT), "\"id\":14,", Drop),
    b("agent.permission.refused-not-run", "tools", Update(CHANGE), "\"failed\"", Set(STATUS, "\"completed\"")),
    b("agent.fs.read", "services", Answer(PROMPT), "\"id\":4,", Fail(-32603)),
    b("agent.fs.read-failure", "services", Answer(PROMPT), "\"id\":6,", Drop),
    b("agent.fs.write", "services", Answer(PROMPT), "\"id\":8,", Fail(-32603)),
    b("agent.fs.write-failure", "services", Answer(PROMPT), "\"id\":10,", Drop),
    b("agent.fs.inside", "services", Call("fs/read_text_file"), "", Set("/params/path", "\"/etc/x\"")),
    b("agent.terminal.turn-ends", "services", Answer(PROMPT), "\"id\":12,", Fail(-32603)),
    b("agent.terminal.released", "services", Call("terminal/release"), "", Set("/method", "\"terminal/kill\"")),
    b("agent.terminal.own", "services", Call("terminal/output"), "", Set("/params/terminalId", "\"x\"")),
    b("agent.terminal.not-after-release", "services", Call("terminal/release"), "", After(r#"{"jsonrpc":"2.0","id":900,"method":"terminal/output","params":{"sessionId":"s","terminalId":"terminal-1"}}"#)),
    b("agent.terminal.failure", "services", Answer(PROMPT), "\"id\":14,", Drop),
    b("agent.fs.fenced-read", "services", Answer(PROMPT), "\"id\":3,", Before(r#"{"jsonrpc":"2.0","id":901,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}"#)),
    b("agent.fs.fenced-write", "services", Answer(PROMPT), "\"id\":5,", Before(r#"{"jsonrpc":"2.0","id":901,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/x","content":""}}"#)),
    b("agent.terminal.fenced", "services", Answer(PROMPT), "\"id\":7,", Before(r#"{"jsonrpc":"2.0","id":901,"method":"terminal/create","params":{"sessionId":"s","command":"x"}}"#)),
    b("agent.fs.fenced-ends", "services", Answer(PROMPT), "\"id\":3,", Drop),
];
