//! Paints entries other than messages and tool calls: notices, compactions, subagents, ends of turns.

use attache::json::Raw;
use attache::transcript::{
    CompactionEntry, ContentBlocks, EntryKind, SessionMessageEntry, SubagentEntry, TurnEnd,
    TurnOutcome,
};
use attache::v1;
use attache_client::figures;
use attache_text::plain;
use ratatui::text::{Line, Span};

use super::{EntryContext, Fold};
use crate::paint::theme::{Sign, TextRole};
use crate::paint::{markdown, wrap};

pub(super) fn sign(item: &EntryKind) -> Option<(Sign, TextRole)> {
    match item {
        EntryKind::Notice(notice) => Some(match notice.severity {
            v1::NoticeSeverity::Error => (Sign::Failed, TextRole::Bad),
            v1::NoticeSeverity::Warning => (Sign::Warning, TextRole::Warning),
            _ => (Sign::Info, TextRole::Dim),
        }),
        EntryKind::Compaction(compaction) => Some(match compaction.status {
            v1::CompactionStatus::Completed => (Sign::Done, TextRole::Good),
            v1::CompactionStatus::Failed => (Sign::Failed, TextRole::Bad),
            v1::CompactionStatus::Cancelled => (Sign::Cancelled, TextRole::Warning),
            _ => (Sign::Running, TextRole::Running),
        }),
        EntryKind::Subagent(_) => Some((Sign::Child, TextRole::Running)),
        EntryKind::SessionMessage(_) => Some((Sign::Arrow, TextRole::Dim)),
        EntryKind::TurnEnd(end) => turn_end_label(end).map(|(_, sign, role)| (sign, role)),
        _ => Some((Sign::Info, TextRole::Dim)),
    }
}

pub(super) fn lines(item: &EntryKind, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    match item {
        EntryKind::Notice(notice) => notice_lines(notice, context),
        EntryKind::Compaction(compaction) => compaction_lines(compaction, context),
        EntryKind::Subagent(child) => subagent_lines(child, context),
        EntryKind::SessionMessage(message) => session_message_lines(message, context),
        EntryKind::TurnEnd(end) => turn_end_label(end).map_or(Vec::new(), |(text, _, role)| {
            styled_lines(text, role, context)
        }),
        EntryKind::Unknown(raw) => unknown_lines(raw, context),
        _ => Vec::new(),
    }
}

fn notice_lines(notice: &v1::Notice, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let word = match notice.severity {
        v1::NoticeSeverity::Error => "error: ",
        v1::NoticeSeverity::Warning => "warning: ",
        _ => "",
    };
    let mut lines = styled_lines(
        format!("{word}{}", plain::line(&notice.title)),
        TextRole::Strong,
        context,
    );
    if let Some(description) = &notice.description {
        lines.extend(paragraph(description, context));
    }
    folded(lines, context)
}

fn compaction_lines(
    compaction: &CompactionEntry,
    context: &EntryContext<'_>,
) -> Vec<Line<'static>> {
    let text = match compaction.status {
        v1::CompactionStatus::Completed => "the history was compacted",
        v1::CompactionStatus::Failed => "the history could not be compacted",
        v1::CompactionStatus::Cancelled => "compacting the history was cancelled",
        _ => "compacting the history",
    };
    let mut lines = styled_lines(text.to_owned(), TextRole::Strong, context);
    if let Some(error) = &compaction.error {
        lines.extend(styled_lines(
            plain::line(error).into_owned(),
            TextRole::Bad,
            context,
        ));
    }
    lines.extend(summary(&compaction.summary, context));
    folded(lines, context)
}

fn subagent_lines(child: &SubagentEntry, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let title = child.title.as_deref().unwrap_or(child.session_id.as_str());
    let mut lines = styled_lines(
        format!(
            "subagent {} · {}",
            plain::line(title),
            state_label(child.state.as_ref())
        ),
        TextRole::Strong,
        context,
    );
    if let Some(description) = &child.description {
        lines.extend(paragraph(description, context));
    }
    folded(lines, context)
}

fn state_label(state: Option<&v1::StateUpdate>) -> String {
    match state {
        Some(v1::StateUpdate::Running(_)) => "running".to_owned(),
        Some(v1::StateUpdate::RequiresAction(_)) => "waiting for you".to_owned(),
        Some(v1::StateUpdate::Idle(idle)) => match &idle.stop_reason.0 {
            Some(v1::IdleStopReason::Error(_)) => "failed".to_owned(),
            Some(v1::IdleStopReason::Cancelled) => "cancelled".to_owned(),
            Some(v1::IdleStopReason::Refusal) => "refused to continue".to_owned(),
            Some(v1::IdleStopReason::MaxTokens | v1::IdleStopReason::MaxTurnRequests) => {
                "out of tokens or requests".to_owned()
            }
            _ => match &idle.usage {
                Some(usage) => format!("done, {}", figures::tokens(usage)),
                None => "done".to_owned(),
            },
        },
        Some(v1::StateUpdate::Unknown(_) | v1::StateUpdate::Other(_)) | None => UNKNOWN.to_owned(),
        Some(_) => UNKNOWN.to_owned(),
    }
}

fn session_message_lines(
    message: &SessionMessageEntry,
    context: &EntryContext<'_>,
) -> Vec<Line<'static>> {
    let name = |session: &Option<v1::SessionId>| {
        let name = session
            .as_ref()
            .map(|session| plain::line(session.as_str()).into_owned());
        name.unwrap_or_else(|| "this session".to_owned())
    };
    let head = format!(
        "message from {} to {}",
        name(&message.sender),
        name(&message.recipient)
    );
    let mut lines = styled_lines(head, TextRole::Strong, context);
    lines.extend(markdown::lines(
        wrap::first_bytes(&message.content.text(), LONGEST),
        context.appearance,
        context.width,
    ));
    folded(lines, context)
}

fn unknown_lines(raw: &Raw, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let kind = raw.string_member("sessionUpdate").unwrap_or_default();
    let mut lines = styled_lines(
        format!("unknown update: {}", plain::line(&kind)),
        TextRole::Dim,
        context,
    );
    if context.fold != Fold::Line {
        lines.extend(paragraph(raw.as_str(), context));
    }
    folded(lines, context)
}

/// How a turn ended, or `None` for a normal end.
fn turn_end_label(end: &TurnEnd) -> Option<(String, Sign, TextRole)> {
    let stopped = |text: &str| Some((text.to_owned(), Sign::Warning, TextRole::Warning));
    match &end.outcome {
        outcome if outcome.is_cancelled() => {
            Some(("cancelled".to_owned(), Sign::Cancelled, TextRole::Warning))
        }
        TurnOutcome::Stopped(v1::StopReason::EndTurn) => None,
        TurnOutcome::Stopped(v1::StopReason::MaxTokens) => {
            stopped("stopped: the model ran out of tokens")
        }
        TurnOutcome::Stopped(v1::StopReason::MaxTurnRequests) => {
            stopped("stopped: too many requests in one turn")
        }
        TurnOutcome::Stopped(v1::StopReason::Refusal) => {
            stopped("the model refused to continue; the prompt is not part of the history")
        }
        TurnOutcome::Stopped(other) => {
            stopped(&format!("stopped: {}", plain::line(other.as_str())))
        }
        TurnOutcome::Failed(error) => {
            let text = format!("failed: {}", plain::line(&error.message));
            Some((text, Sign::Failed, TextRole::Bad))
        }
    }
}

fn summary(blocks: &ContentBlocks, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    match context.fold {
        Fold::Full => markdown::lines(
            wrap::first_bytes(&blocks.text(), LONGEST),
            context.appearance,
            context.width,
        ),
        Fold::Line | Fold::Brief => Vec::new(),
    }
}

fn styled_lines(text: String, role: TextRole, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let text = Span::styled(text, context.appearance.theme.style(role));
    wrap::spans(vec![text], usize::from(context.width))
}

fn paragraph(text: &str, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let text = wrap::without_tabs(&plain::lines(wrap::first_bytes(text, LONGEST))).into_owned();
    wrap::spans(vec![Span::raw(text)], usize::from(context.width))
}

fn folded(mut lines: Vec<Line<'static>>, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let limit = match context.fold {
        Fold::Line => 1,
        Fold::Brief => BRIEF_LINES,
        Fold::Full => usize::MAX,
    };
    if lines.len() > limit {
        let theme = &context.appearance.theme;
        lines.truncate(limit);
        if let Some(last) = lines.last_mut() {
            let width = usize::from(context.width).saturating_sub(2);
            let mut spans = wrap::cut_spans(std::mem::take(&mut last.spans), width);
            spans.push(Span::styled(
                format!(" {}", theme.sign(Sign::More)),
                theme.style(TextRole::Dim),
            ));
            *last = Line::from(wrap::cut_spans(spans, usize::from(context.width)));
        }
    }
    lines
}

const BRIEF_LINES: usize = 6;
/// The most bytes that are shown.
const LONGEST: usize = 64 * 1024;

const UNKNOWN: &str = "state unknown";
