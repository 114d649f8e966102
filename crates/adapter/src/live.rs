//! Live output of shell commands: the CLI's shell says where the output of a command goes, and we read it while it
//! grows. One socket for each session, in a folder that only the user can enter.

#[cfg(unix)]
mod door;
#[cfg(not(unix))]
#[path = "live/no_door.rs"]
mod door;
mod folder;
mod tail;

pub(crate) use door::{Door, Visit};
pub(crate) use folder::{DOOR, Folder};
pub(crate) use tail::Tail;
