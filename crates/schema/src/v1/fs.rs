//! Text files of the client's machine, including unsaved changes in the editor.

use super::SessionId;
use crate::FilePath;

message! {
    /// Parameters of `fs/read_text_file`. The text includes unsaved changes in the editor. The agent MUST NOT call it
    /// unless the client advertises `fs.readTextFile`.
    ///
    /// See [File system](https://agentclientprotocol.com/protocol/v1/file-system).
    pub struct ReadTextFileRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// Absolute path of the file.
        path: FilePath = "path",
        ..
        /// First line to read; the first line of the file is 1. Default: 1.
        line: Option<u32> = "line",
        /// Maximum number of lines to read. Default: all.
        limit: Option<u32> = "limit",
    }
}

message! {
    /// Response to `fs/read_text_file`.
    ///
    /// See [File system](https://agentclientprotocol.com/protocol/v1/file-system).
    pub struct ReadTextFileResponse {
        /// The text of the requested lines.
        content: String = "content",
    }
}

message! {
    /// Parameters of `fs/write_text_file`. The client MUST create the file if it does not exist. The agent MUST NOT
    /// call it unless the client advertises `fs.writeTextFile`.
    ///
    /// See [File system](https://agentclientprotocol.com/protocol/v1/file-system).
    pub struct WriteTextFileRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// Absolute path of the file.
        path: FilePath = "path",
        /// The whole new text of the file.
        content: String = "content",
    }
}

message! {
    /// Response to `fs/write_text_file`: the file has been written.
    ///
    /// See [File system](https://agentclientprotocol.com/protocol/v1/file-system).
    pub struct WriteTextFileResponse or null {}
}
