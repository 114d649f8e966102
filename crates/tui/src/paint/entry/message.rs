//! Paints messages and thoughts.

use attache::transcript::{MessageEntry, MessageKind};
use attache::v1;
use attache_client::{content, figures};
use attache_text::plain;
use ratatui::text::{Line, Span};

use super::{EntryContext, Fold};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::{markdown, wrap};

/// Whether a message is laid out as Markdown, block by block.
pub(super) fn is_incremental(message: &MessageEntry, fold: Fold) -> bool {
    message.kind != MessageKind::User && fold == Fold::Full
}

pub(super) fn sign_and_role(kind: MessageKind) -> (Option<(Sign, TextRole)>, TextRole) {
    match kind {
        MessageKind::User => (Some((Sign::User, TextRole::User)), TextRole::User),
        MessageKind::Agent => (Some((Sign::Agent, TextRole::Strong)), TextRole::Text),
        MessageKind::Thought => (Some((Sign::Thought, TextRole::Thought)), TextRole::Thought),
    }
}

/// Paints a folded message, or a prompt, which is shown as it was typed.
pub(super) fn lines(message: &MessageEntry, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    match (context.fold, message.kind) {
        (Fold::Line, _) => vec![summary(message, context)],
        (Fold::Brief, MessageKind::User) => typed_lines(message, context, SHORT_TEXT, BRIEF_LINES),
        (Fold::Full, MessageKind::User) => typed_lines(message, context, LONG_TEXT, usize::MAX),
        (_, MessageKind::Agent | MessageKind::Thought) => beginning(message, context),
    }
}

/// Paints content other than text in one line.
pub(super) fn attachment(
    block: &v1::ContentBlock,
    context: &EntryContext<'_>,
) -> Vec<Line<'static>> {
    let text = Span::styled(
        content::summary_line(block),
        context.appearance.theme.style(TextRole::Dim),
    );
    wrap::spans(vec![text], usize::from(context.width))
}

/// The size of a message and its first line with text.
fn summary(message: &MessageEntry, context: &EntryContext<'_>) -> Line<'static> {
    let text = message.text();
    let characters = text.chars().count();
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let first = wrap::first_bytes(first, SHORT_TEXT);
    let word = match message.kind {
        MessageKind::Thought => "thought · ",
        MessageKind::User | MessageKind::Agent => "",
    };
    let size = figures::count(u64::try_from(characters).unwrap_or(u64::MAX));
    let spans = vec![
        Span::styled(
            format!("{word}{size} characters · "),
            context.appearance.theme.style(TextRole::Dim),
        ),
        Span::raw(plain::line(first.trim()).into_owned()),
    ];
    Line::from(wrap::cut_spans(spans, usize::from(context.width)))
}

fn typed_lines(
    message: &MessageEntry,
    context: &EntryContext<'_>,
    bytes: usize,
    limit: usize,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for block in message.content.as_slice() {
        let Some(text) = block.as_text() else {
            lines.extend(attachment(block, context));
            continue;
        };
        let kept = wrap::first_bytes(text, bytes);
        let safe = plain::lines(kept.trim_end());
        let safe = Span::raw(wrap::without_tabs(&safe).into_owned());
        lines.extend(wrap::spans(vec![safe], usize::from(context.width)));
        if kept.len() < text.len() {
            lines.push(more_line(
                &figures::bytes(u64::try_from(text.len() - kept.len()).unwrap_or(u64::MAX)),
                context,
            ));
        }
    }
    shorten(lines, limit, context)
}

fn beginning(message: &MessageEntry, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let text = message.text();
    let kept = wrap::first_bytes(&text, SHORT_TEXT);
    let mut lines = markdown::lines(kept, context.appearance, context.width);
    if kept.len() < text.len() {
        lines.push(more_line(
            &figures::bytes(u64::try_from(text.len() - kept.len()).unwrap_or(u64::MAX)),
            context,
        ));
    }
    shorten(lines, BRIEF_LINES, context)
}

fn shorten(
    mut lines: Vec<Line<'static>>,
    limit: usize,
    context: &EntryContext<'_>,
) -> Vec<Line<'static>> {
    if lines.len() > limit {
        let left_out = lines.len() - limit;
        lines.truncate(limit);
        lines.push(more_line(&format!("{left_out} lines"), context));
    }
    lines
}

fn more_line(what: &str, context: &EntryContext<'_>) -> Line<'static> {
    let theme = &context.appearance.theme;
    let text = format!("{} {what} more", theme.sign(Sign::More));
    Line::styled(
        wrap::cut(&text, usize::from(context.width)).into_owned(),
        theme.style(TextRole::Dim),
    )
}

const BRIEF_LINES: usize = 16;
const SHORT_TEXT: usize = 8 * 1024;
const LONG_TEXT: usize = 64 * 1024;
