//! The first exchange, and what the agent says of itself.

use serde_json::Value;

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::text;
use crate::conformance::scene::{Scene, hello, offers};
use crate::conformance::{Check, members};

pub(super) const ACT: Act<Scene> = Act {
    name: "greeting",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.start().await?;
        let greeted = scene.ask("initialize", hello(offers())).await;
        scene.went_well("agent.init.answers", &greeted);
        let result = greeted
            .result()
            .cloned()
            .ok_or_else(|| Stop("initialize did not go well".to_owned()))?;
        let entries = greeted.entries();
        for (id, looks) in LOOKS {
            scene.judge(id, looks(&result), &entries);
        }
        if result.get("agentInfo").is_some() {
            scene.judge("agent.init.info-complete", info(&result), &entries);
        }
        let methods = result.get("authMethods").and_then(Value::as_array);
        if let Some(methods) = methods.filter(|methods| !methods.is_empty()) {
            scene.judge("agent.init.login-complete", logins(methods), &entries);
            scene.judge("agent.init.login-unique", unique(methods), &entries);
        }
        let again = scene.ask("initialize", hello(offers())).await;
        scene.was_answered("agent.init.twice", &again);
        if let Some(second) = again.result() {
            let same = second.get("protocolVersion") == result.get("protocolVersion");
            let same = same
                .then_some(())
                .ok_or("the second answer has another version".to_owned());
            scene.judge("agent.init.twice-same", same, &again.entries());
        }
        Ok(())
    })
}

type Look = fn(&Value) -> Result<(), String>;

const LOOKS: &[(&str, Look)] = &[
    ("agent.init.version", |result| {
        match result.get("protocolVersion") {
            Some(version) if version.as_u64().is_some_and(|it| it <= 65535) => Ok(()),
            Some(_) => Err("protocolVersion is no whole number".to_owned()),
            None => Err("protocolVersion is missing".to_owned()),
        }
    }),
    ("agent.init.version-accepted", |result| {
        match result.get("protocolVersion").and_then(Value::as_i64) {
            Some(1) => Ok(()),
            _ => Err("version 1 was asked for and another was chosen".to_owned()),
        }
    }),
    ("agent.init.capabilities", |result| {
        match result.get("agentCapabilities") {
            Some(Value::Object(_)) => Ok(()),
            Some(_) => Err("agentCapabilities is no object".to_owned()),
            None => Err("agentCapabilities is missing".to_owned()),
        }
    }),
    ("agent.init.info", |result| match result.get("agentInfo") {
        Some(Value::Object(_)) => Ok(()),
        _ => Err("agentInfo is missing".to_owned()),
    }),
    ("agent.init.booleans", |result| {
        markers(
            result,
            BOOLEANS,
            |it| it.is_boolean(),
            "is neither true nor false",
        )
    }),
    ("agent.init.objects", |result| {
        markers(
            result,
            OBJECTS,
            |it| it.is_object() || it.is_null(),
            "is no object",
        )
    }),
    ("agent.init.login-list", |result| {
        match result.get("authMethods") {
            None | Some(Value::Array(_) | Value::Null) => Ok(()),
            Some(_) => Err("authMethods is no list".to_owned()),
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
        true => Err("two ways to log in have the same id".to_owned()),
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
        "initialize is answered with a result.",
        "Answer initialize before anything else.",
    ),
    must(
        "agent.init.version",
        "27",
        "The answer has a protocolVersion that is a whole number.",
        "Put the version you speak into protocolVersion.",
    ),
    must(
        "agent.init.version-accepted",
        "29",
        "A client that asks for version 1 gets version 1.",
        "Answer with the version asked for if you speak it.",
    ),
    must(
        "agent.init.capabilities",
        "27",
        "The answer has agentCapabilities.",
        "Say what you can do, even if it is {}.",
    ),
    should(
        "agent.init.info",
        "28",
        "The answer has agentInfo.",
        "Add agentInfo with name and version.",
    ),
    should(
        "agent.init.info-complete",
        "28",
        "agentInfo has a name and a version.",
        "Fill in both.",
    )
    .seen("agentInfo"),
    must(
        "agent.init.booleans",
        "",
        "Capabilities that are switches are true or false.",
        "Readers take anything but true for false.",
    ),
    must(
        "agent.init.objects",
        "",
        "Capabilities that are objects are objects.",
        "Write {} for yes and leave it out for no; true does not count.",
    ),
    must(
        "agent.init.login-list",
        "39",
        "authMethods is a list.",
        "Send [] if there is no login.",
    ),
    must(
        "agent.init.login-complete",
        "39",
        "Every way to log in has an id and a name.",
        "Readers skip one without.",
    )
    .seen("a way to log in"),
    must(
        "agent.init.login-unique",
        "B5",
        "No two ways to log in have the same id.",
        "authenticate names one by its id.",
    )
    .seen("a way to log in"),
    must(
        "agent.init.members",
        "173",
        "The answer to initialize has no members of the agent's own.",
        "Put what is your own into _meta.",
    ),
    must(
        "agent.init.capability-members",
        "173",
        "agentCapabilities has no members of the agent's own.",
        "Put what is your own into _meta.",
    ),
    observed(
        "agent.init.twice",
        "14a",
        "A second initialize is answered or refused.",
        "Answer it as the first, or refuse it with -32600; what was agreed on stays.",
    ),
    observed(
        "agent.init.twice-same",
        "14a",
        "A second initialize is answered with the same version.",
        "The version does not change on a connection.",
    )
    .seen("a second answer"),
];
