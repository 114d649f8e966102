//! Passive checks on everything that a client sends.

use attache_testkit::Side;

use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::inspections::{self, LineInspector, MessageInspector};
use crate::conformance::json::method;
use crate::conformance::passive_check::{Inspection, PassiveCheck};

const fn line(check: Check, inspection: LineInspector) -> PassiveCheck {
    of(check, Inspection::Line(inspection))
}

const fn message(check: Check, inspection: MessageInspector) -> PassiveCheck {
    of(check, Inspection::Message(inspection))
}

const fn of(check: Check, inspection: Inspection) -> PassiveCheck {
    PassiveCheck {
        check,
        side: Side::Client,
        inspection,
    }
}

pub(super) static CHECKS: &[PassiveCheck] = &[
    line(
        must(
            "client.framing.utf8",
            "1",
            "Every line is UTF-8.",
            "Write UTF-8, whatever the locale.",
        ),
        inspections::utf8,
    ),
    line(
        must(
            "client.framing.newline",
            "2",
            "Every message ends with a line feed.",
            "Write the line feed with the message.",
        ),
        inspections::newline,
    ),
    line(
        must(
            "client.framing.clean",
            "4",
            "Only messages go to the agent's stdin.",
            "Keep other writers away from it.",
        ),
        inspections::clean,
    ),
    line(
        must(
            "client.framing.json",
            "1",
            "Every message is JSON on one line.",
            "Write each message with a JSON writer, without line breaks.",
        ),
        inspections::whole,
    ),
    message(
        must(
            "client.framing.no-batch",
            "18",
            "No batches are sent.",
            "Send one message a line.",
        ),
        inspections::no_batch,
    ),
    message(
        must(
            "client.framing.jsonrpc",
            "1",
            "Every message has jsonrpc 2.0.",
            "Add \"jsonrpc\":\"2.0\".",
        ),
        inspections::jsonrpc,
    ),
    message(
        must(
            "client.framing.members",
            "173",
            "Messages have no members outside JSON-RPC.",
            "Put your own members into _meta of params or result.",
        ),
        inspections::envelope,
    ),
    message(
        must(
            "client.framing.one-outcome",
            "10",
            "A response has a result or an error, and not both.",
            "Omit the one that does not apply; result can be null.",
        )
        .when_seen("a response"),
        inspections::one_outcome,
    ),
    message(
        must(
            "client.framing.error",
            "10",
            "An error has a code that is an integer and a message.",
            "Write both.",
        )
        .when_seen("an error"),
        inspections::error_shape,
    ),
    message(
        should(
            "client.framing.request-id",
            "B1",
            "The id of a request is a number or a short string.",
            "Count upwards from 0.",
        ),
        inspections::request_id,
    ),
    of(
        must(
            "client.framing.unique-id",
            "21",
            "No two open requests have the same id.",
            "Count upwards.",
        ),
        Inspection::Ids(inspections::unique_id),
    ),
    of(
        must(
            "client.framing.known-id",
            "21",
            "A response has the id of a request.",
            "Keep the id of the request for its response.",
        )
        .when_seen("a response"),
        Inspection::Ids(inspections::known_id),
    ),
    of(
        must(
            "client.framing.one-answer",
            "10",
            "A request gets one response.",
            "Remove the request from the table when you respond.",
        )
        .when_seen("a response"),
        Inspection::Ids(inspections::one_answer),
    ),
    of(
        must(
            "client.session.roots",
            "63",
            "Additional directories are sent only to agents that support them.",
            "Check sessionCapabilities.additionalDirectories first.",
        ),
        Inspection::Rules(&["63", "64"], |it| method(it) == "session/new"),
    ),
    of(
        must(
            "client.session.transports",
            "74",
            "MCP servers over HTTP are sent only to agents that support them.",
            "Check mcpCapabilities first.",
        ),
        Inspection::Rules(&["74"], |it| method(it) == "session/new"),
    ),
    of(
        must(
            "client.result.readable",
            "B6",
            "Every result matches the schema.",
            "Compare with the schema.",
        )
        .when_seen("a response"),
        Inspection::Rules(&["B6"], |it| it.get("result").is_some()),
    ),
];
