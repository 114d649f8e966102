//! Finds the top-level blocks of a text, and which of them no following text can change.

use std::borrow::Cow;

use attache_text::plain;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::options;

/// The start of a top-level block, always at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockStart {
    pub(super) at: usize,
    pub(super) is_fence: bool,
    /// Only its second line makes a table a table.
    is_table: bool,
}

/// The top-level blocks of a text, in order.
pub(super) fn starts(text: &str) -> Vec<BlockStart> {
    let mut starts = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if depth == 0 {
            let is_fence = matches!(
                event,
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))
            );
            let at = line_start(text, range.start);
            let is_table = matches!(event, Event::Start(Tag::Table(_)));
            starts.push(BlockStart {
                at,
                is_fence,
                is_table,
            });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    starts.dedup_by_key(|start| start.at);
    starts
}

/// Breaks up every `]:`, so that the text defines no references: a definition would change lines above it without being
/// visible. [`safe_line`] reverses this.
pub(super) fn guarded(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains("]:") {
        Cow::Owned(text.replace("]:", &format!("]{GUARD}:")))
    } else {
        text
    }
}

/// A piece of guarded text as one line that is safe to show, because entities may decode to any character.
pub(super) fn safe_line(text: &str) -> Cow<'_, str> {
    match unguarded(text) {
        Cow::Borrowed(text) => plain::line(text),
        Cow::Owned(text) => Cow::Owned(plain::line(&text).into_owned()),
    }
}

/// Like [`safe_line`], but keeps line ends and tabs.
pub(super) fn safe_lines(text: &str) -> Cow<'_, str> {
    match unguarded(text) {
        Cow::Borrowed(text) => plain::lines(text),
        Cow::Owned(text) => Cow::Owned(plain::lines(&text).into_owned()),
    }
}

fn unguarded(text: &str) -> Cow<'_, str> {
    if text.contains(GUARD) {
        Cow::Owned(text.replace(GUARD, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the block that begins here can't become part of the previous block any more: the lines that define it are
/// complete.
pub(super) fn is_final(text: &str, start: BlockStart) -> bool {
    let mut ends = text[start.at..].match_indices('\n');
    let is_begun = ends.next().is_some();
    is_begun && (!start.is_table || ends.next().is_some())
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// A noncharacter, so it does not occur in safe text.
const GUARD: char = '\u{fdd0}';
