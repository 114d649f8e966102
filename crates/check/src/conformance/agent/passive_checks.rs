//! Passive checks on everything that an agent sends. The submodule `activity` has those on what it does in a turn.

mod activity;

use attache_testkit::Side;

use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::inspections::{self, LineInspector, MessageInspector};
use crate::conformance::json::{method, update_kind};
use crate::conformance::passive_check::{Inspection, PassiveCheck};

const fn line(check: Check, inspection: LineInspector) -> PassiveCheck {
    of(check, Inspection::Line(inspection))
}

const fn message(check: Check, inspection: MessageInspector) -> PassiveCheck {
    of(check, Inspection::Message(inspection))
}

const fn rules(
    check: Check,
    numbers: &'static [&'static str],
    sort: fn(&serde_json::Value) -> bool,
) -> PassiveCheck {
    of(check, Inspection::Rules(numbers, sort))
}

const fn of(check: Check, inspection: Inspection) -> PassiveCheck {
    PassiveCheck {
        check,
        side: Side::Agent,
        inspection,
    }
}

/// All passive checks for agents.
pub(super) fn all() -> impl Iterator<Item = &'static PassiveCheck> {
    CHECKS.iter().chain(activity::CHECKS)
}

static CHECKS: &[PassiveCheck] = &[
    line(
        must(
            "agent.framing.utf8",
            "1",
            "Every line is UTF-8.",
            "Write UTF-8, whatever the locale.",
        ),
        inspections::utf8,
    ),
    line(
        must(
            "agent.framing.newline",
            "2",
            "Every message ends with a line feed.",
            "Write the line feed with the message.",
        ),
        inspections::newline,
    ),
    line(
        must(
            "agent.framing.clean",
            "3",
            "Only messages go to stdout.",
            "Log to stderr; watch out for libraries that print.",
        ),
        inspections::clean,
    ),
    line(
        must(
            "agent.framing.json",
            "1",
            "Every message is JSON on one line.",
            "Write each message with a JSON writer, without line breaks.",
        ),
        inspections::whole,
    ),
    message(
        must(
            "agent.framing.no-batch",
            "18",
            "No batches are sent.",
            "Send one message a line.",
        ),
        inspections::no_batch,
    ),
    message(
        must(
            "agent.framing.jsonrpc",
            "1",
            "Every message has jsonrpc 2.0.",
            "Add \"jsonrpc\":\"2.0\".",
        ),
        inspections::jsonrpc,
    ),
    message(
        must(
            "agent.framing.members",
            "173",
            "Messages have no members outside JSON-RPC.",
            "Put your own members into _meta of params or result.",
        ),
        inspections::envelope,
    ),
    message(
        must(
            "agent.framing.one-outcome",
            "10",
            "A response has a result or an error, and not both.",
            "Omit the one that does not apply; result can be null.",
        ),
        inspections::one_outcome,
    ),
    message(
        must(
            "agent.framing.error",
            "10",
            "An error has a code that is an integer and a message.",
            "Write both.",
        )
        .when_seen("an error"),
        inspections::error_shape,
    ),
    message(
        must(
            "agent.framing.params",
            "1",
            "params is an object.",
            "ACP parameters are named.",
        )
        .when_seen("a call of the agent"),
        inspections::params,
    ),
    message(
        should(
            "agent.framing.request-id",
            "B1",
            "The id of a request is a number or a short string.",
            "Count upwards from 0.",
        )
        .when_seen("a request of the agent"),
        inspections::request_id,
    ),
    of(
        must(
            "agent.framing.unique-id",
            "21",
            "No two open requests have the same id.",
            "Count upwards.",
        )
        .when_seen("a request of the agent"),
        Inspection::Ids(inspections::unique_id),
    ),
    of(
        must(
            "agent.framing.known-id",
            "21",
            "A response has the id of a request.",
            "Keep the id of the request for its response.",
        ),
        Inspection::Ids(inspections::known_id),
    ),
    of(
        must(
            "agent.framing.one-answer",
            "10",
            "A request gets one response.",
            "Remove the request from the table when you respond.",
        ),
        Inspection::Ids(inspections::one_answer),
    ),
    rules(
        must(
            "agent.update.readable",
            "B6",
            "Every update matches the schema.",
            "Compare with the schema: readers drop what does not match.",
        )
        .when_seen("an update"),
        &["B6"],
        |it| method(it) == "session/update",
    ),
    message(
        must(
            "agent.update.kind",
            "B3",
            "Every update is of a kind in the protocol.",
            "Send your own data in _meta or a method of your own.",
        )
        .when_seen("an update"),
        inspections::update_known,
    ),
    message(
        must(
            "agent.update.members",
            "173",
            "Updates have no members outside the protocol.",
            "Put your own members into _meta.",
        )
        .when_seen("an update"),
        inspections::update_members,
    ),
    rules(
        must(
            "agent.update.content",
            "B3",
            "Content is of a type in the protocol.",
            "Use text, image, audio, resource_link or resource.",
        )
        .when_seen("a chunk"),
        &["B3"],
        |it| update_kind(it).ends_with("_chunk"),
    ),
    rules(
        should(
            "agent.update.in-turn",
            "108",
            "Updates of a turn come before its response.",
            "Respond to the prompt last.",
        )
        .when_seen("an update"),
        &["108"],
        |it| method(it) == "session/update",
    ),
    rules(
        must(
            "agent.result.readable",
            "B6",
            "Every result matches the schema.",
            "Compare with the schema.",
        ),
        &["B6"],
        |it| it.get("result").is_some(),
    ),
];
