//! Text of strangers made safe to show: it cannot touch the terminal, hide, or turn around.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::screen_line::ScreenLine;
use super::{Token, cap_clusters, is_plain, tokens};

/// One line: line ends and tabs become spaces, escape sequences are removed, and what else could steer a terminal or
/// hide is marked with `�`.
pub fn line(text: &str) -> Cow<'_, str> {
    if is_safe(text) && !text.contains(['\n', '\t']) {
        return cap_clusters(text);
    }
    Cow::Owned(lines(text).replace(['\n', '\t'], " "))
}

/// Several lines, with tabs kept. Line ends of all sorts become `\n`.
pub fn lines(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return cap_clusters(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut tokens = tokens(text).peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) => push_joined(&mut safe, text),
            Token::Control('\r') if tokens.peek() == Some(&Token::Control('\n')) => {}
            Token::Control('\r' | '\n') | Token::Hidden('\u{2028}' | '\u{2029}') => safe.push('\n'),
            Token::Control('\t') => safe.push('\t'),
            Token::Sequence(_) => {}
            Token::Control(_) | Token::Hidden(_) => safe.push(MARK),
        }
    }
    Cow::Owned(cap_clusters(&safe).into_owned())
}

/// One line of at most `limit` characters, and `…` if something is left out. Runs of white space become one space; escape
/// sequences, control characters and hidden characters are removed.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut is_gap = false;
    for token in tokens(text) {
        match token {
            Token::Text(text) => {
                for char in text.chars() {
                    if char.is_whitespace() {
                        is_gap = true;
                        continue;
                    }
                    let is_spaced = is_gap && length > 0;
                    if length + usize::from(is_spaced) + 1 > limit {
                        line.push('…');
                        return line;
                    }
                    if is_spaced {
                        line.push(' ');
                        length += 1;
                    }
                    line.push(char);
                    length += 1;
                    is_gap = false;
                }
            }
            Token::Control(char) | Token::Hidden(char) => is_gap |= char.is_whitespace(),
            Token::Sequence(_) => {}
        }
    }
    line
}

/// What a terminal would show of a command's output, line by line: a carriage return writes over the line, a
/// backspace goes back, tabs are expanded, and of the escape sequences only those that erase within the line do
/// anything. Very long lines are cut.
pub fn render_output(text: &str) -> Vec<String> {
    let mut shown = Vec::new();
    for line in text.split('\n') {
        if is_plain(line) && !line.contains('\t') && line.len() <= ScreenLine::LIMIT {
            shown.push(cap_clusters(&without_stray_joiners(line)).into_owned());
        } else {
            shown.push(render_line(line));
        }
    }
    if shown.last().is_some_and(String::is_empty) {
        shown.pop();
    }
    shown
}

fn render_line(line: &str) -> String {
    let mut screen = ScreenLine::default();
    for token in tokens(line) {
        match token {
            Token::Text(text) => screen.write(&without_stray_joiners(text)),
            Token::Control('\r') => screen.go_to_start(),
            Token::Control('\u{8}') => screen.go_back(),
            Token::Control('\t') => screen.tab(),
            Token::Control(_) => {}
            Token::Hidden(_) => screen.write("\u{fffd}"),
            Token::Sequence(sequence) => erase(&mut screen, sequence),
        }
    }
    cap_clusters(&screen.text()).into_owned()
}

fn erase(screen: &mut ScreenLine, sequence: &str) {
    let what = sequence
        .strip_prefix("\u{1b}[")
        .or(sequence.strip_prefix('\u{9b}'));
    match what {
        Some("K" | "0K") => screen.erase_rest(),
        Some("2K") => screen.erase(),
        _ => {}
    }
}

fn is_safe(text: &str) -> bool {
    is_plain(text) && !text.contains(is_joiner)
}

fn without_stray_joiners(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_joiner) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    push_joined(&mut safe, text);
    Cow::Owned(safe)
}

/// Joiners and variation selectors stay where emoji and scripts need them, and are marked where they only hide.
fn push_joined(safe: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let before = safe.chars().next_back();
        let fits = match char {
            '\u{200c}' | '\u{200d}' => is_joined(before) && is_joined(chars.peek().copied()),
            _ if is_joiner(char) => is_varied(before),
            _ => true,
        };
        safe.push(if fits { char } else { MARK });
    }
}

fn is_joined(char: Option<char>) -> bool {
    let is_script = |char: char| !char.is_ascii() && !char.is_whitespace() && char != MARK;
    char.is_some_and(|char| is_script(char) && !matches!(char, '\u{200c}' | '\u{200d}'))
}

fn is_varied(before: Option<char>) -> bool {
    matches!(before, Some('#' | '*' | '0'..='9'))
        || is_joined(before) && !before.is_some_and(is_joiner)
}

fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

const MARK: char = '\u{fffd}';
