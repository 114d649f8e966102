//! The first difference between a conversation and its script.

use std::fmt;

use crate::Side;
use crate::script::SourceLocation;

/// The first difference between a script and the actual conversation.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The side that was played.
    pub side: Side,
    /// The line number in the script; `None` after its end.
    pub line: Option<usize>,
    /// The lines of the script that would have matched.
    pub expected: Vec<String>,
    /// The actual message, as a line of a script; `None` if nothing arrived.
    pub found: Option<String>,
    /// The reason.
    pub reason: String,
}

impl Difference {
    pub(super) fn at(
        side: Side,
        locations: &[&SourceLocation],
        found: Option<String>,
        reason: String,
    ) -> Self {
        Difference {
            side,
            line: locations.first().map(|location| location.line),
            expected: locations
                .iter()
                .map(|location| location.text.clone())
                .collect(),
            found,
            reason,
        }
    }

    /// The player itself failed.
    pub(crate) fn of_fault(side: Side, fault: &str) -> Self {
        let reason = format!("the player has failed: {fault}");
        Difference::at(side, &[], None, reason)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} of the script")?,
            None => write!(f, "after the end of the script")?,
        }
        write!(f, ", played as the {}: {}", self.side, self.reason)?;
        for expected in &self.expected {
            write!(
                f,
                "\n  expected  {}",
                expected.replace('\n', "\n            ")
            )?;
        }
        if let Some(found) = &self.found {
            write!(f, "\n  found     {found}")?;
        }
        Ok(())
    }
}

/// Tests unwrap this error, so its debug form is the readable one.
impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Difference {}
