//! Tables, safe to show. Two spaces separate columns and never occur in one.

use unicode_width::UnicodeWidthStr;

use crate::text;

/// Formats rows under their headings, each column as wide as its widest cell. Omits empty columns.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let safe = |row: &Vec<String>| row.iter().map(|cell| text::cell(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(safe).collect();
    let heads: Vec<String> = heads.iter().map(|head| head.to_uppercase()).collect();
    let cell = |row: &[String], column: usize| row.get(column).map_or(0, |cell| cell.width());
    let widths: Vec<usize> = (0..heads.len())
        .map(
            |column| match rows.iter().map(|row| cell(row, column)).max() {
                None | Some(0) => 0,
                Some(widest) => widest.max(heads[column].width()),
            },
        )
        .collect();
    let mut out = String::new();
    for row in std::iter::once(&heads).chain(&rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
