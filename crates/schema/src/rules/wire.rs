//! Checks of every object in a message, whatever its type: the length of ids, and the reserved names in `_meta`.

use attache_rpc::json::{DecodeError, Reader, ValueKind};

use super::{Findings, MessagePath};

/// Checks the text of a message that has already been decoded.
pub(super) fn check(text: &str, at: &MessagePath<'_>, found: &mut Findings) {
    if let Err(fault) = value(&mut Reader::new(text), at, found) {
        found.unreadable(at, &fault);
    }
}

fn value(
    reader: &mut Reader<'_>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) -> Result<(), DecodeError> {
    match reader.kind()? {
        ValueKind::Object => object(reader, at, found),
        ValueKind::Array => array(reader, at, found),
        _ => reader.skip().map(drop),
    }
}

fn object(
    reader: &mut Reader<'_>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) -> Result<(), DecodeError> {
    let mut more = reader.open_object()?;
    let mut position = 0;
    while more {
        let name = reader.name()?;
        let at = if is_ours(&name) {
            at.member(&name)
        } else {
            at.item(position)
        };
        member(&name, reader, &at, found)?;
        position += 1;
        more = reader.more_members()?;
    }
    Ok(())
}

fn array(
    reader: &mut Reader<'_>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) -> Result<(), DecodeError> {
    let mut more = reader.open_array()?;
    let mut position = 0;
    while more {
        value(reader, &at.item(position), found)?;
        position += 1;
        more = reader.more_items()?;
    }
    Ok(())
}

fn member(
    name: &str,
    reader: &mut Reader<'_>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) -> Result<(), DecodeError> {
    match reader.kind()? {
        ValueKind::Object if name == "_meta" => meta(reader, at, found),
        ValueKind::String if IDS.contains(&name) => {
            id(reader.text()?, at, found);
            Ok(())
        }
        _ if OPAQUE.contains(&name) => reader.skip().map(drop),
        _ => value(reader, at, found),
    }
}

fn meta(
    reader: &mut Reader<'_>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) -> Result<(), DecodeError> {
    let mut more = reader.open_object()?;
    while more {
        let name = reader.name()?;
        let is_text = reader.kind()? == ValueKind::String;
        reader.skip()?;
        if let Some(reserved) = TRACE.iter().find(|reserved| **reserved == name)
            && !is_text
        {
            let message =
                "the name is reserved for trace context; send a string or use another name";
            found.add(rule!("177"), &at.member(reserved), message);
        }
        more = reader.more_members()?;
    }
    Ok(())
}

/// Checks an id whose member name is not in the list of id members.
pub(super) fn id(text: &str, at: &MessagePath<'_>, found: &mut Findings) {
    if text.is_empty() {
        found.add(rule!("B2"), at, "the id is empty; send one with text");
    } else if text.len() > MOST {
        let message = format!("the id is longer than {MOST} bytes; send a shorter one");
        found.add(rule!("B2"), at, message);
    }
}

/// Whether a name may occur in a path: it is the protocol's, not data from the message.
fn is_ours(name: &str) -> bool {
    name == "_meta" || IDS.contains(&name) || CONTAINERS.contains(&name)
}

const MOST: usize = 1024;

const TRACE: &[&str] = &["traceparent", "tracestate", "baggage"];

/// Members with data that the protocol does not define, or maps with arbitrary names.
const OPAQUE: &[&str] = &[
    "data",
    "env",
    "headers",
    "params",
    "properties",
    "rawInput",
    "rawOutput",
    "result",
];

const IDS: &[&str] = &[
    "compactionId",
    "configId",
    "currentModeId",
    "elicitationId",
    "group",
    "id",
    "messageId",
    "methodId",
    "modeId",
    "optionId",
    "planId",
    "providerId",
    "recipientMessageId",
    "recipientSessionId",
    "senderMessageId",
    "senderSessionId",
    "serverId",
    "sessionId",
    "terminalId",
    "toolCallId",
];

/// Members that contain ids or `_meta`. Paths show other members by position.
const CONTAINERS: &[&str] = &[
    "accounts",
    "agentCapabilities",
    "agentInfo",
    "annotations",
    "auth",
    "authMethods",
    "availableCommands",
    "availableModes",
    "capabilities",
    "clientCapabilities",
    "clientInfo",
    "configOptions",
    "content",
    "cost",
    "current",
    "elicitation",
    "entries",
    "exitStatus",
    "fs",
    "input",
    "locations",
    "mcpCapabilities",
    "mcpServers",
    "modes",
    "options",
    "outcome",
    "plan",
    "prompt",
    "promptCapabilities",
    "providers",
    "requestedSchema",
    "resource",
    "session",
    "sessionCapabilities",
    "sessions",
    "state",
    "summary",
    "systemPrompt",
    "toolCall",
    "update",
    "usage",
];
