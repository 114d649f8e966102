//! Commands that the client runs for the agent.

use super::{EnvVariable, SessionId, TerminalId};
use crate::FilePath;

message! {
    /// Starts a command; the answer does not wait for it.
    pub struct CreateTerminalRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// The program.
        command: String = "command",
        ..
        /// Its arguments.
        args: Vec<String> = "args" nullable,
        /// Environment variables to set.
        env: Vec<EnvVariable> = "env" nullable,
        /// Where it runs, absolute.
        cwd: Option<FilePath> = "cwd",
        /// How many bytes of output are kept; the oldest go first.
        output_byte_limit: Option<u64> = "outputByteLimit",
    }
}

message! {
    /// The command has started.
    pub struct CreateTerminalResponse {
        /// The terminal it runs in.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// Asks for the output so far.
    pub struct TerminalOutputRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// Of which terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// The output so far.
    pub struct TerminalOutputResponse {
        /// The output that is kept.
        output: String = "output",
        /// Whether some of it is gone.
        truncated: bool = "truncated",
        ..
        /// How the command ended; none while it runs.
        exit_status: Option<TerminalExitStatus> = "exitStatus" lenient,
    }
}

message! {
    /// Waits until the command ends.
    pub struct WaitForTerminalExitRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// Of which terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// How the command ended; with neither code nor signal nobody knows.
    pub struct WaitForTerminalExitResponse or null {
        ..
        /// Its exit code.
        exit_code: Option<u32> = "exitCode" lenient,
        /// The signal that ended it.
        signal: Option<String> = "signal" lenient,
    }
}

message! {
    /// How a command ended; with neither code nor signal nobody knows.
    pub struct TerminalExitStatus {
        ..
        /// Its exit code.
        exit_code: Option<u32> = "exitCode" lenient,
        /// The signal that ended it.
        signal: Option<String> = "signal" lenient,
    }
}

message! {
    /// Ends the command; the terminal stays.
    pub struct KillTerminalRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// Of which terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// The command is ended.
    pub struct KillTerminalResponse or null {}
}

message! {
    /// Ends the command if it runs, and gives the terminal up.
    pub struct ReleaseTerminalRequest {
        /// For which session.
        session_id: SessionId = "sessionId",
        /// Which terminal.
        terminal_id: TerminalId = "terminalId",
    }
}

message! {
    /// The terminal is given up.
    pub struct ReleaseTerminalResponse or null {}
}
