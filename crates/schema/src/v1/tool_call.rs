//! Tool calls: what the agent does, as the client is told of it.

use attache_rpc::json::Raw;

use super::ContentBlock;
use crate::FilePath;

ids! {
    /// Names a tool call within its session.
    ToolCallId
    /// Names a terminal within its session.
    TerminalId
}

message! {
    /// A tool call as first reported.
    pub struct ToolCall {
        /// Names the call within its session.
        tool_call_id: ToolCallId = "toolCallId",
        /// What the call does, in words for people.
        title: String = "title",
        ..
        /// The tool's name in the program.
        name: Option<String> = "name" lenient,
        /// What sort of tool it is.
        kind: ToolKind = "kind" lenient,
        /// How far the call has come.
        status: ToolCallStatus = "status" lenient,
        /// What it produced.
        content: Vec<ToolCallContent> = "content" items,
        /// The files it touches.
        locations: Vec<ToolCallLocation> = "locations" items,
        /// What the model gave the tool.
        raw_input: Option<Raw> = "rawInput" lenient,
        /// What the tool gave back.
        raw_output: Option<Raw> = "rawOutput" lenient,
    }
}

message! {
    /// A change to a tool call: only what changed is there, and lists replace what was there before.
    pub struct ToolCallUpdate {
        /// Names the call within its session.
        tool_call_id: ToolCallId = "toolCallId",
        ..
        /// A new title.
        title: Option<String> = "title" lenient,
        /// The tool's name in the program.
        name: Option<String> = "name" lenient,
        /// Another sort of tool.
        kind: Option<ToolKind> = "kind" lenient,
        /// How far the call has come.
        status: Option<ToolCallStatus> = "status" lenient,
        /// All that it has produced so far.
        content: Option<Vec<ToolCallContent>> = "content" optional_items,
        /// All the files it touches.
        locations: Option<Vec<ToolCallLocation>> = "locations" optional_items,
        /// What the model gave the tool.
        raw_input: Option<Raw> = "rawInput" lenient,
        /// What the tool gave back.
        raw_output: Option<Raw> = "rawOutput" lenient,
    }
}

open_enum! {
    /// What sort of tool is called; clients choose an icon by it.
    pub enum ToolKind or Unknown {
        /// Reads files or data.
        Read = "read",
        /// Changes files.
        Edit = "edit",
        /// Removes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches.
        Search = "search",
        /// Runs a command or code.
        Execute = "execute",
        /// Thinks or plans.
        Think = "think",
        /// Fetches from elsewhere.
        Fetch = "fetch",
        /// Changes the session's mode.
        SwitchMode = "switch_mode",
        /// Anything else.
        Other = "other",
    }
    default Other
}

open_enum! {
    /// How far a tool call has come.
    pub enum ToolCallStatus {
        /// Not started: the input is still coming, or permission is awaited.
        Pending = "pending",
        /// Running.
        InProgress = "in_progress",
        /// Ended well.
        Completed = "completed",
        /// Ended badly.
        Failed = "failed",
    }
    default Pending
}

union! {
    /// Something a tool call produced.
    pub enum ToolCallContent by "type" {
        /// A content block.
        Content(Content) = "content",
        /// A change to a file.
        Diff(Diff) = "diff",
        /// A terminal, shown live.
        Terminal(Terminal) = "terminal",
    }
}

impl From<ContentBlock> for ToolCallContent {
    fn from(block: ContentBlock) -> Self {
        Content::new(block).into()
    }
}

message! {
    /// A content block that a tool call produced.
    pub struct Content {
        /// The block.
        content: ContentBlock = "content",
    }
}

message! {
    /// A change to a file, as its text before and after.
    pub struct Diff {
        /// The file.
        path: FilePath = "path",
        /// Its text after the change.
        new_text: String = "newText",
        ..
        /// Its text before; none for a new file.
        old_text: Option<String> = "oldText" lenient,
    }
}

message! {
    /// A terminal of the session, by its id.
    pub struct Terminal {
        /// The terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// A file that a tool call touches.
    pub struct ToolCallLocation {
        /// The file.
        path: FilePath = "path",
        ..
        /// A line in it, counted from 1.
        line: Option<u32> = "line" lenient,
    }
}
