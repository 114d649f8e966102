//! A JSON document whose values know their position, for errors that say where.

use std::borrow::Cow;

use attache_rpc::json::{self, Reader};

/// A problem in a policy, and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
#[non_exhaustive]
pub struct PolicyError {
    place: String,
    problem: String,
}

impl PolicyError {
    pub(super) fn whole(name: &str, problem: &str) -> PolicyError {
        PolicyError {
            place: name.to_owned(),
            problem: problem.to_owned(),
        }
    }
}

/// Replaces comments and trailing commas with spaces, which makes the text JSON and keeps every position.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // The position of a comma after a value, with nothing after the comma so far.
    let (mut comma, mut last) = (None, '[');
    while let Some(char) = rest.chars().next() {
        let length = match char {
            '"' => length_of_string(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            char => char.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        match char {
            '/' if length > 1 => out.extend(piece.chars().map(blank)),
            _ => {
                if let Some(comma) = comma.filter(|_| matches!(char, '}' | ']')) {
                    out.replace_range(comma..=comma, " ");
                }
                if !char.is_whitespace() {
                    let follows = !matches!(last, '[' | '{' | ',' | ':');
                    comma = (char == ',' && follows).then_some(out.len());
                    last = char;
                }
                out.push_str(piece);
            }
        }
        rest = after;
    }
    out
}

/// A blank that takes as many columns and lines.
fn blank(char: char) -> char {
    match char {
        '\n' | '\r' => char,
        _ => ' ',
    }
}

fn length_of_string(text: &str) -> usize {
    let mut is_escaped = true;
    for (at, char) in text.char_indices() {
        match char {
            '"' if !is_escaped => return at + 1,
            '\\' if !is_escaped => is_escaped = true,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// A value and its position in the document.
pub(super) struct PolicyNode<'a> {
    name: &'a str,
    source: &'a str,
    text: &'a str,
    field: String,
}

impl<'a> PolicyNode<'a> {
    pub(super) fn document(name: &'a str, source: &'a str) -> PolicyNode<'a> {
        PolicyNode {
            name,
            source,
            text: source,
            field: String::new(),
        }
    }

    /// The members of an object. An unknown name, or one that occurs twice, is an error.
    pub(super) fn members(
        &self,
        known: &[&str],
    ) -> Result<Vec<(Cow<'a, str>, PolicyNode<'a>)>, PolicyError> {
        let mut members: Vec<(Cow<'a, str>, PolicyNode<'a>)> = Vec::new();
        let mut reader = Reader::new(self.text);
        let fail = |error: json::DecodeError| self.syntax_error(&error);
        let mut more = reader.open_object().map_err(fail)?;
        while more {
            let name = reader.name().map_err(fail)?;
            let text = reader.skip().map_err(fail)?;
            if !known.contains(&&*name) {
                // The position is that of the value, the field the one around it.
                let value = self.inner(text, self.field.clone());
                return Err(value.no_such("field", &name, known));
            }
            let field = match self.field.is_empty() {
                true => name.to_string(),
                false => format!("{}.{name}", self.field),
            };
            let node = self.inner(text, field);
            if members.iter().any(|(before, _)| *before == name) {
                return Err(node.error("occurs twice; keep one"));
            }
            members.push((name, node));
            more = reader.more_members().map_err(fail)?;
        }
        reader.end().map_err(fail)?;
        Ok(members)
    }

    /// The items of an array.
    pub(super) fn items(&self) -> Result<Vec<PolicyNode<'a>>, PolicyError> {
        let mut items = Vec::new();
        let mut reader = Reader::new(self.text);
        let fail = |error: json::DecodeError| self.syntax_error(&error);
        let mut more = reader.open_array().map_err(fail)?;
        while more {
            let text = reader.skip().map_err(fail)?;
            items.push(self.inner(text, format!("{}[{}]", self.field, items.len())));
            more = reader.more_items().map_err(fail)?;
        }
        Ok(items)
    }

    /// The items of an array, or the value itself if it is not an array.
    pub(super) fn strings(&self) -> Result<Vec<PolicyNode<'a>>, PolicyError> {
        match self.text.starts_with('[') {
            true => self.items(),
            false => Ok(vec![self.inner(self.text, self.field.clone())]),
        }
    }

    /// The text of a string.
    pub(super) fn string(&self) -> Result<String, PolicyError> {
        let string = Reader::new(self.text).string();
        string
            .map(Cow::into_owned)
            .map_err(|error| self.syntax_error(&error))
    }

    /// Its path in the document, such as `rules[2]`.
    pub(super) fn field_path(&self) -> String {
        self.field.clone()
    }

    pub(super) fn error(&self, problem: &str) -> PolicyError {
        self.error_at(self.start(), problem)
    }

    /// An error that lists the names there are. The unknown name is not repeated: it may be a secret in the wrong
    /// place.
    pub(super) fn no_such(&self, what: &str, given: &str, known: &[&str]) -> PolicyError {
        let hint = match nearest(given, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        self.error(&format!("unknown {what}; {hint}"))
    }

    fn inner(&self, text: &'a str, field: String) -> PolicyNode<'a> {
        PolicyNode {
            text,
            field,
            ..*self
        }
    }

    fn syntax_error(&self, error: &json::DecodeError) -> PolicyError {
        self.error_at(self.start() + error.offset(), &error.problem().to_string())
    }

    fn error_at(&self, offset: usize, problem: &str) -> PolicyError {
        let before = self.source.get(..offset).unwrap_or(self.source);
        let line = before.matches('\n').count() + 1;
        let column = before
            .chars()
            .rev()
            .take_while(|char| *char != '\n')
            .count()
            + 1;
        let place = format!("{}:{line}:{column}", self.name);
        PolicyError {
            place: match self.field.is_empty() {
                true => place,
                false => format!("{place}: {}", self.field.escape_debug()),
            },
            problem: problem.to_owned(),
        }
    }

    /// Each text is a slice of the source, so the distance between them is the position.
    fn start(&self) -> usize {
        self.text
            .as_ptr()
            .addr()
            .saturating_sub(self.source.as_ptr().addr())
    }
}

fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|name| (distance(given, name), *name));
    near.filter(|(distance, name)| *distance <= name.len().div_ceil(3))
        .min()
        .map(|(_, name)| name)
}

/// How many letters have to be changed, added, removed or swapped.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
