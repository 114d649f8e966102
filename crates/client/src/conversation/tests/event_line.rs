//! Events as lines.

use attache::v1;

use crate::event::Event;

pub(super) fn event_line(event: &Event) -> String {
    match event {
        Event::AgentReady(_) => "ready".to_owned(),
        Event::SessionOpened(opened) => format!("opened {}", opened.session),
        Event::SessionClosed(session) => format!("closed {session}"),
        Event::SessionDeleted(session) => format!("deleted {session}"),
        Event::SessionsListed(page) => format!("listed {}", page.sessions.len()),
        Event::TurnStarted { content, .. } => format!("began {}", text(content)),
        Event::QueueChanged { waiting, .. } => {
            let waiting: Vec<String> = waiting.iter().map(|it| text(it)).collect();
            format!("queue [{}]", waiting.join(", "))
        }
        Event::Steered { content, .. } => format!("steered {}", text(content)),
        Event::Update(told) => format!("update {} {}", told.session_id, update(&told.update)),
        Event::TurnEnded { outcome, .. } => match outcome {
            Ok(answer) => format!("ended {}", answer.stop_reason),
            Err(why) => format!("ended {:?}: {}", why.kind, why.reason),
        },
        Event::ModeSet { mode, .. } => format!("mode {mode}"),
        Event::OptionsSet { options, .. } => format!("options {}", options.len()),
        Event::PermissionRequested(asked) => format!("asked {}: {}", asked.id, asked.action.title),
        Event::PermissionWithdrawn(prompt) => format!("withdrawn {prompt}"),
        Event::PermissionDecided { is_allowed, .. } => format!("decided, allowed: {is_allowed}"),
        Event::DecisionRemembered {
            summary,
            scope,
            is_allowed,
            ..
        } => format!("remembered {summary} ({scope}), allowed: {is_allowed}"),
        Event::DecisionUndone { was_in_force, .. } => {
            format!("forgotten, in force: {was_in_force}")
        }
        Event::FormRequested { form, request } => format!("form {form}: {}", request.message),
        Event::FormWithdrawn(form) => format!("form {form} withdrawn"),
        Event::FormCompleted(page) => format!("page {page} completed"),
        Event::TerminalChanged(terminal) => format!("terminal {terminal}"),
        Event::LoginRequired(methods) => format!("wants a login, {} ways", methods.len()),
        Event::LoggedIn(method) => format!("logged in by {method}"),
        Event::LoggedOut => "logged out".to_owned(),
        Event::Notice(what) => format!("notice: {what}"),
        Event::Problem(why) => format!("trouble: {why}"),
        Event::CommandFailed(why) => {
            format!("failed {} {:?}: {}", why.operation, why.kind, why.reason)
        }
        Event::InvalidOutput { count, line } => format!("garbage {count}: {line}"),
        Event::AgentExited { reason, stderr } => format!("gone: {reason} {stderr:?}"),
    }
}

fn text(content: &[v1::ContentBlock]) -> String {
    let texts = content.iter().filter_map(v1::ContentBlock::as_text);
    texts.collect()
}

fn update(update: &v1::SessionUpdate) -> String {
    match update {
        v1::SessionUpdate::AgentMessageChunk(chunk) => {
            chunk.content.as_text().unwrap_or_default().to_owned()
        }
        v1::SessionUpdate::ToolCall(call) => format!("tool {}", call.title),
        v1::SessionUpdate::ToolCallUpdate(call) => format!("tool {} changed", call.tool_call_id),
        other => {
            let raw = attache::json::Raw::of(other);
            raw.string_member("sessionUpdate").unwrap_or_default()
        }
    }
}
