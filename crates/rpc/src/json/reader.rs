//! The pull reader: one value after another from a borrowed text, with steps back.

use std::borrow::Cow;

use super::{DecodeError, MAX_DEPTH, Problem, ValueKind, field, scan};

/// Reads JSON values from a text, in order.
///
/// A failed read may leave the position anywhere inside the value; whoever wants to go on takes a [`mark`](Self::mark)
/// first and steps back to it.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    /// The last short string that held an escape.
    unescaped: String,
}

/// A place in the text to step back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: usize,
    depth: u32,
}

/// An object that has been entered in search of its tag.
#[derive(Debug, Clone)]
pub struct TaggedObject<'a> {
    /// The tag's value, if there is one.
    pub tag: Option<Cow<'a, str>>,
    /// Whether there are members left to read: those behind the tag if it comes first, as it mostly does, and all of
    /// them if not.
    pub more: bool,
    /// The tag's name, if it came first.
    pub read: Option<&'static str>,
}

/// Reading values.
impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Reader {
            text,
            at: 0,
            depth: 0,
            unescaped: String::new(),
        }
    }

    /// A reader at the start of a text that may be nested only so deep, at most [`MAX_DEPTH`].
    pub fn within(text: &'a str, depth: u32) -> Self {
        Reader {
            depth: MAX_DEPTH.saturating_sub(depth),
            ..Reader::new(text)
        }
    }

    /// Fails unless only white space is left.
    pub fn end(&mut self) -> Result<(), DecodeError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax("text after the value")),
        }
    }

    /// The type of the next value.
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

    /// Reads `null` if it comes next and says whether it did.
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

    /// Reads a string for a look at it.
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

    /// Reads a string to keep it; borrowed unless it holds an escape.
    pub fn string(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.string_token()
    }

    /// Steps over one value of any type and returns its text.
    pub fn skip(&mut self) -> Result<&'a str, DecodeError> {
        let start = scan::space_end(self.text.as_bytes(), self.at);
        self.at = scan::value_end(self.text.as_bytes(), start, self.depth)?;
        Ok(&self.text[start..self.at])
    }
}

/// Objects and arrays: open, then ask for more until there is none.
impl<'a> Reader<'a> {
    /// Enters an object; `false` if it is empty, and then it is already left.
    #[inline]
    pub fn open_object(&mut self) -> Result<bool, DecodeError> {
        if self.peek() != Some(b'{') {
            return Err(self.unexpected("an object"));
        }
        self.enter(b'}')
    }

    /// Enters an array; `false` if it is empty, and then it is already left.
    #[inline]
    pub fn open_array(&mut self) -> Result<bool, DecodeError> {
        if self.peek() != Some(b'[') {
            return Err(self.unexpected("an array"));
        }
        self.enter(b']')
    }

    /// Reads a member's name and the colon behind it.
    #[inline]
    pub fn key(&mut self) -> Result<&str, DecodeError> {
        match scan::short_key(self.text.as_bytes(), self.at) {
            Some(end) => {
                let start = self.at + 1;
                self.at = end + 2;
                Ok(&self.text[start..end])
            }
            None => self.odd_key(),
        }
    }

    #[inline(never)]
    fn odd_key(&mut self) -> Result<&str, DecodeError> {
        match self.name()? {
            Cow::Borrowed(name) => Ok(name),
            Cow::Owned(name) => {
                self.unescaped = name;
                Ok(&self.unescaped)
            }
        }
    }

    /// Reads a member's name and the colon behind it, to keep the name; borrowed unless it holds an escape.
    pub fn name(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        if self.peek() != Some(b'"') {
            return Err(scan::no_name(self.text.as_bytes(), self.at));
        }
        let name = self.string_token()?;
        self.colon()?;
        Ok(name)
    }

    /// After a member: whether another one follows. Leaves the object if not.
    #[inline]
    pub fn more_members(&mut self) -> Result<bool, DecodeError> {
        self.more(b'}')
    }

    /// After an item: whether another one follows. Leaves the array if not.
    #[inline]
    pub fn more_items(&mut self) -> Result<bool, DecodeError> {
        self.more(b']')
    }

    /// Enters an object and looks for a string member. Whoever reads the members behind a tag that comes first has to
    /// see to it that the tag does not occur again.
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

    /// Looks up a string member of the object that comes next, without leaving the place. `null` counts as no such
    /// member; one of another type is an error, and so are two: readers do not agree on which of them counts.
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

/// Places and errors.
impl<'a> Reader<'a> {
    /// The present place.
    pub fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            depth: self.depth,
        }
    }

    /// Steps back to a place.
    pub fn reset(&mut self, mark: Mark) {
        self.at = mark.at;
        self.depth = mark.depth;
    }

    /// An error at the present place.
    #[cold]
    pub fn error(&self, problem: Problem) -> DecodeError {
        DecodeError::new(problem, self.at)
    }

    /// The error for a value of another type than the one asked for.
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
