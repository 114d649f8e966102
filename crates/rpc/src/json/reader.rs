//! The pull reader: one value after another from a borrowed text, with steps back.

use std::borrow::Cow;

use super::scan::plain_end;
use super::{Error, Kind, MAX_DEPTH, Problem};

/// Reads JSON values from a text, in order.
///
/// A failed read may leave the position anywhere inside the value; whoever wants to go on takes a [`mark`](Self::mark)
/// first and steps back to it.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

/// A place in the text to step back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: usize,
    depth: u32,
}

/// Reading values.
impl<'a> Reader<'a> {
    /// A reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Reader {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Fails unless only white space is left.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax("text after the value")),
        }
    }

    /// The type of the next value.
    pub fn kind(&mut self) -> Result<Kind, Error> {
        match self.peek() {
            Some(b'"') => Ok(Kind::String),
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'n') => Ok(Kind::Null),
            Some(b't' | b'f') => Ok(Kind::Boolean),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(_) => Err(self.syntax("no value starts here")),
            None => Err(self.error(Problem::Truncated)),
        }
    }

    /// Reads `null` if it comes next and says whether it did.
    pub fn null(&mut self) -> Result<bool, Error> {
        if self.peek() == Some(b'n') {
            self.word("null")?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads a boolean.
    pub fn boolean(&mut self) -> Result<bool, Error> {
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            Some(b'f') => self.word("false").map(|()| false),
            _ => Err(self.unexpected("a boolean")),
        }
    }

    /// Reads a number and returns its text.
    pub fn number(&mut self) -> Result<&'a str, Error> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number_token(),
            _ => Err(self.unexpected("a number")),
        }
    }

    /// Reads a string; borrowed unless it holds an escape.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.string_token()
    }

    /// Steps over one value of any type and returns its text.
    pub fn skip(&mut self) -> Result<&'a str, Error> {
        self.peek();
        let start = self.at;
        // A bit for each open bracket, set for an object; the depth limit keeps it within the word.
        let mut objects = 0u128;
        let floor = self.depth;
        loop {
            match self.peek() {
                Some(b'"') => self.skip_string()?,
                Some(b'{') => {
                    if self.open_object()? {
                        objects = objects << 1 | 1;
                        self.skip_key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    if self.open_array()? {
                        objects <<= 1;
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => {
                    self.number_token()?;
                }
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                Some(_) => return Err(self.syntax("no value starts here")),
                None => return Err(self.error(Problem::Truncated)),
            }
            loop {
                if self.depth == floor {
                    return Ok(&self.text[start..self.at]);
                }
                let in_object = objects & 1 == 1;
                let more = if in_object {
                    self.more(b'}')?
                } else {
                    self.more(b']')?
                };
                if more {
                    if in_object {
                        self.skip_key()?;
                    }
                    break;
                }
                objects >>= 1;
            }
        }
    }
}

/// Objects and arrays: open, then ask for more until there is none.
impl<'a> Reader<'a> {
    /// Enters an object; `false` if it is empty, and then it is already left.
    #[inline]
    pub fn open_object(&mut self) -> Result<bool, Error> {
        if self.peek() != Some(b'{') {
            return Err(self.unexpected("an object"));
        }
        self.enter(b'}')
    }

    /// Enters an array; `false` if it is empty, and then it is already left.
    #[inline]
    pub fn open_array(&mut self) -> Result<bool, Error> {
        if self.peek() != Some(b'[') {
            return Err(self.unexpected("an array"));
        }
        self.enter(b']')
    }

    /// Reads a member's name and the colon behind it.
    #[inline]
    pub fn key(&mut self) -> Result<Cow<'a, str>, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a member's name must be a string"));
        }
        let key = self.string_token()?;
        self.colon()?;
        Ok(key)
    }

    /// After a member: whether another one follows. Leaves the object if not.
    #[inline]
    pub fn more_members(&mut self) -> Result<bool, Error> {
        self.more(b'}')
    }

    /// After an item: whether another one follows. Leaves the array if not.
    #[inline]
    pub fn more_items(&mut self) -> Result<bool, Error> {
        self.more(b']')
    }

    /// Looks up a string member of the object that comes next, without leaving the place. A member of that name and
    /// another type is an error.
    pub fn tag(&mut self, name: &'static str) -> Result<Option<Cow<'a, str>>, Error> {
        let mark = self.mark();
        let mut found = None;
        let mut more = self.open_object()?;
        let mut first = true;
        while more {
            let key = self.key()?;
            if key == name {
                found = Some(self.string().map_err(|error| error.within(name))?);
                // Writers put the tag first, and then the rest need not be looked at.
                if first {
                    break;
                }
            } else {
                self.skip()?;
            }
            first = false;
            more = self.more_members()?;
        }
        self.reset(mark);
        Ok(found)
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
    pub fn error(&self, problem: Problem) -> Error {
        Error::new(problem, self.at)
    }

    /// The error for a value of another type than the one asked for.
    #[cold]
    pub fn unexpected(&mut self, what: &'static str) -> Error {
        match self.kind() {
            Ok(kind) => self.error(Problem::Expected(what, kind)),
            Err(error) => error,
        }
    }

    #[cold]
    fn syntax(&self, what: &'static str) -> Error {
        self.error(Problem::Syntax(what))
    }
}

/// Tokens.
impl<'a> Reader<'a> {
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    #[inline]
    fn enter(&mut self, close: u8) -> Result<bool, Error> {
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
    fn more(&mut self, close: u8) -> Result<bool, Error> {
        match self.peek() {
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
    fn colon(&mut self) -> Result<(), Error> {
        if self.peek() != Some(b':') {
            return Err(self.syntax("expected a colon after a member's name"));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &'static str) -> Result<(), Error> {
        let rest = &self.text.as_bytes()[self.at..];
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.syntax("expected true, false or null"));
        }
        self.at += word.len();
        Ok(())
    }

    fn number_token(&mut self) -> Result<&'a str, Error> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start;
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
        let whole = digits(bytes, at);
        if whole == at || (bytes[at] == b'0' && whole > at + 1) {
            return Err(self.syntax("a number needs digits and no leading zero"));
        }
        at = whole;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(bytes, at + 1);
            if fraction == at + 1 {
                return Err(self.syntax("a number needs digits after its point"));
            }
            at = fraction;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(bytes, at + 1 + sign);
            if exponent == at + 1 + sign {
                return Err(self.syntax("a number needs digits in its exponent"));
            }
            at = exponent;
        }
        self.at = at;
        Ok(&self.text[start..at])
    }

    #[inline]
    fn string_token(&mut self) -> Result<Cow<'a, str>, Error> {
        let start = self.at + 1;
        let end = plain_end(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        self.escaped_string(start, end).map(Cow::Owned)
    }

    fn escaped_string(&mut self, start: usize, mut end: usize) -> Result<String, Error> {
        let mut out = String::with_capacity((end - start) * 2 + 16);
        let mut from = start;
        loop {
            out.push_str(&self.text[from..end]);
            self.at = end;
            match self.text.as_bytes().get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.syntax("a control character in a string")),
                None => return Err(self.error(Problem::Truncated)),
            }
            from = self.at;
            end = plain_end(self.text.as_bytes(), from);
        }
    }

    #[inline]
    fn skip_string(&mut self) -> Result<(), Error> {
        self.at += 1;
        loop {
            self.at = plain_end(self.text.as_bytes(), self.at);
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.escape()?;
                }
                Some(_) => return Err(self.syntax("a control character in a string")),
                None => return Err(self.error(Problem::Truncated)),
            }
        }
    }

    #[inline]
    fn skip_key(&mut self) -> Result<(), Error> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a member's name must be a string"));
        }
        self.skip_string()?;
        self.colon()
    }

    /// Reads the escape at the present place, backslash included.
    fn escape(&mut self) -> Result<char, Error> {
        let Some(&letter) = self.text.as_bytes().get(self.at + 1) else {
            return Err(self.error(Problem::Truncated));
        };
        let plain = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(self.syntax("an unknown escape in a string")),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Error> {
        let first = self.hex4(self.at + 2)?;
        let (code, length) = match first {
            0xd800..=0xdbff => {
                if self.text.as_bytes().get(self.at + 6..self.at + 8) != Some(b"\\u") {
                    return Err(self.syntax("half of a surrogate pair"));
                }
                let second = self.hex4(self.at + 8)?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(self.syntax("half of a surrogate pair"));
                }
                (0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12)
            }
            other => (other, 6),
        };
        match char::from_u32(code) {
            Some(character) => {
                self.at += length;
                Ok(character)
            }
            None => Err(self.syntax("half of a surrogate pair")),
        }
    }

    fn hex4(&self, at: usize) -> Result<u32, Error> {
        let Some(digits) = self.text.as_bytes().get(at..at + 4) else {
            return Err(self.error(Problem::Truncated));
        };
        let mut code = 0;
        for &digit in digits {
            match char::from(digit).to_digit(16) {
                Some(value) => code = code * 16 + value,
                None => return Err(self.syntax("a unicode escape needs four hexadecimal digits")),
            }
        }
        Ok(code)
    }
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b'0'..=b'9')) {
        at += 1;
    }
    at
}
