//! 3.5 Session list, delete, archive, title, status, fork.

rows! {
    "78" [Client] Must: "`session/list` is called only if the agent has `sessionCapabilities.list`.",
    "79" [Agent] Must: "The answer to `session/list` has a list, which is empty if nothing was found.",
    "80" [Client] Must: "A page without `nextCursor` is the last one.",
    "81" [Client] Must: "A cursor is not read, changed or stored.",
    "82" [Agent] Should: "A cursor that makes no sense fails the request, and pages are of moderate size.",
    "83" [Client] Must: "The additional directories in a list replace what the client knew of them.",
    "84" [Agent] Observed: "`session_info_update` has what changed and nothing else; `null` takes a value away.",
    "85" [Client] Must: "`session/delete` is called only if the agent has `sessionCapabilities.delete`.",
    "86" [Agent] Observed: "A deleted session is in no later list.",
    "87" [Agent] Should: "Deleting a session that is not there goes well.",
    "88" [Agent] Must unstable: "An agent with an archive also lists, says of every session whether it is archived, \
        closes one before archiving it, fails with -32002 for one it does not know, and may be asked twice.",
    "89" [Agent] Must unstable: "An `archived` filter that the agent does not have fails with -32602.",
    "90" [Agent] Must unstable: "`session/status` changes nothing, and fails with -32002 and the session's id for one \
        it does not know.",
    "91" [Client] Must unstable: "A session status that is not known counts as `saved`, and a session of another \
        connection is loaded or resumed before it is prompted.",
    "92" [Agent] Observed unstable: "`session/set_title` is answered once the title is stored, fails with -32602 if \
        it is empty, and no title of the agent's own replaces it later.",
    "93" [Client] Should unstable: "The client shows the title of the answer, not that of the request.",
    "94" [Agent] Must unstable: "A fork takes over no roots by itself, unless they were set on this connection.",
}
