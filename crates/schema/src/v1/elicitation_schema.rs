//! The form of an elicitation: a flat object of simple fields.

use std::collections::BTreeMap;

use attache_rpc::json::{Decode, Encode, Error, Members, Raw, Reader, write};

message! {
    /// A form's fields.
    pub struct ElicitationSchema {
        ..
        /// Always an object.
        schema_type: ElicitationSchemaType = "type" lenient shown,
        /// The form's title.
        title: Option<String> = "title" lenient,
        /// The fields by name, in the order of the wire.
        properties: ElicitationProperties = "properties" shown,
        /// The fields that must be filled in.
        required: Option<Vec<String>> = "required",
        /// What the form is for.
        description: Option<String> = "description" lenient,
    }
}

/// The fields of a form by name, in the order in which they were read: that is the order in which a person is asked. They
/// are written in the order of their names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ElicitationProperties(Vec<(String, ElicitationPropertySchema)>);

impl ElicitationProperties {
    /// The field of a name.
    pub fn get(&self, name: &str) -> Option<&ElicitationPropertySchema> {
        let mut named = self.iter().filter(|(known, _)| *known == name);
        named.next().map(|(_, field)| field)
    }

    /// All fields with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &ElicitationPropertySchema)> {
        self.0.iter().map(|(name, field)| (name, field))
    }
}

/// Of one name the last counts, at the place of the first.
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
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut fields = Vec::new();
        let mut more = reader.open_object()?;
        while more {
            let name = reader.name()?.into_owned();
            let field = Decode::decode(reader).map_err(|error: Error| error.at(fields.len()))?;
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
        // As the official types write it: by name.
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
    /// The type of a form: always an object.
    pub enum ElicitationSchemaType {
        /// An object.
        Object = "object",
    }
    default Object
}

union! {
    /// A field. One of a type that is not known is kept, and never shown as one that is.
    pub enum ElicitationPropertySchema by "type" {
        /// Text, or one of several.
        String(StringPropertySchema) = "string",
        /// Any number.
        Number(NumberPropertySchema) = "number",
        /// A whole number.
        Integer(IntegerPropertySchema) = "integer",
        /// Yes or no.
        Boolean(BooleanPropertySchema) = "boolean",
        /// Several of several.
        Array(MultiSelectPropertySchema) = "array",
    }
}

message! {
    /// A field for text, or for one of several.
    pub struct StringPropertySchema {
        ..
        /// Its title.
        title: Option<String> = "title" lenient,
        /// What it is for.
        description: Option<String> = "description" lenient,
        /// The fewest characters.
        min_length: Option<u32> = "minLength",
        /// The most characters.
        max_length: Option<u32> = "maxLength",
        /// A regular expression the text must match.
        pattern: Option<String> = "pattern",
        /// What the text must be.
        format: Option<StringFormat> = "format",
        /// What stands there at first.
        default: Option<String> = "default" lenient,
        /// The choices, if the text is one of several.
        enum_values: Option<Vec<String>> = "enum",
        /// The choices with titles.
        one_of: Option<Vec<EnumOption>> = "oneOf",
    }
}

message! {
    /// A field for any number.
    pub struct NumberPropertySchema {
        ..
        /// Its title.
        title: Option<String> = "title" lenient,
        /// What it is for.
        description: Option<String> = "description" lenient,
        /// The least value.
        minimum: Option<f64> = "minimum",
        /// The greatest value.
        maximum: Option<f64> = "maximum",
        /// What stands there at first.
        default: Option<f64> = "default" lenient,
    }
}

message! {
    /// A field for a whole number.
    pub struct IntegerPropertySchema {
        ..
        /// Its title.
        title: Option<String> = "title" lenient,
        /// What it is for.
        description: Option<String> = "description" lenient,
        /// The least value.
        minimum: Option<i64> = "minimum",
        /// The greatest value.
        maximum: Option<i64> = "maximum",
        /// What stands there at first.
        default: Option<i64> = "default" lenient,
    }
}

message! {
    /// A field for yes or no.
    pub struct BooleanPropertySchema {
        ..
        /// Its title.
        title: Option<String> = "title" lenient,
        /// What it is for.
        description: Option<String> = "description" lenient,
        /// What stands there at first.
        default: Option<bool> = "default" lenient,
    }
}

message! {
    /// A field for several of several.
    pub struct MultiSelectPropertySchema {
        /// The choices.
        items: MultiSelectItems = "items",
        ..
        /// Its title.
        title: Option<String> = "title" lenient,
        /// What it is for.
        description: Option<String> = "description" lenient,
        /// The fewest choices.
        min_items: Option<u64> = "minItems",
        /// The most choices.
        max_items: Option<u64> = "maxItems",
        /// What is chosen at first.
        default: Option<Vec<String>> = "default" optional_items,
    }
}

/// The choices of a field for several.
#[derive(Debug, Clone, PartialEq)]
pub enum MultiSelectItems {
    /// Plain choices (`type: "string"`).
    String(StringMultiSelectItems),
    /// Choices with titles, which have no type.
    Titled(TitledMultiSelectItems),
    /// A type that this version does not know, as it came.
    Other(Raw),
}

message! {
    /// Plain choices.
    pub struct StringMultiSelectItems {
        /// All of them.
        values: Vec<String> = "enum",
    }
}

message! {
    /// Choices with titles.
    pub struct TitledMultiSelectItems {
        /// All of them.
        options: Vec<EnumOption> = "anyOf",
    }
}

message! {
    /// A choice with a title.
    pub struct EnumOption {
        /// Its name for programs.
        value: String = "const",
        /// Its name for people.
        title: String = "title",
        ..
        /// What it is.
        description: Option<String> = "description" lenient,
    }
}

open_enum! {
    /// What a text must be.
    pub enum StringFormat {
        /// A mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date.
        Date = "date",
        /// A date with a time.
        DateTime = "date-time",
    }
}

impl Decode for MultiSelectItems {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
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
