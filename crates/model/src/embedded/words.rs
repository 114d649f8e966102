//! A request taken apart: into requests, and a request into words. Quotes and fences hold together what is in them.

/// A word and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Without its quotes.
    pub(super) text: String,
    pub(super) is_quoted: bool,
    start: usize,
    end: usize,
}

impl Word {
    /// Whether it is this word of the grammar. What is quoted never is.
    pub(super) fn is(&self, keyword: &str) -> bool {
        !self.is_quoted && self.text.eq_ignore_ascii_case(keyword)
    }
}

/// The words of one request.
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

/// Some words as one text: a single one without its quotes, several as they were written.
pub(super) fn phrase(text: &str, words: &[Word]) -> Option<String> {
    match words {
        [] => None,
        [one] => Some(one.text.clone()),
        [first, .., last] => Some(text[first.start..last.end].to_owned()),
    }
}

/// Everything from a word on, as it was written; a fence or a single quoted word without its marks.
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

/// The requests of a message, which stand on lines of their own or are joined by "then". A plan takes all that follows.
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
        } else if let Some(joint) = joint(text, at) {
            push(&text[start..at], &mut requests);
            at += joint;
            start = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    push(&text[start..], &mut requests);
    requests
}

/// Whether a request is a plan, whose items are not requests of their own yet.
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

/// How long the end of a request is here, if it is one: a line's end, or "then".
fn joint(text: &str, at: usize) -> Option<usize> {
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
    let request = unmarked(request);
    if !request.is_empty() && request != "and" {
        requests.push(request);
    }
}

/// Without the mark of a list.
pub(super) fn unmarked(line: &str) -> &str {
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

/// A quoted word. A quote that is never closed, or closed in the middle of a word, is a character like others.
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

/// A fence with all that is in it; to the end of the text if it is never closed.
fn fence_length(text: &str) -> usize {
    let body = 3 + text[3..].find('\n').unwrap_or(0);
    match text[body..].find("\n```") {
        Some(end) => body + end + 4,
        None => text.len(),
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];
