//! As much of a line of a transcript as tells where it belongs, read in one pass and without a tree of values.

use attache::json::{Error, Reader};

/// A line that has a place in the conversation, or says which is the newest.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outline<'a> {
    pub(super) uuid: Option<Name<'a>>,
    pub(super) parent: Parent<'a>,
    pub(super) kind: Kind,
    /// The model's id of the message.
    pub(super) message: Option<Name<'a>>,
    /// The line that the CLI says is the newest.
    pub(super) leaf: Option<Name<'a>>,
}

type Name<'a> = std::borrow::Cow<'a, str>;

/// The line before.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Parent<'a> {
    /// The one that stands before it in the file, for all we know.
    #[default]
    Unsaid,
    /// There is none.
    None,
    Named(Name<'a>),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something that a person said, or the CLI for them.
    Prompt,
    /// What a tool gave back, or other words to the model.
    Note,
    Answer,
    /// What nobody is told, and yet has a place.
    Hidden,
    /// What has no place.
    #[default]
    Foreign,
}

impl<'a> Outline<'a> {
    /// The outline of a line. One that cannot be read has no place.
    pub(super) fn of(line: &'a str) -> Outline<'a> {
        read(line).unwrap_or_default()
    }
}

fn read(line: &str) -> Result<Outline<'_>, Error> {
    let mut reader = Reader::new(line);
    let mut outline = Outline::default();
    let (mut kind, mut message, mut logical) = (Name::default(), "", None);
    let (mut is_aside, mut is_own, mut is_boundary, mut is_output) = Default::default();
    let mut more = reader.open_object()?;
    while more {
        match reader.key()? {
            "type" => kind = reader.string()?,
            "subtype" => {
                let subtype = name(&mut reader)?.unwrap_or_default();
                is_boundary |= subtype == BOUNDARY;
                is_output |= subtype == OUTPUT;
            }
            "uuid" => outline.uuid = name(&mut reader)?,
            "parentUuid" => {
                outline.parent = name(&mut reader)?.map_or(Parent::None, Parent::Named);
            }
            "logicalParentUuid" => logical = name(&mut reader)?,
            "leafUuid" => outline.leaf = name(&mut reader)?,
            "isSidechain" => is_aside = reader.skip()? == "true",
            "isMeta" => is_own |= reader.skip()? == "true",
            "isCompactSummary" => is_boundary |= reader.skip()? == "true",
            "message" => message = reader.skip()?,
            _ => drop(reader.skip()?),
        }
        more = reader.more_members()?;
    }
    reader.end()?;
    // A compaction begins anew for the model, and not for the person.
    outline.parent = match (outline.parent, logical) {
        (Parent::None, Some(before)) => Parent::Named(before),
        (Parent::None, None) if is_boundary => Parent::Unsaid,
        (parent, _) => parent,
    };
    outline.kind = match &*kind {
        _ if is_aside => Kind::Foreign,
        "user" if is_own => Kind::Hidden,
        "user" if is_boundary || message.contains(RESULT) => Kind::Note,
        "user" => Kind::Prompt,
        "assistant" => Kind::Answer,
        "system" if is_output => Kind::Note,
        _ if outline.uuid.is_none() => Kind::Foreign,
        _ => Kind::Hidden,
    };
    if outline.kind == Kind::Answer {
        outline.message = message_id(message).ok().flatten();
    }
    if &*kind != LEAF {
        outline.leaf = None;
    }
    Ok(outline)
}

fn message_id(message: &str) -> Result<Option<Name<'_>>, Error> {
    let mut reader = Reader::new(message);
    let mut more = reader.open_object()?;
    while more {
        match reader.key()? {
            "id" => return name(&mut reader),
            _ => drop(reader.skip()?),
        }
        more = reader.more_members()?;
    }
    Ok(None)
}

/// A string; none for anything else.
fn name<'a>(reader: &mut Reader<'a>) -> Result<Option<Name<'a>>, Error> {
    match reader.kind()? {
        attache::json::ValueKind::String => reader.string().map(Some),
        _ => reader.skip().map(|_| None),
    }
}

const BOUNDARY: &str = "compact_boundary";
const OUTPUT: &str = "local_command";
const LEAF: &str = "last-prompt";
/// In the text of a prompt the quotes would be escaped.
const RESULT: &str = "\"tool_result\"";
