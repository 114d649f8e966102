//! All rules of the conformance checklist, in its order, followed by our own recommendations.

use super::{Level, Rule, RuleTarget};
use crate::method::Stability;

/// The rules of the conformance checklist, in its order.
pub static RULES: &[Rule] = ALL.split_at(position("B1")).0;

/// Our own recommendations, which are not in the specification.
pub static BOUNDS: &[Rule] = ALL.split_at(position("B1")).1;

/// Index of a rule in [`ALL`], or the length of the table if there is no rule with this number.
pub(super) const fn position(number: &str) -> usize {
    let mut at = 0;
    while at < ALL.len() && !equal(ALL[at].number, number) {
        at += 1;
    }
    at
}

const fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// One row for each rule: its number, its targets, its level and its text.
macro_rules! rows {
    ($($number:literal [$($tag:ident)+] $level:ident $($stability:ident)?: $text:literal,)*) => {
        pub(super) static ALL: &[Rule] = &[$(
            Rule {
                number: $number,
                targets: &[$(RuleTarget::$tag),+],
                level: Level::$level,
                stability: rows! { @stability $($stability)? },
                text: $text,
            },
        )*];
    };
    (@stability) => { Stability::Stable };
    (@stability unstable) => { Stability::Unstable };
}

rows! {
    // Framing and JSON-RPC
    "1" [Transport] Must: "Every message is JSON-RPC, encoded in UTF-8.",
    "2" [Transport] Must: "On stdio each message is one line: it ends with a newline and contains none.",
    "3" [Agent Transport] Must: "The agent's stdout carries only ACP messages.",
    "4" [Client Transport] Must: "The agent's stdin carries only ACP messages.",
    "5" [Agent] May: "The agent may write UTF-8 logs to stderr. The client may capture, show or drop them.",
    "6" [Both] Should: "Both sides support stdio wherever the platform has it.",
    "7" [Both] Must: "A custom transport keeps the message format and the lifecycle.",
    "8" [Both] Should: "A custom transport documents how to connect and how to exchange messages.",
    "9" [Client] Observed: "A client stops an agent by closing its stdin, and kills the process if that does not help.",
    "10" [Both] Must: "A successful response has `result`; an error response has `error` with a code and a message.",
    "11" [Both] Must: "A notification never gets a response, not even when it fails.",
    "12" [Both] Observed: "Members are named in camelCase and tag values in snake_case, unless the schema differs.",
    "13" [Both] Must: "Every file path is absolute.",
    "14" [Both] Must: "Line numbers start at 1.",
    "14a" [Agent] Observed: "A request before `initialize` fails with -32600. A second `initialize` gets the same \
        version, or fails with -32600.",
    "15" [Both] Observed: "A request with an unknown method fails with -32601.",
    "16" [Both] Should: "An unknown notification is ignored, and the connection stays open.",
    "17" [Both] Observed: "Text that is not JSON gets the error -32700 with the id `null`, and the connection stays \
        open.",
    "18" [Both] Observed: "A batch gets a single error -32600 with the id `null`, and no message in it is processed.",
    "19" [Both] Observed: "Parameters that do not match the schema fail with -32602.",
    "20" [Both] Observed: "A notification that does not match the schema is ignored without a response.",
    "21" [Both] Observed: "Each side numbers its own requests, and a response repeats the id byte for byte.",
    "22" [Both] Observed: "A successful response has the member `result` even when the result is empty.",
    "23" [Both] Observed: "A response to no pending request is ignored, and the connection stays open.",
    // Initialization
    "24" [Client] Must: "`initialize` comes before the first session.",
    "25" [Client] Must: "The client requests the newest version that it supports.",
    "26" [Client] Should: "The client sends its name and version in `clientInfo`.",
    "27" [Agent] Must: "The response to `initialize` has the chosen version and the agent's capabilities.",
    "28" [Agent] Should: "The agent sends its name and version in `agentInfo`.",
    "29" [Agent] Must: "If the agent supports the requested version, it responds with that version.",
    "30" [Agent] Must: "If the agent does not support the requested version, it responds with the newest one that it \
        supports.",
    "31" [Client] Should: "A client that does not support the agent's version closes the connection and informs the \
        user.",
    "32" [Both] Must: "Both sides keep to the negotiated version.",
    "33" [Both] Must: "An omitted capability is not supported, and nothing that requires it is sent.",
    "34" [Both] Should: "Each side works with any combination of the other side's capabilities.",
    "35" [Agent] Must: "Every agent accepts text and resource links in prompts.",
    "36" [Agent] Must: "Every agent supports `session/new`, `session/prompt`, `session/cancel` and `session/update`.",
    "37" [Client] Should: "The client states whether it supports files, terminals, terminal login, elicitation and \
        boolean config options.",
    "38" [Both] Observed: "`elicitation: {}` names no mode, so it offers none.",
    // Authentication
    "39" [Agent] Observed: "`authMethods` lists the ways to log in; a method without a type is handled by the agent.",
    "40" [Agent] Must: "A terminal login is offered only to a client with `auth.terminal`.",
    "41" [Client] Must: "A terminal login is never passed to `authenticate`.",
    "42" [Client] Observed: "`auth.terminal` means that the client can run the agent's command interactively for the \
        user.",
    "43" [Client] Observed: "A terminal login runs the agent's command with `args` appended and `env` added. Exit code \
        0 means success; the client then connects again.",
    "44" [Agent] Should: "The arguments of a terminal login start nothing but a login, after which the program exits.",
    "45" [Client] Must: "`logout` is called only if the agent advertises `auth.logout`.",
    "46" [Agent] Observed: "After a successful `authenticate`, new sessions no longer fail because of a missing login.",
    "47" [Agent] Observed: "After a successful `logout`, new sessions that need a login require one again.",
    "48" [Client] Should: "After `logout` the client is prepared for running sessions to fail.",
    "49" [Agent] Must unstable: "`auth/status` changes no state and never fails with -32000.",
    "50" [Client] Must unstable: "An unknown login state counts as `unknown`. Account data is neither used as an id \
        nor logged.",
    "51" [Agent] Should unstable: "`auth/status_update` is sent only when the state has changed, and only with \
        `auth.status`.",
    // Session setup
    "52" [Agent] Must: "Each new session gets a unique id.",
    "53" [Client] Must: "`session/load` is called only if the agent advertises `loadSession`.",
    "54" [Client] Must: "`session/load` names the session, the working directory and the MCP servers.",
    "55" [Agent] Must: "Loading a session replays the whole conversation as updates.",
    "56" [Agent] Must: "The response to `session/load` comes after the last replayed update.",
    "57" [Agent] Should: "Loading a session does not replay old notices.",
    "58" [Client] Must: "`session/resume` is called only if the agent advertises `sessionCapabilities.resume`.",
    "59" [Agent] Must: "Resuming a session replays nothing before the response.",
    "60" [Client] Must: "`session/close` is called only if the agent advertises `sessionCapabilities.close`.",
    "61" [Agent] Must: "Closing a session cancels its work like `session/cancel`, then frees its resources.",
    "62" [Agent] May: "Closing a session that is unknown or not active may fail.",
    "63" [Client] Must: "`additionalDirectories` is sent only if the agent advertises it in `sessionCapabilities`.",
    "64" [Client] Must: "Additional directories are absolute paths.",
    "65" [Client] Must: "Loading and resuming a session list all additional directories again; an empty list means \
        none.",
    "66" [Agent] Must: "The agent does not restore additional directories on its own.",
    "67" [Agent] Must: "A root that is empty, invalid or not allowed fails the request; it is never dropped silently.",
    "68" [Both] Must: "`cwd` is absolute, one of the roots, and the base of relative paths, wherever the agent was \
        started.",
    "69" [Both] Should: "File tools stay within `cwd` and the additional directories.",
    "70" [Both] Must: "A symbolic link does not lead outside the roots, and an undecidable path is rejected.",
    "71" [Client] Must: "A client that gives access to files keeps the agent within the roots.",
    "72" [Agent] Must: "Every agent connects to MCP servers over stdio.",
    "73" [Agent] Should: "A new agent also connects to MCP servers over HTTP.",
    "74" [Client] Must: "MCP servers over HTTP or SSE are sent only if the agent advertises them in `mcpCapabilities`.",
    "75" [Agent] Should: "The agent connects to every MCP server in the request.",
    "76" [Client] Must unstable: "A system prompt is sent only to an agent that accepts one. It has at least one \
        block, text only, and uses `override` only if the agent offers it.",
    "77" [Agent] Must unstable: "If the agent cannot apply a system prompt, the request fails and no session is \
        created.",
    // Session list, delete, archive, title, status, fork
    "78" [Client] Must: "`session/list` is called only if the agent advertises `sessionCapabilities.list`.",
    "79" [Agent] Must: "The response to `session/list` has a list, which is empty when nothing matches.",
    "80" [Client] Must: "A page without `nextCursor` is the last one.",
    "81" [Client] Must: "A cursor is opaque: it is not parsed, changed or stored.",
    "82" [Agent] Should: "An invalid cursor fails the request, and pages have a reasonable size.",
    "83" [Client] Must: "The additional directories in a list replace those the client knew before.",
    "84" [Agent] Observed: "`session_info_update` has only the members that changed; `null` removes a value.",
    "85" [Client] Must: "`session/delete` is called only if the agent advertises `sessionCapabilities.delete`.",
    "86" [Agent] Observed: "A deleted session no longer appears in lists.",
    "87" [Agent] Should: "Deleting an unknown session succeeds.",
    "88" [Agent] Must unstable: "An agent that archives also lists, reports `archived` for every session, closes a \
        session before archiving it, fails with -32002 for an unknown one, and accepts a repeated request.",
    "89" [Agent] Must unstable: "An `archived` filter that the agent does not support fails with -32602.",
    "90" [Agent] Must unstable: "`session/status` changes no state. For an unknown session it fails with -32002 and \
        the session's id.",
    "91" [Client] Must unstable: "An unknown session status counts as `saved`. A session of another connection is \
        loaded or resumed before it is prompted.",
    "92" [Agent] Observed unstable: "`session/set_title` responds after the title is stored and fails with -32602 if \
        the title is empty. The agent does not replace it with a generated title later.",
    "93" [Client] Should unstable: "The client shows the title from the response, not the one it sent.",
    "94" [Agent] Must unstable: "A fork inherits no roots, unless they were set on this connection.",
    // Prompt turn and cancellation
    "95" [Client] Must: "A prompt is sent to a session that was set up on an initialized connection.",
    "96" [Client] Must: "A prompt has only content types that `promptCapabilities` allows.",
    "97" [Agent] Must: "A turn ends with a result that has a stop reason, once no tool calls are pending.",
    "98" [Agent] May: "The agent may stop at any time, with the matching stop reason.",
    "99" [Agent] May: "Chunks may have a message id; a new id starts a new message.",
    "100" [Client] Must: "Message ids are opaque and only compared.",
    "101" [Agent] May: "`usage_update` may be sent at any time, with `used` and `size`; a cost has an amount and a \
        currency.",
    "102" [Client] May: "The client may cancel a turn at any time while it runs.",
    "103" [Client] Should: "After `session/cancel` the client shows the turn's unfinished tool calls as cancelled.",
    "104" [Client] Must: "After `session/cancel` the client responds to every pending permission request with \
        `cancelled`.",
    "105" [Agent] Should: "On `session/cancel` the agent stops the model and the tools as soon as possible.",
    "106" [Agent] Must: "A cancelled turn ends with the stop reason `cancelled` after all its updates.",
    "107" [Agent] Must: "A cancelled prompt does not fail because something in it was aborted.",
    "108" [Agent] Must: "The agent sends the last updates of a cancelled turn before it responds to the prompt.",
    "109" [Client] Should: "The client accepts tool call updates after `session/cancel`.",
    "110" [Both] Must: "A request cancelled with `$/cancel_request` still gets a response: a result, or -32800.",
    "111" [Both] May: "Before it responds to a cancelled request, the receiver may cancel nested work and send pending \
        notifications.",
    "112" [Both] Should: "A request that the receiver cancels on its own fails with -32800.",
    "113" [Both] Observed: "Notifications whose method starts with `$/` may be ignored.",
    "114" [Agent] Must: "Compaction updates require the client's `session.compaction`, and notices its \
        `session.notices`.",
    "115" [Agent] Must: "A compaction ends exactly once, with a final status, after its last chunk.",
    "116" [Agent] Must: "Notices are not the only place for results, permissions or fatal errors.",
    "117" [Client] Should: "The client shows text as Markdown.",
    // Tool calls, permissions, plans
    "118" [Agent] Should: "A tool call is reported as soon as the model makes it.",
    "119" [Agent] Observed: "Tool call ids are unique within a session.",
    "120" [Agent] Observed: "A tool call update has only the members that changed; a list replaces the previous one.",
    "121" [Agent] Should: "Once permission is granted, the tool runs and its call is reported as in progress.",
    "122" [Agent] May: "The agent may request permission before it runs a tool.",
    "123" [Client] May: "The client may answer a permission request from the user's settings.",
    "124" [Client] Must: "A permission request of a cancelled turn is answered with `cancelled`.",
    "125" [Client] Observed: "The selected option is one that the request offers.",
    "126" [Agent] Should: "The first report of a tool call has the tool's name if it is known. The name changes only \
        to correct it.",
    "127" [Agent] Should: "The agent reports the model's plans.",
    "128" [Agent] Must: "Every plan update has all entries.",
    "129" [Client] Must: "A plan update replaces the whole plan.",
    "130" [Agent] Must unstable: "Plans with ids require the client's `plan`; without it the agent sends `plan` \
        updates.",
    // File system and terminals
    "131" [Agent] Must: "A file method is called only if the client advertises it in `fs`.",
    "132" [Client] Observed: "Reading a file includes unsaved changes in the editor.",
    "133" [Client] Must: "Writing a file that does not exist creates it.",
    "134" [Agent] Must: "Terminals are used only if the client advertises `terminal`.",
    "135" [Client] Observed: "`terminal/create` responds without waiting for the command.",
    "136" [Client] Must: "Output beyond `outputByteLimit` is cut at the beginning, at a character boundary.",
    "137" [Agent] Must: "Every terminal is released in the end.",
    "138" [Client] Observed: "A killed terminal stays readable. Releasing a terminal stops its command and makes its \
        id invalid.",
    "139" [Agent] Must: "A killed terminal is released like any other.",
    "140" [Client] Should: "A terminal shown in a tool call stays readable after its release.",
    "141" [Agent] Observed: "A terminal is added to a tool call before it is released.",
    "142" [Client] Observed: "`exitStatus` is present only when the command has ended.",
    // Modes, config options, commands
    "143" [Agent] May: "The response that sets up a session may have modes.",
    "144" [Client] Observed: "The mode to set is one of the available ones. It may be set at any time.",
    "145" [Agent] Observed: "When the agent changes the mode itself, it reports the new one in `currentModeId`.",
    "146" [Client] Should: "A client that supports config options uses them and ignores the modes.",
    "147" [Agent] Should: "During the transition an agent offers modes both as modes and as a config option, with the \
        same values.",
    "148" [Agent] Must: "Boolean config options are offered only to a client with `session.configOptions.boolean`.",
    "149" [Client] Must: "Nothing depends on the category of an option, which may be missing or unknown.",
    "150" [Agent] Must: "Each config option has a current value from the start.",
    "151" [Client] Should: "The client ignores config options of an unknown type.",
    "152" [Client] Should: "The client shows config options in the order of the list.",
    "153" [Agent] Must: "The response to `session/set_config_option` has all config options.",
    "154" [Agent] Observed: "`config_option_update` has all config options.",
    "155" [Both] Observed: "A custom category starts with `_`; all other names are reserved for the protocol.",
    "156" [Agent] May: "The agent may announce commands after setup and change them at any time.",
    "157" [Client] Observed: "A command is run by a prompt that starts with `/` and its name.",
    // Elicitation
    "158" [Agent] Must: "The agent uses only elicitation modes that the client supports, and does without if there are \
        none.",
    "159" [Client] Observed: "An elicitation in a mode that the client does not support fails with -32602.",
    "160" [Agent] Must: "The state of an elicitation is bound to its connection and to a verified user.",
    "161" [Agent] Must: "A form never asks for secrets, not even when the client cannot open a web page.",
    "162" [Client] Must: "The user sees who asks, can decline or cancel, and can review the answer before it is sent.",
    "163" [Client] Must: "A web page is opened only after the user has seen its full URL and agreed. The client does \
        not fetch it before, and the model cannot look inside.",
    "164" [Client] Should: "The client highlights the domain, warns about Punycode and makes no other text a link.",
    "165" [Client] Should: "The client fills in the defaults of a form and validates its values before it sends them.",
    "166" [Agent] Should: "The agent validates the values again.",
    "167" [Agent] Must: "The agent handles decline, cancel and errors.",
    "168" [Agent] Must: "Ids of open web pages are unique per connection, and completion is reported to the same \
        client with the same id.",
    "169" [Client] Must: "The client ignores the completion of an unknown or completed page, and treats ids as opaque.",
    "170" [Agent] Must: "The URL of a page has no credentials and no personal data, should use HTTPS, and no token \
        comes back over this connection.",
    "171" [Agent] Must: "The agent verifies that the user who finishes on the page is the user it asked.",
    "172" [Agent] Must: "An unknown action is not treated as a known one.",
    // Extensibility, providers, MCP over ACP, proxies, subagents
    "173" [Both] Must: "Custom data goes in `_meta`, never next to the members of the protocol.",
    "174" [Both] Must: "The name of a custom method starts with `_`.",
    "175" [Both] Must: "A custom request gets a response with its id like any other request.",
    "176" [Both] Should: "Custom features are advertised in the `_meta` of the capabilities.",
    "177" [Both] Should: "In `_meta` the names `traceparent`, `tracestate` and `baggage` are reserved for trace \
        context.",
    "178" [Both] Must: "Neither side relies on the content of `_meta`.",
    "179" [Agent] Must unstable: "An agent with providers advertises `{}`, keeps a required provider enabled (-32602), \
        does not use a disabled one, and shows no configuration for it.",
    "180" [Client] Must unstable: "Providers are configured after `initialize`, preferably before the first session.",
    "181" [Agent] Should unstable: "A provider's configuration is not written to disk.",
    "182" [Client] Must unstable: "An MCP server over this connection has an id that is unique on the connection.",
    "183" [Both] Must unstable: "The response to `mcp/message` has either a result or an error, never both.",
    "184" [Conductor] Must unstable: "A proxy gets `proxy/initialize`; the agent at the end gets `initialize`.",
    "185" [Proxy] Must unstable: "A proxy forwards `initialize` before it responds, and does not change the version.",
    "186" [Proxy] Should unstable: "A proxy forwards unknown messages, including their metadata.",
    "187" [Both] Must unstable: "Cancelling a request to a successor affects this hop only.",
    "188" [Agent] Must unstable: "A child session is announced by `subagent_update` before any other update about it, \
        and only to a client with `subagents`.",
    "189" [Client] Must unstable: "The client acts on a child session only as its `capabilities` allow.",
    // Recommendations of our own, which are not in the specification
    "B1" [Both] Should: "The id of a request is a number, or a string of 1 to 256 bytes.",
    "B2" [Both] Should: "Any other id is a string of 1 to 1024 bytes.",
    "B3" [Both] Should: "An enum has a value that the protocol defines; other readers may drop the message.",
    "B4" [Both] Should: "A title for the user is not empty.",
    "B5" [Both] Should: "An id that selects something is one of those offered, and each of those is unique.",
    "B6" [Both] Should: "A result matches the schema.",
    "B7" [Agent] Should: "The status of a tool call only moves forward, and a final status stays.",
}
