//! What has happened.

use std::fmt;

use attache::v1;
use attache_host::permissions::{Action, Because};

use crate::command::Opening;
use crate::desk::deeds;

/// What has happened, in the order of the wire.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(
    clippy::large_enum_variant,
    reason = "an event is made once and moved a few times"
)]
pub enum Event {
    /// The agent runs and has told what it can do.
    Ready(Box<v1::InitializeResponse>),
    /// A session is there.
    Opened(Box<Opened>),
    /// A session was left.
    Closed(v1::SessionId),
    /// The agent has deleted a session.
    Deleted(v1::SessionId),
    /// A page of the sessions that the agent knows.
    Listed(v1::ListSessionsResponse),
    /// A turn began with this prompt; it may have waited.
    Began {
        /// Whose turn.
        session: v1::SessionId,
        /// What was said.
        content: Vec<v1::ContentBlock>,
    },
    /// The prompts that wait for their turn have changed.
    Queue {
        /// Whose.
        session: v1::SessionId,
        /// What waits, the next one first.
        waiting: Vec<Vec<v1::ContentBlock>>,
    },
    /// Something was said into the turn that runs.
    Steered {
        /// Whose turn.
        session: v1::SessionId,
        /// What was said.
        content: Vec<v1::ContentBlock>,
    },
    /// The agent tells something of a session.
    Update(Box<v1::SessionNotification>),
    /// A turn has ended, after everything that it brought.
    Ended {
        /// Whose turn.
        session: v1::SessionId,
        /// How, or why not well.
        outcome: Result<v1::PromptResponse, Failure>,
    },
    /// The mode was switched as commanded.
    ModeSet {
        /// Whose mode.
        session: v1::SessionId,
        /// The mode.
        mode: v1::SessionModeId,
    },
    /// An option was set as commanded; these are all options now.
    OptionsSet {
        /// Whose options.
        session: v1::SessionId,
        /// All of them.
        options: Vec<v1::SessionConfigOption>,
    },
    /// The agent asks for permission and a person is to answer.
    Asked(Box<Asked>),
    /// A question needs no answer any more: the turn was cancelled, or the agent took it back.
    Withdrawn(u64),
    /// A question was answered without asking anybody.
    Decided {
        /// The question.
        asked: Box<Asked>,
        /// Whether it may be done.
        is_allowed: bool,
        /// What decided.
        because: Because,
    },
    /// The agent asks for something to be filled in, or for a page to be visited.
    Form {
        /// Names the form in [`Command::Fill`](crate::Command::Fill).
        form: u64,
        /// What it asks.
        request: Box<v1::CreateElicitationRequest>,
    },
    /// A form needs no answer any more.
    FormWithdrawn(u64),
    /// What was to be done at a URL is done.
    FormCompleted(v1::ElicitationId),
    /// A terminal has changed; its state is with the host.
    Terminal(v1::TerminalId),
    /// The agent wants a login before it goes on, in one of these ways.
    WantsLogin(Vec<v1::AuthMethod>),
    /// The login has succeeded.
    LoggedIn(v1::AuthMethodId),
    /// Logged out.
    LoggedOut,
    /// Something of ours does not work as it should: a decision could not be stored, or the audit log not be written.
    Trouble(String),
    /// What was commanded did not succeed.
    Failed(Failure),
    /// The agent wrote something that is no message. The first line is told by itself, then their number once in a while.
    Garbage {
        /// How many lines so far.
        count: u64,
        /// The first of them, safe to show.
        line: String,
    },
    /// The agent has gone.
    Gone {
        /// How it ended, in a sentence.
        how: String,
        /// Its last words on standard error, safe to show.
        stderr: Vec<String>,
    },
}

/// A session that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// Its id.
    pub session: v1::SessionId,
    /// How it was opened.
    pub opening: Opening,
    /// Its modes, if it has any.
    pub modes: Option<v1::SessionModeState>,
    /// Its configuration options.
    pub options: Vec<v1::SessionConfigOption>,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Names the question in [`Command::Answer`](crate::Command::Answer).
    pub question: u64,
    /// What is asked, as it was when it was asked. A tool call that changes afterwards asks anew.
    pub what: Action,
    /// The tool call, with what had been told of it before.
    pub tool_call: v1::ToolCall,
    /// Which answers the agent takes.
    pub options: Vec<v1::PermissionOption>,
    /// For each change that the tool call shows, in their order, how it compares with the disk; not of more than 64.
    pub disk: Vec<OnDisk>,
}

/// What is on disk where an agent shows a change.
#[derive(Clone, PartialEq, Eq)]
pub enum OnDisk {
    /// What the agent shows, or a file with that part in it.
    AsShown,
    /// Something else: the text, or no file.
    Otherwise(Option<String>),
    /// It cannot be told, and why.
    Unknown(String),
}

impl fmt::Debug for OnDisk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            OnDisk::AsShown => "AsShown",
            OnDisk::Otherwise(_) => "Otherwise",
            OnDisk::Unknown(_) => "Unknown",
        })
    }
}

impl Asked {
    /// The changes that the tool call shows, each with what is on disk, as far as that is known.
    pub fn changes(&self) -> impl Iterator<Item = (&v1::Diff, Option<&OnDisk>)> {
        let diffs = self.tool_call.content.iter();
        let diffs = diffs.filter_map(|content| match content {
            v1::ToolCallContent::Diff(diff) => Some(diff),
            _ => None,
        });
        let known = self.disk.iter().map(Some);
        diffs.zip(known.chain(std::iter::repeat(None)))
    }

    /// Whether the agent has not asked but set about it: it reads, writes or runs something through us.
    pub fn is_deed(&self) -> bool {
        self.tool_call.tool_call_id.as_str() == deeds::OWN
    }
}

/// Why something did not succeed, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What was tried, such as `session/load`.
    pub what: String,
    /// Why it did not succeed, and what to do if that is known.
    pub why: String,
    /// What sort of failure, for exit codes.
    pub kind: FailureKind,
}

/// What sort of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The agent answered with an error.
    Refused,
    /// The agent does not offer it.
    NotOffered,
    /// There is no such session.
    NoSession,
    /// The agent wants a login first.
    Login,
    /// The agent has gone.
    Gone,
    /// It took too long.
    Late,
    /// Too much waits already, or something is amiss on our side.
    Here,
}
