//! The response to `initialize`: version, capabilities and information about the agent.

use serde_json::Value;

use crate::conformance::agent_test::{AgentTest, all_client_capabilities, initialize_params};
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::text;
use crate::conformance::peer_test::PayloadCheck;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, members};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "initialize",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.start().await?;
        let initialized = test
            .call("initialize", initialize_params(all_client_capabilities()))
            .await;
        test.judge_result("agent.init.answers", &initialized);
        let result = initialized
            .result()
            .cloned()
            .ok_or_else(|| AbortReason("initialize failed".to_owned()))?;
        let entries = initialized.entries();
        for (id, check) in PAYLOAD_CHECKS {
            test.judge(id, check(&result), &entries);
        }
        if result.get("agentInfo").is_some() {
            test.judge("agent.init.info-complete", info(&result), &entries);
        }
        let methods = result.get("authMethods").and_then(Value::as_array);
        if let Some(methods) = methods.filter(|methods| !methods.is_empty()) {
            test.judge("agent.init.login-complete", logins(methods), &entries);
            test.judge("agent.init.login-unique", unique(methods), &entries);
        }
        let again = test
            .call("initialize", initialize_params(all_client_capabilities()))
            .await;
        test.judge_response("agent.init.twice", &again);
        if let Some(second) = again.result() {
            let same = second.get("protocolVersion") == result.get("protocolVersion");
            let same = same
                .then_some(())
                .ok_or("the second response has another version".to_owned());
            test.judge("agent.init.twice-same", same, &again.entries());
        }
        Ok(())
    })
}

const PAYLOAD_CHECKS: &[(&str, PayloadCheck)] = &[
    ("agent.init.version", |result| {
        match result.get("protocolVersion") {
            Some(version) if version.as_u64().is_some_and(|it| it <= 65535) => Ok(()),
            Some(_) => Err("protocolVersion is not an integer".to_owned()),
            None => Err("protocolVersion is missing".to_owned()),
        }
    }),
    ("agent.init.version-accepted", |result| {
        match result.get("protocolVersion").and_then(Value::as_i64) {
            Some(1) => Ok(()),
            _ => Err("version 1 was requested and another was chosen".to_owned()),
        }
    }),
    ("agent.init.capabilities", |result| {
        match result.get("agentCapabilities") {
            Some(Value::Object(_)) => Ok(()),
            Some(_) => Err("agentCapabilities is not an object".to_owned()),
            None => Err("agentCapabilities is missing".to_owned()),
        }
    }),
    ("agent.init.info", |result| match result.get("agentInfo") {
        Some(Value::Object(_)) => Ok(()),
        _ => Err("agentInfo is missing".to_owned()),
    }),
    ("agent.init.booleans", |result| {
        markers(result, BOOLEANS, |it| it.is_boolean(), "is not a boolean")
    }),
    ("agent.init.objects", |result| {
        markers(
            result,
            OBJECTS,
            |it| it.is_object() || it.is_null(),
            "is not an object",
        )
    }),
    ("agent.init.login-list", |result| {
        match result.get("authMethods") {
            None | Some(Value::Array(_) | Value::Null) => Ok(()),
            Some(_) => Err("authMethods is not a list".to_owned()),
        }
    }),
    ("agent.init.members", |result| {
        members::only(result, members::INITIALIZE)
    }),
    ("agent.init.capability-members", |result| {
        let Some(capabilities) = result.get("agentCapabilities") else {
            return Ok(());
        };
        members::only(capabilities, members::AGENT_CAPABILITIES)?;
        match capabilities.get("sessionCapabilities") {
            Some(session) => members::only(session, members::SESSION_CAPABILITIES),
            None => Ok(()),
        }
    }),
];

fn markers(
    result: &Value,
    pointers: &[&str],
    fits: fn(&Value) -> bool,
    wrong: &str,
) -> Result<(), String> {
    for pointer in pointers {
        let value = result.pointer(&format!("/agentCapabilities{pointer}"));
        if value.is_some_and(|value| !fits(value)) {
            return Err(format!(
                "agentCapabilities{} {wrong}",
                pointer.replace('/', ".")
            ));
        }
    }
    Ok(())
}

fn info(result: &Value) -> Result<(), String> {
    let empty = |name: &&str| text(result, &format!("/agentInfo/{name}")).is_empty();
    match ["name", "version"].iter().find(|name| empty(name)) {
        Some(name) => Err(format!("agentInfo has no {name}")),
        None => Ok(()),
    }
}

fn logins(methods: &[Value]) -> Result<(), String> {
    let whole =
        |method: &Value| !text(method, "/id").is_empty() && !text(method, "/name").is_empty();
    match methods.iter().position(|method| !whole(method)) {
        Some(index) => Err(format!("authMethods[{index}] lacks an id or a name")),
        None => Ok(()),
    }
}

fn unique(methods: &[Value]) -> Result<(), String> {
    let mut ids: Vec<&str> = methods.iter().map(|method| text(method, "/id")).collect();
    ids.sort_unstable();
    match ids.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err("two login methods have the same id".to_owned()),
        false => Ok(()),
    }
}

const BOOLEANS: &[&str] = &[
    "/loadSession",
    "/promptCapabilities/image",
    "/promptCapabilities/audio",
    "/promptCapabilities/embeddedContext",
    "/mcpCapabilities/http",
    "/mcpCapabilities/sse",
];

const OBJECTS: &[&str] = &[
    "/promptCapabilities",
    "/mcpCapabilities",
    "/sessionCapabilities",
    "/sessionCapabilities/list",
    "/sessionCapabilities/delete",
    "/sessionCapabilities/additionalDirectories",
    "/sessionCapabilities/resume",
    "/sessionCapabilities/close",
    "/sessionCapabilities/fork",
    "/auth",
    "/auth/logout",
];

const CHECKS: &[Check] = &[
    must(
        "agent.init.answers",
        "27",
        "initialize gets a response with a result.",
        "Respond to initialize before anything else.",
    ),
    must(
        "agent.init.version",
        "27",
        "The response has a protocolVersion that is an integer.",
        "Put the version you speak into protocolVersion.",
    ),
    must(
        "agent.init.version-accepted",
        "29",
        "A client that requests version 1 gets version 1.",
        "Respond with the requested version if you speak it.",
    ),
    must(
        "agent.init.capabilities",
        "27",
        "The response has agentCapabilities.",
        "Send agentCapabilities, even if it is {}.",
    ),
    should(
        "agent.init.info",
        "28",
        "The response has agentInfo.",
        "Add agentInfo with name and version.",
    ),
    should(
        "agent.init.info-complete",
        "28",
        "agentInfo has a name and a version.",
        "Fill in both.",
    )
    .when_seen("agentInfo"),
    must(
        "agent.init.booleans",
        "",
        "Boolean capabilities are true or false.",
        "Readers treat anything but true as false.",
    ),
    must(
        "agent.init.objects",
        "",
        "Capabilities that are objects are objects.",
        "Write {} for yes and omit it for no; true is not valid.",
    ),
    must(
        "agent.init.login-list",
        "39",
        "authMethods is a list.",
        "Send [] if no login is needed.",
    ),
    must(
        "agent.init.login-complete",
        "39",
        "Every login method has an id and a name.",
        "Readers skip an entry without it.",
    )
    .when_seen("a login method"),
    must(
        "agent.init.login-unique",
        "B5",
        "No two login methods have the same id.",
        "authenticate selects a method by its id.",
    )
    .when_seen("a login method"),
    must(
        "agent.init.members",
        "173",
        "The response to initialize has no members outside the protocol.",
        "Put your own members into _meta.",
    ),
    must(
        "agent.init.capability-members",
        "173",
        "agentCapabilities has no members outside the protocol.",
        "Put your own members into _meta.",
    ),
    observed(
        "agent.init.twice",
        "14a",
        "A second initialize gets a response or an error.",
        "Respond as the first time, or reject it with -32600; keep what was negotiated.",
    ),
    observed(
        "agent.init.twice-same",
        "14a",
        "A second initialize gets the same version.",
        "The version does not change on a connection.",
    )
    .when_seen("a second response"),
];
