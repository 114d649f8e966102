//! Patterns of files in a tool's input, which may lead elsewhere than they seem to: tools read them in many ways.

use std::path::PathBuf;

/// Whether a pattern stays in the directory where it is looked for, whichever tool reads it: names, `*`, `?`, `**`, plain
/// classes such as `[a-z]` and alternatives such as `{a,b}` that stay there too.
pub(super) fn stays_inside(pattern: &str) -> bool {
    let all = alternatives(pattern);
    all.is_some_and(|all| all.iter().all(|text| is_plain(text)))
}

/// Whether a text that may be a regular expression stays inside if it is a pattern of files. Without a slash it names
/// nothing elsewhere but the directory above and the home directory.
pub(super) fn may_be_text(text: &str) -> bool {
    let letters = text.replace(|letter: char| "[]{}()!+@|,\\".contains(letter), "");
    let is_name = !text.contains('/') && !letters.starts_with(['~', '$']) && letters != "..";
    is_name || stays_inside(text)
}

/// The directories that a pattern spells out before its first wildcard, in each of its alternatives.
pub(super) fn starts(pattern: &str) -> Vec<PathBuf> {
    let all = alternatives(pattern).unwrap_or_default();
    let start = |text: String| {
        let end = text.find(['*', '?', '[']).unwrap_or(text.len());
        let start = match end == text.len() {
            true => text.as_str(),
            false => text[..end].rsplit_once('/').map_or("", |(start, _)| start),
        };
        (!start.is_empty()).then(|| PathBuf::from(start))
    };
    all.into_iter().filter_map(start).collect()
}

/// The texts that braces stand for; `None` if there are too many, or they do not fit together.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (mut done, mut left) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(text) = left.pop() {
        if done.len() + left.len() > MAX_ALTERNATIVES {
            return None;
        }
        let Some(close) = text.find('}') else {
            match text.contains('{') {
                true => return None,
                false => done.push(text),
            }
            continue;
        };
        let open = text[..close].rfind('{')?;
        let (before, after) = (&text[..open], &text[close + 1..]);
        let inner = text[open + 1..close].split(',');
        left.extend(inner.map(|choice| format!("{before}{choice}{after}")));
    }
    Some(done)
}

fn is_plain(text: &str) -> bool {
    let is_outside = text.starts_with(['/', '~', '-']) || text.split('/').any(|name| name == "..");
    let is_drive = text.get(1..2) == Some(":");
    !is_outside && !is_drive && has_plain_letters(text)
}

fn has_plain_letters(text: &str) -> bool {
    let mut left = text;
    while let Some(at) = left.find(SPECIAL) {
        let class = left[at..].strip_prefix('[');
        let Some((class, rest)) = class.and_then(|rest| rest.split_once(']')) else {
            return false;
        };
        let is_class = !class.is_empty()
            && class
                .chars()
                .all(|letter| letter.is_alphanumeric() || "-_".contains(letter))
            && !class.starts_with('-')
            && !class.ends_with('-')
            && has_letter_ranges(class);
        if !is_class {
            return false;
        }
        left = rest;
    }
    !text.contains('\0')
}

/// Whether each range is from a letter to a letter or from a digit to a digit, so that no dot or slash is in it.
fn has_letter_ranges(class: &str) -> bool {
    let letters: Vec<char> = class.chars().collect();
    let mut ranges = letters.windows(3).filter(|three| three[1] == '-');
    ranges.all(|three| {
        let sorts: [fn(&char) -> bool; 3] = [
            char::is_ascii_lowercase,
            char::is_ascii_uppercase,
            char::is_ascii_digit,
        ];
        sorts.iter().any(|is| is(&three[0]) && is(&three[2]))
    })
}

/// What some tools read as more than a letter, beside `*` and `?`.
const SPECIAL: [char; 11] = ['[', ']', '{', '}', '(', ')', '|', '\\', '$', '^', '`'];
const MAX_ALTERNATIVES: usize = 256;
