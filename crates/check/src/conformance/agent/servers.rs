//! MCP servers that the agent is given.

use std::fs;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, should};
use crate::conformance::scene::Scene;
use crate::conformance::{Check, Need};

pub(super) const ACT: Act<Scene> = Act {
    name: "servers",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.greet().await?;
        if let Some(command) = scene.options.mcp.clone() {
            connected(scene, &command).await?;
        }
        let cwd = scene.cwd();
        let nowhere = json!({ "name": "nowhere", "command": "/no/such/program/of/attache", "args": [], "env": [] });
        let broken = scene
            .ask(
                "session/new",
                json!({ "cwd": cwd, "mcpServers": [nowhere] }),
            )
            .await;
        scene.was_answered("agent.mcp.broken-server", &broken);
        scene.is_alive("agent.mcp.broken-alive", broken.asked).await;
        Ok(())
    })
}

async fn connected(scene: &mut Scene, command: &[String]) -> Result<(), Stop> {
    let heard = scene.options.folder.join("mcp-heard");
    let Some((program, args)) = command.split_first() else {
        return Ok(());
    };
    let file = heard.to_string_lossy().into_owned();
    let args: Vec<&String> = args.iter().chain([&file]).collect();
    let env = json!([{ "name": "ATTACHE_CHECK", "value": "1" }]);
    let server = json!({ "name": "check", "command": program, "args": args, "env": env });
    let cwd = scene.cwd();
    let opened = scene
        .ask("session/new", json!({ "cwd": cwd, "mcpServers": [server] }))
        .await;
    scene.went_well("agent.mcp.stdio", &opened);
    if opened.went_well().is_err() {
        return Ok(());
    }
    let deadline = Instant::now() + scene.options.patience.min(PATIENCE);
    let mut said = String::new();
    while !said.contains("tools/list") && Instant::now() < deadline {
        said = fs::read_to_string(&heard).unwrap_or_default();
        sleep(Duration::from_millis(20)).await;
    }
    let has = |name: &str, why: &str| match said.contains(name) {
        true => Ok(()),
        false => Err(why.to_owned()),
    };
    let started = has("initialize", "the server received nothing");
    scene.judge("agent.mcp.connects", started, &opened.entries());
    let listed = has("tools/list", "the server was not asked for its tools");
    scene.judge("agent.mcp.lists-tools", listed, &opened.entries());
    Ok(())
}

/// How long an agent may take to connect after the session is there.
const PATIENCE: Duration = Duration::from_secs(5);

const SERVER: Need = Need::Sight("a session with an MCP server");

const CHECKS: &[Check] = &[
    must(
        "agent.mcp.stdio",
        "72",
        "A session accepts an MCP server over stdio.",
        "Every agent supports MCP servers over stdio.",
    )
    .needs(SERVER),
    should(
        "agent.mcp.connects",
        "75",
        "The agent connects to the given MCP server.",
        "Start it with its args and env, and initialize it.",
    )
    .needs(SERVER),
    should(
        "agent.mcp.lists-tools",
        "75",
        "The agent asks the MCP server for its tools.",
        "Call tools/list.",
    )
    .needs(SERVER),
    must(
        "agent.mcp.broken-server",
        "75",
        "session/new gets a response even if a server cannot be started.",
        "Reject, or continue without it.",
    ),
    must(
        "agent.mcp.broken-alive",
        "75",
        "A server that cannot be started does not end the agent.",
        "Catch the exception when it does not start.",
    ),
];
