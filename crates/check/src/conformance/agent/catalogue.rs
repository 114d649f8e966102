//! Sessions as things: listed, closed, deleted, forked, named, put away.

use serde_json::{Value, json};

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::text;
use crate::conformance::scene::Scene;
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "catalogue",
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
        list(scene, &session).await?;
        status(scene, &session).await?;
        title(scene, &session).await?;
        fork(scene, &session, &said).await?;
        archive(scene, &session).await?;
        close(scene).await?;
        delete(scene, &said).await
    })
}

async fn list(scene: &mut Scene, session: &str) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/list") {
        return Ok(());
    }
    let listed = scene.ask("session/list", json!({})).await;
    let entries = listed.entries();
    let Some(result) = listed.result().cloned() else {
        scene.went_well("agent.list.answers", &listed);
        return Ok(());
    };
    let sessions = result.get("sessions").and_then(Value::as_array);
    let is_list = sessions
        .map(drop)
        .ok_or("sessions is not a list".to_owned());
    scene.judge("agent.list.answers", is_list, &entries);
    let whole =
        |it: &Value| !text(it, "/sessionId").is_empty() && text(it, "/cwd").starts_with('/');
    if let Some(sessions) = sessions.filter(|sessions| !sessions.is_empty()) {
        let whole = sessions.iter().all(whole);
        let whole = whole
            .then_some(())
            .ok_or("a session has no id or no absolute cwd".to_owned());
        scene.judge("agent.list.whole", whole, &entries);
    }
    let found = pages(scene, result, session).await?;
    scene.judge("agent.list.ends", found.ends, &entries);
    scene.judge("agent.list.has-session", found.has, &entries);
    let elsewhere = json!({ "cwd": "/no/such/directory/of/attache" });
    let elsewhere = scene.ask("session/list", elsewhere).await;
    let none = match elsewhere
        .result()
        .and_then(|it| it.get("sessions")?.as_array().map(Vec::len))
    {
        Some(0) => Ok(()),
        Some(_) => Err("sessions of another directory are in the list".to_owned()),
        None => elsewhere.went_well(),
    };
    scene.judge("agent.list.by-cwd", none, &elsewhere.entries());
    let wrong = scene
        .ask(
            "session/list",
            json!({ "cursor": "no-such-cursor-of-attache" }),
        )
        .await;
    scene.was_refused("agent.list.bad-cursor", &wrong, &[]);
    Ok(())
}

struct Found {
    has: Result<(), String>,
    ends: Result<(), String>,
}

async fn pages(scene: &mut Scene, first: Value, session: &str) -> Result<Found, Stop> {
    let (mut page, mut seen, mut has) = (first, Vec::new(), false);
    let missing = || "the session that was just used is not in the list".to_owned();
    loop {
        let sessions = page.get("sessions").and_then(Value::as_array);
        has |= sessions.is_some_and(|it| it.iter().any(|it| text(it, "/sessionId") == session));
        let ends = match page.get("nextCursor").and_then(Value::as_str) {
            None => Ok(()),
            Some(cursor) if seen.iter().any(|it| it == cursor) => {
                Err("a cursor came twice: the list has no end".to_owned())
            }
            Some(cursor) if seen.len() < MOST_PAGES => {
                seen.push(cursor.to_owned());
                let next = scene.ask("session/list", json!({ "cursor": cursor })).await;
                match next.result() {
                    Some(next) => {
                        page = next.clone();
                        continue;
                    }
                    None => Err("the agent rejects its own cursor".to_owned()),
                }
            }
            Some(_) => Ok(()),
        };
        let has = has.then_some(()).ok_or_else(missing);
        return Ok(Found { has, ends });
    }
}

async fn status(scene: &mut Scene, session: &str) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/status") {
        return Ok(());
    }
    let known = scene
        .ask("session/status", json!({ "sessionId": session }))
        .await;
    let open = match known.result().map(|it| text(it, "/status")) {
        Some("open") => Ok(()),
        Some(_) => Err("a session in use is not open".to_owned()),
        None => known.went_well(),
    };
    scene.judge("agent.status.open", open, &known.entries());
    let unknown = scene
        .ask("session/status", json!({ "sessionId": "no-such-session" }))
        .await;
    scene.was_refused("agent.status.unknown", &unknown, &[-32002]);
    Ok(())
}

async fn title(scene: &mut Scene, session: &str) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/title") {
        return Ok(());
    }
    let params = json!({ "sessionId": session, "title": "A fine title" });
    let set = scene.ask("session/set_title", params).await;
    let stored = match set.result().map(|it| text(it, "/title")) {
        Some("") => Err("the response has no title".to_owned()),
        Some(_) => Ok(()),
        None => set.went_well(),
    };
    scene.judge("agent.title.stored", stored, &set.entries());
    let empty = scene
        .ask(
            "session/set_title",
            json!({ "sessionId": session, "title": "  " }),
        )
        .await;
    scene.was_refused("agent.title.empty", &empty, &[-32602]);
    Ok(())
}

async fn fork(scene: &mut Scene, session: &str, said: &str) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/fork") {
        return Ok(());
    }
    let cwd = scene.cwd();
    let params = |id: &str| json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] });
    let forked = scene.ask("session/fork", params(session)).await;
    let id = forked.result().map(|it| text(it, "/sessionId").to_owned());
    let new = match &id {
        Some(id) if !id.is_empty() && id != session => Ok(()),
        Some(_) => Err("the fork has no id of its own".to_owned()),
        None => forked.went_well(),
    };
    scene.judge("agent.fork.new-id", new, &forked.entries());
    if let Some(id) = id {
        let prompted = scene.prompt(&id, said).await;
        scene.went_well("agent.fork.prompt", &prompted);
    }
    let unknown = scene.ask("session/fork", params("no-such-session")).await;
    scene.was_refused("agent.fork.unknown", &unknown, &[]);
    Ok(())
}

async fn archive(scene: &mut Scene, session: &str) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/archive") {
        return Ok(());
    }
    let params = json!({ "sessionId": session });
    let first = scene.ask("session/archive", params.clone()).await;
    let second = scene.ask("session/archive", params.clone()).await;
    let twice = first.went_well().and(second.went_well());
    scene.judge(
        "agent.archive.twice",
        twice,
        &[first.entries(), second.entries()].concat(),
    );
    let back = scene.ask("session/unarchive", params).await;
    scene.went_well("agent.archive.back", &back);
    let unknown = scene
        .ask("session/archive", json!({ "sessionId": "no-such-session" }))
        .await;
    scene.was_refused("agent.archive.unknown", &unknown, &[-32002]);
    let filter = scene
        .ask("session/list", json!({ "archived": "sideways" }))
        .await;
    scene.was_refused("agent.archive.filter", &filter, &[-32602]);
    Ok(())
}

async fn close(scene: &mut Scene) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/close") {
        return Ok(());
    }
    let idle = scene.session().await?;
    let closed = scene
        .ask("session/close", json!({ "sessionId": idle }))
        .await;
    scene.went_well("agent.close.idle", &closed);
    let unknown = scene
        .ask("session/close", json!({ "sessionId": "no-such-session" }))
        .await;
    scene.was_answered("agent.close.unknown", &unknown);
    if let Some(long) = scene.said_for(PromptKind::Long) {
        let busy = scene.session().await?;
        let asked = scene.start_prompt(&busy, &long).await?;
        let begun = scene
            .stage()?
            .until(|it| text(it, "/params/sessionId") == busy)
            .await;
        let closed = scene
            .ask("session/close", json!({ "sessionId": busy }))
            .await;
        let turn = scene.finish(asked).await?;
        let entries = [
            begun.into_iter().collect(),
            closed.entries(),
            turn.entries(),
        ]
        .concat();
        let stopped = match turn.result().map(|it| text(it, "/stopReason")) {
            Some("cancelled") => Ok(()),
            Some(_) => Err("the turn did not end with cancelled".to_owned()),
            None => turn.went_well(),
        };
        scene.judge(
            "agent.close.cancels",
            closed.went_well().and(stopped),
            &entries,
        );
    }
    Ok(())
}

async fn delete(scene: &mut Scene, said: &str) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/delete") {
        return Ok(());
    }
    let session = scene.session().await?;
    scene.prompt(&session, said).await;
    let deleted = scene
        .ask("session/delete", json!({ "sessionId": session }))
        .await;
    scene.went_well("agent.delete.works", &deleted);
    let again = scene
        .ask("session/delete", json!({ "sessionId": session }))
        .await;
    scene.went_well("agent.delete.twice", &again);
    let unknown = scene
        .ask("session/delete", json!({ "sessionId": "no-such-session" }))
        .await;
    scene.went_well("agent.delete.unknown", &unknown);
    if scene.offers("/sessionCapabilities/list") {
        let listed = scene.ask("session/list", json!({})).await;
        if let Some(sessions) = listed
            .result()
            .and_then(|it| it.get("sessions")?.as_array())
        {
            let there = sessions.iter().any(|it| text(it, "/sessionId") == session);
            let gone = if there {
                Err("the session is still in the list".to_owned())
            } else {
                Ok(())
            };
            scene.judge(
                "agent.delete.gone",
                gone,
                &[deleted.entries(), listed.entries()].concat(),
            );
        }
    }
    Ok(())
}

const MOST_PAGES: usize = 50;

const CHECKS: &[Check] = &[
    must(
        "agent.list.answers",
        "79",
        "session/list gets a response with a list.",
        "Send [] if there are no sessions.",
    )
    .offered("sessionCapabilities.list"),
    must(
        "agent.list.whole",
        "13",
        "Each session in the list has an id and an absolute cwd.",
        "Readers skip an entry without it.",
    )
    .offered("sessionCapabilities.list"),
    must(
        "agent.list.ends",
        "80",
        "The pages of a list end.",
        "Omit nextCursor on the last page.",
    )
    .offered("sessionCapabilities.list"),
    should(
        "agent.list.has-session",
        "79",
        "A session that had a turn is in the list.",
        "List the sessions that can be continued.",
    )
    .offered("sessionCapabilities.list"),
    should(
        "agent.list.by-cwd",
        "79",
        "A list for another directory does not include sessions of this one.",
        "Filter by cwd if it is given.",
    )
    .offered("sessionCapabilities.list"),
    should(
        "agent.list.bad-cursor",
        "82",
        "An invalid cursor is rejected.",
        "Reject it with -32602.",
    )
    .offered("sessionCapabilities.list"),
    must(
        "agent.status.open",
        "90",
        "The status of a session in use is open.",
        "Respond with open.",
    )
    .offered("sessionCapabilities.status"),
    must(
        "agent.status.unknown",
        "90",
        "The status of an unknown session is rejected with -32002.",
        "Reject it with -32002.",
    )
    .offered("sessionCapabilities.status"),
    observed(
        "agent.title.stored",
        "92",
        "The response contains the title as stored.",
        "Respond with the title.",
    )
    .offered("sessionCapabilities.title"),
    observed(
        "agent.title.empty",
        "92",
        "An empty title is rejected with -32602.",
        "Reject it with -32602.",
    )
    .offered("sessionCapabilities.title"),
    must(
        "agent.fork.new-id",
        "52",
        "A fork has an id of its own.",
        "Choose a new id.",
    )
    .offered("sessionCapabilities.fork"),
    must(
        "agent.fork.prompt",
        "36",
        "A fork accepts a prompt at once.",
        "A fork needs no session/load.",
    )
    .offered("sessionCapabilities.fork"),
    must(
        "agent.fork.unknown",
        "",
        "Forking an unknown session is rejected.",
        "Reject it with -32002.",
    )
    .offered("sessionCapabilities.fork"),
    must(
        "agent.archive.twice",
        "88",
        "Archiving twice succeeds.",
        "The session is archived already.",
    )
    .offered("sessionCapabilities.archive"),
    must(
        "agent.archive.back",
        "88",
        "An archived session can be unarchived.",
        "Respond to session/unarchive.",
    )
    .offered("sessionCapabilities.archive"),
    must(
        "agent.archive.unknown",
        "88",
        "Archiving an unknown session is rejected with -32002.",
        "Reject it with -32002.",
    )
    .offered("sessionCapabilities.archive"),
    must(
        "agent.archive.filter",
        "89",
        "An unknown filter is rejected with -32602.",
        "Reject it with -32602.",
    )
    .offered("sessionCapabilities.archive"),
    must(
        "agent.close.idle",
        "61",
        "A session can be closed.",
        "Respond to session/close.",
    )
    .offered("sessionCapabilities.close"),
    must(
        "agent.close.unknown",
        "62",
        "Closing an unknown session gets a response.",
        "Reject it or not, but respond.",
    )
    .offered("sessionCapabilities.close"),
    must(
        "agent.close.cancels",
        "61",
        "Closing a session cancels its turn.",
        "Respond to the prompt with cancelled, then to the close.",
    )
    .prompt(PromptKind::Long),
    must(
        "agent.delete.works",
        "86",
        "A session can be deleted.",
        "Respond to session/delete.",
    )
    .offered("sessionCapabilities.delete"),
    should(
        "agent.delete.twice",
        "87",
        "Deleting a session twice succeeds.",
        "The session is gone, as requested.",
    )
    .offered("sessionCapabilities.delete"),
    should(
        "agent.delete.unknown",
        "87",
        "Deleting an unknown session succeeds.",
        "The session is gone, as requested.",
    )
    .offered("sessionCapabilities.delete"),
    must(
        "agent.delete.gone",
        "86",
        "A deleted session is not in the list.",
        "Remove it from the list.",
    )
    .offered("sessionCapabilities.delete"),
];
