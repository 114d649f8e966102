//! Config options: settings of a session that the user can change, such as the model.

use attache_rpc::json::{
    Decode, DecodeError, Encode, Flatten, Members, Problem, Reader, ValueKind, write,
};

use super::SessionId;

ids! {
    /// Id of a config option, unique within its session.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    SessionConfigId
    /// Id of a value of a config option.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    SessionConfigValueId
    /// Id of a group of values.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    SessionConfigGroupId
}

message! {
    /// A setting of a session, with its current value. The client SHOULD show options in the order of the list and
    /// ignore those of a type it does not know.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SessionConfigOption {
        /// Id to pass to `session/set_config_option`.
        id: SessionConfigId = "id",
        /// Name for the user.
        name: String = "name",
        /// The type of the option, its current value and the values to choose from.
        part kind: SessionConfigKind,
        ..
        /// Description for the user.
        description: Option<String> = "description" lenient,
        /// Category of the option, for icons and placement only. The client MUST cope with a missing or unknown
        /// category.
        category: Option<SessionConfigOptionCategory> = "category" lenient,
    }
}

union! {
    /// The type of a config option, with its current value.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub enum SessionConfigKind by "type" {
        /// One value from a list.
        Select(SessionConfigSelect) = "select",
        /// On or off. The agent MUST NOT send it unless the client advertises `session.configOptions.boolean`.
        Boolean(SessionConfigBoolean) = "boolean",
    }
}

fragment! {
    /// A config option with one value from a list.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SessionConfigSelect {
        /// The current value.
        current_value: SessionConfigValueId = "currentValue",
        /// The values to choose from.
        options: SessionConfigSelectOptions = "options",
    }
}

fragment! {
    /// A config option that is on or off.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SessionConfigBoolean {
        /// Whether the option is on.
        current_value: bool = "currentValue",
    }
}

/// The values of a config option, as one list or in groups.
///
/// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SessionConfigSelectOptions {
    /// One list.
    Ungrouped(Vec<SessionConfigSelectOption>),
    /// Groups, each with its own list.
    Grouped(Vec<SessionConfigSelectGroup>),
}

message! {
    /// A value of a config option.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SessionConfigSelectOption {
        /// Id to pass to `session/set_config_option`.
        value: SessionConfigValueId = "value",
        /// Name for the user.
        name: String = "name",
        ..
        /// Description for the user.
        description: Option<String> = "description" lenient,
    }
}

message! {
    /// A group of values of a config option.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SessionConfigSelectGroup {
        /// Id of the group.
        group: SessionConfigGroupId = "group",
        /// Name for the user.
        name: String = "name",
        /// The values. Items that cannot be read are skipped.
        options: Vec<SessionConfigSelectOption> = "options" items,
    }
}

open_enum! {
    /// Category of a config option. It MUST NOT be needed for correctness. Values that start with `_` are free for
    /// custom use; others are reserved for the protocol.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub enum SessionConfigOptionCategory {
        /// Selects the session's mode.
        Mode = "mode",
        /// Selects the model.
        Model = "model",
        /// A parameter of the model.
        ModelConfig = "model_config",
        /// Selects how much the model reasons.
        ThoughtLevel = "thought_level",
    }
}

message! {
    /// Parameters of `session/set_config_option`, which changes one config option.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SetSessionConfigOptionRequest {
        /// The session to change.
        session_id: SessionId = "sessionId",
        /// The option to change.
        config_id: SessionConfigId = "configId",
        /// The new value.
        part value: SessionConfigOptionValue,
    }
}

message! {
    /// Response to `session/set_config_option`.
    ///
    /// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
    pub struct SetSessionConfigOptionResponse {
        /// All config options after the change: other options may have changed too. MUST be the complete list.
        config_options: Vec<SessionConfigOption> = "configOptions" items,
    }
}

/// The new value of a config option.
///
/// See [Config options](https://agentclientprotocol.com/protocol/v1/session-config-options).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SessionConfigOptionValue {
    /// On or off. Sent with `type: "boolean"`.
    Boolean(bool),
    /// One of the option's values. Sent without `type`.
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
    /// A boolean is accepted only with `type: "boolean"`; a string is accepted with any type.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
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

fn choice(
    reader: &mut Reader<'_>,
    is_boolean: bool,
) -> Result<SessionConfigOptionValue, DecodeError> {
    match reader.kind()? {
        ValueKind::Boolean if is_boolean => reader.boolean().map(SessionConfigOptionValue::Boolean),
        ValueKind::Boolean => {
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

impl Flatten for SessionConfigOptionValue {}

impl Encode for SessionConfigOptionValue {
    fn encode(&self, out: &mut String) {
        write::object(out, self);
    }
}

impl Decode for SessionConfigSelectOptions {
    /// The lists have no tag: the decoder tries a list of values first, then a list of groups.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
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
