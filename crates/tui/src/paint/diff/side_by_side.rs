//! Writes a diff with the old text on the left and the new text on the right.

use ratatui::text::{Line, Span};

use super::rows::{DiffRow, StepRows};
use super::{DiffPainter, HunkColours, Spans, StepWriter};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::wrap;

pub(super) const WRITER: StepWriter = StepWriter {
    height,
    write: step,
};

fn height(step: &StepRows<'_>) -> usize {
    step.old.len().max(step.new.len())
}

fn step(painter: &mut DiffPainter<'_>, step: &StepRows<'_>, colours: &mut HunkColours) {
    for index in 0..height(step) {
        let left = step.old.get(index);
        let right = step.new.get(index);
        let left = left.map(|row| (row, colours.old.next().unwrap_or_default()));
        let right = right.map(|row| (row, colours.new.next().unwrap_or_default()));
        write(painter, left, right, colours.digits);
    }
}

fn write(
    painter: &mut DiffPainter<'_>,
    left: Option<(&DiffRow<'_>, Spans)>,
    right: Option<(&DiffRow<'_>, Spans)>,
    digits: usize,
) {
    if painter.is_full() {
        painter.left_out += 1;
        return;
    }
    let theme = painter.appearance.theme;
    let half = painter.width.saturating_sub(3) / 2;
    let left = cell(painter, left, "-", digits, half);
    let right = cell(painter, right, "+", digits, half);
    let bar = format!(" {} ", theme.sign(Sign::Bar));
    for index in 0..left.len().max(right.len()) {
        let mut spans = left.get(index).cloned().unwrap_or_default().spans;
        let room = half.saturating_sub(wrap::spans_width(&spans));
        spans.push(Span::raw(" ".repeat(room)));
        spans.push(Span::styled(bar.clone(), theme.style(TextRole::Border)));
        spans.extend(right.get(index).cloned().unwrap_or_default().spans);
        painter.push(Line::from(wrap::cut_spans(spans, painter.width)));
    }
}

fn cell(
    painter: &DiffPainter<'_>,
    row: Option<(&DiffRow<'_>, Spans)>,
    sign: &'static str,
    digits: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let Some((row, spans)) = row else {
        return Vec::new();
    };
    let theme = &painter.appearance.theme;
    let (sign, role) = match (row.is_changed, sign) {
        (false, _) => (" ", TextRole::Dim),
        (true, "-") => ("-", TextRole::Bad),
        (true, _) => ("+", TextRole::Good),
    };
    let first = [
        Span::styled(
            format!("{:>digits$} ", row.number),
            theme.style(TextRole::Dim),
        ),
        Span::styled(format!("{sign} "), theme.style(role)),
    ];
    wrap::hard(spans, width, &first, &[Span::raw(" ".repeat(digits + 3))])
}
