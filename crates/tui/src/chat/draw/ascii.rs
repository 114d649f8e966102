//! A terminal that shows only ASCII gets signs that it has.

use ratatui::buffer::Buffer;

/// Replaces the signs that we write ourselves. What others wrote stays as it is.
pub(super) fn replace(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let sign = match cell.symbol() {
            "·" => "-",
            "↑" => "^",
            "↓" => "v",
            "…" => "~",
            "“" | "”" => "\"",
            "•" => "*",
            "┊" => ":",
            "–" => "-",
            _ => continue,
        };
        cell.set_symbol(sign);
    }
}
