//! The form of an elicitation: a JSON Schema object with simple fields only.

use std::collections::BTreeMap;

use attache_rpc::json::{Decode, DecodeError, Encode, Members, Raw, Reader, write};

message! {
    /// The form that the client shows: a JSON Schema object whose properties are the fields.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct ElicitationSchema {
        ..
        /// Always `object`.
        schema_type: ElicitationSchemaType = "type" lenient shown,
        /// Title of the form.
        title: Option<String> = "title" lenient,
        /// The fields by name, in the order of the message.
        properties: ElicitationProperties = "properties" shown,
        /// Names of the fields that the user has to fill in. Default: none.
        required: Option<Vec<String>> = "required",
        /// Description of the form for the user.
        description: Option<String> = "description" lenient,
    }
}

/// The fields of a form by name. They are kept in the order in which they were read, so that the client can show them
/// in that order. They are written sorted by name.
///
/// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ElicitationProperties(Vec<(String, ElicitationPropertySchema)>);

impl ElicitationProperties {
    /// The field with this name.
    pub fn get(&self, name: &str) -> Option<&ElicitationPropertySchema> {
        let mut named = self.iter().filter(|(known, _)| *known == name);
        named.next().map(|(_, field)| field)
    }

    /// All fields with their names, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &ElicitationPropertySchema)> {
        self.0.iter().map(|(name, field)| (name, field))
    }
}

/// If a name occurs twice, the last field counts, in the position of the first.
fn settled(mut fields: Vec<(String, ElicitationPropertySchema)>) -> ElicitationProperties {
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_unstable_by(|a, b| (&fields[*a].0, a).cmp(&(&fields[*b].0, b)));
    let mut is_kept = vec![true; fields.len()];
    let mut moves = Vec::new();
    for places in order.chunk_by(|a, b| fields[*a].0 == fields[*b].0) {
        if let [first, .., last] = places {
            moves.push((*first, *last));
            places[1..].iter().for_each(|place| is_kept[*place] = false);
        }
    }
    for (first, last) in moves {
        fields.swap(first, last);
    }
    let mut is_kept = is_kept.into_iter();
    fields.retain(|_| is_kept.next() == Some(true));
    ElicitationProperties(fields)
}

impl<N: Into<String>> FromIterator<(N, ElicitationPropertySchema)> for ElicitationProperties {
    fn from_iter<I: IntoIterator<Item = (N, ElicitationPropertySchema)>>(fields: I) -> Self {
        let fields = fields.into_iter().map(|(name, field)| (name.into(), field));
        settled(fields.collect())
    }
}

impl<N: Into<String>, const LENGTH: usize> From<[(N, ElicitationPropertySchema); LENGTH]>
    for ElicitationProperties
{
    fn from(fields: [(N, ElicitationPropertySchema); LENGTH]) -> Self {
        fields.into_iter().collect()
    }
}

impl<N: Into<String>> From<Vec<(N, ElicitationPropertySchema)>> for ElicitationProperties {
    fn from(fields: Vec<(N, ElicitationPropertySchema)>) -> Self {
        fields.into_iter().collect()
    }
}

impl<N: Into<String>> From<BTreeMap<N, ElicitationPropertySchema>> for ElicitationProperties {
    fn from(fields: BTreeMap<N, ElicitationPropertySchema>) -> Self {
        fields.into_iter().collect()
    }
}

impl Decode for ElicitationProperties {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut fields = Vec::new();
        let mut more = reader.open_object()?;
        while more {
            let name = reader.name()?.into_owned();
            let field =
                Decode::decode(reader).map_err(|error: DecodeError| error.at(fields.len()))?;
            if fields.len() == fields.capacity() {
                fields.reserve_exact(fields.len() / 2 + 4);
            }
            fields.push((name, field));
            more = reader.more_members()?;
        }
        Ok(settled(fields))
    }
}

impl Encode for ElicitationProperties {
    fn encode(&self, out: &mut String) {
        // Sorted by name, as the official types write it.
        let sorted: BTreeMap<&String, &ElicitationPropertySchema> = self.iter().collect();
        out.push('{');
        for (name, field) in sorted {
            write::member(out, name, field);
        }
        out.push('}');
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

open_enum! {
    /// The JSON Schema type of a form, which is always `object`.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub enum ElicitationSchemaType {
        /// An object.
        Object = "object",
    }
    default Object
}

union! {
    /// A field of a form. The client MUST NOT show a field of an unknown type as one of a known type.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub enum ElicitationPropertySchema by "type" {
        /// Text, or one of several choices.
        String(StringPropertySchema) = "string",
        /// A number.
        Number(NumberPropertySchema) = "number",
        /// A whole number.
        Integer(IntegerPropertySchema) = "integer",
        /// Yes or no.
        Boolean(BooleanPropertySchema) = "boolean",
        /// Any number of several choices.
        Array(MultiSelectPropertySchema) = "array",
    }
}

message! {
    /// A field for text. With `enum_values` or `one_of` it is a choice.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct StringPropertySchema {
        ..
        /// Title of the field.
        title: Option<String> = "title" lenient,
        /// Description of the field for the user.
        description: Option<String> = "description" lenient,
        /// Minimum number of characters. Default: none.
        min_length: Option<u32> = "minLength",
        /// Maximum number of characters. Default: none.
        max_length: Option<u32> = "maxLength",
        /// Regular expression that the text must match. Default: none.
        pattern: Option<String> = "pattern",
        /// Format that the text must have. Default: any.
        format: Option<StringFormat> = "format",
        /// Value that the client fills in.
        default: Option<String> = "default" lenient,
        /// The choices, without titles.
        enum_values: Option<Vec<String>> = "enum",
        /// The choices, with titles.
        one_of: Option<Vec<EnumOption>> = "oneOf",
    }
}

message! {
    /// A field for a number.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct NumberPropertySchema {
        ..
        /// Title of the field.
        title: Option<String> = "title" lenient,
        /// Description of the field for the user.
        description: Option<String> = "description" lenient,
        /// Smallest allowed value. Default: no limit.
        minimum: Option<f64> = "minimum",
        /// Largest allowed value. Default: no limit.
        maximum: Option<f64> = "maximum",
        /// Value that the client fills in.
        default: Option<f64> = "default" lenient,
    }
}

message! {
    /// A field for a whole number.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct IntegerPropertySchema {
        ..
        /// Title of the field.
        title: Option<String> = "title" lenient,
        /// Description of the field for the user.
        description: Option<String> = "description" lenient,
        /// Smallest allowed value. Default: no limit.
        minimum: Option<i64> = "minimum",
        /// Largest allowed value. Default: no limit.
        maximum: Option<i64> = "maximum",
        /// Value that the client fills in.
        default: Option<i64> = "default" lenient,
    }
}

message! {
    /// A field for yes or no.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct BooleanPropertySchema {
        ..
        /// Title of the field.
        title: Option<String> = "title" lenient,
        /// Description of the field for the user.
        description: Option<String> = "description" lenient,
        /// Value that the client fills in.
        default: Option<bool> = "default" lenient,
    }
}

message! {
    /// A field for any number of several choices.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct MultiSelectPropertySchema {
        /// The choices.
        items: MultiSelectItems = "items",
        ..
        /// Title of the field.
        title: Option<String> = "title" lenient,
        /// Description of the field for the user.
        description: Option<String> = "description" lenient,
        /// Minimum number of choices to make. Default: none.
        min_items: Option<u64> = "minItems",
        /// Maximum number of choices to make. Default: no limit.
        max_items: Option<u64> = "maxItems",
        /// Values that are chosen at first.
        default: Option<Vec<String>> = "default" optional_items,
    }
}

/// The choices of a [`MultiSelectPropertySchema`].
///
/// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MultiSelectItems {
    /// Choices without titles. Sent with `type: "string"`.
    String(StringMultiSelectItems),
    /// Choices with titles. Sent without `type`.
    Titled(TitledMultiSelectItems),
    /// A type that this version does not know, as received.
    Other(Raw),
}

message! {
    /// Choices without titles.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct StringMultiSelectItems {
        /// The choices.
        values: Vec<String> = "enum",
    }
}

message! {
    /// Choices with titles.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct TitledMultiSelectItems {
        /// The choices.
        options: Vec<EnumOption> = "anyOf",
    }
}

message! {
    /// A choice with a title.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub struct EnumOption {
        /// Value to return when it is chosen.
        value: String = "const",
        /// Text for the user.
        title: String = "title",
        ..
        /// Description for the user.
        description: Option<String> = "description" lenient,
    }
}

open_enum! {
    /// The format of a text field.
    ///
    /// See [Elicitation](https://agentclientprotocol.com/protocol/v1/elicitation).
    pub enum StringFormat {
        /// An email address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date (`YYYY-MM-DD`).
        Date = "date",
        /// A date and time in ISO 8601.
        DateTime = "date-time",
    }
}

impl Decode for MultiSelectItems {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.tag("type")?.as_deref() {
            Some("string") => StringMultiSelectItems::decode(reader).map(Self::String),
            Some(_) => Raw::decode(reader).map(Self::Other),
            None => TitledMultiSelectItems::decode(reader).map(Self::Titled),
        }
    }
}

impl Encode for MultiSelectItems {
    fn encode(&self, out: &mut String) {
        match self {
            Self::String(items) => {
                out.push_str("{\"type\":\"string\"");
                items.members(out);
                out.push('}');
            }
            Self::Titled(items) => write::object(out, items),
            Self::Other(raw) => raw.encode(out),
        }
    }
}
