//! What the model can do: files, commands and pages, each through the client where it offers that.
//!
//! A [`Call`] is what the model asked for, [`Call::prepare`] finds out what it would do, and [`Prepared::perform`] does
//! it. Whether it may be done is decided between the two, by somebody else. `docs/tools.md` says what each tool does.

mod delete;
mod edit;
mod fault;
mod fetch;
mod file_rules;
mod glob;
mod input;
mod list;
mod moving;
mod prepared;
mod read;
mod run;
mod search;
mod specs;
#[cfg(test)]
mod tests;
mod told;
mod tree;
mod workplace;
mod write;

use attache::json::Raw;
use attache::schema::FilePath;
use attache::v1;
use serde_json::json;

pub use delete::Delete;
pub use edit::{Edit, Replacement};
pub use fetch::{Fetch, Loopback, Pages};
pub use file_rules::FileRules;
pub use glob::Glob;
pub use input::Misfit;
pub use list::List;
pub use moving::Move;
pub use prepared::{Prepared, Progress, Subject};
pub use read::Read;
pub use run::{Run, Start};
pub use search::Search;
pub use specs::specs;
pub use workplace::{Equipment, Workplace};
pub use write::Write;

use crate::Outcome;
use input::Members;

/// A call of one of our tools, as the model meant it.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// Reads a file.
    Read(Read),
    /// Writes a file whole.
    Write(Write),
    /// Replaces passages of a file.
    Edit(Edit),
    /// Removes a file or an empty directory.
    Delete(Delete),
    /// Gives a file or directory another name.
    Move(Move),
    /// Shows what is in a directory.
    List(List),
    /// Finds files by their names.
    Glob(Glob),
    /// Finds lines of files.
    Search(Search),
    /// Runs a command, or looks after one that runs.
    Run(Run),
    /// Fetches a page.
    Fetch(Fetch),
}

/// What a call does to the world, which is what a rule about permissions goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It looks at what is inside the roots, or at what the session has started.
    Look,
    /// It changes files.
    Change,
    /// It runs a command.
    Execute,
    /// It talks to another machine.
    Reach,
    /// It reads a resource of an MCP server.
    McpRead,
    /// It calls a tool of an MCP server, which may do anything.
    McpCall,
}

/// Reads a call by the tool's name and its input as the model wrote it; `None` if the tool is not one of ours.
pub fn parse(name: &str, input: &str) -> Option<Result<Call, Misfit>> {
    let read: fn(Members) -> Result<Call, Misfit> = match name {
        "read" => |members| Read::of(members).map(Call::Read),
        "write" => |members| Write::of(members).map(Call::Write),
        "edit" => |members| Edit::of(members).map(Call::Edit),
        "delete" => |members| Delete::of(members).map(Call::Delete),
        "move" => |members| Move::of(members).map(Call::Move),
        "list" => |members| List::of(members).map(Call::List),
        "glob" => |members| Glob::of(members).map(Call::Glob),
        "search" => |members| Search::of(members).map(Call::Search),
        "run" => |members| Run::of(members).map(Call::Run),
        "fetch" => |members| Fetch::of(members).map(Call::Fetch),
        _ => return None,
    };
    Some(Members::parse(input).and_then(read))
}

/// What sort of tool a name is, if it is one of ours.
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

/// Whether a tool of ours can change anything.
pub(crate) fn changes(name: &str) -> bool {
    matches!(name, "write" | "edit" | "delete" | "move" | "run")
}

impl Call {
    /// The tool's name.
    pub fn name(&self) -> &'static str {
        match self {
            Call::Read(_) => "read",
            Call::Write(_) => "write",
            Call::Edit(_) => "edit",
            Call::Delete(_) => "delete",
            Call::Move(_) => "move",
            Call::List(_) => "list",
            Call::Glob(_) => "glob",
            Call::Search(_) => "search",
            Call::Run(_) => "run",
            Call::Fetch(_) => "fetch",
        }
    }

    /// What sort of tool it is, for the client's icon.
    pub fn kind(&self) -> v1::ToolKind {
        kind_of(self.name()).unwrap_or_default()
    }

    /// What it does, in a few words for people.
    pub fn title(&self) -> String {
        let title = match self {
            Call::Read(read) => read.title(),
            Call::Write(write) => format!("Write {}", write.path),
            Call::Edit(edit) => format!("Edit {}", edit.path),
            Call::Delete(delete) => format!("Delete {}", delete.path),
            Call::Move(moving) => format!("Move {} to {}", moving.from, moving.to),
            Call::List(list) => format!("List {}", list.path.as_deref().unwrap_or(".")),
            Call::Glob(glob) => glob.title(),
            Call::Search(search) => search.title(),
            Call::Run(run) => run.title(),
            Call::Fetch(fetch) => format!("Fetch {}", fetch.url),
        };
        told::one_line(&title, LONGEST_TITLE)
    }

    /// The files that it names, from the top.
    pub fn locations(&self, workplace: &Workplace) -> Vec<v1::ToolCallLocation> {
        let paths = match self {
            Call::Read(read) => return read.locations(workplace),
            Call::Write(write) => vec![&write.path],
            Call::Edit(edit) => vec![&edit.path],
            Call::Delete(delete) => vec![&delete.path],
            Call::Move(moving) => vec![&moving.from, &moving.to],
            Call::List(list) => list.path.iter().collect(),
            Call::Glob(_) | Call::Search(_) | Call::Run(_) | Call::Fetch(_) => Vec::new(),
        };
        let paths = paths.into_iter().map(|path| workplace.absolute(path));
        paths.filter_map(|path| location(&path)).collect()
    }

    /// What it does to the world.
    pub fn effect(&self) -> Effect {
        match self {
            Call::Read(_) | Call::List(_) | Call::Glob(_) | Call::Search(_) => Effect::Look,
            Call::Write(_) | Call::Edit(_) | Call::Delete(_) | Call::Move(_) => Effect::Change,
            Call::Run(Run::Start(_)) => Effect::Execute,
            Call::Run(Run::Look { .. } | Run::Stop { .. }) => Effect::Look,
            Call::Fetch(_) => Effect::Reach,
        }
    }

    /// What it is about, in the form in which it is judged.
    fn subject(&self, workplace: &Workplace) -> Subject {
        let whole = |path: &String| workplace.absolute(path).display().to_string();
        let below = |path: &Option<String>| whole(path.as_ref().unwrap_or(&HERE.to_owned()));
        let input = match self {
            Call::Read(read) => json!({ "path": whole(&read.path) }),
            Call::Write(write) => json!({ "path": whole(&write.path) }),
            Call::Edit(edit) => json!({ "path": whole(&edit.path) }),
            Call::Delete(delete) => json!({ "path": whole(&delete.path) }),
            Call::Move(moving) => {
                json!({ "source": whole(&moving.from), "destination": whole(&moving.to) })
            }
            Call::List(list) => json!({ "path": below(&list.path) }),
            Call::Glob(glob) => json!({ "path": below(&glob.path), "pattern": glob.pattern }),
            Call::Search(search) => {
                json!({ "path": below(&search.path), "pattern": search.pattern })
            }
            Call::Run(Run::Start(start)) => json!({ "command": start.command }),
            Call::Run(Run::Look { id } | Run::Stop { id }) => json!({ "id": id }),
            Call::Fetch(fetch) => json!({ "url": fetch.url.trim() }),
        };
        let host = match self {
            Call::Fetch(fetch) => Some(fetch.host()),
            _ => None,
        };
        Subject {
            tool: self.name(),
            kind: self.kind(),
            effect: self.effect(),
            input: Raw::from(input),
            host,
        }
    }

    /// Finds out what it would do, without doing it.
    ///
    /// # Errors
    ///
    /// What to tell model and person when it cannot be done: a path outside the roots, an edit that does not match.
    pub async fn prepare(self, workplace: &Workplace) -> Result<Prepared, Outcome> {
        prepared::prepare(self, workplace)
            .await
            .map_err(Outcome::from)
    }
}

/// A file for the client to show; none if its path cannot be told.
fn location(path: &std::path::Path) -> Option<v1::ToolCallLocation> {
    let path = FilePath::try_from(path.to_owned()).ok()?;
    Some(v1::ToolCallLocation::new(path))
}

const LONGEST_TITLE: usize = 120;
const HERE: &str = ".";
