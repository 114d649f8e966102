//! A diff side by side: the old text on the left, the new one on the right.

use ratatui::text::{Line, Span};

use super::Page;
use super::rows::{Row, Rows, Side, StepRows};
use crate::paint::theme::{Role, Sign};
use crate::paint::wrap;

type Spans = Vec<Span<'static>>;

pub(super) fn paint(rows: &Rows<'_>, page: &mut Page<'_>) {
    let digits = rows.number_width();
    for hunk in rows.hunks() {
        if page.is_full() {
            page.left_out += hunk.steps.iter().map(height).sum::<usize>();
            continue;
        }
        if hunk.skipped > 0 {
            page.note(&format!("{} lines", hunk.skipped));
        }
        let mut old = page.colour(&hunk, Side::Old).into_iter();
        let mut new = page.colour(&hunk, Side::New).into_iter();
        for step in &hunk.steps {
            for index in 0..height(step) {
                let left = step.old.get(index);
                let right = step.new.get(index);
                let left = left.map(|row| (row, old.next().unwrap_or_default()));
                let right = right.map(|row| (row, new.next().unwrap_or_default()));
                write(page, left, right, digits);
            }
        }
    }
    if rows.rest() > 0 {
        page.note(&format!("{} lines", rows.rest()));
    }
}

fn height(step: &StepRows<'_>) -> usize {
    step.old.len().max(step.new.len())
}

fn write(
    page: &mut Page<'_>,
    left: Option<(&Row<'_>, Spans)>,
    right: Option<(&Row<'_>, Spans)>,
    digits: usize,
) {
    if page.is_full() {
        page.left_out += 1;
        return;
    }
    let theme = page.brush.theme;
    let half = page.width.saturating_sub(3) / 2;
    let left = cell(page, left, "-", digits, half);
    let right = cell(page, right, "+", digits, half);
    let bar = format!(" {} ", theme.sign(Sign::Bar));
    for index in 0..left.len().max(right.len()) {
        let mut spans = left.get(index).cloned().unwrap_or_default().spans;
        let room = half.saturating_sub(wrap::spans_width(&spans));
        spans.push(Span::raw(" ".repeat(room)));
        spans.push(Span::styled(bar.clone(), theme.style(Role::Border)));
        spans.extend(right.get(index).cloned().unwrap_or_default().spans);
        page.push(Line::from(wrap::cut_spans(spans, page.width)));
    }
}

fn cell(
    page: &Page<'_>,
    row: Option<(&Row<'_>, Spans)>,
    sign: &'static str,
    digits: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let Some((row, spans)) = row else {
        return Vec::new();
    };
    let theme = &page.brush.theme;
    let (sign, role) = match (row.is_changed, sign) {
        (false, _) => (" ", Role::Dim),
        (true, "-") => ("-", Role::Bad),
        (true, _) => ("+", Role::Good),
    };
    let first = [
        Span::styled(format!("{:>digits$} ", row.number), theme.style(Role::Dim)),
        Span::styled(format!("{sign} "), theme.style(role)),
    ];
    wrap::hard(spans, width, &first, &[Span::raw(" ".repeat(digits + 3))])
}
