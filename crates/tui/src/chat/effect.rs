//! What goes into the state machine, and what it wants done.

use std::path::PathBuf;

use attache::v1;
use attache_client::command::Command;
use attache_client::conversation::LoginCommand;
use attache_client::event::Event;
use crossterm::event::KeyEvent;

use super::mentions::PromptDraft;

/// Something that happened.
#[derive(Debug)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The wheel was turned at a column and row, by so many lines, down if positive.
    Wheel(u16, u16, i32),
    /// The mouse was pressed at a column and row.
    Click(u16, u16),
    /// The screen has so many columns and rows.
    Resize(u16, u16),
    /// Something happened between us and the agent.
    Event(Box<Event>),
    /// Whether the agent takes what is said into a turn.
    Steering(Steering),
    /// The files that can be mentioned.
    FilesFound(Vec<String>),
    /// The files of a prompt are read, or one could not be.
    AttachmentsLoaded {
        /// In which tab it was written.
        tab: u64,
        /// How it is to be said.
        mode: SendMode,
        /// What was written.
        prompt: Box<PromptDraft>,
        /// What to send.
        content: Result<Vec<v1::ContentBlock>, String>,
    },
    /// A file was written, or why not.
    Saved(Result<PathBuf, SaveError>),
    /// What a login in the terminal would run.
    LoginDescribed(Box<LoginCommand>),
    /// A login in the terminal is over.
    LoginEnded(Result<(), String>),
    /// Time has passed.
    Tick,
}

/// Something to be done by whoever drives the state machine.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// To be submitted to the conversation.
    Submit(Command),
    /// To be put on the clipboard.
    Copy(String),
    /// The transcript of the tab that is looked at, to be written to a new file.
    Export {
        /// Where.
        path: PathBuf,
        /// How.
        format: ExportFormat,
        /// What becomes of a file that is there.
        existing: ExistingFile,
    },
    /// Find the files that can be mentioned in these directories.
    FindFiles(Vec<PathBuf>),
    /// Read the files of a prompt.
    LoadAttachments {
        /// In which tab it was written.
        tab: u64,
        /// How it is to be said.
        mode: SendMode,
        /// What was written.
        prompt: Box<PromptDraft>,
    },
    /// Say what a login on the user's terminal would run.
    DescribeLogin(v1::AuthMethodId),
    /// Run a login on the user's terminal, as it was shown.
    RunLogin(LoginCommand),
    /// Take the mouse, or leave it to the terminal.
    Mouse(MouseCapture),
    /// Draw everything anew.
    Redraw,
    /// Leave.
    Quit,
}

/// How a prompt is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendMode {
    /// As a turn, which waits while another runs.
    Prompt,
    /// Into the turn that runs.
    Steer,
}

/// Whether the agent takes what is said into a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steering {
    /// It does.
    Supported,
    /// It does not.
    Unsupported,
}

/// Why a file was not written.
#[derive(Debug)]
pub enum SaveError {
    /// There is one already.
    Exists(PathBuf),
    /// It cannot be written, and why.
    Failed(String),
}

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// It stays, and the person is asked.
    Keep,
    /// The person has agreed to lose it.
    Overwrite,
}

/// How a transcript is written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// For people.
    Markdown,
    /// For programs.
    Json,
}

/// Who has the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseCapture {
    /// We do: the wheel scrolls.
    On,
    /// The terminal: it selects text.
    Off,
}
