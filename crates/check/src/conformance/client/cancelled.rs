//! A turn that the client cancels.

use serde_json::json;

use super::post::SESSION;
use super::visit::Visit;
use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, should};
use crate::conformance::json::{method, text};
use crate::conformance::{Check, Need};

pub(super) const ACT: Act<Visit> = Act {
    name: "cancelled",
    checks: CHECKS,
    play,
};

fn play(visit: &mut Visit) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        visit.prompted().await?;
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Wait", "kind": "execute", "status": "in_progress" });
        visit.update(call).await?;
        let params = json!({
            "sessionId": SESSION,
            "toolCall": { "toolCallId": "c1", "title": "Wait" },
            "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }],
        });
        let asked = visit
            .stage()?
            .start("session/request_permission", params)
            .await;
        let told = visit
            .stage()?
            .until(|it| method(it) == "session/cancel")
            .await;
        let Some(told) = told else {
            let why = Err("no session/cancel came".to_owned());
            visit.judge("client.cancel.sent", why, &[asked.entry]);
            return Ok(());
        };
        let right = visit
            .heard(told)
            .first()
            .is_some_and(|(_, it)| text(it, "/params/sessionId") == SESSION);
        let right = right
            .then_some(())
            .ok_or("another session is cancelled".to_owned());
        visit.judge("client.cancel.sent", right, &[told]);
        let answer = visit.finish(asked).await?;
        let before = answer.entries().get(1).is_some_and(|entry| *entry < told);
        if !before {
            let cancelled = match answer.result().map(|it| text(it, "/outcome/outcome")) {
                Some("cancelled") => Ok(()),
                Some(_) => Err("the outcome is not cancelled".to_owned()),
                None => answer.went_well(),
            };
            visit.judge(
                "client.cancel.permission",
                cancelled,
                &[vec![told], answer.entries()].concat(),
            );
        }
        let done =
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed" });
        let last = visit.update(done).await?;
        visit.is_alive("client.cancel.listens", last).await;
        visit.end_turn("cancelled").await
    })
}

const CANCEL: Need = Need::Command("cancel");

const CHECKS: &[Check] = &[
    must(
        "client.cancel.sent",
        "102",
        "Cancelling sends session/cancel for the session.",
        "Send it; do not end the process.",
    )
    .needs(CANCEL),
    must(
        "client.cancel.permission",
        "104",
        "After a cancel, an open permission request gets the outcome cancelled.",
        "Respond to every open request.",
    )
    .needs(CANCEL),
    should(
        "client.cancel.listens",
        "109",
        "After a cancel, the client keeps reading.",
        "Wait for the response to the prompt.",
    )
    .needs(CANCEL),
];
