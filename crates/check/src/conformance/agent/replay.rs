//! Taking up sessions again, by another process than the one that had them.

use serde_json::{Value, json};

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{text, update, update_kind};
use crate::conformance::scene::Scene;
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "replay",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        let session = scene.open().await?;
        let said = scene
            .said_for(PromptKind::Text)
            .unwrap_or_else(|| "hello".to_owned());
        scene.prompt(&session, &said).await;
        if scene.offers("/loadSession") {
            load(scene, &session, &said).await?;
        }
        if scene.offers("/sessionCapabilities/resume") {
            resume(scene, &session, &said).await?;
        }
        Ok(())
    })
}

fn params(scene: &Scene, session: &str) -> Value {
    json!({ "sessionId": session, "cwd": scene.cwd(), "mcpServers": [] })
}

async fn load(scene: &mut Scene, session: &str, said: &str) -> Result<(), Stop> {
    let here = params(scene, session);
    let same = scene.ask("session/load", here.clone()).await;
    scene.went_well("agent.load.same-process", &same);
    scene.greet().await?;
    let from = scene.now();
    let loaded = scene.ask("session/load", here).await;
    scene.went_well("agent.load.other-process", &loaded);
    if loaded.went_well().is_ok() {
        let heard = scene.heard(from);
        let chunks: Vec<(usize, &str, &str)> = heard
            .iter()
            .filter_map(|(entry, it)| {
                let update = update(it)?;
                Some((
                    *entry,
                    text(update, "/sessionUpdate"),
                    text(update, "/content/text"),
                ))
            })
            .collect();
        let mine = |(_, kind, _): &&(usize, &str, &str)| *kind == "user_message_chunk";
        let told: String = chunks
            .iter()
            .filter(mine)
            .map(|(_, _, text)| *text)
            .collect();
        let entries = [
            chunks.iter().map(|(entry, ..)| *entry).take(5).collect(),
            loaded.entries(),
        ]
        .concat();
        let asked = told.contains(said).then_some(());
        scene.judge(
            "agent.load.prompt",
            asked.ok_or("the prompt is not replayed".to_owned()),
            &entries,
        );
        let answered = chunks
            .iter()
            .any(|(_, kind, _)| *kind == "agent_message_chunk")
            .then_some(());
        scene.judge(
            "agent.load.answer",
            answered.ok_or("the answer is not replayed".to_owned()),
            &entries,
        );
        let first = |name: &str| chunks.iter().position(|(_, kind, _)| *kind == name);
        let order = match (first("user_message_chunk"), first("agent_message_chunk")) {
            (Some(user), Some(agent)) if user > agent => {
                Err("the answer is replayed before the prompt".to_owned())
            }
            _ => Ok(()),
        };
        scene.judge("agent.load.order", order, &entries);
        let from = scene.now();
        scene.ping().await;
        let late = scene
            .heard(from)
            .into_iter()
            .filter(|(_, it)| update_kind(it).ends_with("_chunk"));
        let late: Vec<usize> = late.map(|(entry, _)| entry).collect();
        let all = late
            .is_empty()
            .then_some(())
            .ok_or("updates are replayed after the response".to_owned());
        scene.judge(
            "agent.load.before-answer",
            all,
            &[loaded.entries(), late].concat(),
        );
        let next = scene.prompt(session, said).await;
        scene.went_well("agent.load.then-prompt", &next);
    }
    let nowhere = params(scene, "no-such-session");
    let unknown = scene.ask("session/load", nowhere).await;
    scene.was_refused("agent.load.unknown", &unknown, &[]);
    scene.was_refused("agent.load.unknown-code", &unknown, &[-32002]);
    Ok(())
}

async fn resume(scene: &mut Scene, session: &str, said: &str) -> Result<(), Stop> {
    scene.greet().await?;
    let here = params(scene, session);
    let from = scene.now();
    let resumed = scene.ask("session/resume", here).await;
    scene.went_well("agent.resume.works", &resumed);
    if resumed.went_well().is_ok() {
        let told = scene
            .heard(from)
            .into_iter()
            .filter(|(_, it)| update_kind(it).ends_with("_chunk"));
        let told: Vec<usize> = told.map(|(entry, _)| entry).collect();
        let quiet = told
            .is_empty()
            .then_some(())
            .ok_or("the conversation is replayed".to_owned());
        scene.judge(
            "agent.resume.quiet",
            quiet,
            &[told, resumed.entries()].concat(),
        );
        let next = scene.prompt(session, said).await;
        scene.went_well("agent.resume.then-prompt", &next);
    }
    let nowhere = params(scene, "no-such-session");
    let unknown = scene.ask("session/resume", nowhere).await;
    scene.was_refused("agent.resume.unknown", &unknown, &[]);
    Ok(())
}

const LOAD: &str = "loadSession";
const RESUME: &str = "sessionCapabilities.resume";

const CHECKS: &[Check] = &[
    must(
        "agent.load.same-process",
        "55",
        "A session can be loaded by the process that created it.",
        "Respond to session/load.",
    )
    .offered(LOAD),
    should(
        "agent.load.other-process",
        "55",
        "A session can be loaded by another process.",
        "Keep sessions on disk.",
    )
    .offered(LOAD),
    must(
        "agent.load.prompt",
        "55",
        "Loading replays the prompts.",
        "Send user_message_chunk for each prompt.",
    )
    .offered(LOAD),
    must(
        "agent.load.answer",
        "55",
        "Loading replays the answers.",
        "Send agent_message_chunk for each answer.",
    )
    .offered(LOAD),
    must(
        "agent.load.order",
        "55",
        "Loading replays the conversation in order.",
        "Send the history from its beginning.",
    )
    .offered(LOAD),
    must(
        "agent.load.before-answer",
        "56",
        "The response to loading comes after the whole replay.",
        "Send the response last.",
    )
    .offered(LOAD),
    must(
        "agent.load.then-prompt",
        "36",
        "A loaded session accepts a prompt.",
        "Loading opens the session.",
    )
    .offered(LOAD),
    must(
        "agent.load.unknown",
        "55",
        "Loading an unknown session is rejected.",
        "Do not create a session.",
    )
    .offered(LOAD),
    observed(
        "agent.load.unknown-code",
        "",
        "Loading an unknown session is rejected with -32002.",
        "-32002 means that something was not found.",
    )
    .offered(LOAD),
    should(
        "agent.resume.works",
        "59",
        "A session can be resumed by another process.",
        "Keep sessions on disk.",
    )
    .offered(RESUME),
    must(
        "agent.resume.quiet",
        "59",
        "Resuming replays nothing.",
        "Send no history before the response.",
    )
    .offered(RESUME),
    must(
        "agent.resume.then-prompt",
        "36",
        "A resumed session accepts a prompt.",
        "Resuming opens the session.",
    )
    .offered(RESUME),
    must(
        "agent.resume.unknown",
        "59",
        "Resuming an unknown session is rejected.",
        "Do not create a session.",
    )
    .offered(RESUME),
];
