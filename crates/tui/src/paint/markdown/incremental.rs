//! Lays out a growing text piece by piece. The part that nothing can change any more is not laid out again.

use std::ops::Range;

use attache_text::plain;
use ratatui::text::Line;

use super::block::{self, PaintedBlock};
use super::split::{self, BlockStart};
use crate::paint::Appearance;
use crate::paint::code::PrefixHash;

/// The lines of a growing text.
#[derive(Debug)]
pub struct IncrementalMarkdown {
    width: u16,
    lines: Vec<Line<'static>>,
    /// The number of bytes of the text, and of lines, that nothing can change any more.
    settled: usize,
    settled_lines: usize,
    /// The code fence that is open at the end of the settled part.
    open: Option<OpenFence>,
    /// Settled blocks whose colours are not all known yet.
    uncoloured: Vec<SettledBlock>,
    is_tail_coloured: bool,
    generation: u64,
}

/// Whether the whole text was laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The whole text was laid out.
    Complete,
    /// A part was laid out; the rest should wait for the next frame.
    Partial,
}

/// A code fence whose beginning is settled.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenFence {
    /// The first line of the fence.
    pub(super) fence: String,
    /// The hash of the code so far.
    pub(super) chain: PrefixHash,
}

#[derive(Debug)]
struct SettledBlock {
    source: Range<usize>,
    lines: Range<usize>,
    open: Option<OpenFence>,
}

/// How far a window can be settled, in bytes.
enum WindowSplit {
    Blocks(Vec<usize>),
    Code(usize),
    Nothing,
}

impl IncrementalMarkdown {
    /// Creates an empty layout of this width.
    pub fn new(width: u16) -> IncrementalMarkdown {
        IncrementalMarkdown {
            width,
            lines: Vec::new(),
            settled: 0,
            settled_lines: 0,
            open: None,
            uncoloured: Vec::new(),
            is_tail_coloured: true,
            generation: 0,
        }
    }

    /// The lines so far.
    pub fn lines(&self) -> &[Line<'static>] {
        &self.lines
    }

    /// Returns the lines.
    pub fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    /// Whether the colours of all code are known.
    pub fn is_coloured(&self) -> bool {
        self.is_tail_coloured && self.uncoloured.is_empty()
    }

    /// Lays out the text added since the last update. If the earlier part of the text has changed, create a new layout
    /// instead.
    pub fn update(&mut self, text: &str, appearance: &Appearance) -> Progress {
        self.recolour(text, appearance);
        self.lines.truncate(self.settled_lines);
        let budget = self.settled + BUDGET;
        while self.settled < budget {
            let end = text.floor_char_boundary(self.settled + WINDOW);
            let raw = text.get(self.settled..end).unwrap_or_default();
            let window = split::guarded(plain::lines(raw));
            let whole = self.with_fence(&window);
            let is_last = end == text.len();
            match self.split_window(&whole, &window) {
                WindowSplit::Blocks(ends) => self.settle(raw, &window, &ends, appearance),
                WindowSplit::Code(end) => self.settle_code(raw, &window, end, appearance),
                WindowSplit::Nothing if is_last => {
                    let painted = self.paint(&window, appearance);
                    self.is_tail_coloured = painted.is_coloured;
                    self.lines.extend(painted.lines);
                    return Progress::Complete;
                }
                WindowSplit::Nothing => {
                    let end = window.rfind('\n').map_or(window.len(), |end| end + 1);
                    self.settle(raw, &window, &[end], appearance);
                }
            }
        }
        Progress::Partial
    }

    fn with_fence<'a>(&self, window: &'a str) -> std::borrow::Cow<'a, str> {
        match &self.open {
            Some(open) => format!("{}\n{window}", open.fence).into(),
            None => window.into(),
        }
    }

    /// Finds where the settled part may end in the window.
    fn split_window(&self, whole: &str, window: &str) -> WindowSplit {
        let before = whole.len() - window.len();
        let starts = split::starts(whole);
        let finals = starts
            .iter()
            .skip(1)
            .filter(|start| split::is_final(whole, **start));
        let ends: Vec<usize> = finals.map(|start| start.at - before).collect();
        if !ends.is_empty() {
            return WindowSplit::Blocks(ends);
        }
        let code_starts = match (starts.first(), &self.open) {
            (
                Some(BlockStart {
                    is_fence: true,
                    at: 0,
                    ..
                }),
                Some(_),
            ) => Some(0),
            (
                Some(BlockStart {
                    is_fence: true, at, ..
                }),
                None,
            ) => whole[*at..].find('\n').map(|end| at + end + 1),
            _ => None,
        };
        let Some(code_starts) = code_starts.filter(|_| starts.len() == 1) else {
            return WindowSplit::Nothing;
        };
        // One more line has to follow, because the last one may be the closing fence.
        let mut line_ends = window[code_starts..]
            .match_indices('\n')
            .skip(CODE_LINES - 1);
        match (line_ends.next(), line_ends.next()) {
            (Some((end, _)), Some(_)) => WindowSplit::Code(code_starts + end + 1),
            _ => WindowSplit::Nothing,
        }
    }

    fn settle(&mut self, raw: &str, window: &str, ends: &[usize], appearance: &Appearance) {
        let base = self.settled;
        let mut from = 0;
        for &end in ends {
            let source = base + raw_offset(raw, window, from)..base + raw_offset(raw, window, end);
            self.place(&window[from..end], source, appearance);
            self.open = None;
            from = end;
        }
    }

    fn settle_code(&mut self, raw: &str, window: &str, end: usize, appearance: &Appearance) {
        let source = self.settled..self.settled + raw_offset(raw, window, end);
        let fence = match &self.open {
            Some(open) => open.fence.clone(),
            None => window
                .trim_start_matches('\n')
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        let chain = self.place(&window[..end], source, appearance);
        self.open = Some(OpenFence { fence, chain });
    }

    fn place(&mut self, text: &str, source: Range<usize>, appearance: &Appearance) -> PrefixHash {
        let painted = self.paint(text, appearance);
        let first = self.lines.len();
        self.lines.extend(painted.lines);
        self.settled = source.end;
        self.settled_lines = self.lines.len();
        if !painted.is_coloured {
            self.uncoloured.push(SettledBlock {
                source,
                lines: first..self.lines.len(),
                open: self.open.clone(),
            });
        }
        painted.end
    }

    /// Paints one block, with an empty line above it unless it is the first.
    fn paint(&self, text: &str, appearance: &Appearance) -> PaintedBlock {
        let mut painted = block::paint(text, self.open.as_ref(), appearance, self.width);
        if self.open.is_none() && !self.lines.is_empty() && !painted.lines.is_empty() {
            painted.lines.insert(0, Line::default());
        }
        painted
    }

    /// Repaints settled blocks whose colours may have been found. They keep their number of lines.
    fn recolour(&mut self, text: &str, appearance: &Appearance) {
        let generation = appearance.highlighter.generation();
        if std::mem::replace(&mut self.generation, generation) == generation {
            return;
        }
        for placed in std::mem::take(&mut self.uncoloured) {
            let source = text.get(placed.source.clone()).unwrap_or_default();
            let source = split::guarded(plain::lines(source));
            let painted = block::paint(&source, placed.open.as_ref(), appearance, self.width);
            let lines = &mut self.lines[placed.lines.clone()];
            let gap = lines.len().saturating_sub(painted.lines.len());
            for (old, new) in lines.iter_mut().skip(gap).zip(painted.lines) {
                *old = new;
            }
            if !painted.is_coloured {
                self.uncoloured.push(placed);
            }
        }
    }
}

/// Converts the offset of a line in the safe text to its offset in the original text. Both have the same lines.
fn raw_offset(raw: &str, safe: &str, at: usize) -> usize {
    if at == safe.len() {
        return raw.len();
    }
    if std::ptr::eq(raw, safe) {
        return at;
    }
    let lines = safe[..at].matches('\n').count();
    let is_end = |char| matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let mut rest = raw;
    for _ in 0..lines {
        let Some(end) = rest.find(is_end) else {
            return raw.len();
        };
        let length = if rest[end..].starts_with("\r\n") {
            2
        } else {
            rest[end..].chars().next().map_or(0, char::len_utf8)
        };
        rest = &rest[end + length..];
    }
    raw.len() - rest.len()
}

/// The most bytes parsed at once. A longer block is cut here.
const WINDOW: usize = 32 * 1024;
/// The most bytes laid out per update.
const BUDGET: usize = WINDOW;
/// The number of code lines that are settled together.
const CODE_LINES: usize = 100;
