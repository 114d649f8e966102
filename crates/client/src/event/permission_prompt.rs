//! What the user is asked: a request of the agent, something that it does through us, or a program that is about to start.

use std::fmt;
use std::path::PathBuf;

use attache::v1;
use attache_host::exec::other_name;
use attache_host::permissions::{Action, ChangeSinceAllowed};
use attache_text::plain::{visible_start, visible_word};

/// A permission prompt: what the user decides on.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionPrompt {
    /// Names the prompt in [`Command::AnswerPermission`](crate::Command::AnswerPermission).
    pub id: u64,
    /// What would be done. It does not change: a tool call that changes is a new prompt.
    pub action: Action,
    /// Where the request comes from.
    pub subject: PromptSubject,
    /// The answers that are offered, in the order in which they are offered. For a tool call they are the agent's.
    pub options: Vec<v1::PermissionOption>,
    /// How many more options the agent offers, which are not looked at.
    pub omitted_options: usize,
    /// What has changed since the user, or a rule, allowed this in the same turn.
    pub change: Option<ChangeSinceAllowed>,
    /// For each change that is shown, in their order, how it compares with the disk; not of more than 64.
    pub disk: Vec<DiskComparison>,
}

/// Where a permission request comes from. An agent chooses only what is in a tool call. The enum is closed, so that a
/// screen cannot forget to show a subject.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a subject is made once and moved a few times"
)]
pub enum PromptSubject {
    /// The agent asks before it uses a tool: the tool call, with everything that it has said of it so far.
    ToolCall(v1::ToolCall),
    /// The agent does something through us without having asked.
    HostRequest(HostRequest),
    /// A process of the agent is about to start a program.
    Exec(ProgramStart),
}

/// What an agent does through us.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HostRequest {
    /// `fs/read_text_file`
    Read {
        /// The file.
        path: PathBuf,
    },
    /// `fs/write_text_file`
    Write {
        /// The whole new text. The old text is what is on disk, where that can be shown.
        change: v1::Diff,
    },
    /// `terminal/create`
    Run {
        /// The program and its arguments.
        command: Vec<String>,
        /// The directory, where it is not that of the session.
        cwd: Option<PathBuf>,
        /// Variables that the agent sets.
        env: Vec<v1::EnvVariable>,
    },
}

/// A program that is about to start.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramStart {
    /// The program that the kernel would run.
    pub program: PathBuf,
    /// Its name as users and rules know it; see [`command_word`](attache_host::exec::ExecRequest::command_word).
    pub name: String,
    /// What the process calls it (`argv[0]`), which can be anything, and its arguments.
    pub argv: Vec<String>,
    /// The directory of the process.
    pub cwd: PathBuf,
    /// The names of the programs that the processes above it run, the nearest first.
    pub parents: Vec<String>,
    /// Variables that may change what it does and that the agent or command was not started with.
    pub env: Vec<v1::EnvVariable>,
    /// The rule that asks.
    pub rule: String,
}

/// What is on disk where an agent shows a change.
#[derive(Clone, PartialEq, Eq)]
pub enum DiskComparison {
    /// What the agent shows, or a file with that part in it.
    AsShown,
    /// Something else: the text, or no file.
    Different(Option<String>),
    /// It cannot be told, and why.
    Unknown(String),
}

impl fmt::Debug for DiskComparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            DiskComparison::AsShown => "AsShown",
            DiskComparison::Different(_) => "Different",
            DiskComparison::Unknown(_) => "Unknown",
        })
    }
}

impl ProgramStart {
    /// The program and its arguments. What the process calls the program is not among them.
    pub fn command(&self) -> Vec<&str> {
        let args = self.argv.iter().skip(1).map(String::as_str);
        std::iter::once(self.name.as_str()).chain(args).collect()
    }

    /// What the process calls the program, if that is another name.
    pub fn other_name(&self) -> Option<&str> {
        let called = self.argv.first().filter(|called| **called != self.name)?;
        other_name(&self.program, called)
    }
}

impl PermissionPrompt {
    /// The tool call, where the agent asks before it uses a tool.
    pub fn tool_call(&self) -> Option<&v1::ToolCall> {
        match &self.subject {
            PromptSubject::ToolCall(call) => Some(call),
            PromptSubject::HostRequest(_) | PromptSubject::Exec(_) => None,
        }
    }

    /// What would be done, on one line that is safe to show: the command, the files, or the tool with what it is given.
    /// See [`Action::summary`].
    pub fn summary(&self) -> String {
        let mut summary = self.action.summary();
        let is_plain = self.action.command.is_none() && self.action.paths.is_empty();
        let input = self.tool_call().and_then(|call| call.raw_input.as_ref());
        if let Some(input) = input.filter(|_| is_plain) {
            let (shown, more) = visible_start(input.as_str(), MOST_INPUT);
            summary.push(' ');
            summary.push_str(&shown);
            if more > 0 {
                summary.push_str(&format!("… ({more} more characters)"));
            }
        } else {
            let other = self.other_input();
            let names = other.iter().map(|(name, _)| visible_word(name));
            let names: Vec<_> = names.take(MOST_NAMES).collect();
            match other.len().saturating_sub(MOST_NAMES) {
                _ if names.is_empty() => {}
                0 => summary.push_str(&format!(" (also given: {})", names.join(", "))),
                more => summary.push_str(&format!(
                    " (also given: {} and {more} more)",
                    names.join(", ")
                )),
            }
        }
        summary
    }

    /// What a tool is given beside the command, the directory, the files and the changes that are shown: names and
    /// values as JSON. See [`Action::other_input`].
    pub fn other_input(&self) -> Vec<(String, String)> {
        let Some(call) = self.tool_call() else {
            return Vec::new();
        };
        let mut changes: Vec<&str> = Vec::new();
        for change in self.subject.changes() {
            changes.push(&change.new_text);
            changes.extend(change.old_text.as_deref());
        }
        let input = call.raw_input.as_ref();
        input.map_or_else(Vec::new, |input| self.action.other_input(input, &changes))
    }

    /// The changes that are shown, each with what is on disk, as far as that is known.
    pub fn changes(&self) -> impl Iterator<Item = (&v1::Diff, Option<&DiskComparison>)> {
        let known = self.disk.iter().map(Some);
        let known = known.chain(std::iter::repeat(None));
        self.subject.changes().zip(known)
    }

    /// Whether all that an answer can permit to be written is shown. Where it is not, show "content not shown": a yes
    /// then covers one write to each file that is named, whatever is written.
    pub fn content_is_shown(&self) -> bool {
        let writes = matches!(self.action.kind, v1::ToolKind::Edit | v1::ToolKind::Move);
        let has_content = self.subject.changes().next().is_some();
        !writes || has_content || self.action.command.is_some()
    }
}

impl PromptSubject {
    /// The changes that are shown.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &v1::Diff> {
        let content = match self {
            PromptSubject::ToolCall(call) => call.content.as_slice(),
            _ => &[],
        };
        let written = match self {
            PromptSubject::HostRequest(HostRequest::Write { change }) => Some(change),
            _ => None,
        };
        let shown = content.iter().filter_map(|content| match content {
            v1::ToolCallContent::Diff(diff) => Some(diff),
            _ => None,
        });
        shown.chain(written)
    }
}

/// Characters of what a tool is given that stand in a line.
const MOST_INPUT: usize = 500;
/// Names of other members of the input that a summary has.
const MOST_NAMES: usize = 8;
