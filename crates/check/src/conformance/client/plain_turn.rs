//! A plain turn, with an agent that advertises no capabilities.

use serde_json::Value;

use super::client_test::ClientTest;
use crate::conformance::check::{must, should};
use crate::conformance::json::{method, text};
use crate::conformance::peer_test::PayloadCheck;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, members};

pub(super) const CASE: TestCase<ClientTest> = TestCase {
    name: "plain-turn",
    checks: CHECKS,
    run,
};

fn run(test: &mut ClientTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start_prompted().await?;
        let messages = test.messages_since(0);
        let first = messages.first().map_or("", |(_, it)| method(it));
        let first = match first {
            "initialize" => Ok(()),
            _ => Err("the first message is not initialize".to_owned()),
        };
        test.judge("client.init.first", first, &[0]);
        for (name, id, check) in PAYLOAD_CHECKS {
            let Some((entry, message)) = messages.iter().find(|(_, it)| method(it) == *name) else {
                continue;
            };
            let params = message.get("params").cloned().unwrap_or_default();
            test.judge(id, check(&params), &[*entry]);
        }
        let prompt = "Hello from the checker.";
        let chunk = serde_json::json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": prompt } });
        test.update(chunk).await?;
        test.ping_unknown_method().await;
        test.end_turn("end_turn").await?;
        // Anything else that the client sends arrives before its response to this ping, or the client exits.
        test.ping_unknown_method().await;
        fences(test);
        Ok(())
    })
}

/// Judges that the client calls no method whose capability the agent does not advertise.
fn fences(test: &mut ClientTest) {
    let messages = test.messages_since(0);
    for (id, names) in FENCES {
        let called = messages
            .iter()
            .filter(|(_, it)| names.contains(&method(it)));
        let called: Vec<usize> = called.map(|(entry, _)| *entry).collect();
        let outcome = match called.is_empty() {
            true => Ok(()),
            false => Err("it was called although the agent does not offer it".to_owned()),
        };
        test.judge(id, outcome, &called);
    }
}

const PAYLOAD_CHECKS: &[(&str, &str, PayloadCheck)] = &[
    ("initialize", "client.init.version", |params| {
        match params.get("protocolVersion") {
            Some(version) if version.as_u64().is_some_and(|it| (1..=65535).contains(&it)) => Ok(()),
            _ => Err("protocolVersion is not a version".to_owned()),
        }
    }),
    ("initialize", "client.init.info", |params| {
        match params.get("clientInfo") {
            Some(Value::Object(_)) => Ok(()),
            _ => Err("clientInfo is missing".to_owned()),
        }
    }),
    (
        "initialize",
        "client.init.info-complete",
        |params| match params.get("clientInfo") {
            Some(info) if text(info, "/name").is_empty() || text(info, "/version").is_empty() => {
                Err("clientInfo lacks a name or a version".to_owned())
            }
            _ => Ok(()),
        },
    ),
    (
        "initialize",
        "client.init.capabilities",
        |params| match params.get("clientCapabilities") {
            Some(Value::Object(_)) => Ok(()),
            _ => Err("clientCapabilities is missing".to_owned()),
        },
    ),
    ("initialize", "client.init.booleans", |params| {
        let wrong = |pointer: &&str| params.pointer(pointer).is_some_and(|it| !it.is_boolean());
        match BOOLEANS.iter().find(|pointer| wrong(pointer)) {
            Some(_) => Err("a boolean capability is not a boolean".to_owned()),
            None => Ok(()),
        }
    }),
    ("initialize", "client.init.members", |params| {
        members::only(params, members::CLIENT_HELLO)
    }),
    ("session/new", "client.session.cwd", |params| {
        match text(params, "/cwd") {
            cwd if std::path::Path::new(cwd).is_absolute() => Ok(()),
            _ => Err("cwd is not absolute".to_owned()),
        }
    }),
    (
        "session/new",
        "client.session.servers",
        |params| match params.get("mcpServers") {
            Some(Value::Array(_)) => Ok(()),
            _ => Err("mcpServers is not a list".to_owned()),
        },
    ),
    ("session/new", "client.session.members", |params| {
        members::only(params, members::NEW_PARAMS)
    }),
    (
        "session/prompt",
        "client.prompt.session",
        |params| match text(params, "/sessionId") {
            super::fake_agent::SESSION => Ok(()),
            _ => Err("the sessionId is not the one of the session".to_owned()),
        },
    ),
    (
        "session/prompt",
        "client.prompt.content",
        |params| match params.get("prompt") {
            Some(Value::Array(blocks)) if !blocks.is_empty() => Ok(()),
            _ => Err("the prompt has no content".to_owned()),
        },
    ),
    ("session/prompt", "client.prompt.kinds", |params| {
        let blocks = params.get("prompt").and_then(Value::as_array);
        let plain = |it: &Value| matches!(text(it, "/type"), "text" | "resource_link");
        match blocks.is_none_or(|blocks| blocks.iter().all(plain)) {
            true => Ok(()),
            false => Err("there is content that the agent does not accept".to_owned()),
        }
    }),
    ("session/prompt", "client.prompt.members", |params| {
        members::only(params, members::PROMPT_PARAMS)
    }),
];

const BOOLEANS: &[&str] = &[
    "/clientCapabilities/fs/readTextFile",
    "/clientCapabilities/fs/writeTextFile",
    "/clientCapabilities/terminal",
    "/clientCapabilities/auth/terminal",
];

const FENCES: &[(&str, &[&str])] = &[
    ("client.fence.load", &["session/load"]),
    ("client.fence.resume", &["session/resume"]),
    ("client.fence.list", &["session/list"]),
    ("client.fence.close", &["session/close"]),
    ("client.fence.delete", &["session/delete"]),
    ("client.fence.fork", &["session/fork"]),
    ("client.fence.logout", &["logout"]),
    ("client.fence.mode", &["session/set_mode"]),
    ("client.fence.config", &["session/set_config_option"]),
    ("client.fence.authenticate", &["authenticate"]),
];

const FENCE: &str = "Check what the agent offers first.";

const CHECKS: &[Check] = &[
    must(
        "client.init.first",
        "24",
        "initialize comes first.",
        "Send it before anything else.",
    ),
    must(
        "client.init.version",
        "25",
        "initialize has a version that is an integer.",
        "Send the newest version you speak.",
    ),
    should(
        "client.init.info",
        "26",
        "initialize has clientInfo.",
        "Add clientInfo with name and version.",
    ),
    should(
        "client.init.info-complete",
        "26",
        "clientInfo has a name and a version.",
        "Fill in both.",
    ),
    should(
        "client.init.capabilities",
        "37",
        "initialize has clientCapabilities.",
        "Send clientCapabilities, even if it is {}.",
    ),
    must(
        "client.init.booleans",
        "37",
        "Boolean capabilities are true or false.",
        "Readers treat anything but true as false.",
    ),
    must(
        "client.init.members",
        "173",
        "initialize has no members outside the protocol.",
        "Put your own members into _meta.",
    ),
    must(
        "client.session.cwd",
        "68",
        "The working directory of a session is absolute.",
        "Send the absolute path.",
    ),
    must(
        "client.session.servers",
        "54",
        "session/new has a list of MCP servers.",
        "Send [] if there are no sessions.",
    ),
    must(
        "client.session.members",
        "173",
        "session/new has no members outside the protocol.",
        "Put your own members into _meta.",
    ),
    must(
        "client.prompt.session",
        "95",
        "A prompt goes to the open session.",
        "Use the sessionId of the response.",
    ),
    must(
        "client.prompt.content",
        "95",
        "A prompt has content.",
        "Send at least one block.",
    ),
    must(
        "client.prompt.kinds",
        "96",
        "A prompt has only content that the agent accepts.",
        "Without capabilities that is text and resource_link.",
    ),
    must(
        "client.prompt.members",
        "173",
        "A prompt has no members outside the protocol.",
        "Put your own members into _meta.",
    ),
    must(
        "client.fence.load",
        "53",
        "session/load is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.resume",
        "58",
        "session/resume is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.list",
        "78",
        "session/list is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.close",
        "60",
        "session/close is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.delete",
        "85",
        "session/delete is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.fork",
        "33",
        "session/fork is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.logout",
        "45",
        "logout is not called when it is not offered.",
        FENCE,
    ),
    must(
        "client.fence.mode",
        "33",
        "session/set_mode is not called in a session without modes.",
        FENCE,
    ),
    must(
        "client.fence.config",
        "33",
        "session/set_config_option is not called in a session without options.",
        FENCE,
    ),
    must(
        "client.fence.authenticate",
        "33",
        "authenticate is not called when no login is offered.",
        FENCE,
    ),
];
