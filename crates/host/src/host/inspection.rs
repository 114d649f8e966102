//! Inspection of paths before they are read or written.

use std::fmt;
use std::path::PathBuf;

use crate::denied::AskRuleAlias;

/// The result of inspecting a path before it is read or written.
#[derive(Clone, Default)]
pub struct InspectedPath {
    /// The target of the path's links, if it differs from the path and is inside the roots.
    pub resolved: Option<PathBuf>,
    /// The current content, if the file will be written.
    pub before: FileOnDisk,
    /// Whether the request is refused whatever the user says, so that there is no need to ask.
    pub is_refused: bool,
    /// The other name of the file that an ask rule covers; `resolved` is then this name.
    pub(crate) alias: Option<AskRuleAlias>,
}

/// The current content of a path, for a user who decides on a change.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum FileOnDisk {
    /// A text file.
    Text(String),
    /// There is no file.
    #[default]
    Missing,
    /// The content is unknown, and why.
    Unknown(String),
}

impl fmt::Debug for FileOnDisk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileOnDisk::Text(text) => write!(out, "Text({} bytes)", text.len()),
            FileOnDisk::Missing => out.write_str("Missing"),
            FileOnDisk::Unknown(why) => out.debug_tuple("Unknown").field(why).finish(),
        }
    }
}

impl fmt::Debug for InspectedPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("InspectedPath")
            .field("resolved", &self.resolved)
            .finish_non_exhaustive()
    }
}
