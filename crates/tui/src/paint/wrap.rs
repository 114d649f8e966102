//! Breaks lines to a width, by grapheme clusters and their columns.

use std::borrow::Cow;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The number of columns of a text.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.graphemes(true).map(columns).sum()
    }
}

/// The number of columns of a grapheme cluster as we draw it.
pub fn columns(grapheme: &str) -> usize {
    let is_sound_mark = |char: &char| matches!(char, '\u{ff9e}' | '\u{ff9f}');
    grapheme.width() + grapheme.chars().filter(is_sound_mark).count()
}

/// The number of columns of a line.
pub fn line_width(line: &Line<'_>) -> usize {
    spans_width(&line.spans)
}

/// At most the first `limit` bytes of a text, up to a character boundary.
pub(super) fn first_bytes(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// Cuts a text to a width, with `…` for the missing part.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += columns(grapheme);
        if used >= limit {
            break;
        }
        kept.push_str(grapheme);
    }
    if limit > 0 {
        kept.push('…');
    }
    Cow::Owned(kept)
}

/// The end of a text, cut to a width, with `…` for the missing part. For paths, whose end tells more than their
/// beginning.
pub fn cut_front(text: &str, limit: usize) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let fits = |grapheme: &&str| {
        used += columns(grapheme);
        used <= limit
    };
    let kept = text.graphemes(true).rev().take_while(fits);
    let length: usize = kept.map(str::len).sum();
    match limit {
        0 => Cow::Borrowed(""),
        _ => Cow::Owned(format!("…{}", &text[text.len() - length..])),
    }
}

/// Cuts spans to a width, with `…` for the missing part.
pub fn cut_spans(spans: Vec<Span<'static>>, limit: usize) -> Vec<Span<'static>> {
    if spans_width(&spans) <= limit {
        return spans;
    }
    let mut kept = Vec::new();
    let mut used = 0;
    for span in spans {
        let wide = width(&span.content);
        if used + wide < limit {
            used += wide;
            kept.push(span);
            continue;
        }
        let mut text = cut(&span.content, limit - used).into_owned();
        if limit > used && !text.ends_with('…') {
            text = cut(&format!("{text} "), limit - used).into_owned();
        }
        kept.push(Span::styled(text, span.style));
        break;
    }
    kept
}

/// Breaks spans into lines of at most `width` columns, at spaces where possible.
pub fn spans(spans: Vec<Span<'static>>, width: usize) -> Vec<Line<'static>> {
    hanging(spans, width, &[], &[])
}

/// Like [`spans`], with a prefix for the first line and another for the others.
pub fn hanging(
    spans: Vec<Span<'static>>,
    width: usize,
    first: &[Span<'static>],
    rest: &[Span<'static>],
) -> Vec<Line<'static>> {
    let mut wrapper = LineWrapper::new(width, first, rest);
    for span in &spans {
        for (index, line) in span.content.split('\n').enumerate() {
            if index > 0 {
                wrapper.end_line();
            }
            wrapper.write(line, span.style);
        }
    }
    wrapper.finish()
}

/// Breaks text exactly at the width, as a terminal does; for code and output.
pub fn hard(
    spans: Vec<Span<'static>>,
    width: usize,
    first: &[Span<'static>],
    rest: &[Span<'static>],
) -> Vec<Line<'static>> {
    if spans_width(first) + spans_width(&spans) <= width {
        let all = first.iter().cloned().chain(spans);
        return vec![Line::from_iter(all)];
    }
    let mut wrapper = LineWrapper::new(width, first, rest);
    for span in &spans {
        for grapheme in span.content.graphemes(true) {
            wrapper.break_into(grapheme, span.style);
        }
    }
    wrapper.finish()
}

/// Replaces tabs by spaces up to the next column that is a multiple of four.
pub fn without_tabs(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for (index, part) in text.split('\t').enumerate() {
        if index > 0 {
            let gap = TAB - column % TAB;
            spaced.extend(std::iter::repeat_n(' ', gap));
            column += gap;
        }
        spaced.push_str(part);
        column += width(part);
    }
    Cow::Owned(spaced)
}

/// The number of columns to the next tab stop; 0 at a tab stop.
pub(super) fn to_tab_stop(column: usize) -> usize {
    column.next_multiple_of(TAB) - column
}

pub(super) fn spans_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// The finished lines, the current line, and the word that is not yet on it.
struct LineWrapper<'a> {
    width: usize,
    rest: &'a [Span<'static>],
    lines: Vec<Line<'static>>,
    line: Vec<Span<'static>>,
    column: usize,
    start: usize,
    word: Vec<Span<'static>>,
    word_width: usize,
    gap: usize,
    gap_style: Style,
}

impl<'a> LineWrapper<'a> {
    fn new(width: usize, first: &[Span<'static>], rest: &'a [Span<'static>]) -> Self {
        let width = width.max(1);
        let line = fitting(first, width);
        let column = spans_width(&line);
        LineWrapper {
            width,
            rest,
            lines: Vec::new(),
            line,
            column,
            start: column,
            word: Vec::new(),
            word_width: 0,
            gap: 0,
            gap_style: Style::new(),
        }
    }

    fn write(&mut self, text: &str, style: Style) {
        for piece in text.split_inclusive(' ') {
            let word = piece.strip_suffix(' ').unwrap_or(piece);
            if word.is_ascii() {
                self.add(word, word.len(), style);
            } else {
                self.add_graphemes(word, style);
            }
            if word.len() < piece.len() {
                self.flush();
                self.gap += 1;
                self.gap_style = style;
            }
        }
    }

    /// Adds a word. Lines may break between wide characters.
    fn add_graphemes(&mut self, word: &str, style: Style) {
        for grapheme in word.graphemes(true) {
            let wide = columns(grapheme);
            if wide > 1 {
                self.flush();
            }
            self.add(grapheme, wide, style);
            if wide > 1 {
                self.flush();
            }
        }
    }

    fn add(&mut self, text: &str, wide: usize, style: Style) {
        push(&mut self.word, text, style);
        self.word_width += wide;
    }

    /// Puts the word on the current line, or on the next one.
    fn flush(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let wide = std::mem::take(&mut self.word_width);
        if self.column + self.gap + wide > self.width && self.column > self.start {
            self.next_line();
        }
        if self.column + self.gap + wide > self.width && self.gap + 1 >= self.width {
            self.gap = 0;
        }
        self.put_gap();
        if self.column + wide <= self.width {
            self.column += wide;
            for span in word {
                push(&mut self.line, &span.content, span.style);
            }
            return;
        }
        for span in &word {
            for grapheme in span.content.graphemes(true) {
                self.break_into(grapheme, span.style);
            }
        }
    }

    fn put_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        let gap = gap.min(self.width.saturating_sub(self.column));
        if gap > 0 {
            push(&mut self.line, &" ".repeat(gap), self.gap_style);
            self.column += gap;
        }
    }

    fn break_into(&mut self, grapheme: &str, style: Style) {
        let mut wide = columns(grapheme);
        if self.column + wide > self.width && self.column > self.start {
            self.next_line();
        }
        let mut shown = grapheme;
        if self.column + wide > self.width {
            (shown, wide) = if self.column < self.width {
                ("…", 1)
            } else {
                ("", 0)
            };
        }
        push(&mut self.line, shown, style);
        self.column += wide;
    }

    fn end_line(&mut self) {
        self.flush();
        self.next_line();
    }

    fn next_line(&mut self) {
        self.gap = 0;
        let next = fitting(self.rest, self.width);
        self.column = spans_width(&next);
        self.start = self.column;
        let line = std::mem::replace(&mut self.line, next);
        self.lines.push(Line::from(line));
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.flush();
        self.lines.push(Line::from(self.line));
        self.lines
    }
}

/// The part of a prefix that leaves at least half of the line free.
fn fitting(prefix: &[Span<'static>], width: usize) -> Vec<Span<'static>> {
    let room = width / 2;
    let mut used = 0;
    let fits = |span: &&Span<'static>| {
        used += self::width(&span.content);
        used <= room
    };
    prefix.iter().take_while(fits).cloned().collect()
}

fn push(line: &mut Vec<Span<'static>>, text: &str, style: Style) {
    if text.is_empty() {
        return;
    }
    match line.last_mut() {
        Some(last) if last.style == style => last.content.to_mut().push_str(text),
        _ => line.push(Span::styled(text.to_owned(), style)),
    }
}

const TAB: usize = 4;
