//! Two recordings compared, without what is another on every run.

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices};

use crate::Trace;

/// A line of either conversation, or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Both have it.
    Same(String),
    /// Only the first has it.
    Removed(String),
    /// Only the second has it.
    Added(String),
}

/// Compares two conversations as scripts in which ids, times and temporary directories are replaced.
pub fn diff(old: &Trace, new: &Trace) -> Vec<Change> {
    let (old, new) = (old.to_string(), new.to_string());
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let changes = ops
        .iter()
        .flat_map(|op: &DiffOp| op.iter_changes(&old, &new));
    changes
        .map(|change| {
            let line = change.value().to_owned();
            match change.tag() {
                ChangeTag::Equal => Change::Same(line),
                ChangeTag::Delete => Change::Removed(line),
                ChangeTag::Insert => Change::Added(line),
            }
        })
        .collect()
}

impl Change {
    /// Whether only one of them has it.
    pub fn is_change(&self) -> bool {
        !matches!(self, Change::Same(_))
    }
}
