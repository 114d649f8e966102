//! The inputs of the UI state machine, and the effects it asks for.

use std::path::PathBuf;

use attache::v1;
use attache_client::command::Command;
use attache_client::conversation::LoginCommand;
use attache_client::event::Event;
use crossterm::event::KeyEvent;

use super::mentions::PromptDraft;

/// An input to the state machine.
#[derive(Debug)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The mouse wheel was turned at a column and row, by this many lines; positive is down.
    Wheel(u16, u16, i32),
    /// The left mouse button was pressed at a column and row.
    Click(u16, u16),
    /// The terminal now has this many columns and rows.
    Resize(u16, u16),
    /// The conversation reported an event.
    Event(Box<Event>),
    /// Whether the agent can be steered during a turn.
    Steering(Steering),
    /// The files that a prompt can mention.
    FilesFound(Vec<String>),
    /// The files of a prompt were read, or one could not be read.
    AttachmentsLoaded {
        /// The tab of the prompt.
        tab: u64,
        /// How to send the prompt.
        mode: SendMode,
        /// The prompt before its files were read.
        prompt: Box<PromptDraft>,
        /// The content to send, or why a file could not be read.
        content: Result<Vec<v1::ContentBlock>, String>,
    },
    /// An export was written, or failed.
    Saved(Result<PathBuf, SaveError>),
    /// The command that a login in the terminal would run.
    LoginDescribed(Box<LoginCommand>),
    /// A login in the terminal has ended.
    LoginEnded(Result<(), String>),
    /// Time has passed.
    Tick,
}

/// An effect for the event loop to perform.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Submit a command to the conversation.
    Submit(Command),
    /// Copy a text to the clipboard.
    Copy(String),
    /// Write the transcript of the active tab to a file.
    Export {
        /// The file to write.
        path: PathBuf,
        /// The format to write.
        format: ExportFormat,
        /// What to do if the file exists.
        existing: ExistingFile,
    },
    /// Find the files in these directories that a prompt can mention.
    FindFiles(Vec<PathBuf>),
    /// Read the files of a prompt.
    LoadAttachments {
        /// The tab of the prompt.
        tab: u64,
        /// How to send the prompt.
        mode: SendMode,
        /// The prompt before its files were read.
        prompt: Box<PromptDraft>,
    },
    /// Find out which command a login in the terminal would run.
    DescribeLogin(v1::AuthMethodId),
    /// Run a login in the terminal, exactly the command that was shown.
    RunLogin(LoginCommand),
    /// Capture the mouse, or leave it to the terminal.
    Mouse(MouseCapture),
    /// Redraw the whole screen.
    Redraw,
    /// Quit.
    Quit,
}

/// How to send a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendMode {
    /// As a new turn, queued while another turn is running.
    Prompt,
    /// Into the running turn.
    Steer,
}

/// Whether the agent can be steered during a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steering {
    /// The agent accepts prompts during a turn.
    Supported,
    /// The agent accepts prompts only between turns.
    Unsupported,
}

/// Why a file was not written.
#[derive(Debug)]
pub enum SaveError {
    /// The file already exists.
    Exists(PathBuf),
    /// The file can't be written, and why.
    Failed(String),
}

/// What to do if the file already exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// Keep the file and ask the user.
    Keep,
    /// Overwrite the file; the user has agreed.
    Overwrite,
}

/// The format of an exported transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Markdown, for people.
    Markdown,
    /// JSON, for programs.
    Json,
}

/// Who handles the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseCapture {
    /// The UI: the wheel scrolls.
    On,
    /// The terminal: the mouse selects text.
    Off,
}
