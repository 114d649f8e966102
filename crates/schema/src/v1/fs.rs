//! Files of the client's machine, unsaved changes included.

use super::SessionId;
use crate::FilePath;

message! {
    /// Reads a text file.
    pub struct ReadTextFileRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// The file, absolute.
        path: FilePath = "path",
        ..
        /// The first line to read, counted from 1.
        line: Option<u32> = "line",
        /// How many lines to read.
        limit: Option<u32> = "limit",
    }
}

message! {
    /// The file's text.
    pub struct ReadTextFileResponse {
        /// The text.
        content: String = "content",
    }
}

message! {
    /// Writes a text file, which is made if it is not there.
    pub struct WriteTextFileRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// The file, absolute.
        path: FilePath = "path",
        /// Its whole new text.
        content: String = "content",
    }
}

message! {
    /// The file is written.
    pub struct WriteTextFileResponse or null {}
}
