//! Diffs, unified or side by side, with line numbers and highlighted changes within lines.

mod rows;
mod side_by_side;
#[cfg(test)]
mod tests;
mod unified;

use std::path::Path;

use attache::v1;
use attache_text::plain::{visible_changed_line, visible_code};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::code::{self, PrefixHash};
use super::theme::{Sign, TextRole};
use super::{Appearance, wrap};
use rows::{DiffRows, Hunk, Side, StepRows};

/// How diffs are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffLayout {
    /// Side by side if there is room, otherwise unified.
    ByWidth,
    /// The old lines above the new ones.
    Unified,
    /// Side by side.
    SideBySide,
}

/// Paints a diff in which every change can be read: a line with the path and the number of changes, then the changes
/// with three lines of context. A diff with more than `most` characters to read is cut.
pub(crate) fn whole(
    diff: &v1::Diff,
    appearance: &Appearance,
    width: u16,
    most: usize,
) -> WholeDiff {
    let rows = DiffRows::new(diff, usize::MAX);
    let characters = rows.characters();
    if characters <= most && rows.is_compared() {
        return WholeDiff {
            characters: Some(characters),
            painted: paint_rows(diff, &rows, appearance, width, usize::MAX),
        };
    }
    WholeDiff {
        characters: None,
        painted: paint(diff, appearance, width, BEGINNING),
    }
}

/// A complete diff, to be read before it is allowed.
pub(crate) struct WholeDiff {
    /// The number of characters to read, or `None` if there are too many and the diff is cut.
    pub(crate) characters: Option<usize>,
    pub(crate) painted: PaintedDiff,
}

/// A diff as styled lines.
pub(crate) struct PaintedDiff {
    pub(crate) lines: Vec<Line<'static>>,
    /// Whether the colours of all its code are known.
    pub(crate) is_coloured: bool,
}

/// Paints a diff in at most `limit` lines, the last of which says how much is missing. Very long lines are cut.
pub(super) fn paint(
    diff: &v1::Diff,
    appearance: &Appearance,
    width: u16,
    limit: usize,
) -> PaintedDiff {
    paint_rows(
        diff,
        &DiffRows::new(diff, LONGEST),
        appearance,
        width,
        limit,
    )
}

fn paint_rows(
    diff: &v1::Diff,
    rows: &DiffRows<'_>,
    appearance: &Appearance,
    width: u16,
    limit: usize,
) -> PaintedDiff {
    let mut painter = DiffPainter {
        appearance,
        width: usize::from(width),
        limit: limit.max(2),
        lines: vec![header(diff, rows, appearance, usize::from(width))],
        left_out: 0,
        is_coloured: true,
        syntax: syntax(diff.path.as_str()),
    };
    if let Some(remark) = rows.remark() {
        painter.push_remark(remark);
    }
    let is_wide = width >= WIDE && rows.removed > 0 && rows.added > 0;
    let writer = match appearance.diffs {
        DiffLayout::SideBySide if width >= NARROW => side_by_side::WRITER,
        DiffLayout::ByWidth if is_wide => side_by_side::WRITER,
        _ => unified::WRITER,
    };
    painter.fill(rows, &writer);
    painter.finish()
}

type Spans = Vec<Span<'static>>;

/// How the steps of a hunk are written: unified or side by side.
struct StepWriter {
    /// The fewest lines that a step takes.
    height: fn(&StepRows<'_>) -> usize,
    write: fn(&mut DiffPainter<'_>, &StepRows<'_>, &mut HunkColours),
}

/// The highlighted lines of a hunk that are not written yet.
struct HunkColours {
    old: std::vec::IntoIter<Spans>,
    new: std::vec::IntoIter<Spans>,
    /// The width of a line number.
    digits: usize,
}

/// The lines painted so far, up to a limit.
struct DiffPainter<'a> {
    appearance: &'a Appearance,
    width: usize,
    limit: usize,
    lines: Vec<Line<'static>>,
    left_out: usize,
    is_coloured: bool,
    syntax: String,
}

impl DiffPainter<'_> {
    fn fill(&mut self, rows: &DiffRows<'_>, writer: &StepWriter) {
        for hunk in rows.hunks() {
            if self.is_full() {
                self.left_out += hunk.steps.iter().map(writer.height).sum::<usize>();
                continue;
            }
            if hunk.skipped > 0 {
                self.push_remark(&format!("{} lines", hunk.skipped));
            }
            let mut colours = HunkColours {
                old: self.colour(&hunk, Side::Old, rows).into_iter(),
                new: self.colour(&hunk, Side::New, rows).into_iter(),
                digits: self.digits(rows),
            };
            for step in &hunk.steps {
                (writer.write)(self, step, &mut colours);
            }
        }
        if rows.lines_below() > 0 {
            self.push_remark(&format!("{} lines", rows.lines_below()));
        }
        if let Some(remark) = rows.line_end_remark() {
            self.push_remark(remark);
        }
    }

    /// The width of a line number, or 0 if numbers would leave no room for the lines.
    fn digits(&self, rows: &DiffRows<'_>) -> usize {
        let digits = rows.number_width();
        match self.width >= 2 * digits + LEAST {
            true => digits,
            false => 0,
        }
    }

    fn push(&mut self, line: Line<'static>) {
        if self.lines.len() < self.limit {
            self.lines.push(line);
        } else {
            self.left_out += 1;
        }
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= self.limit
    }

    fn push_remark(&mut self, text: &str) {
        let text = format!("{} {text}", self.appearance.theme.sign(Sign::More));
        let line = Span::styled(text, self.appearance.theme.style(TextRole::Dim));
        self.push(Line::from(wrap::cut_spans(vec![line], self.width)));
    }

    /// The highlighted lines of one side of a hunk, no more than there is room for.
    fn colour(&mut self, hunk: &Hunk<'_>, side: Side, rows: &DiffRows<'_>) -> Vec<Spans> {
        let room = self.limit.saturating_sub(self.lines.len());
        let texts = hunk.lines(side).take(room);
        let texts = texts.map(|line| shown_line(line.text, rows.longest(line)));
        let texts: Vec<String> = texts.collect();
        let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
        let coloured =
            self.appearance
                .highlighter
                .colours(&self.syntax, PrefixHash::default(), &lines);
        let has_colours = self.appearance.theme.palette() != super::theme::Palette::None
            && !self.syntax.is_empty();
        self.is_coloured &= !has_colours || coloured.lines.iter().all(Option::is_some);
        let theme = &self.appearance.theme;
        let painted = lines.iter().zip(&coloured.lines).zip(hunk.lines(side));
        let painted = painted.map(|((text, colours), line)| {
            let spans = code::styled(text, colours.as_ref(), theme);
            let (whole, part) = match (line.is_changed, side) {
                (false, _) => return spans,
                (true, Side::Old) => (TextRole::Removed, TextRole::RemovedPart),
                (true, Side::New) => (TextRole::Added, TextRole::AddedPart),
            };
            let spans = spans
                .into_iter()
                .map(|span| span.patch_style(theme.style(whole)))
                .collect();
            match &line.part {
                Some(part_of) => overlay(spans, part_of.clone(), theme.style(part)),
                None => spans,
            }
        });
        painted.collect()
    }

    fn finish(mut self) -> PaintedDiff {
        if self.left_out > 0 {
            self.lines.truncate(self.limit - 1);
            let count = self.left_out + 1;
            self.push_remark(&format!("{count} more lines"));
        }
        PaintedDiff {
            lines: self.lines,
            is_coloured: self.is_coloured,
        }
    }
}

fn header(
    diff: &v1::Diff,
    rows: &DiffRows<'_>,
    appearance: &Appearance,
    width: usize,
) -> Line<'static> {
    let theme = &appearance.theme;
    let figures = vec![
        Span::raw(" "),
        Span::styled(format!("+{}", rows.added), theme.style(TextRole::Good)),
        Span::raw(" "),
        Span::styled(format!("-{}", rows.removed), theme.style(TextRole::Bad)),
        Span::styled(rows.kind_label(), theme.style(TextRole::Dim)),
    ];
    let room = width.saturating_sub(wrap::spans_width(&figures));
    let path = super::relative_path(&diff.path, &appearance.cwd);
    let path = wrap::cut_front(&path, room).into_owned();
    let mut spans = vec![Span::styled(path, theme.style(TextRole::Strong))];
    spans.extend(figures);
    Line::from(wrap::cut_spans(spans, width))
}

fn syntax(path: &str) -> String {
    let path = Path::new(path);
    let name = path.extension().or(path.file_name());
    name.and_then(|name| name.to_str())
        .unwrap_or_default()
        .to_owned()
}

/// Makes every character of a line visible; a tab becomes a sign and a gap, and a space at the end
/// becomes a sign. A line of more than `most` characters ends
/// with the number of missing ones.
fn shown_line(line: &str, most: usize) -> String {
    let end = line.char_indices().nth(most).map(|(end, _)| end);
    let mut text = String::with_capacity(line.len());
    let mut parts = line[..end.unwrap_or(line.len())].split('\t').peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        if !std::mem::take(&mut is_first) {
            text.push('␉');
            let gap = wrap::to_tab_stop(wrap::width(&text));
            text.extend(std::iter::repeat_n(' ', gap));
        }
        text.push_str(&match parts.peek() {
            None if end.is_none() => visible_changed_line(part),
            _ => visible_code(part),
        });
    }
    if let Some(end) = end {
        let missing = line[end..].chars().count();
        text += &format!("… {missing} more characters; export to see all");
    }
    text
}

/// Styles a byte range of some spans.
fn overlay(
    spans: Vec<Span<'static>>,
    range: std::ops::Range<usize>,
    style: Style,
) -> Vec<Span<'static>> {
    let mut styled = Vec::with_capacity(spans.len() + 2);
    let mut at = 0;
    for span in spans {
        let text = span.content.as_ref();
        let cut = |bytes: usize| text.floor_char_boundary(bytes.saturating_sub(at).min(text.len()));
        let (start, end) = (cut(range.start), cut(range.end));
        let pieces = [
            (&text[..start], span.style),
            (&text[start..end], span.style.patch(style)),
            (&text[end..], span.style),
        ];
        let pieces = pieces.into_iter().filter(|(piece, _)| !piece.is_empty());
        styled.extend(pieces.map(|(piece, style)| Span::styled(piece.to_owned(), style)));
        at += text.len();
    }
    styled
}

/// The width from which diffs are side by side by default, and the width from which they can be.
const WIDE: u16 = 120;
const NARROW: u16 = 60;
/// The fewest columns of a line besides its numbers, including its sign.
const LEAST: usize = 12;
/// The number of lines shown of a diff that is too long to read.
const BEGINNING: usize = 200;
/// The most characters of a line that are shown.
const LONGEST: usize = 2000;
