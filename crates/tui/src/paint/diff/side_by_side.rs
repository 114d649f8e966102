//! A diff side by side: the old text on the left, the new one on the right.

use ratatui::text::{Line, Span};

use super::rows::{Row, StepRows};
use super::{Colours, Manner, Page, Spans};
use crate::paint::theme::{Role, Sign};
use crate::paint::wrap;

pub(super) const MANNER: Manner = Manner {
    height,
    write: step,
};

fn height(step: &StepRows<'_>) -> usize {
    step.old.len().max(step.new.len())
}

fn step(page: &mut Page<'_>, step: &StepRows<'_>, colours: &mut Colours) {
    for index in 0..height(step) {
        let left = step.old.get(index);
        let right = step.new.get(index);
        let left = left.map(|row| (row, colours.old.next().unwrap_or_default()));
        let right = right.map(|row| (row, colours.new.next().unwrap_or_default()));
        write(page, left, right, colours.digits);
    }
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
