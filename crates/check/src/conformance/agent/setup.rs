//! Setting up sessions.

use serde_json::{Value, json};

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, observed, should};
use crate::conformance::scene::Scene;
use crate::conformance::{Check, members};

pub(super) const ACT: Act<Scene> = Act {
    name: "setup",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.greet().await?;
        let params = scene.new_params();
        let first = scene.ask("session/new", params.clone()).await;
        scene.went_well("agent.session.new", &first);
        let Some(result) = first.result().cloned() else {
            return Err(Stop("session/new did not go well".to_owned()));
        };
        scene.judge("agent.session.id", id(&result), &first.entries());
        scene.judge(
            "agent.session.members",
            members::only(&result, members::NEW_SESSION),
            &first.entries(),
        );
        let second = scene.ask("session/new", params).await;
        if let Some(other) = second.result() {
            let differs = other.get("sessionId") != result.get("sessionId");
            let differs = differs
                .then_some(())
                .ok_or("two sessions have one id".to_owned());
            scene.judge(
                "agent.session.unique",
                differs,
                &[first.entries(), second.entries()].concat(),
            );
        }
        refusals(scene).await?;
        roots(scene).await?;
        logins(scene).await
    })
}

fn id(result: &Value) -> Result<(), String> {
    match result.get("sessionId").and_then(Value::as_str) {
        Some(id) if (1..=1024).contains(&id.len()) => Ok(()),
        Some(_) => Err("the sessionId is empty or longer than 1024 bytes".to_owned()),
        None => Err("the sessionId is missing or no text".to_owned()),
    }
}

async fn refusals(scene: &mut Scene) -> Result<(), Stop> {
    let cwd = scene.cwd();
    for (id, params) in [
        ("agent.session.no-cwd", json!({ "mcpServers": [] })),
        ("agent.session.no-servers", json!({ "cwd": cwd })),
        (
            "agent.session.bad-server",
            json!({ "cwd": cwd, "mcpServers": [{ "name": "x" }] }),
        ),
    ] {
        let answer = scene.ask("session/new", params).await;
        scene.was_refused(id, &answer, &[-32602]);
    }
    let relative = scene
        .ask(
            "session/new",
            json!({ "cwd": "some/where", "mcpServers": [] }),
        )
        .await;
    scene.was_refused("agent.session.relative-cwd", &relative, &[]);
    let null = scene
        .ask("session/new", json!({ "cwd": cwd, "mcpServers": null }))
        .await;
    scene.was_answered("agent.session.null-servers", &null);
    let unknown = scene.prompt("no-such-session", "hello").await;
    scene.was_refused("agent.session.unknown", &unknown, &[]);
    scene.was_refused("agent.session.unknown-code", &unknown, &[-32002, -32602]);
    Ok(())
}

async fn roots(scene: &mut Scene) -> Result<(), Stop> {
    if !scene.offers("/sessionCapabilities/additionalDirectories") {
        return Ok(());
    }
    let cwd = scene.cwd();
    let with =
        |root: &str| json!({ "cwd": cwd, "mcpServers": [], "additionalDirectories": [root] });
    let parent = scene
        .options
        .folder
        .parent()
        .map(|it| it.to_string_lossy().into_owned());
    let good = scene
        .ask(
            "session/new",
            with(&parent.unwrap_or_else(|| "/".to_owned())),
        )
        .await;
    scene.went_well("agent.session.root", &good);
    let empty = scene.ask("session/new", with("")).await;
    scene.was_refused("agent.session.empty-root", &empty, &[]);
    let relative = scene.ask("session/new", with("some/where")).await;
    scene.was_refused("agent.session.relative-root", &relative, &[]);
    Ok(())
}

async fn logins(scene: &mut Scene) -> Result<(), Stop> {
    let unknown = scene
        .ask("authenticate", json!({ "methodId": "no-such-login" }))
        .await;
    scene.was_refused("agent.auth.unknown-method", &unknown, &[]);
    if scene.offers("/auth/status") {
        let first = scene.ask("auth/status", json!({})).await;
        let calm = match first.was_refused(&[-32000]) {
            Ok(()) => Err("it was refused with -32000".to_owned()),
            Err(_) => first.was_answered(),
        };
        scene.judge("agent.auth.status", calm, &first.entries());
        let second = scene.ask("auth/status", json!({})).await;
        let same = (first.result() == second.result()).then_some(());
        let same = same.ok_or("asked twice, it says two things".to_owned());
        scene.judge(
            "agent.auth.status-quiet",
            same,
            &[first.entries(), second.entries()].concat(),
        );
    }
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "agent.session.new",
        "36",
        "session/new makes a session.",
        "Every agent has session/new.",
    ),
    must(
        "agent.session.id",
        "52",
        "The sessionId is a text of 1 to 1024 bytes.",
        "Choose a short text.",
    ),
    must(
        "agent.session.members",
        "173",
        "The answer to session/new has no members of the agent's own.",
        "Put what is your own into _meta.",
    ),
    must(
        "agent.session.unique",
        "52",
        "Two sessions have two ids.",
        "Choose a new id for each session.",
    )
    .seen("a second session"),
    observed(
        "agent.session.no-cwd",
        "19",
        "session/new without cwd is refused with -32602.",
        "cwd is required.",
    ),
    observed(
        "agent.session.no-servers",
        "19",
        "session/new without mcpServers is refused with -32602.",
        "mcpServers is required, if only [].",
    ),
    observed(
        "agent.session.bad-server",
        "19",
        "An MCP server without a command is refused with -32602.",
        "Check params against the schema first.",
    ),
    should(
        "agent.session.relative-cwd",
        "68",
        "A cwd that is relative is refused.",
        "Relative to what? Refuse it with -32602.",
    ),
    observed(
        "agent.session.null-servers",
        "",
        "mcpServers that is null is answered.",
        "Take it for [] or refuse it.",
    ),
    must(
        "agent.session.unknown",
        "95",
        "A prompt for a session that does not exist is refused.",
        "Do not make a session up.",
    ),
    observed(
        "agent.session.unknown-code",
        "",
        "A session that does not exist is refused with -32002 or -32602.",
        "-32002 says that something was not found.",
    ),
    must(
        "agent.session.root",
        "68",
        "A further root that is absolute is accepted.",
        "You advertise additionalDirectories.",
    )
    .offered("sessionCapabilities.additionalDirectories"),
    must(
        "agent.session.empty-root",
        "67",
        "A further root that is empty is refused.",
        "Refuse it; do not leave it out in silence.",
    )
    .offered("sessionCapabilities.additionalDirectories"),
    must(
        "agent.session.relative-root",
        "67",
        "A further root that is relative is refused.",
        "Refuse it; do not leave it out in silence.",
    )
    .offered("sessionCapabilities.additionalDirectories"),
    must(
        "agent.auth.unknown-method",
        "39",
        "A login that was not offered is refused.",
        "Refuse what is not in authMethods.",
    ),
    must(
        "agent.auth.status",
        "49",
        "auth/status is never refused for want of a login.",
        "Say unauthenticated instead.",
    )
    .offered("auth.status"),
    must(
        "agent.auth.status-quiet",
        "49",
        "auth/status twice says the same.",
        "Asking changes nothing.",
    )
    .offered("auth.status"),
];
