//! Checks permission requests and their responses, and decides whether a response allows the tool call.

use super::{Findings, MessagePath, tool_call, unique};
use crate::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse,
};

/// Whether the response allows the tool call. Only a selected option that was offered with the kind `allow_once` or
/// `allow_always` does; an unknown outcome or kind never does. If several options have its id, all must allow.
pub fn is_allowed(
    request: &RequestPermissionRequest,
    response: &RequestPermissionResponse,
) -> bool {
    let RequestPermissionOutcome::Selected(selected) = &response.outcome else {
        return false;
    };
    let mut meant = request
        .options
        .iter()
        .filter(|option| option.option_id == selected.option_id)
        .peekable();
    meant.peek().is_some() && meant.all(allows)
}

pub(super) fn request(
    request: &RequestPermissionRequest,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    tool_call::change(&request.tool_call, &at.member("toolCall"), found);
    let at = at.member("options");
    let ids = request
        .options
        .iter()
        .map(|option| option.option_id.as_str());
    unique::ids(ids, "optionId", &at, found);
    for (index, option) in request.options.iter().enumerate() {
        if !option.kind.is_known() {
            let message = "the kind is not defined; use allow_once, allow_always, reject_once or reject_always";
            found.add(rule!("B3"), &at.item(index).member("kind"), message);
        }
    }
}

pub(super) fn response(
    request: &RequestPermissionRequest,
    response: &RequestPermissionResponse,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    let at = at.member("outcome");
    match &response.outcome {
        RequestPermissionOutcome::Cancelled => {}
        RequestPermissionOutcome::Selected(selected) => {
            let mut offered = request.options.iter();
            if !offered.any(|option| option.option_id == selected.option_id) {
                let message = "the option was not offered; select one of the request's options";
                found.add(rule!("125"), &at.member("optionId"), message);
            }
        }
        RequestPermissionOutcome::Other(_) => {
            let message =
                "the outcome is not defined and allows nothing; use selected or cancelled";
            found.add(rule!("B3"), &at.member("outcome"), message);
        }
    }
}

fn allows(option: &PermissionOption) -> bool {
    matches!(
        option.kind,
        PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways
    )
}
