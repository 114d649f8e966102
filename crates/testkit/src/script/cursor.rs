//! A cursor in the text of a script.

use super::{ScriptError, SourceLocation};

#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Cursor { text, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips this many bytes.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(crate) fn take(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.skip(token.len());
        }
        there
    }

    pub(crate) fn demand(&mut self, token: &str, what: &str) -> Result<(), ScriptError> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    /// A word that stands alone, such as `repeat`.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let behind = self
            .rest()
            .strip_prefix(word)
            .map(|rest| rest.chars().next());
        let there = behind.is_some_and(|next| !next.is_some_and(in_word));
        if there {
            self.skip(word.len());
        }
        there
    }

    pub(crate) fn word(&mut self, what: &str) -> Result<String, ScriptError> {
        let word = self.run(in_word);
        if word.is_empty() {
            return Err(self.expected(what));
        }
        Ok(word.to_owned())
    }

    /// Takes characters while they match.
    pub(crate) fn run(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let run = &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())];
        self.skip(run.len());
        run
    }

    /// Skips blanks within the line.
    pub(crate) fn blanks(&mut self) {
        self.run(|character| character == ' ' || character == '\t');
    }

    /// Skips white space, including line breaks.
    pub(crate) fn layout(&mut self) {
        self.run(|character| character.is_ascii_whitespace());
    }

    /// Takes the rest of the line, and the line break.
    pub(crate) fn line(&mut self) -> &'a str {
        let line = self.run(|character| character != '\n');
        self.take("\n");
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Skips the end of a line: blanks, a comment and the line break.
    pub(crate) fn end_of_line(&mut self, what: &str) -> Result<(), ScriptError> {
        self.blanks();
        match self.peek() {
            None | Some('\n' | '\r' | '#') => {
                self.line();
                Ok(())
            }
            Some(_) => Err(self.expected(what)),
        }
    }

    pub(crate) fn is_at_end_of_line(&self) -> bool {
        matches!(self.peek(), None | Some('\n' | '\r' | '#'))
    }

    /// The range from an earlier location to here.
    pub(crate) fn location_from(&self, start: &Cursor<'_>) -> SourceLocation {
        let (line, column) = start.position();
        let text = self.text[start.at..self.at].trim().to_owned();
        SourceLocation { line, column, text }
    }

    pub(crate) fn expected(&self, expected: &str) -> ScriptError {
        let (line, column) = self.position();
        let rest = self.rest();
        let found = match self.peek() {
            None => "the end of the script".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(first) if in_word(first) => format!("`{}`", self.clone().run(in_word)),
            Some(_) => format!("`{}`", rest.chars().take(1).collect::<String>()),
        };
        ScriptError {
            line,
            column,
            expected: expected.to_owned(),
            found,
        }
    }

    fn position(&self) -> (usize, usize) {
        let before = &self.text[..self.at];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[start..].chars().count() + 1)
    }
}

pub(crate) fn in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}
