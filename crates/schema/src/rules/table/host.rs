//! 3.8 File system and terminals.

rows! {
    "131" [Agent] Must: "A file method is called only if the client has it in `fs`.",
    "132" [Client] Observed: "Reading a file sees what the person has not saved yet.",
    "133" [Client] Must: "Writing a file that is not there makes it.",
    "134" [Agent] Must: "Terminals are used only if the client has `terminal`.",
    "135" [Client] Observed: "`terminal/create` is answered without waiting for the command.",
    "136" [Client] Must: "Output over `outputByteLimit` loses its beginning, up to a whole character.",
    "137" [Agent] Must: "Each terminal is released in the end.",
    "138" [Client] Observed: "A killed terminal can still be asked; a released one is stopped and its id is void.",
    "139" [Agent] Must: "A killed terminal is released like any other.",
    "140" [Client] Should: "A terminal shown in a tool call stays readable after its release.",
    "141" [Agent] Observed: "A terminal is put into a tool call before it is released.",
    "142" [Client] Observed: "`exitStatus` is there only when the command has ended.",
}
