//! What is watched in everything that an agent says.

mod doings;

use attache_testkit::Side;

use crate::conformance::Check;
use crate::conformance::check::{must, should};
use crate::conformance::json::{method, update_kind};
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

/// Every watch on an agent.
pub(super) fn all() -> impl Iterator<Item = &'static Watch> {
    SAID.iter().chain(doings::DONE)
}

static SAID: &[Watch] = &[
    line(
        must(
            "agent.framing.utf8",
            "1",
            "Every line is UTF-8.",
            "Write UTF-8, whatever the locale.",
        ),
        looks::utf8,
    ),
    line(
        must(
            "agent.framing.newline",
            "2",
            "Every message ends with a line feed.",
            "Write the line feed with the message.",
        ),
        looks::newline,
    ),
    line(
        must(
            "agent.framing.clean",
            "3",
            "Nothing but messages goes to stdout.",
            "Log to stderr; mind libraries that print.",
        ),
        looks::clean,
    ),
    line(
        must(
            "agent.framing.json",
            "1",
            "Every message is JSON on one line.",
            "Write each message with a JSON writer, without line breaks.",
        ),
        looks::whole,
    ),
    message(
        must(
            "agent.framing.no-batch",
            "18",
            "No batches are sent.",
            "Send one message a line.",
        ),
        looks::no_batch,
    ),
    message(
        must(
            "agent.framing.jsonrpc",
            "1",
            "Every message says jsonrpc 2.0.",
            "Add \"jsonrpc\":\"2.0\".",
        ),
        looks::jsonrpc,
    ),
    message(
        must(
            "agent.framing.members",
            "173",
            "Messages have no members that JSON-RPC does not have.",
            "Put what is your own into _meta of params or result.",
        ),
        looks::envelope,
    ),
    message(
        must(
            "agent.framing.one-outcome",
            "10",
            "An answer has a result or an error, and not both.",
            "Leave out the one that does not apply; result can be null.",
        ),
        looks::one_outcome,
    ),
    message(
        must(
            "agent.framing.error",
            "10",
            "An error has a code that is a whole number and a message.",
            "Write both.",
        )
        .seen("an error"),
        looks::error_shape,
    ),
    message(
        must(
            "agent.framing.params",
            "1",
            "params is an object.",
            "ACP names its parameters.",
        )
        .seen("a call of the agent's"),
        looks::params,
    ),
    message(
        should(
            "agent.framing.request-id",
            "B1",
            "The id of a request is a number or a short text.",
            "Count upwards from 0.",
        )
        .seen("a request of the agent's"),
        looks::request_id,
    ),
    of(
        must(
            "agent.framing.unique-id",
            "21",
            "No two open requests have the same id.",
            "Count upwards.",
        )
        .seen("a request of the agent's"),
        Look::Ids(looks::unique_id),
    ),
    of(
        must(
            "agent.framing.known-id",
            "21",
            "An answer has the id of a request.",
            "Keep the id of the request for its answer.",
        ),
        Look::Ids(looks::known_id),
    ),
    of(
        must(
            "agent.framing.one-answer",
            "10",
            "A request is answered once.",
            "Take the request out of the table when you answer.",
        ),
        Look::Ids(looks::one_answer),
    ),
    rules(
        must(
            "agent.update.readable",
            "B6",
            "Every update has the shape that the schema gives it.",
            "Compare with the schema: readers drop what does not fit.",
        )
        .seen("an update"),
        &["B6"],
        |it| method(it) == "session/update",
    ),
    message(
        must(
            "agent.update.kind",
            "B3",
            "Every update is of a kind that the protocol has.",
            "Send what is your own in _meta or a method of your own.",
        )
        .seen("an update"),
        looks::update_known,
    ),
    message(
        must(
            "agent.update.members",
            "173",
            "Updates have no members of the agent's own.",
            "Put what is your own into _meta.",
        )
        .seen("an update"),
        looks::update_members,
    ),
    rules(
        must(
            "agent.update.content",
            "B3",
            "What is said is of a type of content that the protocol has.",
            "Use text, image, audio, resource_link or resource.",
        )
        .seen("a chunk"),
        &["B3"],
        |it| update_kind(it).ends_with("_chunk"),
    ),
    rules(
        should(
            "agent.update.in-turn",
            "108",
            "What is said and done in a turn comes before its answer.",
            "Answer the prompt last.",
        )
        .seen("an update"),
        &["108"],
        |it| method(it) == "session/update",
    ),
    rules(
        must(
            "agent.result.readable",
            "B6",
            "Every result has the shape that the schema gives it.",
            "Compare with the schema.",
        ),
        &["B6"],
        |it| it.get("result").is_some(),
    ),
];
