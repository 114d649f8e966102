//! Two recordings compared, without what is another on every run.

use std::time::{Duration, Instant};

use attache_testkit::Trace;
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline};

/// A line of either conversation, or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    /// Both have it.
    Same(String),
    /// Only the first has it.
    Removed(String),
    /// Only the second has it.
    Added(String),
}

/// Compares two conversations as scripts in which ids, times and temporary directories are replaced. RecordContent the two sides
/// say can cross on its way, so that conversations are the same if each side says the same in the same order.
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
    /// Whether only one of them has it.
    pub fn is_change(&self) -> bool {
        !matches!(self, DiffLine::Same(_))
    }
}

/// After that long, what is the same is no longer looked for in what is left.
const DIFF_TIME: Duration = Duration::from_secs(10);
