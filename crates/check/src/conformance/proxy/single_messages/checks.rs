//! The definitions of the checks on single messages through a proxy.

use crate::conformance::Check;
use crate::conformance::check::{must, should};

const KEEP: &str = "Forward what you do not need to change, as it is.";

pub(super) const CHECKS: &[Check] = &[
    must(
        "proxy.init.forwarded",
        "185",
        "initialize reaches the agent.",
        "Forward it before you respond.",
    ),
    must(
        "proxy.init.version",
        "185",
        "The version comes through as it is.",
        "Never change protocolVersion.",
    ),
    should(
        "proxy.init.client-capabilities",
        "186",
        "The client's capabilities come through.",
        "Add your own capabilities, and remove none.",
    ),
    should(
        "proxy.init.meta",
        "186",
        "_meta of initialize comes through.",
        KEEP,
    ),
    should(
        "proxy.init.agent-capabilities",
        "186",
        "The agent's capabilities come through.",
        "Add your own capabilities, and remove none.",
    ),
    should(
        "proxy.init.logins",
        "186",
        "The login methods come through.",
        KEEP,
    ),
    must(
        "proxy.forward.request",
        "186",
        "A request of the client comes through.",
        KEEP,
    ),
    should(
        "proxy.forward.meta",
        "186",
        "_meta of a request comes through.",
        KEEP,
    ),
    should(
        "proxy.forward.unknown-members",
        "186",
        "Unknown members come through.",
        KEEP,
    ),
    should(
        "proxy.forward.unknown-content",
        "186",
        "Unknown content comes through.",
        KEEP,
    ),
    should(
        "proxy.forward.extension",
        "186",
        "An extension request comes through.",
        KEEP,
    ),
    should(
        "proxy.forward.unknown-method",
        "186",
        "A request for an unknown method comes through.",
        KEEP,
    ),
    must(
        "proxy.forward.unicode",
        "1",
        "Letters, quotes and control characters come through.",
        "Write JSON with a JSON writer.",
    ),
    must(
        "proxy.forward.large",
        "",
        "A message of a megabyte comes through.",
        "Do not set a smaller limit for messages.",
    ),
    must(
        "proxy.forward.result",
        "186",
        "A result comes back unchanged.",
        KEEP,
    ),
    must(
        "proxy.backward.request",
        "186",
        "A request of the agent comes through.",
        KEEP,
    ),
    should(
        "proxy.backward.meta",
        "186",
        "_meta of an agent's request comes through.",
        KEEP,
    ),
    should(
        "proxy.backward.unknown-members",
        "186",
        "Unknown members of an agent's request come through.",
        KEEP,
    ),
    should(
        "proxy.backward.extension",
        "186",
        "An extension request of the agent comes through.",
        KEEP,
    ),
    should(
        "proxy.backward.unknown-method",
        "186",
        "An agent's request for an unknown method comes through.",
        KEEP,
    ),
    must(
        "proxy.backward.result",
        "186",
        "A client's result comes back unchanged.",
        KEEP,
    ),
    must(
        "proxy.forward.notification",
        "186",
        "session/cancel comes through.",
        KEEP,
    ),
    should(
        "proxy.forward.unknown-notification",
        "186",
        "An unknown notification comes through.",
        KEEP,
    ),
    must(
        "proxy.backward.notification",
        "186",
        "An update comes through, with its _meta.",
        KEEP,
    ),
    should(
        "proxy.backward.unknown-update",
        "186",
        "An update of an unknown kind comes through.",
        KEEP,
    ),
    should(
        "proxy.backward.unknown-notification",
        "186",
        "An unknown notification of the agent comes through.",
        KEEP,
    ),
    must(
        "proxy.forward.error",
        "186",
        "An error comes back with its code, message and data.",
        "Forward the error, do not wrap it.",
    ),
    must(
        "proxy.forward.null",
        "22",
        "A result that is null comes back as null.",
        "Keep the member result.",
    ),
    should(
        "proxy.forward.numbers",
        "186",
        "Very large numbers come through to the digit.",
        "Forward the text of the number.",
    ),
];
