//! The answer to a prompt.

use super::{Findings, Place};
use crate::v1::PromptResponse;

pub(super) fn answer(response: &PromptResponse, at: &Place<'_>, found: &mut Findings) {
    if !response.stop_reason.is_known() {
        let message = "the reason is not defined; use end_turn, max_tokens, max_turn_requests, refusal or cancelled";
        found.add(rule!("B3"), &at.member("stopReason"), message);
    }
}
