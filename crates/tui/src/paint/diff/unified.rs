//! A diff one below the other.

use ratatui::text::{Line, Span};

use super::rows::StepRows;
use super::{Colours, Manner, Page, Spans};
use crate::paint::theme::Role;
use crate::paint::wrap;

pub(super) const MANNER: Manner = Manner {
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

fn step(page: &mut Page<'_>, step: &StepRows<'_>, colours: &mut Colours) {
    let Colours { old, new, digits } = colours;
    if step.is_same() {
        for (before, after) in step.old.iter().zip(&step.new) {
            let numbers = [Some(before.number), Some(after.number)];
            new.next();
            write(page, numbers, " ", *digits, old.next());
        }
        return;
    }
    for row in &step.old {
        write(page, [Some(row.number), None], "-", *digits, old.next());
    }
    for row in &step.new {
        write(page, [None, Some(row.number)], "+", *digits, new.next());
    }
}

fn write(
    page: &mut Page<'_>,
    numbers: [Option<usize>; 2],
    sign: &'static str,
    digits: usize,
    spans: Option<Spans>,
) {
    let Some(spans) = spans.filter(|_| !page.is_full()) else {
        page.left_out += 1;
        return;
    };
    let theme = &page.brush.theme;
    let [old, new] = numbers.map(|number| number.filter(|_| digits > 0));
    let [old, new] = [old, new].map(|number| number.map_or(String::new(), |it| it.to_string()));
    let role = match sign {
        "-" => Role::Bad,
        "+" => Role::Good,
        _ => Role::Dim,
    };
    let first = [
        Span::styled(
            format!("{old:>digits$} {new:>digits$} "),
            theme.style(Role::Dim),
        ),
        Span::styled(format!("{sign} "), theme.style(role)),
    ];
    let rest = [Span::raw(" ".repeat(2 * digits + 4))];
    let lines: Vec<Line<'static>> = wrap::hard(spans, page.width, &first, &rest);
    for line in lines {
        page.push(line);
    }
}
