//! Questions to the person: the mode, the form, the page.

mod response;
mod secret;
mod url;

pub(super) use response::check as response;

use super::{Context, Findings, Level, MessagePath, gate};
use crate::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, ElicitationFormMode,
    ElicitationMode, ElicitationPropertySchema, ElicitationScope, ElicitationUrlMode,
};

pub(super) fn request(
    request: &CreateElicitationRequest,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    mode(&request.mode, context, &at.member("mode"), found);
    if let ElicitationScope::Request(scope) = &request.scope {
        super::envelope::id(&scope.request_id, &at.member("requestId"), found);
    }
    match &request.mode {
        ElicitationMode::Form(form) => secrets(form, at, found),
        ElicitationMode::Url(page) => address(page, context, at, found),
        ElicitationMode::Other(_) => {}
    }
}

/// The end of a page is that of one that was asked for. One that is over already may have been ended from both sides.
pub(super) fn completed(
    done: &CompleteElicitationNotification,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if !context.may_have_been_requested(&done.elicitation_id) {
        let message = "no page with this id was asked for; send the id of one that was";
        found.add(rule!("168"), &at.member("elicitationId"), message);
    }
}

/// Whether the client has said that it can ask in this mode.
fn is_offered(mode: &ElicitationMode, context: &Context) -> bool {
    let Some(offered) = &context.client.elicitation else {
        return false;
    };
    match mode {
        ElicitationMode::Form(_) => offered.form.is_some(),
        ElicitationMode::Url(_) => offered.url.is_some(),
        ElicitationMode::Other(_) => false,
    }
}

fn mode(mode: &ElicitationMode, context: &Context, at: &MessagePath<'_>, found: &mut Findings) {
    if is_offered(mode, context) {
        return;
    }
    let offered = context.client.elicitation.as_ref();
    if offered.is_some_and(|offered| offered.form.is_none() && offered.url.is_none()) {
        let message = "clientCapabilities.elicitation names no mode and so offers none; do not ask";
        found.add(rule!("38"), at, message);
    }
    let capability = match mode {
        ElicitationMode::Form(_) => "clientCapabilities.elicitation.form",
        ElicitationMode::Url(_) => "clientCapabilities.elicitation.url",
        ElicitationMode::Other(_) => "a capability for this mode",
    };
    gate::closed(rule!("158"), capability, at, found);
}

/// A field is named by its position: the names are the agent's.
fn secrets(form: &ElicitationFormMode, at: &MessagePath<'_>, found: &mut Findings) {
    let at = at.member("requestedSchema");
    let at = at.member("properties");
    for (index, (name, field)) in form.requested_schema.properties.iter().enumerate() {
        if let ElicitationPropertySchema::String(field) = field
            && secret::is_asked_for(name, field)
        {
            let message = "seems to ask for a secret; ask for it on a page (mode url)";
            found.hint(rule!("161"), Level::Should, &at.item(index), message);
        }
    }
}

fn address(
    page: &ElicitationUrlMode,
    context: &Context,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if context.open_pages.contains(&page.elicitation_id) {
        let message = "another open page has this id; make a new one";
        found.add(rule!("168"), &at.member("elicitationId"), message);
    }
    for (level, message) in url::faults(&page.url) {
        found.hint(rule!("170"), level, &at.member("url"), message);
    }
}
