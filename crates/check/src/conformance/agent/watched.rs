//! What is watched in everything that an agent says.


use crate::Side;
use crate::conformance::Check;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{Shape, method, shape, text, update_kind};
use crate::conformance::looks::{self, AtLine, AtMessage};
use crate::conformance::watch::{Look, Watch};


const fn line(check: Check, look: AtLine) -> Watch {
    of(check, Look::Line(look))
}

const fn message(check: Check, look: AtMessage) -> Watch {
    of(check, Look::Message(look))
}

const fn rules(
    check: Check,
    numbers: &'static [&'static str],
    sort: fn(&serde_json::Value) -> bool,
) -> Watch {
    of(check, Look::Rules(numbers, sort))
}

const fn of(check: Check, look: Look) -> Watch {
    Watch {
        check,
        side: Side::Agent,
        look,
    }
}

pub(super) static CHECKS: &[Watch] = &[
    line(must("agent.framing.utf8", "1", "Every line is UTF-8.", "Write UTF-8, whatever the locale."), looks::utf8),
    line(must("agent.framing.newline", "2", "Every message ends with a line feed.", "Write the line feed with the message."), looks::newline),
    line(must("agent.framing.clean", "3", "Nothing but messages goes to stdout.", "Log to stderr; mind libraries that print."), looks::clean),
    line(must("agent.framing.json", "1", "Every message is JSON on one line.", "Write each message with a JSON writer, without line breaks."), looks::whole),
    message(must("agent.framing.no-batch", "18", "No batches are sent.", "Send one message a line."), looks::no_batch),
    message(must("agent.framing.jsonrpc", "1", "Every message says jsonrpc 2.0.", "Add \"jsonrpc\":\"2.0\"."), looks::jsonrpc),
    message(must("agent.framing.members", "173", "Messages have no members that JSON-RPC does not have.", "Put what is your own into _meta of params or result."), looks::envelope),
    message(must("agent.framing.one-outcome", "10", "An answer has a result or an error, and not both.", "Leave out the one that does not apply; result can be null."), looks::one_outcome),
    message(must("agent.framing.error", "10", "An error has a code that is a whole number and a message.", "Write both.").seen("an error"), looks::error_shape),
    message(must("agent.framing.params", "1", "params is an object.", "ACP names its parameters.").seen("a call of the agent's"), looks::params),
    message(should("agent.framing.request-id", "B1", "The id of a request is a number or a short text.", "Count upwards from 0.").seen("a request of the agent's"), looks::request_id),
    of(must("agent.framing.unique-id", "21", "No two open requests have the same id.", "Count upwards.").seen("a request of the agent's"), Look::Ids(looks::unique_id)),
    of(must("agent.framing.known-id", "21", "An answer has the id of a request.", "Keep the id of the request for its answer."), Look::Ids(looks::known_id)),
    of(must("agent.framing.one-answer", "10", "A request is answered once.", "Take the request out of the table when you answer."), Look::Ids(looks::one_answer)),
    rules(must("agent.update.readable", "B6", "Every update has the shape that the schema gives it.", "Compare with the schema: readers drop what does not fit.").seen("an update"), &["B6"], |it| method(it) == "session/update"),
    message(must("agent.update.kind", "B3", "Every update is of a kind that the protocol has.", "Send what is your own in _meta or a method of your own.").seen("an update"), looks::update_known),
    message(must("agent.update.members", "173", "Updates have no members of the agent's own.", "Put what is your own into _meta.").seen("an update"), looks::update_members),
    rules(must("agent.update.content", "B3", "What is said is of a type of content that the protocol has.", "Use text, image, audio, resource_link or resource.").seen("a chunk"), &["B3"], |it| update_kind(it).ends_with("_chunk")),
    rules(should("agent.update.in-turn", "108", "What is said and done in a turn comes before its answer.", "Answer the prompt last.").seen("an update"), &["108"], |it| method(it) == "session/update"),
    rules(must("agent.result.readable", "B6", "Every result has the shape that the schema gives it.", "Compare with the schema."), &["B6"], |it| it.get("result").is_some()),
    rules(should("agent.tool.announced", "118", "A tool call is reported by tool_call before it changes.", "Send tool_call first.").seen("a tool call"), &["118"], |it| update_kind(it).starts_with("tool_call")),
    rules(must("agent.tool.unique", "119", "No two tool calls of a session have the same id.", "Choose a new id for each, and report changes by tool_call_update.").seen("a tool call"), &["119"], |it| update_kind(it) == "tool_call"),
    rules(should("agent.tool.forward", "B7", "The status of a tool call goes forward.", "A final status stays.").seen("a change of a tool call"), &["B7"], |it| update_kind(it).starts_with("tool_call")),
    rules(should("agent.tool.defined", "B3", "Kind, status and content of a tool call are of those that the protocol has.", "Readers take others for other, pending, or nothing.").seen("a tool call"), &["B3"], |it| update_kind(it).starts_with("tool_call")),
    rules(should("agent.tool.title", "B4", "A tool call has a title.", "A person has to read it.").seen("a tool call"), &["B4"], |it| update_kind(it).starts_with("tool_call")),
    rules(must("agent.tool.paths", "13", "Paths in tool calls are absolute.", "Join them with cwd.").seen("a tool call"), &["13"], |it| update_kind(it).starts_with("tool_call")),
    rules(must("agent.tool.lines", "14", "Lines in tool calls are counted from 1.", "Add 1.").seen("a tool call"), &["14"], |it| update_kind(it).starts_with("tool_call")),
    rules(should("agent.tool.name", "126", "A tool's name does not change.", "Give it once, in the first report.").seen("a tool call"), &["126"], |it| update_kind(it).starts_with("tool_call")),
    rules(observed("agent.tool.terminal-first", "141", "A terminal is put into a tool call before it is released.", "Send the content when the terminal is made.").seen("a tool call"), &["141"], |it| update_kind(it).starts_with("tool_call")),
    rules(must("agent.plan.entries", "B3", "Entries of a plan have a priority and a status that the protocol has.", "Readers drop entries that do not.").seen("a plan"), &["B3"], |it| update_kind(it).starts_with("plan")),
    rules(must("agent.plan.fenced", "130", "Plans with ids go to clients that take them.", "Look at the client's plan first.").seen("a plan"), &["130"], |it| update_kind(it).starts_with("plan")),
    message(must("agent.usage.whole", "101", "usage_update has used and size, and a cost has an amount and a currency.", "Fill in all of them.").seen("usage"), looks::usage),
    message(must("agent.info.times", "84", "session_info_update has a title and a time that are texts or null.", "Write times as 2025-10-29T14:22:15Z.").seen("session_info_update"), looks::info),
    rules(must("agent.mode.listed", "B5", "The current mode is one of those available, and no two have one id.", "List it.").seen("a session with modes"), &["B5", "144"], |it| it.pointer("/result/modes/availableModes").is_some()),
    rules(must("agent.mode.announced", "145", "A mode that is announced is one of those available.", "Announce modes of the list.").seen("current_mode_update"), &["B5", "144"], |it| update_kind(it) == "current_mode_update"),
    rules(must("agent.config.present", "150", "Every option has a present value that is one of its own.", "Fill in currentValue.").seen("options"), &["150"], looks::has_options),
    rules(observed("agent.config.category", "155", "Categories of the agent's own start with _.", "Use mode, model, model_config, thought_level, or _yours.").seen("options"), &["155"], looks::has_options),
    rules(observed("agent.config.announced", "154", "config_option_update has all options.", "Send the whole list.").seen("config_option_update"), &["154"], |it| update_kind(it) == "config_option_update"),
    rules(must("agent.notice.fenced", "114", "Notices and compactions go to clients that take them.", "Look at the client's session capabilities first.").seen("a notice or a compaction"), &["114"], |it| looks::is_gated(update_kind(it))),
    rules(should("agent.notice.title", "B4", "A notice has a title.", "A person has to read it.").seen("a notice"), &["B4"], |it| update_kind(it) == "notice"),
    rules(must("agent.compaction.once", "115", "A compaction that has begun ends once.", "Send one final status.").seen("a compaction"), &["115"], |it| update_kind(it).starts_with("compaction")),
    rules(must("agent.permission.ids", "B5", "No two options of a question have the same id.", "The answer names one by its id.").seen("a question for permission"), &["B5"], is_permission),
    rules(must("agent.permission.kinds", "B3", "Options of a question are of a kind that the protocol has.", "Use allow_once, allow_always, reject_once, reject_always.").seen("a question for permission"), &["B3"], is_permission),
    message(must("agent.permission.members", "173", "A question for permission has no members of the agent's own.", "Put what is your own into _meta.").seen("a question for permission"), looks::permission_members),
    rules(must("agent.fs.paths", "13", "Paths of files are absolute.", "Join them with cwd.").seen("a file request"), &["13"], |it| method(it).starts_with("fs/")),
    rules(must("agent.fs.lines", "14", "Lines of files are counted from 1.", "Add 1.").seen("a request to read a file"), &["14"], |it| method(it) == "fs/read_text_file"),
    rules(must("agent.terminal.cwd", "13", "The directory of a terminal is absolute.", "Join it with cwd.").seen("a terminal"), &["13"], |it| method(it) == "terminal/create"),
    message(must("agent.terminal.env", "12", "The environment of a terminal is a list of names and values.", "Send [{name, value}], not a map.").seen("a terminal"), looks::environment),
    rules(must("agent.elicitation.secret", "161", "A form does not ask for a secret.", "Use a page for that.").seen("a question"), &["161"], is_elicitation),
    rules(must("agent.elicitation.page", "170", "The address of a page has no credentials and is safe to open.", "Use https and no user info.").seen("a question"), &["170"], is_elicitation),
    rules(must("agent.auth.terminal", "40", "A login in a terminal is offered only to clients that have one.", "Look at the client's auth.terminal first."), &["40"], |it| it.pointer("/result/protocolVersion").is_some()),
    message(must("agent.ext.names", "174", "Methods of the agent's own start with _.", "Name it _yours/method.").seen("a call of the agent's"), looks::names),
    message(must("agent.ext.case", "12", "Members are named in camelCase.", "The schema has the names.").seen("an update"), |it| (method(it) == "session/update").then(|| match text(it, "/params/update/session_update").is_empty() && it.pointer("/params/session_id").is_none() {
        true => Ok(()),
        false => Err("a member is written with an underscore".to_owned()),
    })),
];

fn is_permission(message: &serde_json::Value) -> bool {
    method(message) == "session/request_permission"
}

fn is_elicitation(message: &serde_json::Value) -> bool {
    method(message) == "elicitation/create" && shape(message) == Shape::Request
}
