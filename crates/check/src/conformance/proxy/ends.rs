//! How it ends when one side does.

use serde_json::json;

use super::passage::Passage;
use crate::conformance::Check;
use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::must;
use crate::conformance::stage::Outcome;

pub(super) const ACT: Act<Passage> = Act {
    name: "ends",
    checks: CHECKS,
    play,
};

fn play(passage: &mut Passage) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        let patience = passage.options.patience;
        passage.open().await?;
        passage.front()?.close().await;
        let ended = passage.back()?.until_end(patience).await;
        let ended = ended
            .then_some(())
            .ok_or("the agent's input stays open".to_owned());
        passage.judge("proxy.end.client", ended, &[]);
        passage.open().await?;
        let asked = passage
            .front()?
            .start("_attache.check/never", json!({}))
            .await;
        passage.at_back("_attache.check/never").await;
        passage.back()?.close().await;
        let answer = passage.front()?.finish(asked).await;
        let told = match answer.outcome {
            Outcome::Silent => Err("the client waits for an agent that has exited".to_owned()),
            Outcome::Ok(..) => Err("an agent that has exited gave a result".to_owned()),
            Outcome::Fail(..) | Outcome::Gone => Ok(()),
        };
        passage.judge("proxy.end.agent", told, &answer.entries());
        Ok(())
    })
}

const CHECKS: &[Check] = &[
    must(
        "proxy.end.client",
        "9",
        "When the client has exited, the agent's input ends.",
        "Close it and exit.",
    ),
    must(
        "proxy.end.agent",
        "9",
        "When the agent has exited, open requests fail or the connection ends.",
        "Fail them, or exit.",
    ),
];
