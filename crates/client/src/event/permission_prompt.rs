//! Permission prompts: for a tool call, for a request that the client would carry out, or for a program that is about to
//! start.

use std::path::PathBuf;

use attache::json::Raw;
use attache::v1;
use attache_host::exec::other_name;
use attache_host::permissions::{Action, ChangeSinceAllowed, ComparedChange, DiskComparison};
use attache_text::plain::{visible_start, visible_word};
use attache_text::secret::mask;

/// A permission prompt for the user.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionPrompt {
    /// The prompt's id, for [`Command::AnswerPermission`](crate::Command::AnswerPermission).
    pub id: u64,
    /// The action to decide on. It never changes: a changed tool call gets a new prompt.
    pub action: Action,
    /// Where the request comes from.
    pub subject: PromptSubject,
    /// All options, in order. For a tool call, the agent chooses them. Only the first
    /// [`MAX_OPTIONS`](attache_host::permissions::MAX_OPTIONS) can be chosen.
    pub options: Vec<v1::PermissionOption>,
    /// What has changed since the same action was allowed in this turn.
    pub change: Option<ChangeSinceAllowed>,
    /// The changes of a tool call, compared with the files on disk.
    pub changes: Vec<ComparedChange>,
}

/// Where a permission request comes from. Only the content of a tool call is chosen by the agent. The enum is exhaustive,
/// so that a screen cannot forget to show a subject.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a subject is made once and moved a few times"
)]
pub enum PromptSubject {
    /// The agent asks before it uses a tool: the tool call, as reported so far.
    ToolCall(v1::ToolCall),
    /// The agent sent a request that the client would carry out, without asking for permission first.
    HostRequest(HostRequest),
    /// A process of the agent is about to start a program.
    Exec(ProgramStart),
}

/// A request of the agent that the client carries out.
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
        /// The change of the whole file.
        change: ComparedChange,
    },
    /// `terminal/create`
    Run {
        /// The program and its arguments.
        command: Vec<String>,
        /// The directory, if it is not the session's.
        cwd: Option<PathBuf>,
        /// Environment variables that the agent sets.
        env: Vec<v1::EnvVariable>,
    },
}

/// A program that is about to start.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramStart {
    /// The program that the kernel would execute.
    pub program: PathBuf,
    /// The program's name as users and rules know it; see
    /// [`command_word`](attache_host::exec::ExecRequest::command_word).
    pub name: String,
    /// What the process calls the program (`argv[0]`), which can be anything, and the program's arguments.
    pub argv: Vec<String>,
    /// The working directory of the process.
    pub cwd: PathBuf,
    /// The names of the programs that the parent processes run, the nearest first.
    pub parents: Vec<String>,
    /// Environment variables that may change what the program does and that were set after the agent or command started.
    pub env: Vec<v1::EnvVariable>,
    /// The rule that requires the prompt.
    pub rule: String,
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
    /// The tool call, if the agent asks before it uses a tool.
    pub fn tool_call(&self) -> Option<&v1::ToolCall> {
        match &self.subject {
            PromptSubject::ToolCall(call) => Some(call),
            PromptSubject::HostRequest(_) | PromptSubject::Exec(_) => None,
        }
    }

    /// The action on one line that is safe to show: the command, the files, or the tool with the beginning of its input.
    /// See [`Action::summary`].
    pub fn summary(&self) -> String {
        let mut summary = self.action.summary();
        if let Some(input) = self.whole_input() {
            push_cut(&mut summary, " ", input.as_str(), MOST_INPUT);
            return summary;
        }
        let other = self.other_input();
        let names = other.iter().map(|(name, _)| match name.as_str() {
            "" => "a text".into(),
            name => visible_word(name),
        });
        let names: Vec<_> = names.take(MOST_NAMES).collect();
        match other.len().saturating_sub(MOST_NAMES) {
            _ if names.is_empty() => {}
            0 => summary.push_str(&format!(" (also given: {})", names.join(", "))),
            more => summary.push_str(&format!(
                " (also given: {} and {more} more)",
                names.join(", ")
            )),
        }
        summary
    }

    /// Like [`summary`](PermissionPrompt::summary), with all files and all of the input, as far as a dialog would show
    /// them. What looks like a secret is masked.
    pub fn long_summary(&self) -> String {
        let mut summary = self.action.long_summary();
        if let Some(input) = self.whole_input() {
            push_cut(&mut summary, " ", &mask(input.as_str()), MOST_OF_ALL);
            return summary;
        }
        let mut other = String::new();
        for (name, value) in self.other_input() {
            let start = match (other.is_empty(), name.as_str()) {
                (true, "") => String::new(),
                (false, "") => ", ".to_owned(),
                (true, name) => format!("{} = ", visible_word(name)),
                (false, name) => format!(", {} = ", visible_word(name)),
            };
            push_cut(&mut other, &start, &mask(&value), MOST_OF_ALL);
        }
        if !other.is_empty() {
            summary.push_str(&format!(" (also given: {other})"));
        }
        summary
    }

    /// The input of a tool that names neither a command nor a file.
    fn whole_input(&self) -> Option<&Raw> {
        let is_plain = self.action.command.is_none() && self.action.paths.is_empty();
        let call = self.tool_call().filter(|_| is_plain);
        call.and_then(|call| call.raw_input.as_ref())
    }

    /// The tool's input other than the command, directory, files and changes that the prompt shows: names, and values as
    /// JSON. See [`Action::other_input`].
    pub fn other_input(&self) -> Vec<(String, String)> {
        let Some(call) = self.tool_call() else {
            return Vec::new();
        };
        let mut changes: Vec<&str> = Vec::new();
        for change in self.subject.sent_changes() {
            changes.push(&change.new_text);
            changes.extend(change.old_text.as_deref());
        }
        let input = call.raw_input.as_ref();
        input.map_or_else(Vec::new, |input| self.action.other_input(input, &changes))
    }

    /// The changes that the prompt shows. Those of a tool call are changes of the whole file where its diffs apply.
    pub fn changes(&self) -> impl Iterator<Item = (&v1::Diff, &DiskComparison)> {
        let compared = self.changes.iter();
        let compared = compared.map(|change| (&change.diff, &change.disk));
        let written = match &self.subject {
            PromptSubject::HostRequest(HostRequest::Write { change }) => Some(change),
            _ => None,
        };
        compared.chain(written.map(|change| (&change.diff, &change.disk)))
    }

    /// Whether the prompt shows everything that an answer can permit to be written. Otherwise show "content not shown":
    /// "yes" then permits one write to each named file, whatever its content.
    pub fn content_is_shown(&self) -> bool {
        let writes = matches!(self.action.kind, v1::ToolKind::Edit | v1::ToolKind::Move);
        let has_content = self.changes().next().is_some();
        !writes || has_content || self.action.command.is_some()
    }
}

impl PromptSubject {
    /// The changes as the agent sent them.
    fn sent_changes(&self) -> impl Iterator<Item = &v1::Diff> {
        let content = match self {
            PromptSubject::ToolCall(call) => call.content.as_slice(),
            _ => &[],
        };
        let written = match self {
            PromptSubject::HostRequest(HostRequest::Write { change }) => Some(&change.diff),
            _ => None,
        };
        let shown = content.iter().filter_map(|content| match content {
            v1::ToolCallContent::Diff(diff) => Some(diff),
            _ => None,
        });
        shown.chain(written)
    }
}

/// Adds a text to a line that is safe to show, and says how much of the text is missing.
fn push_cut(line: &mut String, between: &str, text: &str, most: usize) {
    let (shown, more) = visible_start(text, most);
    line.push_str(between);
    line.push_str(&shown);
    if more > 0 {
        line.push_str(&format!("… ({more} more characters)"));
    }
}

/// Maximum characters of each text in a long summary.
const MOST_OF_ALL: usize = 128 * 1024;
/// Maximum characters of a tool's input in a summary.
const MOST_INPUT: usize = 500;
/// Maximum names of other input in a summary.
const MOST_NAMES: usize = 8;
