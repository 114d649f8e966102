//! An entry laid out, so that what grows at its end need not be laid out again from its beginning.

use attache::transcript::{Entry, EntryKind};
use attache::v1;
use ratatui::text::Line;

use super::{Around, event, message};
use crate::paint::markdown::{Flow, Progress};
use crate::paint::theme::{Role, Sign};
use crate::paint::tool_call::{self, Surroundings};

/// The lines of an entry.
#[derive(Debug)]
pub(in crate::paint) struct Layout {
    sign: Option<(Sign, Role)>,
    base: Role,
    parts: Vec<Part>,
    is_complete: bool,
    is_coloured: bool,
}

/// Lines one below the other.
#[derive(Debug)]
enum Part {
    Flow { block: usize, flow: Flow },
    Lines(Vec<Line<'static>>),
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            sign: None,
            base: Role::Text,
            parts: Vec::new(),
            is_complete: true,
            is_coloured: true,
        }
    }
}

impl Layout {
    /// Lays out the entry. What was laid out before is kept as far as it still holds, which is so only if the entry
    /// has but grown and everything around it is the same.
    pub(in crate::paint) fn update(&mut self, entry: &Entry, around: &Around<'_>) {
        (self.sign, self.base) = looks(entry);
        self.is_complete = true;
        self.is_coloured = true;
        match entry.kind() {
            EntryKind::Message(said) if message::flows(said, around.fold) => {
                self.flow(said.content.as_slice(), around);
            }
            EntryKind::Message(said) => self.set(message::lines(said, around)),
            EntryKind::ToolCall(call) => {
                let surroundings = Surroundings {
                    elapsed: around.elapsed,
                    terminal: around.terminal,
                };
                let card =
                    tool_call::card(call, &surroundings, around.fold, around.brush, around.width);
                self.set(card.lines);
                self.is_coloured = card.is_coloured;
            }
            other => self.set(event::lines(other, around)),
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

    /// What stands beside the first line.
    pub(in crate::paint) fn sign(&self) -> Option<(Sign, Role)> {
        self.sign
    }

    /// How text looks where nothing else is said.
    pub(in crate::paint) fn base(&self) -> Role {
        self.base
    }

    /// Whether all of the entry was laid out; if not, the next update goes on.
    pub(in crate::paint) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the colours of all code are known; if not, an update may find more.
    pub(in crate::paint) fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    fn set(&mut self, lines: Vec<Line<'static>>) {
        self.parts = vec![Part::Lines(lines)];
    }

    fn flow(&mut self, blocks: &[v1::ContentBlock], around: &Around<'_>) {
        let mut kept = std::mem::take(&mut self.parts).into_iter();
        for (index, block) in blocks.iter().enumerate() {
            let Some(text) = block.as_text() else {
                self.parts
                    .push(Part::Lines(message::attachment(block, around)));
                kept.next();
                continue;
            };
            let mut flow = match kept.next() {
                Some(Part::Flow { block, flow }) if block == index => flow,
                _ => Flow::new(around.width),
            };
            let progress = flow.update(text, around.brush);
            self.is_complete &= progress == Progress::Complete;
            self.is_coloured &= flow.is_coloured();
            self.parts.push(Part::Flow { block: index, flow });
        }
    }
}

impl Part {
    fn lines(&self) -> &[Line<'static>] {
        match self {
            Part::Flow { flow, .. } => flow.lines(),
            Part::Lines(lines) => lines,
        }
    }
}

fn looks(entry: &Entry) -> (Option<(Sign, Role)>, Role) {
    match entry.kind() {
        EntryKind::Message(said) => message::looks(said.kind),
        EntryKind::ToolCall(call) => (Some(tool_call::sign(call)), Role::Text),
        other => (event::sign(other), Role::Text),
    }
}
