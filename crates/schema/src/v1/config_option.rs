//! Config options: what a person can choose in a session, such as the model.

use attache_rpc::json::{Decode, Encode, Error, Kind, Members, Part, Problem, Reader, write};

use super::SessionId;

ids! {
    /// Names a config option within its session.
    SessionConfigId
    /// Names one choice of a config option.
    SessionConfigValueId
    /// Names a group of choices.
    SessionConfigGroupId
}

message! {
    /// Something a person can choose, with the present choice.
    pub struct SessionConfigOption {
        /// Its name for programs.
        id: SessionConfigId = "id",
        /// Its name for people.
        name: String = "name",
        /// What can be chosen.
        part kind: SessionConfigKind,
        ..
        /// What it is.
        description: Option<String> = "description" lenient,
        /// What it is about, as a hint for display.
        category: Option<SessionConfigOptionCategory> = "category" lenient,
    }
}

union! {
    /// What can be chosen.
    pub enum SessionConfigKind by "type" {
        /// One of a list.
        Select(SessionConfigSelect) = "select",
        /// On or off; only for clients that show switches.
        Boolean(SessionConfigBoolean) = "boolean",
    }
}

fragment! {
    /// A choice from a list.
    pub struct SessionConfigSelect {
        /// The present choice.
        current_value: SessionConfigValueId = "currentValue",
        /// All choices.
        options: SessionConfigSelectOptions = "options",
    }
}

fragment! {
    /// A switch.
    pub struct SessionConfigBoolean {
        /// Whether it is on.
        current_value: bool = "currentValue",
    }
}

/// Choices, as one list or in groups.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionConfigSelectOptions {
    /// One list.
    Ungrouped(Vec<SessionConfigSelectOption>),
    /// Groups with a list each.
    Grouped(Vec<SessionConfigSelectGroup>),
}

message! {
    /// One choice.
    pub struct SessionConfigSelectOption {
        /// Its name for programs.
        value: SessionConfigValueId = "value",
        /// Its name for people.
        name: String = "name",
        ..
        /// What it is.
        description: Option<String> = "description" lenient,
    }
}

message! {
    /// A group of choices.
    pub struct SessionConfigSelectGroup {
        /// Its name for programs.
        group: SessionConfigGroupId = "group",
        /// Its name for people.
        name: String = "name",
        /// The choices.
        options: Vec<SessionConfigSelectOption> = "options" items,
    }
}

open_enum! {
    /// What a config option is about. Names that start with `_` are free, others reserved.
    pub enum SessionConfigOptionCategory {
        /// The session's mode.
        Mode = "mode",
        /// The model.
        Model = "model",
        /// How the model is set.
        ModelConfig = "model_config",
        /// How hard the model thinks.
        ThoughtLevel = "thought_level",
    }
}

message! {
    /// Makes a choice.
    pub struct SetSessionConfigOptionRequest {
        /// In which session.
        session_id: SessionId = "sessionId",
        /// Of which option.
        config_id: SessionConfigId = "configId",
        /// The choice.
        part value: SessionConfigOptionValue,
    }
}

message! {
    /// All options after the choice.
    pub struct SetSessionConfigOptionResponse {
        /// The complete list.
        config_options: Vec<SessionConfigOption> = "configOptions" items,
    }
}

/// A choice: of a list, or of a switch.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionConfigOptionValue {
    /// On or off; needs `type: "boolean"` beside it.
    Boolean(bool),
    /// One of the list.
    ValueId(SessionConfigValueId),
}

impl From<bool> for SessionConfigOptionValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<&str> for SessionConfigOptionValue {
    fn from(value: &str) -> Self {
        Self::ValueId(value.into())
    }
}

impl Decode for SessionConfigOptionValue {
    /// A boolean counts only with its type; a string counts whatever type stands beside it.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let is_boolean = matches!(reader.tag("type"), Ok(Some(kind)) if kind == "boolean");
        let mut value = None;
        let mut more = reader.open_object()?;
        while more {
            if reader.key()? == "value" {
                value = Some(choice(reader, is_boolean).map_err(|error| error.within("value"))?);
            } else {
                reader.skip()?;
            }
            more = reader.more_members()?;
        }
        value.ok_or_else(|| attache_rpc::json::field::missing(reader, "value"))
    }
}

fn choice(reader: &mut Reader<'_>, is_boolean: bool) -> Result<SessionConfigOptionValue, Error> {
    match reader.kind()? {
        Kind::Boolean if is_boolean => reader.boolean().map(SessionConfigOptionValue::Boolean),
        Kind::Boolean => {
            let what = "a boolean needs the member type with the value \"boolean\"";
            Err(reader.error(Problem::Unfit(what)))
        }
        _ => SessionConfigValueId::decode(reader).map(SessionConfigOptionValue::ValueId),
    }
}

impl Members for SessionConfigOptionValue {
    fn members(&self, out: &mut String) {
        match self {
            Self::Boolean(value) => {
                write::key(out, "\"type\":\"boolean\"");
                write::member(out, "value", value);
            }
            Self::ValueId(value) => write::member(out, "value", value),
        }
    }
}

impl Part for SessionConfigOptionValue {}

impl Encode for SessionConfigOptionValue {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

impl Decode for SessionConfigSelectOptions {
    /// Nothing names the form: a list of choices is tried first, then a list of groups.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mark = reader.mark();
        let as_choices = match Vec::decode(reader) {
            Ok(choices) => return Ok(Self::Ungrouped(choices)),
            Err(error) => error,
        };
        reader.reset(mark);
        match Vec::decode(reader) {
            Ok(groups) => Ok(Self::Grouped(groups)),
            Err(_) => Err(as_choices),
        }
    }
}

impl Encode for SessionConfigSelectOptions {
    fn encode(&self, out: &mut String) {
        match self {
            Self::Ungrouped(choices) => choices.encode(out),
            Self::Grouped(groups) => groups.encode(out),
        }
    }
}
