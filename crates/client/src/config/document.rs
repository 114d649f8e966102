//! JSON files with comments and trailing commas, and the location of each value.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use attache_host::ownership::{self, ReadError};
use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::error::{ConfigError, SourceLocation};

/// A file with its text.
pub(super) struct Document {
    path: PathBuf,
    text: String,
}

/// A value in a document, with its field name.
pub(super) struct Node<'a> {
    document: &'a Document,
    value: &'a Value<'a>,
    field: Cow<'a, str>,
}

impl Document {
    /// Reads a file; `None` if it does not exist.
    pub(super) fn open(path: &Path) -> Result<Option<Document>, ConfigError> {
        let unreadable = |cause| ConfigError::Unreadable {
            path: path.to_owned(),
            cause,
        };
        match ownership::read_text(path, LIMIT) {
            Ok(text) => Ok(Some(Document::of(path, text))),
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(ReadError::Io(cause)) => Err(unreadable(cause)),
            Err(ReadError::Refused(error)) => Err(ConfigError::Ownership(error)),
            Err(unknown) => Err(unreadable(io::Error::other(unknown))),
        }
    }

    pub(super) fn of(path: &Path, text: String) -> Document {
        Document {
            path: path.to_owned(),
            text,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Passes the outermost value to `read`. An empty document counts as an empty object.
    pub(super) fn read<T: Default>(
        &self,
        read: impl FnOnce(Node<'_>) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        let parsed = parse_to_ast(&self.text, &CollectOptions::default(), &notation());
        let parsed = parsed.map_err(|error| ConfigError::Syntax {
            place: self.place(error.range().start),
            what: error.kind().to_string().to_lowercase(),
        })?;
        let Some(value) = &parsed.value else {
            return Ok(T::default());
        };
        read(Node {
            document: self,
            value,
            field: Cow::Borrowed(""),
        })
    }

    fn place(&self, byte: usize) -> SourceLocation {
        let before = self.text.get(..byte).unwrap_or(&self.text);
        let line = before.rsplit('\n').next().unwrap_or(before);
        SourceLocation {
            path: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl Node<'_> {
    pub(super) fn document(&self) -> &Document {
        self.document
    }

    pub(super) fn place(&self) -> SourceLocation {
        self.document.place(self.value.start())
    }

    pub(super) fn string(&self) -> Result<&str, ConfigError> {
        match self.value {
            Value::StringLit(text) => Ok(&text.value),
            _ => Err(self.wrong("wants a string")),
        }
    }

    pub(super) fn strings(&self) -> Result<Vec<String>, ConfigError> {
        let items = self.items()?.into_iter();
        items.map(|item| item.string().map(str::to_owned)).collect()
    }

    pub(super) fn items(&self) -> Result<Vec<Node<'_>>, ConfigError> {
        let Value::Array(array) = self.value else {
            return Err(self.wrong("wants a list"));
        };
        let item = |(index, value)| Node {
            document: self.document,
            value,
            field: format!("{}[{index}]", self.field).into(),
        };
        Ok(array.elements.iter().enumerate().map(item).collect())
    }

    pub(super) fn members(&self) -> Result<Vec<(&str, Node<'_>)>, ConfigError> {
        let Value::Object(object) = self.value else {
            return Err(self.wrong("wants an object"));
        };
        let props = object.properties.iter();
        Ok(props
            .map(|prop| (prop.name.as_str(), self.member(prop)))
            .collect())
    }

    /// The member with this name, the last one if there are several.
    pub(super) fn get(&self, name: &str) -> Result<Option<Node<'_>>, ConfigError> {
        let members = self.members()?.into_iter().rev();
        let mut named = members.filter(|(key, _)| *key == name);
        Ok(named.next().map(|(_, node)| node))
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, Value::Array(_))
    }

    /// The value as JSON without comments.
    pub(super) fn json(&self) -> serde_json::Value {
        json(self.value)
    }

    /// An error at this value.
    pub(super) fn wrong(&self, what: impl Into<String>) -> ConfigError {
        ConfigError::Field {
            place: self.place(),
            field: match &*self.field {
                "" => "the file".to_owned(),
                field => field.to_owned(),
            },
            what: what.into(),
        }
    }

    fn member<'b>(&'b self, prop: &'b ObjectProp<'_>) -> Node<'b> {
        let field = match &*self.field {
            "" => prop.name.as_str().to_owned(),
            around => format!("{around}.{}", prop.name.as_str()),
        };
        Node {
            document: self.document,
            value: &prop.value,
            field: field.into(),
        }
    }
}

/// Allows comments and trailing commas, as in the files of most editors.
pub(super) fn notation() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn json(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => text.value.clone().into_owned().into(),
        Value::NumberLit(number) => number.value.parse().unwrap_or_default(),
        Value::BooleanLit(boolean) => boolean.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(array) => array.elements.iter().map(json).collect(),
        Value::Object(object) => {
            let props = object.properties.iter();
            props
                .map(|prop| (prop.name.as_str().to_owned(), json(&prop.value)))
                .collect()
        }
    }
}

const LIMIT: u64 = 1024 * 1024;
