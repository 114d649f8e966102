//! Patterns of files in a tool's input. Tools read them in many ways, so they may lead elsewhere than they seem to.
//! Nothing here looks at the disk.

use crate::protected_names::is_any_protected;

/// Whether some tool may take a text for a pattern of files.
pub(in super::super) fn is_pattern(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut pairs = bytes.windows(2);
    let has_group = pairs.any(|pair| matches!(pair, [b'@' | b'+' | b'!', b'(']));
    has_group || bytes.iter().any(|byte| b"*?[{".contains(byte))
}

/// Whether a pattern stays in the directory that it starts from, whichever tool reads it: it contains only names, `*`,
/// `?`, `**`, classes such as `[a-z]`, and alternatives such as `{a,b}` that stay there too.
pub(in super::super) fn stays_inside(pattern: &str) -> bool {
    let all = alternatives(pattern);
    all.is_some_and(|all| all.iter().all(|text| is_inside(text)))
}

/// Whether a text that may be a regular expression stays in the directory if it is a pattern of files. Without a slash
/// it can only leave it for the directory above or the home directory.
pub(super) fn may_be_text(text: &str) -> bool {
    let letters = text.replace(|letter: char| "[]{}()!+@|,\\".contains(letter), "");
    let choices = alternatives(text).unwrap_or_default();
    let is_above = letters == ".." || choices.iter().any(|choice| choice == "..");
    let is_name = !text.contains('/') && !letters.starts_with(['~', '$']) && !is_above;
    is_name || stays_inside(text)
}

/// Whether a text that may be a regular expression may also be a pattern of files with directories or wildcards.
pub(super) fn may_be_pattern(text: &str) -> bool {
    let is_expression = text.contains(['\\', '(', ')', '|', '^', '$', '+']);
    !is_expression && (text.contains('/') || is_pattern(text))
}

/// Whether a pattern may match a protected file.
pub(in super::super) fn reaches_protected(pattern: &str) -> bool {
    let Some(all) = alternatives(pattern) else {
        return true;
    };
    let names = all.iter().flat_map(|text| text.split('/'));
    let mut wild = names.filter(|name| is_pattern(name));
    wild.any(|name| name == "**" || is_any_protected(|protected| may_match(name, protected)))
}

/// The texts that braces expand to; `None` if there are too many, or the braces don't match.
pub(in super::super) fn alternatives(pattern: &str) -> Option<Vec<String>> {
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

/// Whether a pattern may match a name, in upper or lower case. Where tools differ, the answer is yes.
pub(in super::super) fn may_match(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    match tokens(&pattern.to_lowercase()) {
        Some(tokens) => matches(&tokens, &name),
        None => true,
    }
}

fn is_inside(text: &str) -> bool {
    let is_outside = text.starts_with(['/', '~', '-']) || text.contains(['\0', '$', '`']);
    let is_drive = text.get(1..2) == Some(":");
    let names: Vec<&str> = text.split('/').collect();
    let is_above = |(at, name): (usize, &&str)| match tokens(name) {
        // A wildcard at the end matches files, and `..` is not one.
        Some(tokens) => {
            let is_wild = tokens
                .iter()
                .any(|it| matches!(it, PatternToken::Any | PatternToken::Many));
            (at + 1 < names.len() || !is_wild) && may_be_above(&tokens)
        }
        None => true,
    };
    !is_outside && !is_drive && !names.iter().enumerate().any(is_above)
}

/// Whether a name may match `..`. A wildcard at the start does not match a dot.
fn may_be_above(tokens: &[PatternToken]) -> bool {
    let is_wild = matches!(tokens.first(), Some(PatternToken::Any | PatternToken::Many));
    !is_wild && matches(tokens, &['.', '.'])
}

/// One token of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternToken {
    Letter(char),
    /// A class of letters, which contains a dot or not.
    Class {
        has_dot: bool,
    },
    Any,
    Many,
}

/// The tokens of a name in a pattern; `None` if tools read it in different ways.
fn tokens(name: &str) -> Option<Vec<PatternToken>> {
    let mut tokens = Vec::new();
    let mut left = name;
    while let Some(letter) = left.chars().next() {
        left = &left[letter.len_utf8()..];
        let is_group = left.starts_with('(') && "@+!?*".contains(letter);
        tokens.push(match letter {
            _ if is_group => return None,
            '\\' | '|' | '{' | '}' => return None,
            '*' => PatternToken::Many,
            '?' => PatternToken::Any,
            '[' => {
                let end = left.char_indices().skip(1).find(|(_, it)| *it == ']');
                let (end, _) = end?;
                let class = &left[..end];
                left = &left[end + 1..];
                PatternToken::Class {
                    has_dot: !is_plain_class(class),
                }
            }
            letter => PatternToken::Letter(letter),
        });
    }
    Some(tokens)
}

/// Whether a class contains only letters, digits and ranges of them, so that it does not match a dot.
fn is_plain_class(class: &str) -> bool {
    let letters: Vec<char> = class.chars().collect();
    let mut ranges = letters.windows(3).filter(|three| three[1] == '-');
    let is_range = |three: &[char]| {
        let sorts: [fn(&char) -> bool; 3] = [
            char::is_ascii_lowercase,
            char::is_ascii_uppercase,
            char::is_ascii_digit,
        ];
        sorts.iter().any(|is| is(&three[0]) && is(&three[2]))
    };
    let mut plain = letters.iter();
    plain.all(|letter| letter.is_alphanumeric() || "-_".contains(*letter))
        && !class.starts_with('-')
        && !class.ends_with('-')
        && ranges.all(is_range)
}

fn matches(tokens: &[PatternToken], name: &[char]) -> bool {
    // The set of tokens that may come next: a pattern with many stars costs no more than its length.
    let mut next = vec![false; tokens.len() + 1];
    let spread = |next: &mut Vec<bool>| {
        for (at, sign) in tokens.iter().enumerate() {
            if next[at] && *sign == PatternToken::Many {
                next[at + 1] = true;
            }
        }
    };
    next[0] = true;
    spread(&mut next);
    for letter in name {
        let mut after = vec![false; tokens.len() + 1];
        for (at, sign) in tokens.iter().enumerate().filter(|(at, _)| next[*at]) {
            match sign {
                PatternToken::Many => after[at] = true,
                PatternToken::Any => after[at + 1] = true,
                PatternToken::Class { has_dot } => after[at + 1] |= *has_dot || *letter != '.',
                PatternToken::Letter(it) => after[at + 1] |= it == letter,
            }
        }
        next = after;
        spread(&mut next);
    }
    next[tokens.len()]
}

const MAX_ALTERNATIVES: usize = 256;
