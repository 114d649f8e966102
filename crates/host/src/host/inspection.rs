//! What is at a path before something is done there.

use std::fmt;
use std::path::PathBuf;

use crate::denied::AskRuleAlias;

/// What is known of a path before something is done there.
#[derive(Clone, Default)]
pub struct InspectedPath {
    /// Where links on it lead, if they lead elsewhere inside the roots.
    pub resolved: Option<PathBuf>,
    /// What is in the file, where it is to be written, can be read and is not too large to look at.
    pub text: Option<String>,
    /// Whether we refuse it whatever the user would say, so that nobody need be asked.
    pub is_refused: bool,
    /// What a rule asks about by another name, which is then the one where the path leads.
    pub(crate) alias: Option<AskRuleAlias>,
}

/// What is at a path now, for the user who decides on a change there.
#[derive(Clone, PartialEq, Eq)]
pub enum FileOnDisk {
    /// A text.
    Text(String),
    /// No file.
    Missing,
    /// It cannot be told, and why.
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
