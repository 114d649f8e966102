//! Keeps track of which rows of a request have been on the screen. Rows that a jump skips don't count.

use std::ops::Range;

use super::changes::ChangesLayout;

/// The rows that have been on the screen in one layout; a new layout starts over.
#[derive(Debug, Clone, Default)]
pub(super) struct RowCoverage {
    layout: Option<ChangesLayout>,
    /// Sorted ranges with unseen rows between them.
    ranges: Vec<Range<usize>>,
}

/// The rows that have to be seen but have not been on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UnreadRows {
    pub(super) count: usize,
    /// Whether some of them are above the visible rows.
    has_above: bool,
}

impl RowCoverage {
    /// Whether the rows belong to this layout.
    pub(super) fn is_for(&self, layout: ChangesLayout) -> bool {
        self.layout == Some(layout)
    }

    /// The coverage after these rows have been on the screen too.
    pub(super) fn with(&self, layout: ChangesLayout, rows: Range<usize>) -> RowCoverage {
        let before: &[Range<usize>] = match self.is_for(layout) {
            true => &self.ranges,
            false => &[],
        };
        let mut joined = rows;
        let mut ranges = Vec::with_capacity(before.len() + 1);
        for range in before {
            if range.end < joined.start || joined.end < range.start {
                ranges.push(range.clone());
            } else {
                joined = range.start.min(joined.start)..range.end.max(joined.end);
            }
        }
        if !joined.is_empty() {
            ranges.push(joined);
        }
        ranges.sort_by_key(|range| range.start);
        RowCoverage {
            layout: Some(layout),
            ranges,
        }
    }

    /// The unread rows among the first `count`, on a screen that shows rows from `top` on.
    pub(super) fn unread_rows(&self, count: usize, top: usize) -> UnreadRows {
        let seen_before = |end: usize| -> usize {
            let parts = self.ranges.iter();
            parts
                .map(|range| range.end.min(end).saturating_sub(range.start))
                .sum()
        };
        let above = top.min(count);
        UnreadRows {
            count: count - seen_before(count),
            has_above: seen_before(above) < above,
        }
    }
}

impl UnreadRows {
    /// The key that leads to the unread rows; those above come first.
    pub(super) fn key(self) -> &'static str {
        match self.has_above {
            true => "PgUp",
            false => "PgDn",
        }
    }
}
