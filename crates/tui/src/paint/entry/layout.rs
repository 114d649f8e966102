//! The layout of an entry. When the entry grows at its end, only the end is laid out again.

use attache::transcript::{Entry, EntryKind};
use attache::v1;
use ratatui::text::Line;

use super::{EntryContext, event, message};
use crate::paint::markdown::{IncrementalMarkdown, Progress};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::tool_call::{self, ToolCallContext};

/// The lines of an entry.
#[derive(Debug)]
pub(in crate::paint) struct EntryLayout {
    sign: Option<(Sign, TextRole)>,
    base: TextRole,
    parts: Vec<LayoutPart>,
    is_complete: bool,
    is_coloured: bool,
}

/// A part of the layout.
#[derive(Debug)]
enum LayoutPart {
    Markdown {
        block: usize,
        markdown: IncrementalMarkdown,
    },
    Lines(Vec<Line<'static>>),
}

impl Default for EntryLayout {
    fn default() -> Self {
        EntryLayout {
            sign: None,
            base: TextRole::Text,
            parts: Vec::new(),
            is_complete: true,
            is_coloured: true,
        }
    }
}

impl EntryLayout {
    /// Lays out the entry. Reuses the previous layout, so the entry must only have grown since then, in the same
    /// context.
    pub(in crate::paint) fn update(&mut self, entry: &Entry, context: &EntryContext<'_>) {
        (self.sign, self.base) = sign_and_role(entry);
        self.is_complete = true;
        self.is_coloured = true;
        match entry.kind() {
            EntryKind::Message(said) if message::is_incremental(said, context.fold) => {
                self.set_markdown(said.content.as_slice(), context);
            }
            EntryKind::Message(said) => self.set(message::lines(said, context)),
            EntryKind::ToolCall(call) => {
                let surroundings = ToolCallContext {
                    elapsed: context.elapsed,
                    terminal: context.terminal,
                };
                let call_lines = tool_call::call_lines(
                    call,
                    &surroundings,
                    context.fold,
                    context.appearance,
                    context.width,
                );
                self.set(call_lines.lines);
                self.is_coloured = call_lines.is_coloured;
            }
            other => self.set(event::lines(other, context)),
        }
    }

    pub(in crate::paint) fn height(&self) -> usize {
        self.parts.iter().map(|part| part.lines().len()).sum()
    }

    pub(in crate::paint) fn line(&self, index: usize) -> Option<&Line<'static>> {
        let mut index = index;
        for part in &self.parts {
            match part.lines().get(index) {
                Some(line) => return Some(line),
                None => index -= part.lines().len(),
            }
        }
        None
    }

    /// The sign beside the first line.
    pub(in crate::paint) fn sign(&self) -> Option<(Sign, TextRole)> {
        self.sign
    }

    /// The role of text without its own role.
    pub(in crate::paint) fn base(&self) -> TextRole {
        self.base
    }

    /// Whether the whole entry was laid out; if not, the next update continues.
    pub(in crate::paint) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the colours of all code are known; if not, an update may find more.
    pub(in crate::paint) fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    fn set(&mut self, lines: Vec<Line<'static>>) {
        self.parts = vec![LayoutPart::Lines(lines)];
    }

    fn set_markdown(&mut self, blocks: &[v1::ContentBlock], context: &EntryContext<'_>) {
        let mut kept = std::mem::take(&mut self.parts).into_iter();
        for (index, block) in blocks.iter().enumerate() {
            let Some(text) = block.as_text() else {
                self.parts
                    .push(LayoutPart::Lines(message::attachment(block, context)));
                kept.next();
                continue;
            };
            let mut markdown = match kept.next() {
                Some(LayoutPart::Markdown { block, markdown }) if block == index => markdown,
                _ => IncrementalMarkdown::new(context.width),
            };
            let progress = markdown.update(text, context.appearance);
            self.is_complete &= progress == Progress::Complete;
            self.is_coloured &= markdown.is_coloured();
            self.parts.push(LayoutPart::Markdown {
                block: index,
                markdown,
            });
        }
    }
}

impl LayoutPart {
    fn lines(&self) -> &[Line<'static>] {
        match self {
            LayoutPart::Markdown { markdown, .. } => markdown.lines(),
            LayoutPart::Lines(lines) => lines,
        }
    }
}

fn sign_and_role(entry: &Entry) -> (Option<(Sign, TextRole)>, TextRole) {
    match entry.kind() {
        EntryKind::Message(said) => message::sign_and_role(said.kind),
        EntryKind::ToolCall(call) => (Some(tool_call::sign(call)), TextRole::Text),
        other => (event::sign(other), TextRole::Text),
    }
}
