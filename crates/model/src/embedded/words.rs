//! Splits a message into instructions, and an instruction into words. Quotes and code fences keep text together.

/// A word and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The text without quotes.
    pub(super) text: String,
    pub(super) is_quoted: bool,
    start: usize,
    end: usize,
}

impl Word {
    /// Whether it is this keyword. Quoted words are not keywords.
    pub(super) fn is(&self, keyword: &str) -> bool {
        !self.is_quoted && self.text.eq_ignore_ascii_case(keyword)
    }
}

/// The words of one instruction.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(start) = next_visible(text, at) {
        let word = quoted(text, start).unwrap_or_else(|| bare(text, start));
        at = word.end;
        words.push(word);
    }
    words
}

/// Words as one text: a single one without its quotes, several as they were written.
pub(super) fn phrase(text: &str, words: &[Word]) -> Option<String> {
    match words {
        [] => None,
        [one] => Some(one.text.clone()),
        [first, .., last] => Some(text[first.start..last.end].to_owned()),
    }
}

/// The rest of a text from the first of these words on, as it was written. A single quoted word or a code fence loses
/// its marks.
pub(super) fn rest(text: &str, words: &[Word]) -> Option<String> {
    let first = words.first()?;
    let written = text[first.start..].trim_end();
    if let Some(fenced) = written.strip_prefix("```") {
        let (_, content) = fenced.split_once('\n')?;
        let content = content.strip_suffix("```").unwrap_or(content);
        return Some(content.to_owned());
    }
    match words {
        [one] if one.is_quoted => Some(one.text.clone()),
        _ => Some(written.to_owned()),
    }
}

/// The instructions of a message, separated by line ends or "then". A plan includes everything after it.
pub(super) fn requests(text: &str) -> Vec<&str> {
    let mut requests = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        if is_plan(&text[start..]) {
            break;
        }
        let rest = &text[at..];
        if rest.starts_with("```") {
            at += fence_length(rest);
        } else if let Some(word) = quoted(text, at).filter(|_| begins_word(text, at)) {
            at = word.end;
        } else if let Some(length) = separator(text, at) {
            push(&text[start..at], &mut requests);
            at += length;
            start = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    push(&text[start..], &mut requests);
    requests
}

/// Whether an instruction is a plan. Its items are not split here.
fn is_plan(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches('/');
    let verb = text
        .get(..4)
        .is_some_and(|verb| verb.eq_ignore_ascii_case("plan"));
    verb && text[4..]
        .chars()
        .next()
        .is_none_or(|c| c == ':' || c.is_whitespace())
}

/// Length of the separator at this position, if there is one: a line end, or "then".
fn separator(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if let Some(after) = rest.strip_prefix('\n') {
        return (!after.trim_start_matches([' ', '\t']).starts_with("```")).then_some(1);
    }
    let is_then = rest
        .get(..4)
        .is_some_and(|word| word.eq_ignore_ascii_case("then"));
    let ends = rest
        .get(4..)?
        .chars()
        .next()
        .is_some_and(char::is_whitespace);
    (is_then && ends && begins_word(text, at)).then_some(4)
}

fn push<'t>(request: &'t str, requests: &mut Vec<&'t str>) {
    let request = request.trim();
    let request = request.strip_suffix(" and").unwrap_or(request);
    let request = request.trim_end_matches([',', ';']).trim_end();
    let request = without_list_mark(request);
    if !request.is_empty() && request != "and" {
        requests.push(request);
    }
}

/// Removes the mark of a list item.
pub(super) fn without_list_mark(line: &str) -> &str {
    let line = line.trim();
    let marks = ["- [ ] ", "- ", "* ", "• "];
    if let Some(rest) = marks.iter().find_map(|mark| line.strip_prefix(mark)) {
        return rest.trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..]
        .strip_prefix(". ")
        .or_else(|| line[digits..].strip_prefix(") "))
    {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

fn begins_word(text: &str, at: usize) -> bool {
    text[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace)
}

fn next_visible(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    Some(at + rest.find(|c: char| !c.is_whitespace())?)
}

fn bare(text: &str, start: usize) -> Word {
    let length = text[start..]
        .find(char::is_whitespace)
        .unwrap_or(text.len() - start);
    Word {
        text: text[start..start + length].to_owned(),
        is_quoted: false,
        start,
        end: start + length,
    }
}

/// A quoted word. A quote that is not closed, or is closed inside a word, is an ordinary character.
fn quoted(text: &str, start: usize) -> Option<Word> {
    let quote = text[start..]
        .chars()
        .next()
        .filter(|c| QUOTES.contains(c))?;
    if text[start..].starts_with("```") {
        return None;
    }
    let mut content = String::new();
    let mut characters = text[start + 1..].char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' if quote == '"' => match characters.next()?.1 {
                'n' => content.push('\n'),
                't' => content.push('\t'),
                other => content.push(other),
            },
            c if c == quote => {
                let end = start + 1 + at + 1;
                let is_closed = text[end..]
                    .chars()
                    .next()
                    .is_none_or(|c| c.is_whitespace() || ",;:.".contains(c));
                return is_closed.then_some(Word {
                    text: content,
                    is_quoted: true,
                    start,
                    end,
                });
            }
            c => content.push(c),
        }
    }
    None
}

/// Length of a code fence with its content; up to the end of the text if it is not closed.
fn fence_length(text: &str) -> usize {
    let body = 3 + text[3..].find('\n').unwrap_or(0);
    match text[body..].find("\n```") {
        Some(end) => body + end + 4,
        None => text.len(),
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];
