//! Paints the entries of a transcript, and the client's own remarks.

mod event;
mod layout;
mod message;
mod text;

use std::time::Duration;

use attache::transcript::{Entry, EntryKind, MessageKind};
use attache_client::export::TerminalLookup;
use attache_text::plain;
use ratatui::text::{Line, Span};

use super::theme::{Sign, TextRole};
use super::{Appearance, wrap};

pub(super) use layout::EntryLayout;
pub use text::text_of;
pub(super) use text::texts;

/// How much of an entry is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Only one line.
    Line,
    /// A few lines of the beginning or the end.
    Brief,
    /// Everything.
    Full,
}

/// A remark of the client between entries, for example that a permission was decided or the agent exited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How serious the remark is.
    pub tone: Tone,
    /// The text, made safe when it is painted. It may have several lines.
    pub text: String,
}

/// How serious a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Information.
    Info,
    /// Something was allowed or went well.
    Good,
    /// Something may go wrong.
    Warning,
    /// Something was denied or went wrong.
    Bad,
}

impl Remark {
    /// Creates a remark.
    pub fn new(tone: Tone, text: impl Into<String>) -> Remark {
        let text = text.into();
        Remark { tone, text }
    }
}

/// How much of an entry is shown by default: all of the agent's messages, a few lines of prompts and tool calls, one
/// line of thoughts.
pub fn usual_fold(entry: &Entry) -> Fold {
    match entry.kind() {
        EntryKind::Message(message) => match message.kind {
            MessageKind::Agent => Fold::Full,
            MessageKind::User => Fold::Brief,
            MessageKind::Thought => Fold::Line,
        },
        EntryKind::Unknown(_) => Fold::Line,
        _ => Fold::Brief,
    }
}

/// Paints an entry. The first line begins with the sign of its kind.
pub fn lines(entry: &Entry, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let mut layout = EntryLayout::default();
    layout.update(entry, context);
    while !layout.is_complete() {
        layout.update(entry, context);
    }
    let theme = &context.appearance.theme;
    let sign = layout
        .sign()
        .map(|(sign, role)| Span::styled(format!("{} ", theme.sign(sign)), theme.style(role)));
    let mut margin = sign.unwrap_or_else(|| Span::raw("  "));
    let mut lines = Vec::with_capacity(layout.height());
    for index in 0..layout.height() {
        let line = layout.line(index).cloned().unwrap_or_default();
        let base = theme.style(layout.base()).patch(line.style);
        let spans = line.spans.into_iter().map(|span| {
            let own = span.style;
            span.style(base.patch(own))
        });
        let spans = std::iter::once(margin).chain(spans).collect();
        lines.push(Line::from(wrap::cut_spans(
            spans,
            usize::from(context.width) + 2,
        )));
        margin = Span::raw("  ");
    }
    lines
}

/// The context for painting an entry.
pub struct EntryContext<'a> {
    /// Theme, highlighter and directory.
    pub appearance: &'a Appearance,
    /// The width, without the two columns of the sign.
    pub width: u16,
    /// How much of the entry to show.
    pub fold: Fold,
    /// How long a tool call has been running or took.
    pub elapsed: Option<Duration>,
    /// Looks up the terminals of the host.
    pub terminal: TerminalLookup<'a>,
}

/// Paints a remark with its sign.
pub(super) fn remark(remark: &Remark, appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    let (sign, role) = match remark.tone {
        Tone::Info => (Sign::Info, TextRole::Dim),
        Tone::Good => (Sign::Done, TextRole::Good),
        Tone::Warning => (Sign::Warning, TextRole::Warning),
        Tone::Bad => (Sign::Failed, TextRole::Bad),
    };
    let theme = &appearance.theme;
    let first = [Span::styled(
        format!("{} ", theme.sign(sign)),
        theme.style(role),
    )];
    let text = wrap::first_bytes(&remark.text, LONGEST);
    let text = wrap::without_tabs(&plain::lines(text)).into_owned();
    let text = Span::styled(text, theme.style(role));
    wrap::hanging(vec![text], usize::from(width), &first, &[Span::raw("  ")])
}

/// The most bytes of a remark that are shown.
const LONGEST: usize = 8 * 1024;
