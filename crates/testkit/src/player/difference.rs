//! Where a conversation has left its script.

use std::fmt;

use crate::Side;
use crate::script::SourceLocation;

/// The first difference between a script and what has been said.
#[derive(Clone, PartialEq, Eq)]
pub struct Difference {
    /// Who was played.
    pub side: Side,
    /// The line of the script; `None` behind its end.
    pub line: Option<usize>,
    /// The lines of the script that would have fitted.
    pub expected: Vec<String>,
    /// What came instead, as a line of a script; `None` if nothing came.
    pub found: Option<String>,
    /// What is wrong.
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

    /// The player itself has failed.
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

/// Tests unwrap it, so it is shown as it reads best.
impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Difference {}
