//! Messages and thoughts.

use attache::transcript::{MessageEntry, MessageKind};
use attache::v1;
use attache_client::{content, figures};
use attache_text::plain;
use ratatui::text::{Line, Span};

use super::{Around, Fold};
use crate::paint::theme::{Role, Sign};
use crate::paint::{markdown, wrap};

/// Whether a message is laid out as Markdown, block by block.
pub(super) fn flows(message: &MessageEntry, fold: Fold) -> bool {
    message.kind != MessageKind::User && fold == Fold::Full
}

pub(super) fn looks(kind: MessageKind) -> (Option<(Sign, Role)>, Role) {
    match kind {
        MessageKind::User => (Some((Sign::User, Role::User)), Role::User),
        MessageKind::Agent => (Some((Sign::Agent, Role::Strong)), Role::Text),
        MessageKind::Thought => (Some((Sign::Thought, Role::Thought)), Role::Thought),
    }
}

/// A message that is not laid out as a whole, or the person's, which is shown as it was typed.
pub(super) fn lines(message: &MessageEntry, around: &Around<'_>) -> Vec<Line<'static>> {
    match (around.fold, message.kind) {
        (Fold::Line, _) => vec![summary(message, around)],
        (Fold::Brief, MessageKind::User) => typed(message, around, SHORT_TEXT, BRIEF_LINES),
        (Fold::Full, MessageKind::User) => typed(message, around, LONG_TEXT, usize::MAX),
        (_, MessageKind::Agent | MessageKind::Thought) => beginning(message, around),
    }
}

/// Content that is not text, in a line.
pub(super) fn attachment(block: &v1::ContentBlock, around: &Around<'_>) -> Vec<Line<'static>> {
    let text = Span::styled(
        content::summary_line(block),
        around.brush.theme.style(Role::Dim),
    );
    wrap::spans(vec![text], usize::from(around.width))
}

/// The first line that says something, and how much there is.
fn summary(message: &MessageEntry, around: &Around<'_>) -> Line<'static> {
    let text = message.text();
    let characters = text.chars().count();
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let first = first
        .get(..first.floor_char_boundary(SHORT_TEXT))
        .unwrap_or_default();
    let word = match message.kind {
        MessageKind::Thought => "thought · ",
        MessageKind::User | MessageKind::Agent => "",
    };
    let size = figures::count(u64::try_from(characters).unwrap_or(u64::MAX));
    let spans = vec![
        Span::styled(
            format!("{word}{size} characters · "),
            around.brush.theme.style(Role::Dim),
        ),
        Span::raw(plain::line(first.trim()).into_owned()),
    ];
    Line::from(wrap::cut_spans(spans, usize::from(around.width)))
}

fn typed(
    message: &MessageEntry,
    around: &Around<'_>,
    bytes: usize,
    limit: usize,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for block in message.content.as_slice() {
        let Some(text) = block.as_text() else {
            lines.extend(attachment(block, around));
            continue;
        };
        let kept = text
            .get(..text.floor_char_boundary(bytes))
            .unwrap_or_default();
        let safe = plain::lines(kept.trim_end());
        let safe = Span::raw(wrap::without_tabs(&safe).into_owned());
        lines.extend(wrap::spans(vec![safe], usize::from(around.width)));
        if kept.len() < text.len() {
            lines.push(more(
                &figures::bytes(u64::try_from(text.len() - kept.len()).unwrap_or(u64::MAX)),
                around,
            ));
        }
    }
    shorten(lines, limit, around)
}

fn beginning(message: &MessageEntry, around: &Around<'_>) -> Vec<Line<'static>> {
    let text = message.text();
    let kept = text
        .get(..text.floor_char_boundary(SHORT_TEXT))
        .unwrap_or_default();
    let mut lines = markdown::lines(kept, around.brush, around.width);
    if kept.len() < text.len() {
        lines.push(more(
            &figures::bytes(u64::try_from(text.len() - kept.len()).unwrap_or(u64::MAX)),
            around,
        ));
    }
    shorten(lines, BRIEF_LINES, around)
}

fn shorten(mut lines: Vec<Line<'static>>, limit: usize, around: &Around<'_>) -> Vec<Line<'static>> {
    if lines.len() > limit {
        let left_out = lines.len() - limit;
        lines.truncate(limit);
        lines.push(more(&format!("{left_out} lines"), around));
    }
    lines
}

fn more(what: &str, around: &Around<'_>) -> Line<'static> {
    let theme = &around.brush.theme;
    let text = format!("{} {what} more", theme.sign(Sign::More));
    Line::styled(
        wrap::cut(&text, usize::from(around.width)).into_owned(),
        theme.style(Role::Dim),
    )
}

const BRIEF_LINES: usize = 16;
const SHORT_TEXT: usize = 8 * 1024;
const LONG_TEXT: usize = 64 * 1024;
