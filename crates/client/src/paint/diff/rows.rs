//! What a diff consists of: hunks of lines, with what changed within them.

use std::ops::Range;
use std::time::{Duration, Instant};

use attache::v1;
use similar::{Algorithm, DiffOp};
use unicode_segmentation::UnicodeSegmentation;

use super::shown;

/// The hunks of a diff.
pub(super) struct Rows<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    groups: Vec<Vec<DiffOp>>,
    kind: Kind,
    pub(super) added: usize,
    pub(super) removed: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Changed,
    New,
    Emptied,
    Same,
    LineEnd,
    TooLarge,
}

/// Which text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

/// A line of one side.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
    pub(super) is_changed: bool,
    /// What changed within it, in bytes of what is shown.
    pub(super) part: Option<Range<usize>>,
}

/// Lines that change, and some around them.
pub(super) struct Hunk<'a> {
    /// How many lines of the new text are between the hunk before and this one.
    pub(super) skipped: usize,
    /// Lines that belong together: the same on both sides, or the old for the new.
    pub(super) steps: Vec<StepRows<'a>>,
}

/// Lines of both sides that stand for each other.
pub(super) struct StepRows<'a> {
    pub(super) old: Vec<Row<'a>>,
    pub(super) new: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(diff: &'a v1::Diff) -> Self {
        let before = diff.old_text.as_deref();
        let size = before.map_or(0, str::len) + diff.new_text.len();
        let mut rows = Rows {
            old: split(before.unwrap_or_default()),
            new: split(&diff.new_text),
            groups: Vec::new(),
            kind: Kind::TooLarge,
            added: 0,
            removed: 0,
        };
        if size > LARGEST || rows.old.len() + rows.new.len() > LONGEST {
            (rows.added, rows.removed) = (rows.new.len(), rows.old.len());
            return rows;
        }
        let ops = rows.compare();
        for op in &ops {
            let (_, old, new) = op.as_tag_tuple();
            if !matches!(op, DiffOp::Equal { .. }) {
                rows.removed += old.len();
                rows.added += new.len();
            }
        }
        rows.kind = match before {
            None => Kind::New,
            Some(text) if text == diff.new_text => Kind::Same,
            Some(_) if rows.added + rows.removed == 0 => Kind::LineEnd,
            Some(_) if diff.new_text.is_empty() => Kind::Emptied,
            Some(_) => Kind::Changed,
        };
        if rows.added + rows.removed > 0 {
            rows.groups = similar::group_diff_ops(ops, CONTEXT);
        }
        rows
    }

    /// What sort of change it is, for the head line.
    pub(super) fn what(&self) -> &'static str {
        match self.kind {
            Kind::New => " new file",
            Kind::Emptied => " emptied or deleted",
            Kind::Changed | Kind::Same | Kind::LineEnd | Kind::TooLarge => "",
        }
    }

    /// Why there is nothing more to see.
    pub(super) fn remark(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Same => Some("nothing changes"),
            Kind::LineEnd => Some("only the line end at the end of the file changes"),
            Kind::TooLarge => Some("too large to compare here"),
            Kind::New | Kind::Emptied | Kind::Changed => None,
        }
    }

    /// How many columns the line numbers take.
    pub(super) fn number_width(&self) -> usize {
        self.old.len().max(self.new.len()).to_string().len()
    }

    /// How many lines of the new text are below the last hunk.
    pub(super) fn rest(&self) -> usize {
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

    fn compare(&self) -> Vec<DiffOp> {
        let is_short = self.old.len() + self.new.len() <= SHORT;
        let until = Instant::now().checked_add(PATIENCE);
        let until = until.filter(|_| !is_short);
        similar::capture_diff_slices_deadline(Algorithm::Myers, &self.old, &self.new, until)
    }

    fn step(&self, op: &DiffOp) -> StepRows<'a> {
        let is_changed = !matches!(op, DiffOp::Equal { .. });
        let rows = |lines: &[&'a str], range: Range<usize>| -> Vec<Row<'a>> {
            let row = |index: usize| Row {
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
                (old.part, new.part) = parts(&shown(old.text), &shown(new.text));
            }
        }
        StepRows { old, new }
    }
}

impl<'a> Hunk<'a> {
    /// The lines of one side, in order.
    pub(super) fn lines(&self, side: Side) -> impl Iterator<Item = &Row<'a>> {
        self.steps.iter().flat_map(move |step| step.side(side))
    }
}

impl<'a> StepRows<'a> {
    pub(super) fn side(&self, side: Side) -> &[Row<'a>] {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    /// Whether both sides are the same.
    pub(super) fn is_same(&self) -> bool {
        self.old.iter().chain(&self.new).all(|row| !row.is_changed)
    }
}

/// What differs between two lines that are much alike: what lies between their common beginning and end.
fn parts(old: &str, new: &str) -> (Option<Range<usize>>, Option<Range<usize>>) {
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

fn split(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    text.strip_suffix('\n')
        .unwrap_or(text)
        .split('\n')
        .collect()
}

const CONTEXT: usize = 3;
/// More bytes than this, both texts together, are not compared.
const LARGEST: usize = 1024 * 1024;
/// Nor are more lines than this.
const LONGEST: usize = 20_000;
/// Texts of so few lines are always compared to the end.
const SHORT: usize = 1000;
/// How long longer texts may take to compare; what was not found by then is shown as changed.
const PATIENCE: Duration = Duration::from_millis(3);
/// In how many lines of a change the changed part is found.
const EMPHASISED: usize = 200;
