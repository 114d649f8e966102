//! The text of an entry, for copying and searching.

use attache::json::Raw;
use attache::transcript::{ContentBlocks, Entry, EntryKind, TurnOutcome};
use attache::v1;
use attache_client::{content, tool_call};

/// The original text of an entry, for copying. A diff is written as by `diff -u`. The text is not safe to show on a
/// screen.
pub fn text_of(entry: &Entry) -> String {
    let mut text = String::new();
    let mut add = |piece: &str| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(piece);
    };
    match entry.tool_call() {
        Some(call) => copied_texts(&call.report, &mut add),
        None => texts(entry, &mut add),
    }
    text
}

/// Passes each text of an entry to `give`.
pub(in crate::paint) fn texts(entry: &Entry, give: &mut dyn FnMut(&str)) {
    match entry.kind() {
        EntryKind::Message(message) => blocks(&message.content, give),
        EntryKind::ToolCall(call) => tool_call(&call.report, give),
        EntryKind::Notice(notice) => {
            give(&notice.title);
            notice.description.iter().for_each(|text| give(text));
        }
        EntryKind::Compaction(compaction) => {
            blocks(&compaction.summary, give);
            compaction.error.iter().for_each(|text| give(text));
        }
        EntryKind::Subagent(child) => {
            child.title.iter().for_each(|text| give(text));
            child.description.iter().for_each(|text| give(text));
        }
        EntryKind::SessionMessage(message) => blocks(&message.content, give),
        EntryKind::TurnEnd(end) => match &end.outcome {
            TurnOutcome::Stopped(reason) => give(reason.as_str()),
            TurnOutcome::Failed(error) => give(&error.message),
        },
        EntryKind::Unknown(raw) => give(raw.as_str()),
        _ => {}
    }
}

fn blocks(blocks: &ContentBlocks, give: &mut dyn FnMut(&str)) {
    blocks
        .as_slice()
        .iter()
        .for_each(|block| self::block(block, give));
}

fn block(block: &v1::ContentBlock, give: &mut dyn FnMut(&str)) {
    match block {
        v1::ContentBlock::Text(text) => give(&text.text),
        v1::ContentBlock::Resource(resource) => match &resource.resource {
            v1::EmbeddedResourceResource::Text(text) => give(&text.text),
            v1::EmbeddedResourceResource::Blob(_) => give(&content::summary_line(block)),
            _ => give(&content::summary_line(block)),
        },
        other => give(&content::summary_line(other)),
    }
}

/// The texts of a tool call worth copying: its title and content, without input and locations.
fn copied_texts(call: &v1::ToolCall, give: &mut dyn FnMut(&str)) {
    give(&call.title);
    for content in &call.content {
        match content {
            v1::ToolCallContent::Content(content) => block(&content.content, give),
            v1::ToolCallContent::Diff(diff) => give(&tool_call::diff_text(diff)),
            v1::ToolCallContent::Terminal(_) | v1::ToolCallContent::Other(_) => {}
            unknown => give(Raw::of(unknown).as_str()),
        }
    }
    if let Some(output) = call.raw_output.as_ref().filter(|_| call.content.is_empty()) {
        give(output.as_str());
    }
}

fn tool_call(call: &v1::ToolCall, give: &mut dyn FnMut(&str)) {
    give(&call.title);
    for location in &call.locations {
        give(location.path.as_str());
    }
    for content in &call.content {
        match content {
            v1::ToolCallContent::Content(content) => block(&content.content, give),
            v1::ToolCallContent::Diff(diff) => {
                give(diff.path.as_str());
                give(&diff.new_text);
                diff.old_text.iter().for_each(|text| give(text));
            }
            v1::ToolCallContent::Terminal(_) | v1::ToolCallContent::Other(_) => {}
            unknown => give(Raw::of(unknown).as_str()),
        }
    }
    for raw in [&call.raw_input, &call.raw_output].into_iter().flatten() {
        give(raw.as_str());
    }
}
