//! How it ends.

use std::time::Duration;

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{observed, should};
use crate::conformance::scene::Scene;
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "farewell",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.greet().await?;
        ends(scene, "agent.end.after-greeting").await?;
        scene.start().await?;
        // It may still be starting.
        let start = scene.options.patience;
        ends_within(scene, "agent.end.at-once", start + PATIENCE).await?;
        scene.open().await?;
        ends(scene, "agent.end.with-session").await?;
        scene.greet().await?;
        scene
            .stage()?
            .say_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth")
            .await;
        ends(scene, "agent.end.half-line").await?;
        if let Some(long) = scene.said_for(PromptKind::Long) {
            let session = scene.open().await?;
            scene.start_prompt(&session, &long).await?;
            ends(scene, "agent.end.mid-turn").await?;
        }
        scene.greet().await?;
        let asked = scene
            .stage()?
            .start("_attache.check/last", serde_json::json!({}))
            .await;
        scene.stage()?.close().await;
        let answer = scene.finish(asked).await?;
        scene.was_answered("agent.end.last-answer", &answer);
        Ok(())
    })
}

async fn ends(scene: &mut Scene, id: &str) -> Result<(), Stop> {
    ends_within(scene, id, PATIENCE).await
}

async fn ends_within(scene: &mut Scene, id: &str, within: Duration) -> Result<(), Stop> {
    let stage = scene.stage()?;
    stage.close().await;
    let ended = stage.until_end(within).await;
    let last = scene.now().saturating_sub(1);
    let why = format!("it still ran {} s after its input ended", within.as_secs());
    scene.judge(id, ended.then_some(()).ok_or(why), &[last]);
    Ok(())
}

const PATIENCE: Duration = Duration::from_secs(3);

const CHECKS: &[Check] = &[
    should(
        "agent.end.after-greeting",
        "9",
        "The agent exits when its input ends.",
        "Exit when reading returns the end of the input.",
    ),
    should(
        "agent.end.at-once",
        "9",
        "The agent exits when its input ends before initialize.",
        "Exit when reading returns the end of the input.",
    ),
    should(
        "agent.end.with-session",
        "9",
        "The agent exits when its input ends with an open session.",
        "An open session must not keep the process alive.",
    ),
    should(
        "agent.end.half-line",
        "9",
        "The agent exits when its input ends within a line.",
        "Drop the rest and exit.",
    ),
    should(
        "agent.end.mid-turn",
        "9",
        "The agent exits when its input ends during a turn.",
        "Abort the turn and exit.",
    )
    .prompt(PromptKind::Long),
    observed(
        "agent.end.last-answer",
        "10",
        "A request right before the end of the input gets a response.",
        "Finish writing before you exit.",
    ),
];
