//! Writes a diff with old lines above new ones.

use ratatui::text::{Line, Span};

use super::rows::StepRows;
use super::{DiffPainter, HunkColours, Spans, StepWriter};
use crate::paint::theme::TextRole;
use crate::paint::wrap;

pub(super) const WRITER: StepWriter = StepWriter {
    height,
    write: step,
};

fn height(step: &StepRows<'_>) -> usize {
    if step.is_same() {
        step.new.len()
    } else {
        step.old.len() + step.new.len()
    }
}

fn step(painter: &mut DiffPainter<'_>, step: &StepRows<'_>, colours: &mut HunkColours) {
    let HunkColours { old, new, digits } = colours;
    if step.is_same() {
        for (before, after) in step.old.iter().zip(&step.new) {
            let numbers = [Some(before.number), Some(after.number)];
            new.next();
            write(painter, numbers, " ", *digits, old.next());
        }
        return;
    }
    for row in &step.old {
        write(painter, [Some(row.number), None], "-", *digits, old.next());
    }
    for row in &step.new {
        write(painter, [None, Some(row.number)], "+", *digits, new.next());
    }
}

fn write(
    painter: &mut DiffPainter<'_>,
    numbers: [Option<usize>; 2],
    sign: &'static str,
    digits: usize,
    spans: Option<Spans>,
) {
    let Some(spans) = spans.filter(|_| !painter.is_full()) else {
        painter.left_out += 1;
        return;
    };
    let theme = &painter.appearance.theme;
    let [old, new] = numbers.map(|number| number.filter(|_| digits > 0));
    let [old, new] = [old, new].map(|number| number.map_or(String::new(), |it| it.to_string()));
    let role = match sign {
        "-" => TextRole::Bad,
        "+" => TextRole::Good,
        _ => TextRole::Dim,
    };
    let first = [
        Span::styled(
            format!("{old:>digits$} {new:>digits$} "),
            theme.style(TextRole::Dim),
        ),
        Span::styled(format!("{sign} "), theme.style(role)),
    ];
    let rest = [Span::raw(" ".repeat(2 * digits + 4))];
    let lines: Vec<Line<'static>> = wrap::hard(spans, painter.width, &first, &rest);
    for line in lines {
        painter.push(line);
    }
}
