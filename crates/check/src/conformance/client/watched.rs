//! What is watched in everything that a client says.

use attache_testkit::Side;

use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::json::method;
use crate::conformance::looks::{self, AtLine, AtMessage};
use crate::conformance::watch::{Look, Watch};

const fn line(check: Check, look: AtLine) -> Watch {
    of(check, Look::Line(look))
}

const fn message(check: Check, look: AtMessage) -> Watch {
    of(check, Look::Message(look))
}

const fn of(check: Check, look: Look) -> Watch {
    Watch {
        check,
        side: Side::Client,
        look,
    }
}

pub(super) static CHECKS: &[Watch] = &[
    line(
        must(
            "client.framing.utf8",
            "1",
            "Every line is UTF-8.",
            "Write UTF-8, whatever the locale.",
        ),
        looks::utf8,
    ),
    line(
        must(
            "client.framing.newline",
            "2",
            "Every message ends with a line feed.",
            "Write the line feed with the message.",
        ),
        looks::newline,
    ),
    line(
        must(
            "client.framing.clean",
            "4",
            "Only messages go to the agent's stdin.",
            "Keep other writers away from it.",
        ),
        looks::clean,
    ),
    line(
        must(
            "client.framing.json",
            "1",
            "Every message is JSON on one line.",
            "Write each message with a JSON writer, without line breaks.",
        ),
        looks::whole,
    ),
    message(
        must(
            "client.framing.no-batch",
            "18",
            "No batches are sent.",
            "Send one message a line.",
        ),
        looks::no_batch,
    ),
    message(
        must(
            "client.framing.jsonrpc",
            "1",
            "Every message has jsonrpc 2.0.",
            "Add \"jsonrpc\":\"2.0\".",
        ),
        looks::jsonrpc,
    ),
    message(
        must(
            "client.framing.members",
            "173",
            "Messages have no members outside JSON-RPC.",
            "Put your own members into _meta of params or result.",
        ),
        looks::envelope,
    ),
    message(
        must(
            "client.framing.one-outcome",
            "10",
            "A response has a result or an error, and not both.",
            "Omit the one that does not apply; result can be null.",
        )
        .seen("a response"),
        looks::one_outcome,
    ),
    message(
        must(
            "client.framing.error",
            "10",
            "An error has a code that is an integer and a message.",
            "Write both.",
        )
        .seen("an error"),
        looks::error_shape,
    ),
    message(
        should(
            "client.framing.request-id",
            "B1",
            "The id of a request is a number or a short string.",
            "Count upwards from 0.",
        ),
        looks::request_id,
    ),
    of(
        must(
            "client.framing.unique-id",
            "21",
            "No two open requests have the same id.",
            "Count upwards.",
        ),
        Look::Ids(looks::unique_id),
    ),
    of(
        must(
            "client.framing.known-id",
            "21",
            "A response has the id of a request.",
            "Keep the id of the request for its response.",
        )
        .seen("a response"),
        Look::Ids(looks::known_id),
    ),
    of(
        must(
            "client.framing.one-answer",
            "10",
            "A request gets one response.",
            "Remove the request from the table when you respond.",
        )
        .seen("a response"),
        Look::Ids(looks::one_answer),
    ),
    of(
        must(
            "client.session.roots",
            "63",
            "Additional directories are sent only to agents that support them.",
            "Check sessionCapabilities.additionalDirectories first.",
        ),
        Look::Rules(&["63", "64"], |it| method(it) == "session/new"),
    ),
    of(
        must(
            "client.session.transports",
            "74",
            "MCP servers over HTTP are sent only to agents that support them.",
            "Check mcpCapabilities first.",
        ),
        Look::Rules(&["74"], |it| method(it) == "session/new"),
    ),
    of(
        must(
            "client.result.readable",
            "B6",
            "Every result matches the schema.",
            "Compare with the schema.",
        )
        .seen("a response"),
        Look::Rules(&["B6"], |it| it.get("result").is_some()),
    ),
];
