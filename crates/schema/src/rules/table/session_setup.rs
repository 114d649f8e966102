//! 3.4 Session setup.

rows! {
    "52" [Agent] Must: "Each new session gets an id that no other session has.",
    "53" [Client] Must: "`session/load` is called only if the agent has `loadSession`.",
    "54" [Client] Must: "`session/load` names the session, the working directory and the MCP servers.",
    "55" [Agent] Must: "Loading sends the whole conversation again, as updates.",
    "56" [Agent] Must: "The answer to `session/load` comes after the last of these updates.",
    "57" [Agent] Should: "Loading does not send old notices again.",
    "58" [Client] Must: "`session/resume` is called only if the agent has `sessionCapabilities.resume`.",
    "59" [Agent] Must: "Resuming sends nothing of the conversation before its answer.",
    "60" [Client] Must: "`session/close` is called only if the agent has `sessionCapabilities.close`.",
    "61" [Agent] Must: "Closing stops the work in the session as a cancel would, then frees what it holds.",
    "62" [Agent] May: "Closing a session that is unknown or not active can fail.",
    "63" [Client] Must: "`additionalDirectories` is sent only if the agent has it among its session capabilities.",
    "64" [Client] Must: "Additional directories are absolute paths.",
    "65" [Client] Must: "Loading and resuming name all additional directories again; none named means none.",
    "66" [Agent] Must: "The agent takes no additional directory from an earlier run of the session by itself.",
    "67" [Agent] Must: "A root that is empty, invalid or not allowed fails the request; it is not left out in silence.",
    "68" [Both] Must: "`cwd` is an absolute path, one of the roots, and the base of relative paths wherever the agent \
        was started.",
    "69" [Both] Should: "File tools stay within `cwd` and the additional directories.",
    "70" [Both] Must: "A link does not lead out of the roots, and what cannot be decided is refused.",
    "71" [Client] Must: "A client through which files are reached keeps the agent within the roots.",
    "72" [Agent] Must: "Every agent connects to MCP servers over stdio.",
    "73" [Agent] Should: "A new agent connects to MCP servers over HTTP too.",
    "74" [Client] Must: "MCP servers over HTTP or SSE are sent only if the agent has `mcpCapabilities` for them.",
    "75" [Agent] Should: "The agent connects to each MCP server it was given.",
    "76" [Client] Must unstable: "A system prompt is sent only if the agent takes one: text, at least some, and \
        `override` only if that is offered.",
    "77" [Agent] Must unstable: "A system prompt that the agent cannot use fails the request, and no session comes \
        of it.",
}
