//! Checks session updates: the capabilities they require, and their content.

use super::{
    Context, Findings, MessagePath, Rule, config_option, content, gate, mode, subagent, tool_call,
};
use crate::v1::{self, SessionUpdate};

pub(super) fn check(
    news: &v1::SessionNotification,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let at = at.member("update");
    if let Some((rule, capability)) = missing_capability(&news.update, &context.client) {
        gate::closed(rule, capability, &at, found);
    }
    inside(news, context, &at, found);
}

type Missing = (&'static Rule, &'static str);

fn missing_capability(update: &SessionUpdate, client: &v1::ClientCapabilities) -> Option<Missing> {
    let session = client.session.as_ref();
    let (is_taken, rule, capability) = match update {
        SessionUpdate::Notice(_) => (
            session.is_some_and(|session| session.notices.is_some()),
            rule!("114"),
            "clientCapabilities.session.notices",
        ),
        SessionUpdate::CompactionUpdate(_) | SessionUpdate::CompactionSummaryChunk(_) => (
            session.is_some_and(|session| session.compaction.is_some()),
            rule!("114"),
            "clientCapabilities.session.compaction",
        ),
        SessionUpdate::PlanUpdate(_) | SessionUpdate::PlanRemoved(_) => (
            client.plan.is_some(),
            rule!("130"),
            "clientCapabilities.plan",
        ),
        SessionUpdate::SubagentUpdate(_)
        | SessionUpdate::SessionMessage(_)
        | SessionUpdate::SessionMessageChunk(_) => (
            client.subagents.is_some(),
            rule!("188"),
            "clientCapabilities.subagents",
        ),
        SessionUpdate::UserMessageChunk(_)
        | SessionUpdate::AgentMessageChunk(_)
        | SessionUpdate::AgentThoughtChunk(_)
        | SessionUpdate::ToolCall(_)
        | SessionUpdate::ToolCallUpdate(_)
        | SessionUpdate::Plan(_)
        | SessionUpdate::AvailableCommandsUpdate(_)
        | SessionUpdate::CurrentModeUpdate(_)
        | SessionUpdate::ConfigOptionUpdate(_)
        | SessionUpdate::SessionInfoUpdate(_)
        | SessionUpdate::UsageUpdate(_)
        | SessionUpdate::Other(_) => return None,
    };
    (!is_taken).then_some((rule, capability))
}

fn inside(
    news: &v1::SessionNotification,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let session = &news.session_id;
    match &news.update {
        SessionUpdate::UserMessageChunk(chunk)
        | SessionUpdate::AgentMessageChunk(chunk)
        | SessionUpdate::AgentThoughtChunk(chunk) => {
            content::known(&chunk.content, &at.member("content"), found);
        }
        SessionUpdate::ToolCall(call) => tool_call::report(call, at, found),
        SessionUpdate::ToolCallUpdate(call) => tool_call::change(call, at, found),
        SessionUpdate::Plan(plan) => plan_entries(&plan.entries, &at.member("entries"), found),
        SessionUpdate::PlanUpdate(update) => plan_content(&update.plan, &at.member("plan"), found),
        SessionUpdate::CurrentModeUpdate(update) => {
            mode::announced(session, &update.current_mode_id, context, at, found);
        }
        SessionUpdate::ConfigOptionUpdate(update) => {
            options(session, &update.config_options, context, at, found);
        }
        SessionUpdate::Notice(notice) => title(&notice.title, at, found),
        SessionUpdate::CompactionUpdate(update) => {
            let blocks = update.summary.value().map_or(&[][..], |blocks| blocks);
            content::all_known(blocks, &at.member("summary"), found);
        }
        SessionUpdate::CompactionSummaryChunk(chunk) => {
            content::known(&chunk.content, &at.member("content"), found);
        }
        SessionUpdate::SubagentUpdate(update) => subagent::update(update, at, found),
        SessionUpdate::SessionMessage(message) => {
            subagent::message(session, message, context, at, found);
            let blocks = message.content.value().map_or(&[][..], |blocks| blocks);
            content::all_known(blocks, &at.member("content"), found);
        }
        SessionUpdate::SessionMessageChunk(chunk) => {
            content::known(&chunk.content, &at.member("content"), found);
        }
        SessionUpdate::PlanRemoved(_)
        | SessionUpdate::AvailableCommandsUpdate(_)
        | SessionUpdate::SessionInfoUpdate(_)
        | SessionUpdate::UsageUpdate(_) => {}
        SessionUpdate::Other(_) => {
            let message = "the update is not defined; put custom data in _meta or a custom method";
            found.add(rule!("B3"), &at.member("sessionUpdate"), message);
        }
    }
}

fn options(
    session: &v1::SessionId,
    options: &[v1::SessionConfigOption],
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let at = at.member("configOptions");
    config_option::list(options, context, &at, found);
    config_option::announced(session, options, context, &at, found);
}

fn title(title: &str, at: &MessagePath<'_>, found: &mut Findings) {
    if title.trim().is_empty() {
        let message = "the title is empty; say what happened";
        found.add(rule!("B4"), &at.member("title"), message);
    }
}

fn plan_entries(entries: &[v1::PlanEntry], at: &MessagePath<'_>, found: &mut Findings) {
    for (index, entry) in entries.iter().enumerate() {
        let at = at.item(index);
        if !entry.priority.is_known() {
            let message = "the priority is not defined; use high, medium or low";
            found.add(rule!("B3"), &at.member("priority"), message);
        }
        if !entry.status.is_known() {
            let message = "the status is not defined; use pending, in_progress or completed";
            found.add(rule!("B3"), &at.member("status"), message);
        }
    }
}

/// Checks a plan with an id.
fn plan_content(plan: &v1::PlanUpdateContent, at: &MessagePath<'_>, found: &mut Findings) {
    match plan {
        v1::PlanUpdateContent::Items(plan) => {
            plan_entries(&plan.entries, &at.member("entries"), found)
        }
        v1::PlanUpdateContent::File(_) | v1::PlanUpdateContent::Markdown(_) => {}
        v1::PlanUpdateContent::Other(_) => {
            let message = "the plan's type is not defined; use items, file or markdown";
            found.add(rule!("B3"), &at.member("type"), message);
        }
    }
}
