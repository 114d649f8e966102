//! An action: the effect of a tool call or request, with its command, its files, and the digests that decisions are
//! bound to.

mod file_patterns;
mod host_requests;
mod input;
mod members;
mod other_input;
mod path_readings;
mod repeated_members;
mod summary;
mod unknown_texts;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use attache_rpc::json::{self, Raw};
use attache_schema::v1;
use serde_json::Value;

use super::command::line::{ShellLine, ShellWord, SimpleCommand};
use super::resolved_files::ResolvedFiles;
use super::{command, paths};
use crate::FieldHasher;
pub(super) use file_patterns::{
    alternatives, is_pattern, may_match, reaches_protected, stays_inside,
};
use input::ToolInput;
use path_readings::location_readings;
pub(super) use path_readings::readings;
pub use unknown_texts::UnknownTexts;

/// The effect that a tool call or request would have, as far as it says. Permissions judge actions.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The agent as the user chose it: a name, or the path of a program.
    pub agent: String,
    /// The session's working directory.
    pub workspace: PathBuf,
    /// The session.
    pub session: v1::SessionId,
    /// The kind of tool.
    pub kind: v1::ToolKind,
    /// The tool's name, where the agent gives one.
    pub tool: Option<String>,
    /// Other names of the tool. An agent that gives several is not understood; rules that deny look at all of them.
    pub other_tools: Vec<String>,
    /// The identity of the tool, in addition to the agent's name for it. For a tool of an MCP server, the server's
    /// identity and a digest of the tool's definition. Part of the subject. Set it with
    /// [`with_tool_identity`](Action::with_tool_identity).
    pub tool_identity: Option<String>,
    /// Whether the tool has input whose meaning is unknown. Such an action never counts as reading, no rule on commands
    /// or files allows it, and a remembered decision covers exactly this input.
    pub has_unknown_input: bool,
    /// The commands and files that the texts in unknown input may be.
    pub unknown_texts: UnknownTexts,
    /// Whether the action shows anything beside its input: a change, text to write, a terminal. Such an action never
    /// counts as reading.
    pub has_content: bool,
    /// Whether its input names code to run, or its kind is to run something. Then it runs a command, shown or not.
    pub runs_code: bool,
    /// The title, as shown.
    pub title: String,
    /// The command and its arguments, if it runs one. Text for a shell is one word.
    pub command: Option<Vec<String>>,
    /// The directory that the command runs in, where one is given and is not the workspace.
    pub directory: Option<PathBuf>,
    /// The files that it touches, and the directory.
    pub paths: Vec<PathBuf>,
    /// Patterns of files to look for, relative to the workspace and to each path.
    pub patterns: Vec<String>,
    /// Paths that some tools take for patterns. They are also among the paths, as written.
    pub wild_paths: Vec<String>,
    /// Whether the action names a destination, in addition to what is read.
    pub names_destination: bool,
    /// Whether its input may name files that are not among the paths.
    pub names_other_files: bool,
    /// Whether a member occurs twice in its input, so that it is uncertain which one counts. The user is always asked
    /// about such an action.
    pub is_ambiguous: bool,
    /// Whether the action stands for all actions of a class: see [`of_class`](Action::of_class).
    pub is_class: bool,
    /// The files as they are on the disk, if that was inspected. Set it with [`with_disk`](Action::with_disk).
    pub on_disk: Option<Arc<ResolvedFiles>>,
    /// A digest of everything that was shown. The user's answer applies to this and nothing else.
    pub digest: Digest,
    /// A digest of the effect: the command with its directory and variables, or the files, or the input. A remembered
    /// decision is bound to this.
    pub subject: Digest,
}

/// A digest of an action or of content that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl Action {
    /// The action of a permission request. `earlier` is the tool call as earlier updates described it: a request may
    /// give only its id.
    pub fn from_request(
        agent: &str,
        workspace: PathBuf,
        request: &v1::RequestPermissionRequest,
        earlier: Option<&v1::ToolCall>,
    ) -> Action {
        let call = ToolCallParts::merge(&request.tool_call, earlier);
        let action = call.to_action(agent, workspace, &request.session_id);
        let earlier = earlier.and_then(|call| call.meta.as_ref());
        let metas = [request.tool_call.meta.as_ref(), earlier];
        // Further details about a tool make decisions narrower, never wider.
        match metas.into_iter().flatten().find_map(identity_in) {
            Some(identity) => action.with_tool_identity(&identity),
            None => action,
        }
    }

    /// The action with a tool that is known by more than its name. A decision for another identity, or for none, does
    /// not cover it.
    #[must_use]
    pub fn with_tool_identity(mut self, identity: &str) -> Action {
        let identified = |purpose, digest: &Digest| {
            let mut hasher = FieldHasher::new(&format!("attache permissions {purpose}"));
            hasher.text(&digest.to_string());
            hasher.text(identity);
            Digest(hasher.end())
        };
        self.digest = identified("shown by a tool", &self.digest);
        self.subject = identified("subject of a tool", &self.subject);
        self.tool_identity = Some(identity.to_owned());
        self
    }

    /// The action as one of a class, such as every call of one MCP tool or every change of a file. A decision on it
    /// covers all actions of that class by a tool with the same identity.
    ///
    /// Use it with [`record`](super::Permissions::record) and [`recall`](super::Permissions::recall), but judge the
    /// action itself. The class is named by us, never by a peer.
    #[must_use]
    pub fn of_class(&self, class: &str) -> Action {
        let mut hasher = FieldHasher::new("attache permissions class");
        hasher.text(class);
        hasher.text(self.tool_identity.as_deref().unwrap_or_default());
        Action {
            kind: v1::ToolKind::Other,
            tool: None,
            subject: Digest(hasher.end()),
            is_class: true,
            ..self.clone()
        }
    }

    /// The agent's names for rules that deny: an agent that was started by its path also has its program's name.
    pub(super) fn agent_names(&self) -> impl Iterator<Item = &str> {
        names_of_agent(&self.agent)
    }

    /// Whether the action reads or searches files and nothing that it shows contradicts that. For requests to us the
    /// kind is ours; otherwise it is the agent's word, which can't make an action look smaller than it is.
    pub(super) fn only_reads(&self) -> bool {
        matches!(self.kind, v1::ToolKind::Read | v1::ToolKind::Search)
            && self.command.is_none()
            && !self.runs_code
            && !self.has_unknown_input
            && !self.has_content
            && !self.names_destination
            && !self.is_ambiguous
            && !self.is_mcp_tool()
    }

    /// Whether the tool belongs to an MCP server that the agent uses, by its identity or one of its names.
    pub fn is_mcp_tool(&self) -> bool {
        let is_of_server = |name: &str| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            let start: String = letters.take(3).collect();
            start.eq_ignore_ascii_case("mcp")
        };
        self.tool_identity.is_some() || self.tools().any(is_of_server)
    }

    /// All names of the tool.
    pub(super) fn tools(&self) -> impl Iterator<Item = &str> {
        let all = self.tool.iter().chain(&self.other_tools);
        all.map(String::as_str)
    }

    /// The variables that the action sets for its command, as `NAME=value`, except those that an agent may set without
    /// asking. With them a command may do something other than its words say, so no preset and no pattern allows it.
    pub fn variables(&self) -> Vec<String> {
        let line = self.line().unwrap_or_default();
        let shown = line.variables.into_iter().map(|(name, value)| match value {
            ShellWord::Literal(text) | ShellWord::Undecided(text) => format!("{name}={text}"),
        });
        shown.collect()
    }

    /// The simple commands that the command consists of, as far as they are known; `None` if it runs no command.
    pub fn line(&self) -> Option<ShellLine> {
        self.command.as_deref().map(ShellLine::of)
    }

    /// The simple commands as texts for a prompt, without those that only run others. A word that the shell expands
    /// stands between `‹` and `›`.
    pub fn parts(&self) -> Vec<String> {
        let parts = self.line().map(|line| line.parts).unwrap_or_default();
        let marked = |mut part: SimpleCommand| {
            let files = part.redirections.iter_mut().map(|file| &mut file.target);
            for word in part.words.iter_mut().chain(files) {
                if let ShellWord::Undecided(text) = word {
                    *text = format!("‹{text}›");
                }
            }
            part.to_string()
        };
        let shown = parts.into_iter().filter(|part| !part.is_transparent());
        shown.map(marked).collect()
    }

    /// Whether the command may run more than its words show.
    pub fn is_opaque(&self) -> bool {
        let opaque = |part: &SimpleCommand| part.runs_others || part.literal_words().is_none();
        let line = self.line();
        line.is_some_and(|line| {
            line.doubt.is_some() || line.parts.len() != 1 || line.parts.iter().any(opaque)
        })
    }

    /// The path relative to the workspace: the names of directories above it don't count.
    pub(super) fn workspace_relative(&self, path: &Path) -> PathBuf {
        paths::inside(&self.workspace, path).unwrap_or_else(|| paths::normal(&self.workspace, path))
    }
}

/// An agent's name, and that of its program if it was started by its path.
pub(super) fn names_of_agent(agent: &str) -> impl Iterator<Item = &str> {
    let path = agent.split(" #").next().unwrap_or(agent);
    let name = Path::new(path).file_name().and_then(|name| name.to_str());
    std::iter::once(agent).chain(name.filter(|name| *name != agent))
}

/// A tool call as a permission request describes it, completed from earlier updates.
struct ToolCallParts<'a> {
    /// Empty for a request to us, which has no tool call.
    id: &'a str,
    kind: &'a v1::ToolKind,
    title: &'a str,
    /// The tool's names; the first one counts.
    names: Vec<String>,
    raw_input: Option<&'a Raw>,
    locations: &'a [v1::ToolCallLocation],
    content: &'a [v1::ToolCallContent],
}

impl<'a> ToolCallParts<'a> {
    /// A request of the agent to us, without a tool call.
    fn for_host_request(kind: &'a v1::ToolKind, title: &'a str) -> ToolCallParts<'a> {
        ToolCallParts {
            id: "",
            kind,
            title,
            names: Vec::new(),
            raw_input: None,
            locations: &[],
            content: &[],
        }
    }

    fn merge(
        update: &'a v1::ToolCallUpdate,
        earlier: Option<&'a v1::ToolCall>,
    ) -> ToolCallParts<'a> {
        let kind = update.kind.as_ref().or(earlier.map(|call| &call.kind));
        let title = update.title.as_deref().or(earlier.map(|call| &*call.title));
        let names = [
            update.name.as_deref(),
            earlier.and_then(|call| call.name.as_deref()),
        ];
        let raw_input = update.raw_input.as_ref();
        let locations = update
            .locations
            .as_deref()
            .or(earlier.map(|call| &*call.locations));
        let content = update
            .content
            .as_deref()
            .or(earlier.map(|call| &*call.content));
        let metas = [
            update.meta.as_ref(),
            earlier.and_then(|call| call.meta.as_ref()),
        ];
        let names = names.into_iter().flatten().map(str::to_owned);
        let names = names.chain(metas.into_iter().flatten().filter_map(name_in));
        ToolCallParts {
            id: update.tool_call_id.as_str(),
            kind: kind.unwrap_or(&v1::ToolKind::Other),
            title: title.unwrap_or_default(),
            names: names.collect(),
            raw_input: raw_input.or(earlier.and_then(|call| call.raw_input.as_ref())),
            locations: locations.unwrap_or_default(),
            content: content.unwrap_or_default(),
        }
    }

    fn to_action(&self, agent: &str, workspace: PathBuf, session: &v1::SessionId) -> Action {
        let input = ToolInput::read(self.raw_input, self.kind);
        let run_in = directory(&input, &workspace);
        let unknown_texts = UnknownTexts::of(input.unknown());
        let files = self.files(&input, &unknown_texts, &workspace);
        let command = input.command();
        let given = self.names.iter().map(String::as_str);
        let mut names = given.chain(input.tools()).map(str::to_owned);
        let tool = names.next();
        let other_tools: Vec<String> = names.filter(|name| Some(name) != tool.as_ref()).collect();
        let mut unknown = input.unknown();
        let mut action = Action {
            agent: agent.to_owned(),
            workspace,
            session: session.clone(),
            kind: self.kind.clone(),
            tool,
            tool_identity: None,
            has_unknown_input: input.has_unknown()
                || self.has_strange_path()
                || !other_tools.is_empty()
                || (self.shows_terminal() && command.is_none()),
            other_tools,
            has_content: input.has_content() || !self.content.is_empty(),
            runs_code: *self.kind == v1::ToolKind::Execute
                || command.is_some()
                || self.shows_terminal()
                || unknown.any(|(name, value)| unknown_texts::names_code(name, value)),
            title: self.title.to_owned(),
            command,
            directory: run_in,
            paths: files,
            patterns: input.patterns(),
            wild_paths: input.wild_paths(),
            names_destination: input.names_destination()
                || input
                    .unknown()
                    .any(|(name, value)| unknown_texts::names_destination(name, value)),
            names_other_files: input
                .unknown()
                .any(|(name, value)| unknown_texts::names_files(name, value)),
            unknown_texts,
            is_ambiguous: input.is_ambiguous,
            is_class: false,
            on_disk: None,
            digest: Digest([0; 32]),
            subject: Digest([0; 32]),
        };
        action.digest = self.digest(&action, &input);
        action.subject = subject(&action, &input);
        action
    }

    /// The files that it names anywhere, each once. The directory of a command is one of them, unless it is the
    /// workspace.
    fn files(&self, input: &ToolInput, other: &UnknownTexts, workspace: &Path) -> Vec<PathBuf> {
        let located = self.locations.iter().map(|location| location.path.as_str());
        let changed = self.changes().map(|diff| diff.path.as_str());
        let shown = located.chain(changed).flat_map(location_readings);
        let base = paths::normal(Path::new("/"), workspace);
        let elsewhere = |path: &PathBuf| paths::normal(&base, path) != base;
        let run_in = input.directory_readings().into_iter().filter(elsewhere);
        let all = shown.chain(input.paths()).chain(run_in);
        each_once(all.chain(other.plain_paths(workspace)), &base)
    }

    /// Whether the action names a file that can't exist.
    fn has_strange_path(&self) -> bool {
        let located = self.locations.iter().map(|location| location.path.as_str());
        let mut paths = located.chain(self.changes().map(|change| change.path.as_str()));
        paths.any(|path| !members::is_path(path))
    }

    /// Whether the action shows a command only by the command's output.
    fn shows_terminal(&self) -> bool {
        let mut content = self.content.iter();
        content.any(|content| matches!(content, v1::ToolCallContent::Terminal(_)))
    }

    /// The changes of files that it shows.
    fn changes(&self) -> impl Iterator<Item = &v1::Diff> {
        self.content.iter().filter_map(|content| match content {
            v1::ToolCallContent::Diff(diff) => Some(diff),
            _ => None,
        })
    }

    fn digest(&self, action: &Action, input: &ToolInput) -> Digest {
        let mut hasher = FieldHasher::new("attache permissions shown");
        hasher.text(&action.agent);
        hasher.text(&action.workspace.to_string_lossy());
        hasher.text(action.session.as_str());
        hasher.text(self.id);
        hasher.text(self.kind.as_str());
        hasher.text(self.title);
        hasher.text(action.tool.as_deref().unwrap_or_default());
        for name in &action.other_tools {
            hasher.text(name);
        }
        hasher.value(&input.whole());
        hasher.length(self.locations.len());
        for location in self.locations {
            hasher.text(&json::to_string(location));
        }
        for content in self.content {
            hasher.text(&json::to_string(content));
        }
        Digest(hasher.end())
    }
}

/// The digest that a remembered decision is bound to. It leaves out descriptions, such as a reason or a time limit,
/// unless the input is not understood.
fn subject(action: &Action, input: &ToolInput) -> Digest {
    let mut hasher = FieldHasher::new("attache permissions subject");
    hasher.text(action.kind.as_str());
    hasher.text(action.tool.as_deref().unwrap_or_default());
    let names_files = matches!(
        action.kind,
        v1::ToolKind::Read
            | v1::ToolKind::Edit
            | v1::ToolKind::Delete
            | v1::ToolKind::Move
            | v1::ToolKind::Search
    );
    let mut files: Vec<PathBuf> = action
        .paths
        .iter()
        .map(|path| action.workspace_relative(path))
        .collect();
    if action.kind != v1::ToolKind::Move && !action.names_destination {
        files.sort();
    }
    for file in &files {
        hasher.text(&file.to_string_lossy());
    }
    hasher.text("command");
    for word in action.command.iter().flatten() {
        hasher.text(word);
    }
    let is_about_files = action.command.is_none() && names_files && !files.is_empty();
    let rest = match action.has_unknown_input {
        true => {
            hasher.text("all of the input");
            input.whole()
        }
        false if is_about_files => {
            // Permission to read does not allow writing under the same name.
            let reads = matches!(action.kind, v1::ToolKind::Read | v1::ToolKind::Search);
            if reads && action.has_content {
                hasher.text("content");
            }
            match input.beside_files() {
                Value::Null => return Digest(hasher.end()),
                rest => rest,
            }
        }
        false if action.command.is_some() => input.beside_command(),
        false => input.whole(),
    };
    if action.command.is_none() && files.is_empty() && rest.is_null() {
        hasher.text(&action.title);
    }
    hasher.value(&rest);
    Digest(hasher.end())
}

/// The directory to run a command in, unless it is the workspace.
fn directory(input: &ToolInput, workspace: &Path) -> Option<PathBuf> {
    let base = paths::normal(Path::new("/"), workspace);
    let directory = input.directory();
    directory.filter(|directory| paths::normal(&base, directory) != base)
}

/// Each file once. A file that is named both ways keeps its absolute path.
fn each_once(paths: impl Iterator<Item = PathBuf>, workspace: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    let mut seen = HashMap::new();
    for path in paths {
        let whole = match paths::is_straight(&path) {
            true => workspace.join(&path).components().collect(),
            false => path.clone(),
        };
        match seen.entry(whole) {
            Entry::Occupied(known) if path.is_absolute() => all[*known.get()] = path,
            Entry::Occupied(_) => {}
            Entry::Vacant(new) => {
                new.insert(all.len());
                all.push(path);
                if all.len() >= MAX_PATHS {
                    break;
                }
            }
        }
    }
    all
}

/// The tool's name as the adapter for Claude Code gives it.
fn name_in(meta: &attache_schema::Meta) -> Option<String> {
    meta.get("claudeCode")?.string_member("toolName")
}

/// The identity of an MCP tool as our own agent gives it.
fn identity_in(meta: &attache_schema::Meta) -> Option<String> {
    meta.get("attache")?.string_member("toolIdentity")
}

/// Paths of one action. With more, nothing is allowed without asking.
pub(super) const MAX_PATHS: usize = 10_000;
