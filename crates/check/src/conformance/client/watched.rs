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
            "Nothing but messages goes to the agent's stdin.",
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
            "Every message says jsonrpc 2.0.",
            "Add \"jsonrpc\":\"2.0\".",
        ),
        looks::jsonrpc,
    ),
    message(
        must(
            "client.framing.members",
            "173",
            "Messages have no members that JSON-RPC does not have.",
            "Put what is your own into _meta of params or result.",
        ),
        looks::envelope,
    ),
    message(
        must(
            "client.framing.one-outcome",
            "10",
            "An answer has a result or an error, and not both.",
            "Leave out the one that does not apply; result can be null.",
        )
        .seen("an answer"),
        looks::one_outcome,
    ),
    message(
        must(
            "client.framing.error",
            "10",
            "An error has a code that is a whole number and a message.",
            "Write both.",
        )
        .seen("an error"),
        looks::error_shape,
    ),
    message(
        should(
            "client.framing.request-id",
            "B1",
            "The id of a request is a number or a short text.",
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
            "An answer has the id of a request.",
            "Keep the id of the request for its answer.",
        )
        .seen("an answer"),
        Look::Ids(looks::known_id),
    ),
    of(
        must(
            "client.framing.one-answer",
            "10",
            "A request is answered once.",
            "Take the request out of the table when you answer.",
        )
        .seen("an answer"),
        Look::Ids(looks::one_answer),
    ),
    of(
        must(
            "client.session.roots",
            "63",
            "Further roots are sent only to agents that take them.",
            "Look at sessionCapabilities.additionalDirectories first.",
        ),
        Look::Rules(&["63", "64"], |it| method(it) == "session/new"),
    ),
    of(
        must(
            "client.session.transports",
            "74",
            "MCP servers over HTTP are sent only to agents that take them.",
            "Look at mcpCapabilities first.",
        ),
        Look::Rules(&["74"], |it| method(it) == "session/new"),
    ),
    of(
        must(
            "client.result.readable",
            "B6",
            "Every result has the shape that the schema gives it.",
            "Compare with the schema.",
        )
        .seen("an answer"),
        Look::Rules(&["B6"], |it| it.get("result").is_some()),
    ),
];
