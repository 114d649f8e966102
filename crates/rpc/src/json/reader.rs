//! The pull reader.

use std::borrow::Cow;

use super::{DecodeError, MAX_DEPTH, Problem, ValueKind, field, scan};

/// Reads JSON values from a text, one after another.
///
/// After an error, the position may be anywhere inside the value. To continue, take a [`mark`](Self::mark) before reading
/// and [`reset`](Self::reset) to it after the error.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    /// The last string returned by `text` or `key` that contained an escape.
    unescaped: String,
}

/// A position of a [`Reader`], to which it can be reset.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: usize,
    depth: u32,
}

/// An object that [`Reader::open_tagged`] has entered.
#[derive(Debug, Clone)]
pub struct TaggedObject<'a> {
    /// The value of the tag, if the object has one.
    pub tag: Option<Cow<'a, str>>,
    /// Whether members are left to read. If the tag came first, the reader is behind it; otherwise the reader is at the
    /// first member, and the tag will be read again.
    pub more: bool,
    /// The name of the tag if it came first and has therefore been read.
    pub read: Option<&'static str>,
}

/// Reading values.
impl<'a> Reader<'a> {
    /// Creates a reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Reader {
            text,
            at: 0,
            depth: 0,
            unescaped: String::new(),
        }
    }

    /// Creates a reader that allows only `depth` levels of nesting, and never more than [`MAX_DEPTH`].
    pub fn within(text: &'a str, depth: u32) -> Self {
        Reader {
            depth: MAX_DEPTH.saturating_sub(depth),
            ..Reader::new(text)
        }
    }

    /// Returns an error unless only white space is left.
    pub fn end(&mut self) -> Result<(), DecodeError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax("text after the value")),
        }
    }

    /// Returns the type of the next value without reading the value.
    pub fn kind(&mut self) -> Result<ValueKind, DecodeError> {
        match self.peek() {
            Some(b'"') => Ok(ValueKind::String),
            Some(b'{') => Ok(ValueKind::Object),
            Some(b'[') => Ok(ValueKind::Array),
            Some(b'n') => Ok(ValueKind::Null),
            Some(b't' | b'f') => Ok(ValueKind::Boolean),
            Some(b'-' | b'0'..=b'9') => Ok(ValueKind::Number),
            Some(_) => Err(self.syntax("no value starts here")),
            None => Err(self.error(Problem::Truncated)),
        }
    }

    /// Reads `null` and returns `true` if the next value is `null`.
    pub fn null(&mut self) -> Result<bool, DecodeError> {
        if self.peek() == Some(b'n') {
            self.word(b"null")?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads a boolean.
    pub fn boolean(&mut self) -> Result<bool, DecodeError> {
        match self.peek() {
            Some(b't') => self.word(b"true").map(|()| true),
            Some(b'f') => self.word(b"false").map(|()| false),
            _ => Err(self.unexpected("a boolean")),
        }
    }

    /// Reads a number and returns its text.
    pub fn number(&mut self) -> Result<&'a str, DecodeError> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => {
                let start = self.at;
                self.at = scan::number_end(self.text.as_bytes(), start)?;
                Ok(&self.text[start..self.at])
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// Reads a string that is needed only until the next read.
    #[inline]
    pub fn text(&mut self) -> Result<&str, DecodeError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        let start = self.at + 1;
        let end = scan::plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(&self.text[start..end]);
        }
        self.unescaped = self.escaped_string(start, end)?;
        Ok(&self.unescaped)
    }

    /// Reads a string. The result is borrowed unless the string contains an escape.
    pub fn string(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.string_token()
    }

    /// Skips one value of any type and returns its JSON text.
    pub fn skip(&mut self) -> Result<&'a str, DecodeError> {
        let start = scan::space_end(self.text.as_bytes(), self.at);
        self.at = scan::value_end(self.text.as_bytes(), start, self.depth)?;
        Ok(&self.text[start..self.at])
    }
}

/// Reading objects and arrays: open one, then read until `more_members` or `more_items` returns `false`.
impl<'a> Reader<'a> {
    /// Enters an object. Returns `false` if the object is empty; then the reader is already behind it.
    #[inline]
    pub fn open_object(&mut self) -> Result<bool, DecodeError> {
        if self.peek() != Some(b'{') {
            return Err(self.unexpected("an object"));
        }
        self.enter(b'}')
    }

    /// Enters an array. Returns `false` if the array is empty; then the reader is already behind it.
    #[inline]
    pub fn open_array(&mut self) -> Result<bool, DecodeError> {
        if self.peek() != Some(b'[') {
            return Err(self.unexpected("an array"));
        }
        self.enter(b']')
    }

    /// Reads a member's name, which is needed only until the next read, and the colon behind it.
    #[inline]
    pub fn key(&mut self) -> Result<&str, DecodeError> {
        match scan::short_key(self.text.as_bytes(), self.at) {
            Some(end) => {
                let start = self.at + 1;
                self.at = end + 2;
                Ok(&self.text[start..end])
            }
            None => self.uncommon_key(),
        }
    }

    #[inline(never)]
    fn uncommon_key(&mut self) -> Result<&str, DecodeError> {
        match self.name()? {
            Cow::Borrowed(name) => Ok(name),
            Cow::Owned(name) => {
                self.unescaped = name;
                Ok(&self.unescaped)
            }
        }
    }

    /// Reads a member's name and the colon behind it. The result is borrowed unless the name contains an escape.
    pub fn name(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        if self.peek() != Some(b'"') {
            return Err(scan::not_a_name(self.text.as_bytes(), self.at));
        }
        let name = self.string_token()?;
        self.colon()?;
        Ok(name)
    }

    /// Call after each member. Returns whether another member follows; if not, leaves the object.
    #[inline]
    pub fn more_members(&mut self) -> Result<bool, DecodeError> {
        self.more(b'}')
    }

    /// Call after each item. Returns whether another item follows; if not, leaves the array.
    #[inline]
    pub fn more_items(&mut self) -> Result<bool, DecodeError> {
        self.more(b']')
    }

    /// Enters an object and looks up a string member, the tag. If the tag came first, the caller has to check that it
    /// does not occur again among the remaining members.
    #[inline]
    pub fn open_tagged(&mut self, name: &'static str) -> Result<TaggedObject<'a>, DecodeError> {
        let start = self.mark();
        if self.open_object()? && self.key()? == name {
            return Ok(TaggedObject {
                tag: self.tag_value(name)?,
                more: self.more_members()?,
                read: Some(name),
            });
        }
        self.reset(start);
        Ok(TaggedObject {
            tag: self.tag(name)?,
            more: self.open_object()?,
            read: None,
        })
    }

    /// Looks up a string member of the next object without moving the reader. `null` counts as absent. A member of another
    /// type is an error, and so is a member that occurs twice, because JSON readers disagree on which one counts.
    pub fn tag(&mut self, name: &'static str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        let mark = self.mark();
        let found = self.find_tag(name);
        self.reset(mark);
        found
    }

    fn find_tag(&mut self, name: &'static str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        let mut found = None;
        let mut seen = false;
        let mut more = self.open_object()?;
        while more {
            if self.key()? == name {
                if seen {
                    return Err(field::repeated(self, Some(name)));
                }
                seen = true;
                found = self.tag_value(name)?;
            } else {
                self.skip()?;
            }
            more = self.more_members()?;
        }
        Ok(found)
    }

    #[inline]
    fn tag_value(&mut self, name: &'static str) -> Result<Option<Cow<'a, str>>, DecodeError> {
        if self.null()? {
            return Ok(None);
        }
        self.string().map(Some).map_err(|error| error.within(name))
    }
}

/// Positions and errors.
impl<'a> Reader<'a> {
    /// Returns the current position.
    pub fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            depth: self.depth,
        }
    }

    /// Goes back to an earlier position.
    pub fn reset(&mut self, mark: Mark) {
        self.at = mark.at;
        self.depth = mark.depth;
    }

    /// Creates an error at the current position.
    #[cold]
    pub fn error(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.at)
    }

    /// Creates the error for a next value that has the wrong type. `what` is the expected type.
    #[cold]
    pub fn unexpected(&mut self, what: &'static str) -> DecodeError {
        match self.kind() {
            Ok(kind) => self.error(Problem::Expected(what, kind)),
            Err(error) => error,
        }
    }

    #[cold]
    fn syntax(&self, what: &'static str) -> DecodeError {
        self.error(Problem::Syntax(what))
    }
}

/// Tokens.
impl<'a> Reader<'a> {
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        self.at = scan::space_end(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn enter(&mut self, close: u8) -> Result<bool, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(Problem::TooDeep));
        }
        self.at += 1;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        self.depth += 1;
        Ok(true)
    }

    #[inline]
    fn more(&mut self, close: u8) -> Result<bool, DecodeError> {
        match self.peek() {
            Some(_) if self.depth == 0 => Err(self.syntax("nothing is open here")),
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(_) => Err(self.syntax("expected a comma or a closing bracket")),
            None => Err(self.error(Problem::Truncated)),
        }
    }

    #[inline]
    fn colon(&mut self) -> Result<(), DecodeError> {
        if self.peek() != Some(b':') {
            return Err(self.syntax("expected a colon after a member's name"));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), DecodeError> {
        self.at = scan::word_end(self.text.as_bytes(), self.at, word)?;
        Ok(())
    }

    #[inline(always)]
    fn string_token(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        let start = self.at + 1;
        let end = scan::plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        self.escaped_string(start, end).map(Cow::Owned)
    }

    #[inline(never)]
    fn escaped_string(&mut self, start: usize, mut end: usize) -> Result<String, DecodeError> {
        let bytes = self.text.as_bytes();
        let mut out = String::with_capacity((end - start) * 2 + 16);
        let mut from = start;
        loop {
            out.push_str(&self.text[from..end]);
            self.at = end;
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    if let Some(byte) = scan::short_escape(bytes, end) {
                        out.push(char::from(byte));
                        from = end + 2;
                    } else {
                        let (character, behind) = scan::escape(bytes, end)?;
                        out.push(character);
                        from = behind;
                    }
                }
                Some(_) => return Err(self.syntax("a control character in a string")),
                None => return Err(self.error(Problem::Truncated)),
            }
            end = scan::run_end(bytes, from);
        }
    }
}
