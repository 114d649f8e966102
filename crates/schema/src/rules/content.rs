//! Checks content blocks: their types, and the capabilities that a prompt needs for them.

use super::{Context, Findings, MessagePath, gate};
use crate::v1::ContentBlock;

/// Checks a prompt: every agent accepts text and resource links; other blocks need a capability.
pub(super) fn prompt(
    blocks: &[ContentBlock],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    for (index, block) in blocks.iter().enumerate() {
        let at = at.item(index);
        match missing_capability(block, context) {
            Some(capability) => gate::closed(rule!("96"), capability, &at, found),
            None => known(block, &at, found),
        }
    }
}

/// Reports a block whose type the protocol does not define.
pub(super) fn known(block: &ContentBlock, at: &MessagePath<'_>, found: &mut Findings) {
    if let ContentBlock::Other(_) = block {
        let message =
            "the block's type is not defined; use text, image, audio, resource_link or resource";
        found.add(rule!("B3"), &at.member("type"), message);
    }
}

pub(super) fn all_known(blocks: &[ContentBlock], at: &MessagePath<'_>, found: &mut Findings) {
    for (index, block) in blocks.iter().enumerate() {
        known(block, &at.item(index), found);
    }
}

fn missing_capability(block: &ContentBlock, context: &Context) -> Option<&'static str> {
    let takes = &context.agent.prompt_capabilities;
    let (is_taken, capability) = match block {
        ContentBlock::Image(_) => (takes.image, "agentCapabilities.promptCapabilities.image"),
        ContentBlock::Audio(_) => (takes.audio, "agentCapabilities.promptCapabilities.audio"),
        ContentBlock::Resource(_) => (
            takes.embedded_context,
            "agentCapabilities.promptCapabilities.embeddedContext",
        ),
        ContentBlock::Text(_) | ContentBlock::ResourceLink(_) | ContentBlock::Other(_) => {
            return None;
        }
    };
    (!is_taken).then_some(capability)
}
