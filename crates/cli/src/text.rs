//! Text of others, made safe to show: it cannot touch the terminal, hide, or turn around.

use attache::process::is_hidden;

/// One line.
pub(crate) fn line(text: &str) -> String {
    shown(text, |_| false)
}

/// Several lines.
pub(crate) fn lines(text: &str) -> String {
    shown(text, |char| matches!(char, '\n' | '\t'))
}

fn shown(text: &str, keep: impl Fn(char) -> bool) -> String {
    let show = |char| {
        if is_hidden(char) && !keep(char) {
            '\u{fffd}'
        } else {
            char
        }
    };
    text.chars().map(show).collect()
}
