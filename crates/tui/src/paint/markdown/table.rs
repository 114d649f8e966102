//! Paints tables that fit the width: columns shrink and cells wrap; with too many columns, rows become lists.

use pulldown_cmark::Alignment;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::paint::theme::{Sign, SignSet, TextRole};
use crate::paint::{Appearance, wrap};

type Cell = Vec<Span<'static>>;

/// The rows of a table, the header first.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
    row: Vec<Cell>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Table {
            alignments,
            rows: Vec::new(),
            row: Vec::new(),
        }
    }

    pub(super) fn cell(&mut self, cell: Cell) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    pub(super) fn lines(&self, appearance: &Appearance, width: usize) -> Vec<Line<'static>> {
        let columns = self.alignments.len();
        let room = width.saturating_sub(GAP * columns.saturating_sub(1));
        if columns == 0 || room < columns * NARROW {
            return self.as_lists(appearance, width);
        }
        let widths = fit(self.natural_widths(), room);
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let style = match index {
                0 => appearance.theme.style(TextRole::Strong),
                _ => Style::new(),
            };
            self.row_lines(row, &widths, style, appearance, &mut lines);
            if index == 0 {
                lines.push(rule(&widths, appearance));
            }
        }
        lines
    }

    fn natural_widths(&self) -> Vec<usize> {
        let column_width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| wrap::spans_width(cell))
                .max()
                .unwrap_or(0)
                .max(1)
        };
        (0..self.alignments.len()).map(column_width).collect()
    }

    fn row_lines(
        &self,
        row: &[Cell],
        widths: &[usize],
        style: Style,
        appearance: &Appearance,
        lines: &mut Vec<Line<'static>>,
    ) {
        let cells: Vec<Vec<Line<'static>>> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| {
                wrap::spans(row.get(column).cloned().unwrap_or_default(), *width)
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let bar = format!(" {} ", appearance.theme.sign(Sign::Bar));
        let bar = Span::styled(bar, appearance.theme.style(TextRole::Border));
        for line in 0..height {
            let mut spans = Vec::new();
            for (column, width) in widths.iter().enumerate() {
                if column > 0 {
                    spans.push(bar.clone());
                }
                let part = cells[column].get(line).cloned().unwrap_or_default();
                let alignment = self
                    .alignments
                    .get(column)
                    .copied()
                    .unwrap_or(Alignment::None);
                spans.extend(aligned(part, *width, alignment));
            }
            lines.push(Line::from(spans).style(style));
        }
    }

    fn as_lists(&self, appearance: &Appearance, width: usize) -> Vec<Line<'static>> {
        let head = self.rows.first();
        let mut lines = Vec::new();
        for row in self.rows.iter().skip(1) {
            let bullet = format!("{} ", appearance.theme.sign(Sign::Bullet));
            let mut first = vec![Span::styled(
                bullet,
                appearance.theme.style(TextRole::Border),
            )];
            let rest = [Span::raw("  ")];
            for (column, cell) in row.iter().enumerate() {
                let mut spans = head
                    .and_then(|head| head.get(column))
                    .cloned()
                    .unwrap_or_default();
                spans.push(Span::raw(": "));
                spans.extend(cell.iter().cloned());
                lines.extend(wrap::hanging(spans, width, &first, &rest));
                first = rest.to_vec();
            }
        }
        lines
    }
}

/// Shrinks the widest columns first.
fn fit(mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    let mut over = widths.iter().sum::<usize>().saturating_sub(room);
    while over > 0 {
        let most = widths.iter().copied().max().unwrap_or(0);
        let next = widths
            .iter()
            .copied()
            .filter(|width| *width < most)
            .max()
            .unwrap_or(0);
        let wide = widths.iter().filter(|width| **width == most).count();
        let step = (most - next).min(over.div_ceil(wide)).max(1);
        for width in widths.iter_mut().filter(|width| **width == most) {
            let less = step.min(over).min(width.saturating_sub(1));
            *width -= less;
            over -= less;
        }
        if most <= 1 {
            break;
        }
    }
    widths
}

fn aligned(part: Line<'static>, width: usize, alignment: Alignment) -> Vec<Span<'static>> {
    let room = width.saturating_sub(wrap::line_width(&part));
    let before = match alignment {
        Alignment::Right => room,
        Alignment::Center => room / 2,
        Alignment::None | Alignment::Left => 0,
    };
    let pad = |count: usize| (count > 0).then(|| Span::raw(" ".repeat(count)));
    let left = pad(before).into_iter();
    left.chain(part.spans).chain(pad(room - before)).collect()
}

fn rule(widths: &[usize], appearance: &Appearance) -> Line<'static> {
    let (line, cross) = match appearance.theme.sign_set() {
        SignSet::Unicode => ("─", "─┼─"),
        SignSet::Ascii => ("-", "-+-"),
    };
    let parts: Vec<String> = widths.iter().map(|width| line.repeat(*width)).collect();
    Line::styled(parts.join(cross), appearance.theme.style(TextRole::Border))
}

/// The width of the separator between columns.
const GAP: usize = 3;
/// The narrowest useful column.
const NARROW: usize = 4;
