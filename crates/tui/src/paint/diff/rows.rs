//! Computes the hunks of a diff and the changes within lines.

use std::ops::Range;
use std::time::{Duration, Instant};

use attache::v1;
use similar::{Algorithm, DiffOp, DiffTag};
use unicode_segmentation::UnicodeSegmentation;

use super::shown_line;

/// The hunks of a diff.
pub(super) struct DiffRows<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    groups: Vec<Vec<DiffOp>>,
    kind: DiffKind,
    /// The text that has no newline at its end, if only one of them has none.
    unended: Option<Side>,
    /// The most characters of a changed line that are shown.
    longest: usize,
    pub(super) added: usize,
    pub(super) removed: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffKind {
    Changed,
    New,
    Emptied,
    Same,
    LineEnd,
    TooLarge,
}

/// The old or the new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

/// A line of one side.
#[derive(Debug, Clone)]
pub(super) struct DiffRow<'a> {
    /// The line number, from 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
    pub(super) is_changed: bool,
    /// The changed part, as a byte range of the shown text.
    pub(super) part: Option<Range<usize>>,
}

/// Changed lines with some context.
pub(super) struct Hunk<'a> {
    /// The number of lines of the new text between the previous hunk and this one.
    pub(super) skipped: usize,
    /// The steps of the hunk: equal lines, or old lines replaced by new ones.
    pub(super) steps: Vec<StepRows<'a>>,
}

/// Lines of both sides that belong together.
pub(super) struct StepRows<'a> {
    pub(super) old: Vec<DiffRow<'a>>,
    pub(super) new: Vec<DiffRow<'a>>,
}

impl<'a> DiffRows<'a> {
    pub(super) fn new(diff: &'a v1::Diff, longest: usize) -> Self {
        let before = diff.old_text.as_deref();
        let mut rows = DiffRows {
            old: split_lines(before.unwrap_or_default()),
            new: split_lines(&diff.new_text),
            groups: Vec::new(),
            kind: DiffKind::TooLarge,
            unended: unended(before.unwrap_or_default(), &diff.new_text),
            longest,
            added: 0,
            removed: 0,
        };
        let Some(ops) = rows.compare() else {
            (rows.added, rows.removed) = (rows.new.len(), rows.old.len());
            return rows;
        };
        for op in &ops {
            let (_, old, new) = op.as_tag_tuple();
            if !matches!(op, DiffOp::Equal { .. }) {
                rows.removed += old.len();
                rows.added += new.len();
            }
        }
        rows.kind = match before {
            None => DiffKind::New,
            Some(text) if text == diff.new_text => DiffKind::Same,
            Some(_) if rows.added + rows.removed == 0 => DiffKind::LineEnd,
            Some(_) if diff.new_text.is_empty() => DiffKind::Emptied,
            Some(_) => DiffKind::Changed,
        };
        if rows.added + rows.removed > 0 {
            rows.groups = similar::group_diff_ops(ops, CONTEXT);
        }
        rows
    }

    /// The kind of change, for the header line.
    pub(super) fn kind_label(&self) -> &'static str {
        match self.kind {
            DiffKind::New => " new file",
            DiffKind::Emptied => " emptied or deleted",
            DiffKind::Changed | DiffKind::Same | DiffKind::LineEnd | DiffKind::TooLarge => "",
        }
    }

    /// Explains why no changes are shown.
    pub(super) fn remark(&self) -> Option<&'static str> {
        match self.kind {
            DiffKind::Same => Some("nothing changes"),
            DiffKind::LineEnd => Some("only the line end at the end of the file changes"),
            DiffKind::TooLarge => Some("too large to compare here"),
            DiffKind::New | DiffKind::Emptied | DiffKind::Changed => None,
        }
    }

    /// Says which of the texts has no newline at its end, which the lines don't show.
    pub(super) fn line_end_remark(&self) -> Option<&'static str> {
        Some(match self.unended? {
            Side::Old => "no newline at the end of the old text",
            Side::New => "no newline at the end of the new text",
        })
    }

    /// The width of the line numbers.
    pub(super) fn number_width(&self) -> usize {
        self.old.len().max(self.new.len()).to_string().len()
    }

    /// The number of lines of the new text below the last hunk.
    pub(super) fn lines_below(&self) -> usize {
        let last = self.groups.last().and_then(|group| group.last());
        last.map_or(0, |op| self.new.len().saturating_sub(op.new_range().end))
    }

    pub(super) fn hunks(&self) -> impl Iterator<Item = Hunk<'a>> + '_ {
        let mut shown = 0;
        self.groups.iter().map(move |group| {
            let start = group.first().map_or(0, |op| op.new_range().start);
            let skipped = start.saturating_sub(shown);
            shown = group.last().map_or(shown, |op| op.new_range().end);
            let steps = group.iter().map(|op| self.step(op)).collect();
            Hunk { skipped, steps }
        })
    }

    /// The steps from the old text to the new one, or `None` if the part between their common beginning and end is too
    /// large.
    fn compare(&self) -> Option<Vec<DiffOp>> {
        let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
        let head = self.old.iter().zip(&self.new).take_while(same).count();
        let (old, new) = (&self.old[head..], &self.new[head..]);
        let ends = old.iter().rev().zip(new.iter().rev());
        let tail = ends.take_while(same).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let size: usize = old.iter().chain(new).map(|line| line.len() + 1).sum();
        if size > LARGEST || old.len() + new.len() > LONGEST {
            return None;
        }
        let is_short = old.len() + new.len() <= SHORT;
        let until = Instant::now().checked_add(PATIENCE);
        let until = until.filter(|_| !is_short);
        let between = similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, until);
        let equal = |old_index: usize, new_index: usize, len: usize| {
            Some(DiffOp::Equal {
                old_index,
                new_index,
                len,
            })
            .filter(|_| len > 0)
        };
        let last = equal(head + old.len(), head + new.len(), tail);
        let between = between.into_iter().map(|op| shifted(op, head));
        Some(
            equal(0, 0, head)
                .into_iter()
                .chain(between)
                .chain(last)
                .collect(),
        )
    }

    /// The number of characters in changed lines of both texts.
    pub(super) fn characters(&self) -> usize {
        let ops = self.groups.iter().flatten();
        let changed = ops.filter(|op| !matches!(op, DiffOp::Equal { .. }));
        let count = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| line.chars().count() + 1)
                .sum::<usize>()
        };
        changed
            .map(|op| count(&self.old[op.old_range()]) + count(&self.new[op.new_range()]))
            .sum()
    }

    /// The most characters of a line that are shown.
    pub(super) fn longest(&self, row: &DiffRow<'_>) -> usize {
        match row.is_changed {
            true => self.longest,
            false => super::LONGEST,
        }
    }

    /// Whether the texts could be compared.
    pub(super) fn is_compared(&self) -> bool {
        self.kind != DiffKind::TooLarge
    }

    fn step(&self, op: &DiffOp) -> StepRows<'a> {
        let is_changed = !matches!(op, DiffOp::Equal { .. });
        let rows = |lines: &[&'a str], range: Range<usize>| -> Vec<DiffRow<'a>> {
            let row = |index: usize| DiffRow {
                number: index + 1,
                text: lines[index],
                is_changed,
                part: None,
            };
            range.map(row).collect()
        };
        let mut old = rows(&self.old, op.old_range());
        let mut new = rows(&self.new, op.new_range());
        if is_changed {
            for (old, new) in old.iter_mut().zip(&mut new).take(EMPHASISED) {
                (old.part, new.part) = changed_parts(
                    &shown_line(old.text, self.longest),
                    &shown_line(new.text, self.longest),
                );
            }
        }
        StepRows { old, new }
    }
}

impl<'a> Hunk<'a> {
    /// The lines of one side, in order.
    pub(super) fn lines(&self, side: Side) -> impl Iterator<Item = &DiffRow<'a>> {
        self.steps.iter().flat_map(move |step| step.side(side))
    }
}

impl<'a> StepRows<'a> {
    pub(super) fn side(&self, side: Side) -> &[DiffRow<'a>] {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    /// Whether both sides are equal.
    pub(super) fn is_same(&self) -> bool {
        self.old.iter().chain(&self.new).all(|row| !row.is_changed)
    }
}

/// Shifts a step by a number of lines.
fn shifted(op: DiffOp, by: usize) -> DiffOp {
    let (tag, old, new) = op.as_tag_tuple();
    let (old_index, new_index) = (old.start + by, new.start + by);
    let (old_len, new_len) = (old.len(), new.len());
    match tag {
        DiffTag::Equal => DiffOp::Equal {
            old_index,
            new_index,
            len: old_len,
        },
        DiffTag::Delete => DiffOp::Delete {
            old_index,
            old_len,
            new_index,
        },
        DiffTag::Insert => DiffOp::Insert {
            old_index,
            new_index,
            new_len,
        },
        DiffTag::Replace => DiffOp::Replace {
            old_index,
            old_len,
            new_index,
            new_len,
        },
    }
}

/// The differing parts of two similar lines: the text between their common beginning and end.
fn changed_parts(old: &str, new: &str) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let same = |pair: &(&str, &str)| pair.0 == pair.1;
    let ahead = old.graphemes(true).zip(new.graphemes(true));
    let head: usize = ahead.take_while(same).map(|(text, _)| text.len()).sum();
    let behind = old[head..]
        .graphemes(true)
        .rev()
        .zip(new[head..].graphemes(true).rev());
    let tail: usize = behind.take_while(same).map(|(text, _)| text.len()).sum();
    let shortest = old.trim().len().min(new.trim().len());
    let indent = old.len() - old.trim_start().len();
    let alike = head.saturating_sub(indent) + tail;
    if alike * 3 < shortest || shortest == 0 {
        return (None, None);
    }
    let part = |text: &str| Some(head..text.len() - tail).filter(|part| !part.is_empty());
    (part(old), part(new))
}

/// The text that has no newline at its end, if only one of them has none. An empty text has no line to end.
fn unended(old: &str, new: &str) -> Option<Side> {
    if old.is_empty() || new.is_empty() {
        return None;
    }
    match (old.ends_with('\n'), new.ends_with('\n')) {
        (false, true) => Some(Side::Old),
        (true, false) => Some(Side::New),
        (true, true) | (false, false) => None,
    }
}

fn split_lines(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    text.strip_suffix('\n')
        .unwrap_or(text)
        .split('\n')
        .collect()
}

const CONTEXT: usize = 3;
/// The most bytes that are compared, in both texts together, between their common beginning and end.
const LARGEST: usize = 1024 * 1024;
/// The most lines that are compared.
const LONGEST: usize = 128 * 1024;
/// Texts up to this many lines are always compared completely.
const SHORT: usize = 1000;
/// The time limit for comparing longer texts. Lines not compared by then are shown as changed.
const PATIENCE: Duration = Duration::from_millis(3);
/// The most lines per step in which the changed part is highlighted.
const EMPHASISED: usize = 200;
