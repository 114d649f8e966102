//! The built-in tools: files, commands and web pages, through the client where it offers them.
//!
//! A [`BuiltinCall`] is what the model asked for. [`BuiltinCall::prepare`] finds out what it would do, and
//! [`PreparedTool::perform`] does it; the caller asks for permission in between. `docs/tools.md` describes each tool.

mod delete;
mod edit;
mod fetch;
mod file_rules;
mod format;
mod glob;
mod input;
mod list;
mod move_file;
mod prepared;
mod read;
mod run;
mod search;
mod specs;
#[cfg(test)]
mod tests;
mod tool_error;
mod tree;
mod workplace;
mod write;

use attache::json::Raw;
use attache::schema::FilePath;
use attache::v1;
use attache_text::plain;
use serde_json::json;

pub use delete::Delete;
pub use edit::{Edit, Replacement};
pub use fetch::{Fetch, Loopback, WebClient};
pub use file_rules::FileRules;
pub use glob::Glob;
pub use input::InvalidInput;
pub use list::List;
pub use move_file::Move;
pub use prepared::{CallSubject, PreparedTool, ToolProgress};
pub use read::Read;
pub use run::{Run, StartCommand};
pub use search::Search;
pub use specs::specs;
pub use workplace::{ToolEnvironment, Workplace};
pub use write::Write;

use crate::ToolOutcome;
use input::InputObject;

/// A call of a built-in tool.
#[derive(Debug, Clone, PartialEq)]
pub enum BuiltinCall {
    /// Reads a file.
    Read(Read),
    /// Writes a file whole.
    Write(Write),
    /// Replaces passages of a file.
    Edit(Edit),
    /// Removes a file or an empty directory.
    Delete(Delete),
    /// Renames or moves a file or directory.
    Move(Move),
    /// Lists a directory as a tree.
    List(List),
    /// Finds files by name.
    Glob(Glob),
    /// Finds matching lines in files.
    Search(Search),
    /// Runs a command, or manages one that runs in the background.
    Run(Run),
    /// Fetches a page.
    Fetch(Fetch),
}

/// The effect of a call, on which modes decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads inside the roots, or reads the output of a command that the session has started.
    Read,
    /// Changes files.
    Change,
    /// Runs a command.
    Execute,
    /// Connects to another machine.
    Fetch,
    /// Reads a resource of an MCP server.
    McpRead,
    /// Calls a tool of an MCP server, which may do anything.
    McpCall,
}

/// Parses a call from the tool's name and the input that the model wrote. `None` if the tool is not built in.
pub fn parse(name: &str, input: &str) -> Option<Result<BuiltinCall, InvalidInput>> {
    let read: fn(InputObject) -> Result<BuiltinCall, InvalidInput> = match name {
        "read" => |members| Read::of(members).map(BuiltinCall::Read),
        "write" => |members| Write::of(members).map(BuiltinCall::Write),
        "edit" => |members| Edit::of(members).map(BuiltinCall::Edit),
        "delete" => |members| Delete::of(members).map(BuiltinCall::Delete),
        "move" => |members| Move::of(members).map(BuiltinCall::Move),
        "list" => |members| List::of(members).map(BuiltinCall::List),
        "glob" => |members| Glob::of(members).map(BuiltinCall::Glob),
        "search" => |members| Search::of(members).map(BuiltinCall::Search),
        "run" => |members| Run::of(members).map(BuiltinCall::Run),
        "fetch" => |members| Fetch::of(members).map(BuiltinCall::Fetch),
        _ => return None,
    };
    Some(InputObject::parse(input).and_then(read))
}

/// The kind of a tool, if it is built in.
pub(crate) fn kind_of(name: &str) -> Option<v1::ToolKind> {
    Some(match name {
        "read" => v1::ToolKind::Read,
        "write" | "edit" => v1::ToolKind::Edit,
        "delete" => v1::ToolKind::Delete,
        "move" => v1::ToolKind::Move,
        "list" | "glob" | "search" => v1::ToolKind::Search,
        "run" => v1::ToolKind::Execute,
        "fetch" => v1::ToolKind::Fetch,
        _ => return None,
    })
}

/// Whether a built-in tool can change anything.
pub(crate) fn changes(name: &str) -> bool {
    matches!(name, "write" | "edit" | "delete" | "move" | "run")
}

impl BuiltinCall {
    /// The tool's name.
    pub fn name(&self) -> &'static str {
        match self {
            BuiltinCall::Read(_) => "read",
            BuiltinCall::Write(_) => "write",
            BuiltinCall::Edit(_) => "edit",
            BuiltinCall::Delete(_) => "delete",
            BuiltinCall::Move(_) => "move",
            BuiltinCall::List(_) => "list",
            BuiltinCall::Glob(_) => "glob",
            BuiltinCall::Search(_) => "search",
            BuiltinCall::Run(_) => "run",
            BuiltinCall::Fetch(_) => "fetch",
        }
    }

    /// The kind of the tool, for the client's icon.
    pub fn kind(&self) -> v1::ToolKind {
        kind_of(self.name()).unwrap_or_default()
    }

    /// The title for the user.
    pub fn title(&self) -> String {
        let title = match self {
            BuiltinCall::Read(read) => read.title(),
            BuiltinCall::Write(write) => format!("Write {}", write.path),
            BuiltinCall::Edit(edit) => format!("Edit {}", edit.path),
            BuiltinCall::Delete(delete) => format!("Delete {}", delete.path),
            BuiltinCall::Move(moving) => format!("Move {} to {}", moving.from, moving.to),
            BuiltinCall::List(list) => format!("List {}", list.path.as_deref().unwrap_or(".")),
            BuiltinCall::Glob(glob) => glob.title(),
            BuiltinCall::Search(search) => search.title(),
            BuiltinCall::Run(run) => run.title(),
            BuiltinCall::Fetch(fetch) => format!("Fetch {}", fetch.url),
        };
        plain::one_line(&title, LONGEST_TITLE)
    }

    /// The files that the call names, as absolute paths.
    pub fn locations(&self, workplace: &Workplace) -> Vec<v1::ToolCallLocation> {
        let paths = match self {
            BuiltinCall::Read(read) => return read.locations(workplace),
            BuiltinCall::Write(write) => vec![&write.path],
            BuiltinCall::Edit(edit) => vec![&edit.path],
            BuiltinCall::Delete(delete) => vec![&delete.path],
            BuiltinCall::Move(moving) => vec![&moving.from, &moving.to],
            BuiltinCall::List(list) => list.path.iter().collect(),
            BuiltinCall::Glob(_)
            | BuiltinCall::Search(_)
            | BuiltinCall::Run(_)
            | BuiltinCall::Fetch(_) => Vec::new(),
        };
        let paths = paths.into_iter().map(|path| workplace.absolute(path));
        paths.filter_map(|path| location(&path)).collect()
    }

    /// The effect of the call.
    pub fn effect(&self) -> Effect {
        match self {
            BuiltinCall::Read(_)
            | BuiltinCall::List(_)
            | BuiltinCall::Glob(_)
            | BuiltinCall::Search(_) => Effect::Read,
            BuiltinCall::Write(_)
            | BuiltinCall::Edit(_)
            | BuiltinCall::Delete(_)
            | BuiltinCall::Move(_) => Effect::Change,
            BuiltinCall::Run(Run::Start(_)) => Effect::Execute,
            BuiltinCall::Run(Run::Output { .. } | Run::Stop { .. }) => Effect::Read,
            BuiltinCall::Fetch(_) => Effect::Fetch,
        }
    }

    /// The subject that rules judge.
    fn subject(&self, workplace: &Workplace) -> CallSubject {
        let whole = |path: &String| workplace.absolute(path).display().to_string();
        let below = |path: &Option<String>| whole(path.as_ref().unwrap_or(&HERE.to_owned()));
        let input = match self {
            BuiltinCall::Read(read) => json!({ "path": whole(&read.path) }),
            BuiltinCall::Write(write) => json!({ "path": whole(&write.path) }),
            BuiltinCall::Edit(edit) => json!({ "path": whole(&edit.path) }),
            BuiltinCall::Delete(delete) => json!({ "path": whole(&delete.path) }),
            BuiltinCall::Move(moving) => {
                json!({ "source": whole(&moving.from), "destination": whole(&moving.to) })
            }
            BuiltinCall::List(list) => json!({ "path": below(&list.path) }),
            BuiltinCall::Glob(glob) => {
                json!({ "path": below(&glob.path), "pattern": glob.pattern })
            }
            BuiltinCall::Search(search) => {
                json!({ "path": below(&search.path), "pattern": search.pattern })
            }
            BuiltinCall::Run(Run::Start(start)) => json!({ "command": start.command }),
            BuiltinCall::Run(Run::Output { id } | Run::Stop { id }) => json!({ "id": id }),
            BuiltinCall::Fetch(fetch) => json!({ "url": fetch.url.trim() }),
        };
        let host = match self {
            BuiltinCall::Fetch(fetch) => Some(fetch.host()),
            _ => None,
        };
        CallSubject {
            tool: self.name(),
            kind: self.kind(),
            effect: self.effect(),
            input: Raw::from(input),
            host,
        }
    }

    /// Finds out what the call would do, without doing it.
    ///
    /// # Errors
    ///
    /// The outcome if the call is impossible: a path outside the roots, an edit that does not match.
    pub async fn prepare(self, workplace: &Workplace) -> Result<PreparedTool, ToolOutcome> {
        prepared::prepare(self, workplace)
            .await
            .map_err(ToolOutcome::from)
    }
}

/// A file location for the client; `None` if the path is not valid on the wire.
fn location(path: &std::path::Path) -> Option<v1::ToolCallLocation> {
    let path = FilePath::try_from(path.to_owned()).ok()?;
    Some(v1::ToolCallLocation::new(path))
}

const LONGEST_TITLE: usize = 120;
const HERE: &str = ".";
