//! Whether this system can confine a program, to be asked and told before one is started.

use std::fmt;

use super::platform;

/// How far [`Program::confine`](super::Program::confine) holds on this system. Printed, it reads as the end of a
/// sentence about commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// A confined program writes nowhere else, controls no device, and signals nobody outside.
    Full,
    /// It writes nowhere else, but the kernel is too old for all of it.
    Partial {
        /// What a confined program can still do.
        gap: &'static str,
    },
    /// Nothing can be confined, and no confined program starts.
    Missing {
        /// Why not.
        reason: &'static str,
    },
}

/// How far this system can confine a program.
pub fn sandbox_support() -> Support {
    platform::sandbox_support()
}

impl fmt::Display for Support {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Support::Full => {
                out.write_str("they can write only beneath the directories they are given")
            }
            Support::Partial { gap } => write!(
                out,
                "they can write only beneath the directories they are given, but on this kernel they can still {gap}"
            ),
            Support::Missing { reason } => write!(out, "they cannot be confined: {reason}"),
        }
    }
}
