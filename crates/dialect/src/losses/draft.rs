//! What is lost between the protocol and the draft of February 2026.

use super::Direction::{Both, Reading, Writing};
use super::{Direction, Loss};
use crate::Dialect;

pub(super) const ROWS: &[Loss] = &[
    row(
        "initialize capabilities",
        Reading,
        "file watching, terminal limits, `ui`, attachments, required client capabilities and `_custom` are kept in \
         `_meta` and known only to those who look there",
    ),
    row(
        "initialize clientInfo, agentInfo",
        Writing,
        "the draft wants both; a peer that gives none is called `unknown`",
    ),
    row(
        "initialize authMethods",
        Both,
        "the draft names no methods in advance, so an official client has none to choose from",
    ),
    row(
        "initialize requiredClientCapabilities",
        Reading,
        "a missing capability does not end the connection; the draft would have it fail",
    ),
    row(
        "authenticate credentials",
        Both,
        "the protocol has no place for them; they are kept in `_meta` for an agent that looks there, and empty for a \
         draft agent",
    ),
    row(
        "authenticate success, error",
        Both,
        "a login that did not succeed is an error of the protocol in both directions, not a result",
    ),
    row(
        "session/new systemPrompt",
        Both,
        "the draft does not say whether it adds or replaces: read as adding; written without its mode, and without \
         blocks that are no text",
    ),
    row(
        "session/new initialMode, configOptions",
        Reading,
        "kept in `_meta`; an agent that does not look there starts with its own",
    ),
    row(
        "session/new createdAt",
        Writing,
        "left out unless the result keeps it in `_meta`; nothing here has a clock",
    ),
    row(
        "session/new modes, configOptions",
        Writing,
        "the draft wants modes at initialize; of those in a result it gets the current one and the options' values",
    ),
    row(
        "mcpServers cwd, timeout, agentUrl",
        Reading,
        "kept in `_meta`; a server behind another agent's address is taken for one that the client serves itself",
    ),
    row(
        "mcpServers acp agentUrl",
        Writing,
        "the protocol has no address for such a server, so a draft agent gets only its name",
    ),
    row(
        "session/load cwd",
        Reading,
        "the draft names no directory: the one known from this connection or taught to the translator; where there is \
         neither the call is refused",
    ),
    row(
        "session/load cwd, mcpServers",
        Writing,
        "the directory is not sent; servers are sent, but the draft does not expect them",
    ),
    row(
        "session/load replay",
        Both,
        "the history is sent as the protocol wants it, which a draft client may not expect and a draft agent may not \
         do; messageCount is what was replayed",
    ),
    row(
        "session/load workingDirectory",
        Writing,
        "left out where neither this connection nor `_meta` knows it, nor the translator was taught it",
    ),
    row(
        "modes",
        Reading,
        "a mode's name is its id, and the current one is `default` until the draft says otherwise",
    ),
    row(
        "session/prompt attachments",
        Reading,
        "the draft never says what they are: those that are blocks or name a file or an address join the prompt, the \
         others are only kept in `_meta`",
    ),
    row(
        "session/prompt stopReason error",
        Both,
        "a turn that failed is an error of the protocol in both directions; the usage in such a result is lost",
    ),
    row(
        "session/prompt stopReason",
        Writing,
        "`refusal` is written as `end_turn` and `max_turn_requests` as `max_tokens`",
    ),
    row(
        "session/set_config_option value",
        Reading,
        "a value that is neither a boolean nor a string goes on as its JSON text",
    ),
    row(
        "config options",
        Reading,
        "a string is a choice of that one value, the others are unknown; numbers, lists and objects are only kept in \
         `_meta`; before a value is told an option is not listed",
    ),
    row(
        "config options",
        Writing,
        "names, descriptions, categories and the values to choose from are left out, and so is who changed a value",
    ),
    row(
        "config_option_update",
        Writing,
        "one update for every option that has changed, of which the first has what else the message says; more than 1000 \
         of them, or several for a session with an id longer than 1 KiB, are refused",
    ),
    row(
        "session/request_permission scope",
        Reading,
        "in an official agent's question only `always` chooses allow_always; a grant for the session or the workspace \
         counts once unless an option keeps that scope in `_meta`",
    ),
    row(
        "session/request_permission options",
        Writing,
        "a draft client asks in its own words: names and order of the options are lost, and so is the tool call's \
         content; the operation is guessed from its kind",
    ),
    row(
        "session/request_permission cancelled",
        Writing,
        "the draft has no such outcome; it is not granted, and neither is any other outcome that is no choice, nor what \
         answers a request that is not remembered",
    ),
    row(
        "fs/* sessionId",
        Reading,
        "the draft names no session: the one with a running prompt or the only one; with several the call is refused",
    ),
    row(
        "fs/* encoding, createDirectories, overwrite",
        Reading,
        "kept in `_meta`; a client that does not look there writes UTF-8, over a file that must not be overwritten too",
    ),
    row(
        "fs/write_text_file created",
        Writing,
        "false unless the request forbade to overwrite or the result keeps it in `_meta`",
    ),
    row(
        "relative paths",
        Reading,
        "they are made absolute and stay so",
    ),
    row(
        "terminal/create timeout",
        Reading,
        "kept in `_meta`; a client that does not look there lets the command run",
    ),
    row(
        "terminal/output stream",
        Reading,
        "what a draft client pushes from both streams is one text",
    ),
    row(
        "terminal/output",
        Writing,
        "a draft agent never asks: a client has to push, by calling it with `data`, or the agent sees no output",
    ),
    row(
        "terminal/wait_for_exit timeout",
        Reading,
        "kept in `_meta`; a client that does not look there waits for the end",
    ),
    row(
        "terminal/wait_for_exit exitCode",
        Both,
        "a negative code is only kept in `_meta`; an unknown one is written as -1",
    ),
    row(
        "terminal/kill signal, force, killed",
        Reading,
        "kept in `_meta`; a client that does not look there kills as it always does",
    ),
    row(
        "session/update chunks",
        Reading,
        "index, final and visible are kept in `_meta`; a hidden thought is shown by those who do not look there",
    ),
    row(
        "session/update chunks",
        Writing,
        "the draft has text only: a link or resource is written as text, an image or sound as a note that it was there",
    ),
    row(
        "tool_call status",
        Both,
        "awaiting_permission is pending, denied and cancelled are failed, and the draft's word is kept in `_meta`; a \
         call without a status comes back as pending",
    ),
    row(
        "tool_call location",
        Both,
        "the column and the end of a range are kept in `_meta`; of several locations the draft gets the first",
    ),
    row(
        "tool_call output diff",
        Reading,
        "hunks have no old and new text: they are shown as the text of a diff and kept in `_meta`",
    ),
    row(
        "tool_call content diff",
        Writing,
        "one hunk with all that differs; a last line break that comes or goes is not seen",
    ),
    row(
        "tool_call output terminal",
        Reading,
        "command, exitCode, stdout and stderr are kept in `_meta`",
    ),
    row(
        "tool_call content",
        Writing,
        "the draft has one output: several items are written as one text",
    ),
    row(
        "plan",
        Both,
        "a step gets the priority medium, and another status than the three becomes pending; plans that are no list \
         of entries, and the removal of one, have no form in the draft",
    ),
    row(
        "session/update types",
        Writing,
        "those that the draft does not have are sent under their official name, which a draft client will not know",
    ),
    row(
        "content image, audio by url",
        Reading,
        "it becomes a link, which says what it is only in `_meta`",
    ),
    row(
        "content resource blob",
        Writing,
        "the draft embeds text only: the bytes are in a member that it does not know, beside an empty text",
    ),
    row(
        "answers",
        Both,
        "of more than 1024 calls that wait the oldest are forgotten, and so is what is longer than 16 KiB: what has to \
         be taken from the call (bytesWritten, previousMode, the chosen option, the exit of a terminal) is left out",
    ),
    row(
        "sessions, tool calls",
        Both,
        "a directory, mode, title or resource longer than 4 KiB is not remembered, nor are more than 256 modes, sessions \
         or tool calls",
    ),
    row(
        "errors",
        Both,
        "a code without official counterpart becomes -32600, -32601 or -32603 and keeps its meaning in the data; an \
         official number from -32001 to -32009 is written as -32603 unless its data gives a reason",
    ),
];

const fn row(element: &'static str, direction: Direction, what: &'static str) -> Loss {
    Loss {
        dialect: Dialect::Draft,
        element,
        direction,
        what,
    }
}
