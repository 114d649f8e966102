//! Terminals: commands that the client runs for the agent. The agent MUST NOT use them unless the client advertises
//! `terminal`.

use super::{EnvVariable, SessionId, TerminalId};
use crate::FilePath;

message! {
    /// Parameters of `terminal/create`, which starts a command. The client responds at once, without waiting for the
    /// command. The agent MUST release the terminal when it no longer needs it.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct CreateTerminalRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// The program to run.
        command: String = "command",
        ..
        /// Arguments of the program. Default: none.
        args: Vec<String> = "args" nullable,
        /// Environment variables to set. Default: none.
        env: Vec<EnvVariable> = "env" nullable,
        /// Working directory of the command. MUST be absolute. Default: chosen by the client.
        cwd: Option<FilePath> = "cwd",
        /// Maximum number of bytes of output to keep. The client drops the oldest output first, and MUST cut at a
        /// character boundary. Default: no limit.
        output_byte_limit: Option<u64> = "outputByteLimit",
    }
}

message! {
    /// Response to `terminal/create`.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct CreateTerminalResponse {
        /// Id of the terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// Parameters of `terminal/output`, which returns the output so far without waiting.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct TerminalOutputRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// The terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// Response to `terminal/output`.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct TerminalOutputResponse {
        /// The output that has been kept.
        output: String = "output",
        /// Whether older output was dropped.
        truncated: bool = "truncated",
        ..
        /// Exit status of the command. Absent while it runs.
        exit_status: Option<TerminalExitStatus> = "exitStatus" lenient,
    }
}

message! {
    /// Parameters of `terminal/wait_for_exit`. The client responds when the command has ended.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct WaitForTerminalExitRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// The terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// Response to `terminal/wait_for_exit`: how the command ended. If the exit code and the signal are both absent,
    /// the status is unknown, which is not success.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct WaitForTerminalExitResponse or null {
        ..
        /// Exit code. Absent if a signal ended the command.
        exit_code: Option<u32> = "exitCode" lenient,
        /// Name of the signal that ended the command. Absent if it exited by itself.
        signal: Option<String> = "signal" lenient,
    }
}

message! {
    /// How a command ended. If the exit code and the signal are both absent, the status is unknown, which is not
    /// success.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct TerminalExitStatus {
        ..
        /// Exit code. Absent if a signal ended the command.
        exit_code: Option<u32> = "exitCode" lenient,
        /// Name of the signal that ended the command. Absent if it exited by itself.
        signal: Option<String> = "signal" lenient,
    }
}

message! {
    /// Parameters of `terminal/kill`, which ends the command. The terminal stays valid, and the agent MUST still
    /// release it.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct KillTerminalRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// The terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// Response to `terminal/kill`.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct KillTerminalResponse or null {}
}

message! {
    /// Parameters of `terminal/release`, which ends the command if it still runs and frees the terminal. The id is
    /// invalid after that.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct ReleaseTerminalRequest {
        /// The session that the request belongs to.
        session_id: SessionId = "sessionId",
        /// The terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// Response to `terminal/release`.
    ///
    /// See [Terminals](https://agentclientprotocol.com/protocol/v1/terminals).
    pub struct ReleaseTerminalResponse or null {}
}
