//! Compares two recordings, ignoring what differs between runs.

use std::time::{Duration, Instant};

use attache_testkit::Trace;
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline};

/// A line of a comparison, which is in one conversation or in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    /// Both conversations have the line.
    Same(String),
    /// Only the first conversation has the line.
    Removed(String),
    /// Only the second conversation has the line.
    Added(String),
}

/// Compares two conversations as scripts in which ids, times and temporary directories are replaced. Messages of the two
/// sides can cross, so two conversations are equal if each side sends the same messages in the same order.
pub fn diff(old: &Trace, new: &Trace) -> Vec<DiffLine> {
    let (old, new) = (old.to_string(), new.to_string());
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let same = |who: fn(&&&str) -> bool| old.iter().filter(who).eq(new.iter().filter(who));
    if same(is_clients) && same(|line| !is_clients(line)) {
        return old
            .into_iter()
            .map(|line| DiffLine::Same(line.to_owned()))
            .collect();
    }
    let deadline = Some(Instant::now() + DIFF_TIME);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let changes = ops
        .iter()
        .flat_map(|op: &DiffOp| op.iter_changes(&old, &new));
    changes
        .map(|change| {
            let line = change.value().to_owned();
            match change.tag() {
                ChangeTag::Equal => DiffLine::Same(line),
                ChangeTag::Delete => DiffLine::Removed(line),
                ChangeTag::Insert => DiffLine::Added(line),
            }
        })
        .collect()
}

fn is_clients(line: &&&str) -> bool {
    !line.starts_with('<')
}

impl DiffLine {
    /// Whether only one conversation has the line.
    pub fn is_change(&self) -> bool {
        !matches!(self, DiffLine::Same(_))
    }
}

/// Maximum time to search for equal lines. The rest counts as different.
const DIFF_TIME: Duration = Duration::from_secs(10);
