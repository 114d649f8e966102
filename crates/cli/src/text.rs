//! Makes text from others safe to show: control characters and hidden characters become visible.

use attache_text::plain;
use attache_text::plain::{visible, visible_word};

/// One line with hidden characters made visible.
pub(crate) fn line(text: &str) -> String {
    visible(text).into_owned()
}

/// One cell of a table, without two spaces in a row, which separate cells.
pub(crate) fn cell(text: &str) -> String {
    without_gaps(&visible(text))
}

/// Replaces repeated spaces, and spaces at the ends, with `␠`.
pub(crate) fn without_gaps(shown: &str) -> String {
    let is_gap = |(at, _): (usize, &str)| {
        let (before, after) = (&shown[..at], &shown[at + 1..]);
        let is_space = |text: Option<char>| text.is_none_or(|char| char == ' ');
        is_space(before.chars().next_back()) || is_space(after.chars().next())
    };
    let mut cell = String::with_capacity(shown.len());
    let mut start = 0;
    for (at, _) in shown.match_indices(' ').filter(|it| is_gap(*it)) {
        cell.push_str(&shown[start..at]);
        cell.push('␠');
        start = at + 1;
    }
    cell.push_str(&shown[start..]);
    cell
}

/// Several lines with control characters removed.
pub(crate) fn lines(text: &str) -> String {
    plain::lines(text).into_owned()
}

/// The text as one quoted shell word.
pub(crate) fn word(text: &str) -> String {
    visible_word(text).into_owned()
}

#[cfg(test)]
mod tests {
    use attache_testkit::hostile::texts;

    use super::cell;

    #[test]
    fn attack_no_cell_looks_like_two() {
        for text in texts() {
            let cell = cell(&text);
            assert!(!cell.contains("  "), "{text:?} became {cell:?}");
            assert_eq!(cell.trim(), cell, "{text:?} became {cell:?}");
        }
        assert_eq!(cell("rm x  allow  "), "rm x␠␠allow␠␠");
    }
}
