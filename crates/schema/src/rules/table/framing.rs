//! 3.1 Framing and JSON-RPC.

rows! {
    "1" [Transport] Must: "Every message is JSON-RPC, written in UTF-8.",
    "2" [Transport] Must: "On stdio a message is one line: it ends with a line feed and has none inside.",
    "3" [Agent Transport] Must: "Nothing goes to the agent's stdout that is not a message.",
    "4" [Client Transport] Must: "Nothing goes to the agent's stdin that is not a message.",
    "5" [Agent] May: "An agent can write UTF-8 logs to stderr, which the client keeps, shows or drops as it likes.",
    "6" [Both] Should: "Stdio is supported wherever the platform has it.",
    "7" [Both] Must: "Another transport leaves the message format and the lifecycle as they are.",
    "8" [Both] Should: "Another transport comes with a description of how to connect and to exchange messages.",
    "9" [Client] Observed: "A client ends an agent by closing its stdin, and ends the process if that was not enough.",
    "10" [Both] Must: "An answer has `result` when it went well, and `error` with code and message when it did not.",
    "11" [Both] Must: "A notification gets no answer, whatever happens.",
    "12" [Both] Observed: "Members are named in camelCase and tag values in snake_case, save where the schema differs.",
    "13" [Both] Must: "A file path is absolute wherever it stands.",
    "14" [Both] Must: "The first line of a file is line 1.",
    "14a" [Agent] Observed: "A request before `initialize` fails with -32600. A second `initialize` is answered \
        with the same version, or refused with -32600.",
    "15" [Both] Observed: "A request for a method that nobody knows fails with -32601.",
    "16" [Both] Should: "A notification that nobody knows is dropped, and the connection goes on.",
    "17" [Both] Observed: "Text that is not JSON is answered with -32700 under the id `null`, and the connection \
        goes on.",
    "18" [Both] Observed: "A batch is answered with one -32600 under the id `null`, and none of it is carried out.",
    "19" [Both] Observed: "Parameters that do not fit the schema fail with -32602.",
    "20" [Both] Observed: "A notification that does not fit the schema is dropped in silence.",
    "21" [Both] Observed: "Each side numbers its own requests, and an answer repeats the id to the byte.",
    "22" [Both] Observed: "A success has the member `result` even when there is nothing to say.",
    "23" [Both] Observed: "An answer that nobody waits for is dropped, and the connection goes on.",
}
