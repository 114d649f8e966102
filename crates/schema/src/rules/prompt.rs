//! The answer to a prompt.

use super::{Findings, MessagePath};
use crate::v1::PromptResponse;

pub(super) fn response(response: &PromptResponse, at: &MessagePath<'_>, found: &mut Findings) {
    if !response.stop_reason.is_known() {
        let message = "the reason is not defined; use end_turn, max_tokens, max_turn_requests, refusal or cancelled";
        found.add(rule!("B3"), &at.member("stopReason"), message);
    }
}
