//! Checks of stored sessions: their lists and titles.

use super::{Context, Findings, MessagePath, gate, path};
use crate::v1;

pub(super) fn list(
    request: &v1::ListSessionsRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if let Some(cwd) = &request.cwd {
        path::absolute(cwd, &at.member("cwd"), found);
    }
    if request.archived.is_some() && !has_archive(context) {
        let capability = "agentCapabilities.sessionCapabilities.archive";
        gate::closed(rule!("33"), capability, &at.member("archived"), found);
    }
}

pub(super) fn page(
    request: &v1::ListSessionsRequest,
    response: &v1::ListSessionsResponse,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if has_archive(context)
        && request
            .archived
            .as_ref()
            .is_some_and(|filter| !filter.is_known())
    {
        let message = "the request's filter is not defined; answer with an error (-32602)";
        found.add(rule!("89"), at, message);
    }
    let at = at.member("sessions");
    for (index, session) in response.sessions.iter().enumerate() {
        entry(session, context, &at.item(index), found);
    }
}

pub(super) fn set_title(
    request: &v1::SetSessionTitleRequest,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if request.title.trim().is_empty() {
        found.add(
            rule!("92"),
            &at.member("title"),
            "the title is empty; send one with text",
        );
    }
}

pub(super) fn stored_title(
    request: &v1::SetSessionTitleRequest,
    response: &v1::SetSessionTitleResponse,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if request.title.trim().is_empty() {
        let message = "the request's title is empty; answer with an error (-32602)";
        found.add(rule!("92"), at, message);
    } else if response.title.trim().is_empty() {
        let message = "the title is empty; answer with the one that is stored";
        found.add(rule!("92"), &at.member("title"), message);
    }
}

fn entry(session: &v1::SessionInfo, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
    path::absolute(&session.cwd, &at.member("cwd"), found);
    let roots = at.member("additionalDirectories");
    path::all_absolute(&session.additional_directories, &roots, found);
    if has_archive(context) && session.archived.is_none() {
        let message = "is missing; an agent that archives reports it for every session";
        found.add(rule!("88"), &at.member("archived"), message);
    }
}

fn has_archive(context: &Context) -> bool {
    context.agent.session_capabilities.archive.is_some()
}
