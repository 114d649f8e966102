//! The agent must connect to the MCP servers of a session.

use std::fs;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, should};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, Need};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "mcp-servers",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.initialize().await?;
        if let Some(command) = test.options.mcp.clone() {
            connected(test, &command).await?;
        }
        let cwd = test.cwd();
        let nowhere = json!({ "name": "nowhere", "command": "/no/such/program/of/attache", "args": [], "env": [] });
        let broken = test
            .call(
                "session/new",
                json!({ "cwd": cwd, "mcpServers": [nowhere] }),
            )
            .await;
        test.judge_response("agent.mcp.broken-server", &broken);
        test.judge_alive("agent.mcp.broken-alive", broken.request)
            .await;
        Ok(())
    })
}

async fn connected(test: &mut AgentTest, command: &[String]) -> Result<(), AbortReason> {
    let messages = test.options.folder.join("mcp-heard");
    let Some((program, args)) = command.split_first() else {
        return Ok(());
    };
    let file = messages.to_string_lossy().into_owned();
    let args: Vec<&String> = args.iter().chain([&file]).collect();
    let env = json!([{ "name": "ATTACHE_CHECK", "value": "1" }]);
    let server = json!({ "name": "check", "command": program, "args": args, "env": env });
    let cwd = test.cwd();
    let opened = test
        .call("session/new", json!({ "cwd": cwd, "mcpServers": [server] }))
        .await;
    test.judge_result("agent.mcp.stdio", &opened);
    if opened.expect_result().is_err() {
        return Ok(());
    }
    let deadline = Instant::now() + test.options.response_timeout.min(PATIENCE);
    let mut prompt = String::new();
    while !prompt.contains("tools/list") && Instant::now() < deadline {
        prompt = fs::read_to_string(&messages).unwrap_or_default();
        sleep(Duration::from_millis(20)).await;
    }
    let has = |name: &str, why: &str| match prompt.contains(name) {
        true => Ok(()),
        false => Err(why.to_owned()),
    };
    let started = has("initialize", "the server received nothing");
    test.judge("agent.mcp.connects", started, &opened.entries());
    let listed = has("tools/list", "the server was not asked for its tools");
    test.judge("agent.mcp.lists-tools", listed, &opened.entries());
    Ok(())
}

/// How long an agent may take to connect after the session is open.
const PATIENCE: Duration = Duration::from_secs(5);

const SERVER: Need = Need::Occurrence("a session with an MCP server");

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
