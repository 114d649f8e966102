//! Tool calls, as the agent reports them to the client.

use attache_rpc::json::Raw;

use super::ContentBlock;
use crate::FilePath;

ids! {
    /// Id of a tool call, chosen by the agent and unique within its session.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls).
    ToolCallId = "call"
    /// Id of a terminal, chosen by the client.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    TerminalId = "terminal"
}

message! {
    /// A new tool call. The agent SHOULD report it as soon as the model asks for it.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#creating).
    pub struct ToolCall {
        /// Id of the tool call.
        tool_call_id: ToolCallId = "toolCallId",
        /// Title for the user: what the tool does.
        title: String = "title",
        ..
        /// Name of the tool for programs, which SHOULD NOT change later. Default: not reported.
        name: Option<String> = "name" lenient,
        /// Category of the tool, for icons. Default: [`Other`](ToolKind::Other).
        kind: ToolKind = "kind" lenient,
        /// Progress of the call. Default: [`Pending`](ToolCallStatus::Pending).
        status: ToolCallStatus = "status" lenient,
        /// Content that the call has produced. Items that cannot be read are skipped. Default: none.
        content: Vec<ToolCallContent> = "content" items,
        /// Files that the call reads or changes, so that the client can follow the agent. Items that cannot be read are
        /// skipped. Default: none.
        locations: Vec<ToolCallLocation> = "locations" items,
        /// Input of the tool, as the model gave it.
        raw_input: Option<Raw> = "rawInput" lenient,
        /// Output of the tool, as the tool returned it.
        raw_output: Option<Raw> = "rawOutput" lenient,
    }
}

impl ToolCall {
    /// A change of this tool call, as yet without new values.
    pub fn change(&self) -> ToolCallUpdate {
        ToolCallUpdate::new(self.tool_call_id.clone())
    }
}

message! {
    /// A change to a tool call. An omitted or `null` member is unchanged.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#updating).
    pub struct ToolCallUpdate {
        /// Id of the tool call.
        tool_call_id: ToolCallId = "toolCallId",
        ..
        /// New title.
        title: Option<String> = "title" lenient,
        /// Name of the tool for programs.
        name: Option<String> = "name" lenient,
        /// New category.
        kind: Option<ToolKind> = "kind" lenient,
        /// New status.
        status: Option<ToolCallStatus> = "status" lenient,
        /// All content that the call has produced. It replaces the previous content.
        content: Option<Vec<ToolCallContent>> = "content" optional_items,
        /// All files that the call reads or changes. They replace the previous ones.
        locations: Option<Vec<ToolCallLocation>> = "locations" optional_items,
        /// Input of the tool, as the model gave it.
        raw_input: Option<Raw> = "rawInput" lenient,
        /// Output of the tool, as the tool returned it.
        raw_output: Option<Raw> = "rawOutput" lenient,
    }
}

open_enum! {
    /// Category of a tool, by which the client chooses an icon.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls).
    pub enum ToolKind or Unknown {
        /// Reads files or data.
        Read = "read",
        /// Changes files or content.
        Edit = "edit",
        /// Removes files or data.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches for information.
        Search = "search",
        /// Runs commands or code.
        Execute = "execute",
        /// Reasons or plans.
        Think = "think",
        /// Gets data from elsewhere.
        Fetch = "fetch",
        /// Changes the session's mode.
        SwitchMode = "switch_mode",
        /// Anything else. The default.
        Other = "other",
    }
    default Other
}

open_enum! {
    /// Progress of a tool call.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#status).
    pub enum ToolCallStatus {
        /// Not running yet: the input is still arriving, or permission is pending. The default.
        Pending = "pending",
        /// Running.
        InProgress = "in_progress",
        /// Finished successfully.
        Completed = "completed",
        /// Finished with an error.
        Failed = "failed",
    }
    default Pending
}

union! {
    /// An item of content that a tool call produced.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#content).
    pub enum ToolCallContent by "type" {
        /// A content block.
        Content(Content) = "content",
        /// A change to a file.
        Diff(Diff) = "diff",
        /// A terminal, whose output the client shows live.
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
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#content).
    pub struct Content {
        /// The block.
        content: ContentBlock = "content",
    }
}

message! {
    /// A change to a file, as its full text before and after.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#content).
    pub struct Diff {
        /// Absolute path of the file.
        path: FilePath = "path",
        /// Text after the change.
        new_text: String = "newText",
        ..
        /// Text before the change. Absent for a new file.
        old_text: Option<String> = "oldText" lenient,
    }
}

message! {
    /// A terminal that the agent created with `terminal/create`. The agent has to send it before it releases the
    /// terminal, and the client SHOULD keep showing the output after that.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#content).
    pub struct Terminal {
        /// Id of the terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// A file that a tool call reads or changes.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#following-the-agent).
    pub struct ToolCallLocation {
        /// Absolute path of the file.
        path: FilePath = "path",
        ..
        /// Line in the file; the first is 1.
        line: Option<u32> = "line" lenient,
    }
}
