//! Passive checks on tool calls, plans, offered options and the agent's requests.

use super::{message, rules};
use crate::conformance::check::{must, observed, should};
use crate::conformance::inspections;
use crate::conformance::json::{MessageKind, message_kind, method, text, update_kind};
use crate::conformance::passive_check::PassiveCheck;

pub(super) static CHECKS: &[PassiveCheck] = &[
    rules(
        should(
            "agent.tool.announced",
            "118",
            "A tool call is reported with tool_call before it is updated.",
            "Send tool_call first.",
        )
        .when_seen("a tool call"),
        &["118"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        must(
            "agent.tool.unique",
            "119",
            "No two tool calls of a session have the same id.",
            "Choose a new id for each, and report changes with tool_call_update.",
        )
        .when_seen("a tool call"),
        &["119"],
        |it| update_kind(it) == "tool_call",
    ),
    rules(
        should(
            "agent.tool.forward",
            "B7",
            "The status of a tool call goes forward.",
            "A final status stays.",
        )
        .when_seen("an update of a tool call"),
        &["B7"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        should(
            "agent.tool.defined",
            "B3",
            "Kind, status and content of a tool call are in the protocol.",
            "Readers treat unknown ones as other, pending, or nothing.",
        )
        .when_seen("a tool call"),
        &["B3"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        should(
            "agent.tool.title",
            "B4",
            "A tool call has a title.",
            "The user has to read it.",
        )
        .when_seen("a tool call"),
        &["B4"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        must(
            "agent.tool.paths",
            "13",
            "Paths in tool calls are absolute.",
            "Join them with cwd.",
        )
        .when_seen("a tool call"),
        &["13"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        must(
            "agent.tool.lines",
            "14",
            "Lines in tool calls are counted from 1.",
            "Add 1.",
        )
        .when_seen("a tool call"),
        &["14"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        should(
            "agent.tool.name",
            "126",
            "The name of a tool call does not change.",
            "Send it once, in tool_call.",
        )
        .when_seen("a tool call"),
        &["126"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        observed(
            "agent.tool.terminal-first",
            "141",
            "A terminal is added to a tool call before it is released.",
            "Send the content when the terminal is created.",
        )
        .when_seen("a tool call"),
        &["141"],
        |it| update_kind(it).starts_with("tool_call"),
    ),
    rules(
        must(
            "agent.plan.entries",
            "B3",
            "Plan entries have a priority and a status in the protocol.",
            "Readers drop other entries.",
        )
        .when_seen("a plan"),
        &["B3"],
        |it| update_kind(it).starts_with("plan"),
    ),
    rules(
        must(
            "agent.plan.fenced",
            "130",
            "Plans with ids go only to clients that support them.",
            "Check the client's capability plan first.",
        )
        .when_seen("a plan"),
        &["130"],
        |it| update_kind(it).starts_with("plan"),
    ),
    message(
        must(
            "agent.usage.whole",
            "101",
            "usage_update has used and size, and a cost has an amount and a currency.",
            "Fill in all of them.",
        )
        .when_seen("usage"),
        inspections::usage,
    ),
    message(
        must(
            "agent.info.times",
            "84",
            "In session_info_update, title and updatedAt are strings or null.",
            "Write times as 2025-10-29T14:22:15Z.",
        )
        .when_seen("session_info_update"),
        inspections::info,
    ),
    rules(
        must(
            "agent.mode.listed",
            "B5",
            "The current mode is an available mode, and no two modes have the same id.",
            "List it.",
        )
        .when_seen("a session with modes"),
        &["B5", "144"],
        |it| it.pointer("/result/modes/availableModes").is_some(),
    ),
    rules(
        must(
            "agent.mode.announced",
            "145",
            "A mode update names an available mode.",
            "Send an id of the list.",
        )
        .when_seen("current_mode_update"),
        &["B5", "144"],
        |it| update_kind(it) == "current_mode_update",
    ),
    rules(
        must(
            "agent.config.present",
            "150",
            "The current value of every option is one of its values.",
            "Fill in currentValue.",
        )
        .when_seen("options"),
        &["150"],
        inspections::has_options,
    ),
    rules(
        observed(
            "agent.config.category",
            "155",
            "Custom categories start with _.",
            "Use mode, model, model_config, thought_level, or _yours.",
        )
        .when_seen("options"),
        &["155"],
        inspections::has_options,
    ),
    rules(
        observed(
            "agent.config.announced",
            "154",
            "config_option_update has all options.",
            "Send the whole list.",
        )
        .when_seen("config_option_update"),
        &["154"],
        |it| update_kind(it) == "config_option_update",
    ),
    rules(
        must(
            "agent.notice.fenced",
            "114",
            "Notices and compactions go only to clients that support them.",
            "Check the client's session capabilities first.",
        )
        .when_seen("a notice or a compaction"),
        &["114"],
        |it| inspections::is_gated(update_kind(it)),
    ),
    rules(
        should(
            "agent.notice.title",
            "B4",
            "A notice has a title.",
            "The user has to read it.",
        )
        .when_seen("a notice"),
        &["B4"],
        |it| update_kind(it) == "notice",
    ),
    rules(
        must(
            "agent.compaction.once",
            "115",
            "A compaction that has started ends once.",
            "Send one final status.",
        )
        .when_seen("a compaction"),
        &["115"],
        |it| update_kind(it).starts_with("compaction"),
    ),
    rules(
        must(
            "agent.permission.ids",
            "B5",
            "No two options of a permission request have the same id.",
            "The response names an option by its id.",
        )
        .when_seen("a permission request"),
        &["B5"],
        is_permission,
    ),
    rules(
        must(
            "agent.permission.kinds",
            "B3",
            "Options of a permission request are of a kind in the protocol.",
            "Use allow_once, allow_always, reject_once, reject_always.",
        )
        .when_seen("a permission request"),
        &["B3"],
        is_permission,
    ),
    message(
        must(
            "agent.permission.members",
            "173",
            "A permission request has no members outside the protocol.",
            "Put your own members into _meta.",
        )
        .when_seen("a permission request"),
        inspections::permission_members,
    ),
    rules(
        must(
            "agent.fs.paths",
            "13",
            "Paths of files are absolute.",
            "Join them with cwd.",
        )
        .when_seen("a file request"),
        &["13"],
        |it| method(it).starts_with("fs/"),
    ),
    rules(
        must(
            "agent.fs.lines",
            "14",
            "Lines of files are counted from 1.",
            "Add 1.",
        )
        .when_seen("a request to read a file"),
        &["14"],
        |it| method(it) == "fs/read_text_file",
    ),
    rules(
        must(
            "agent.terminal.cwd",
            "13",
            "The directory of a terminal is absolute.",
            "Join it with cwd.",
        )
        .when_seen("a terminal"),
        &["13"],
        |it| method(it) == "terminal/create",
    ),
    message(
        must(
            "agent.terminal.env",
            "12",
            "The environment of a terminal is a list of names and values.",
            "Send [{name, value}], not a map.",
        )
        .when_seen("a terminal"),
        inspections::environment,
    ),
    rules(
        must(
            "agent.elicitation.secret",
            "161",
            "A form does not ask for secrets.",
            "Use a URL elicitation for secrets.",
        )
        .when_seen("an elicitation"),
        &["161"],
        is_elicitation,
    ),
    rules(
        must(
            "agent.elicitation.page",
            "170",
            "The URL of an elicitation has no credentials and is safe to open.",
            "Use https and no user information.",
        )
        .when_seen("an elicitation"),
        &["170"],
        is_elicitation,
    ),
    rules(
        must(
            "agent.auth.terminal",
            "40",
            "A login in a terminal is offered only to clients that support it.",
            "Check the client's auth.terminal first.",
        ),
        &["40"],
        |it| it.pointer("/result/protocolVersion").is_some(),
    ),
    message(
        must(
            "agent.ext.names",
            "174",
            "Custom methods start with _.",
            "Name it _yours/method.",
        )
        .when_seen("a call of the agent"),
        inspections::names,
    ),
    message(
        must(
            "agent.ext.case",
            "12",
            "Member names are in camelCase.",
            "Use the names of the schema.",
        )
        .when_seen("an update"),
        |it| {
            (method(it) == "session/update").then(|| {
                match text(it, "/params/update/session_update").is_empty()
                    && it.pointer("/params/session_id").is_none()
                {
                    true => Ok(()),
                    false => Err("a member name has an underscore".to_owned()),
                }
            })
        },
    ),
];

fn is_permission(message: &serde_json::Value) -> bool {
    method(message) == "session/request_permission"
}

fn is_elicitation(message: &serde_json::Value) -> bool {
    method(message) == "elicitation/create" && message_kind(message) == MessageKind::Request
}
