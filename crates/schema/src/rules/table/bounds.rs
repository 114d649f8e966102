//! Bounds of our own: what no rule of the protocol says, and what a peer does well to keep.

rows! {
    "B1" [Both] Should: "The id of a request is a number, or a string of 1 to 256 bytes.",
    "B2" [Both] Should: "Any other id is a string of 1 to 1024 bytes.",
    "B3" [Both] Should: "A value of a closed set is one that the protocol defines; other readers may drop the message.",
    "B4" [Both] Should: "A title that a person is to read is not empty.",
    "B5" [Both] Should: "What is chosen by an id is one of those offered, and no two of them have the same id.",
    "B6" [Both] Should: "A result has the shape that the schema gives it.",
    "B7" [Agent] Should: "The status of a tool call goes forward, and a final one stays.",
}
