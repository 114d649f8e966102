//! Losses with the draft of February 2026.

use super::Direction::{Both, Reading, Writing};
use super::{Direction, Loss};
use crate::Dialect;

pub(super) const ROWS: &[Loss] = &[
    row(
        "initialize capabilities",
        Reading,
        "file watching, terminal limits, `ui`, attachments, required client capabilities and `_custom` are kept in \
         `_meta`; only programs that read it see them",
    ),
    row(
        "initialize clientInfo, agentInfo",
        Writing,
        "the draft requires both; a peer that sends none is called `unknown`",
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
        "the protocol has no place for them; they are kept in `_meta` for an agent that reads it, and empty for a draft \
         agent",
    ),
    row(
        "authenticate success, error",
        Both,
        "a failed login is an error of the protocol in both directions, not a result",
    ),
    row(
        "session/new systemPrompt",
        Both,
        "the draft does not say whether it adds or replaces: read as adding; written without its mode, and without \
         blocks that are not text",
    ),
    row(
        "session/new initialMode, configOptions",
        Reading,
        "kept in `_meta`; an agent that does not read it starts with its own",
    ),
    row(
        "session/new createdAt",
        Writing,
        "omitted unless the result keeps it in `_meta`; the translator has no clock",
    ),
    row(
        "session/new modes, configOptions",
        Writing,
        "the draft has modes at initialize; from a result it gets the current mode and the options' values",
    ),
    row(
        "mcpServers cwd, timeout, agentUrl",
        Reading,
        "kept in `_meta`; a server at another agent's address is treated as one that the client serves itself",
    ),
    row(
        "mcpServers acp agentUrl",
        Writing,
        "the protocol has no address for such a server, so a draft agent gets only its name",
    ),
    row(
        "session/load cwd",
        Reading,
        "the draft names no directory: it is the one known from this connection or set on the translator; without either, \
         the call is rejected",
    ),
    row(
        "session/load cwd, mcpServers",
        Writing,
        "the directory is not sent; servers are sent, but the draft does not expect them",
    ),
    row(
        "session/load replay",
        Both,
        "the history is replayed as in the protocol, which a draft client may not expect and a draft agent may not do; \
         messageCount is the number of replayed messages",
    ),
    row(
        "session/load workingDirectory",
        Writing,
        "omitted if it is not known from this connection or `_meta`, and not set on the translator",
    ),
    row(
        "modes",
        Reading,
        "a mode's name is its id, and the current one is `default` until the draft says otherwise",
    ),
    row(
        "session/prompt attachments",
        Reading,
        "the draft does not define them: blocks, and those that name a file or an address, are added to the prompt; \
         others are only kept in `_meta`",
    ),
    row(
        "session/prompt stopReason error",
        Both,
        "a failed turn is an error of the protocol in both directions; the usage in such a result is lost",
    ),
    row(
        "session/prompt stopReason",
        Writing,
        "`refusal` is written as `end_turn` and `max_turn_requests` as `max_tokens`",
    ),
    row(
        "session/set_config_option value",
        Reading,
        "a value that is neither a boolean nor a string becomes its JSON text",
    ),
    row(
        "config options",
        Reading,
        "a string becomes a selection with that one value, the others are unknown; numbers, lists and objects are only \
         kept in `_meta`; an option is not listed before its value is reported",
    ),
    row(
        "config options",
        Writing,
        "names, descriptions, categories and the available values are omitted, and so is who changed a value",
    ),
    row(
        "config_option_update",
        Writing,
        "one update for every changed option; the first has the other members of the message; more than 1000 of them, or \
         several for a session with an id longer than 1 KiB, are rejected",
    ),
    row(
        "session/request_permission scope",
        Reading,
        "in an official agent's permission request only `always` selects allow_always; a grant for the session or the \
         workspace counts once unless an option keeps that scope in `_meta`",
    ),
    row(
        "session/request_permission options",
        Writing,
        "a draft client uses its own wording: names and order of the options are lost, and so is the tool call's \
         content; the operation is derived from its kind",
    ),
    row(
        "session/request_permission cancelled",
        Writing,
        "the draft has no such outcome; it is not granted, nor is any other outcome that is not a selection, nor the \
         response to a request that is not remembered",
    ),
    row(
        "fs/* sessionId",
        Reading,
        "the draft names no session: it is the one with a running prompt or the only one; with several, the call is \
         rejected",
    ),
    row(
        "fs/* encoding, createDirectories, overwrite",
        Reading,
        "kept in `_meta`; a client that does not read it writes UTF-8, and overwrites a file that must not be overwritten",
    ),
    row(
        "fs/write_text_file created",
        Writing,
        "false unless the request forbade to overwrite or the result keeps it in `_meta`",
    ),
    row(
        "relative paths",
        Reading,
        "made absolute, and stay absolute",
    ),
    row(
        "terminal/create timeout",
        Reading,
        "kept in `_meta`; a client that does not read it lets the command run",
    ),
    row(
        "terminal/output stream",
        Reading,
        "what a draft client pushes from both streams becomes one text",
    ),
    row(
        "terminal/output",
        Writing,
        "a draft agent never sends it: a client has to push, by calling it with `data`, or the agent sees no output",
    ),
    row(
        "terminal/wait_for_exit timeout",
        Reading,
        "kept in `_meta`; a client that does not read it waits for the end",
    ),
    row(
        "terminal/wait_for_exit exitCode",
        Both,
        "a negative code is only kept in `_meta`; an unknown one is written as -1",
    ),
    row(
        "terminal/kill signal, force, killed",
        Reading,
        "kept in `_meta`; a client that does not read it kills as usual",
    ),
    row(
        "session/update chunks",
        Reading,
        "index, final and visible are kept in `_meta`; programs that do not read it show a hidden thought",
    ),
    row(
        "session/update chunks",
        Writing,
        "the draft has text only: a link or resource is written as text, an image or audio as a note",
    ),
    row(
        "tool_call status",
        Both,
        "awaiting_permission becomes pending, denied and cancelled become failed, and the draft's word is kept in \
         `_meta`; a call without a status comes back as pending",
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
        "one hunk with all differences; a final line break that is added or removed is not shown",
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
        "a step gets the priority medium, and any other status than the three becomes pending; plans that are not a list \
         of entries, and plan_removed, have no form in the draft",
    ),
    row(
        "session/update types",
        Writing,
        "types that the draft does not have are sent under their official name, which a draft client does not know",
    ),
    row(
        "content image, audio by url",
        Reading,
        "becomes a link; only `_meta` says that it is an image or audio",
    ),
    row(
        "content resource blob",
        Writing,
        "the draft embeds text only: the bytes are in a member that it does not know, beside an empty text",
    ),
    row(
        "responses",
        Both,
        "of more than 1024 pending calls the oldest are forgotten, and so are those longer than 16 KiB: members that \
         come from the call (bytesWritten, previousMode, the selected option, the exit of a terminal) are omitted",
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
        "a code without an official counterpart becomes -32600, -32601 or -32603 and keeps its meaning in the data; an \
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
