//! Prepares text for the screen: makes it safe, breaks it into rows, cuts it to a width.

use std::borrow::Cow;
use std::ops::Range;

use attache_text::plain;
use unicode_segmentation::UnicodeSegmentation;

use crate::paint::wrap;

/// Untrusted text on one line, safe to show.
pub(crate) fn safe_line(text: &str) -> String {
    plain::line(text).into_owned()
}

/// The rows of a text at a width, as byte ranges. A row breaks after a space if possible, otherwise inside the word.
/// Between rows there are only line ends; a text that ends with one has an empty last row.
pub(crate) fn rows(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        break_line(line, start, width.max(2), &mut rows);
        start += line.len() + 1;
    }
    rows
}

/// The rows of a text as strings, without the spaces at which they break.
pub(crate) fn wrap_lines(text: &str, width: usize) -> Vec<String> {
    let ranges = rows(text, width).into_iter();
    ranges.map(|row| text[row].trim_end().to_owned()).collect()
}

/// The rows of a text that keep every character, including all spaces. A row that breaks inside a word fills the width;
/// one that breaks after a space ends with that space. A new row begins after each `⏎`.
pub(crate) fn exact_rows(text: &str, width: usize) -> Vec<String> {
    exact_rows_from(text, width, width)
}

/// Like [`exact_rows`], with another width for the first row.
pub(crate) fn exact_rows_from(text: &str, first: usize, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut room = first.max(2);
    let mut rows = Vec::new();
    let (mut start, mut used, mut space) = (0, 0, None);
    let mut is_over = false;
    for (index, grapheme) in text.grapheme_indices(true) {
        let wide = wrap::columns(grapheme);
        if is_over || used + wide > room {
            let word = space.filter(|at| *at > start && grapheme != " " && index - *at < room / 2);
            let at = match is_over {
                true => index,
                false => word.unwrap_or(index),
            };
            rows.push(text[start..at].to_owned());
            used = wrap::width(&text[at..index]);
            (start, space, room) = (at, None, width);
        }
        used += wide;
        is_over = grapheme == "⏎";
        if grapheme == " " {
            space = Some(index + 1);
        }
    }
    rows.push(text[start..].to_owned());
    rows
}

/// The beginning of a text, cut to a width.
pub(crate) fn cut(text: &str, width: usize) -> String {
    wrap::cut(text, width).into_owned()
}

/// The first characters of a text, with `…` if some are missing.
pub(crate) fn first_chars(text: &str, count: usize) -> Cow<'_, str> {
    match text.char_indices().nth(count) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// The beginning of a text, cut to a width, with the number of missing characters.
pub(crate) fn cut_counted(text: &str, width: usize) -> String {
    if wrap::width(text) <= width {
        return text.to_owned();
    }
    let count = text.chars().count();
    // The count of all characters is at least as wide as the count of the missing ones.
    let start = cut(text, width.saturating_sub(format!("(+{count})").len()));
    let more = count - start.chars().count().saturating_sub(1).min(count);
    cut(&format!("{start}(+{more})"), width)
}

/// The end of a text, cut to a width: useful for paths.
pub(crate) fn cut_front(text: &str, width: usize) -> String {
    wrap::cut_front(text, width).into_owned()
}

fn break_line(line: &str, offset: usize, width: usize, rows: &mut Vec<Range<usize>>) {
    let mut start = 0;
    let mut used = 0;
    let mut space = None;
    for (index, grapheme) in line.grapheme_indices(true) {
        let wide = wrap::columns(grapheme);
        if used + wide > width && grapheme != " " {
            let at = space.filter(|at| *at > start).unwrap_or(index);
            rows.push(offset + start..offset + at);
            used = wrap::width(&line[at..index]);
            start = at;
            space = None;
        }
        used += wide;
        if grapheme == " " {
            space = Some(index + 1);
        }
    }
    rows.push(offset + start..offset + line.len());
}
