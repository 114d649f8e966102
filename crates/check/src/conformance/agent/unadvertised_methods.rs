//! Methods whose capability the agent does not advertise must fail.

use serde_json::{Value, json};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::should;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, Need};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "unadvertised-methods",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.initialize().await?;
        let (session, opened) = test.new_session_result().await?;
        let cwd = test.cwd();
        for fence in FENCES {
            if test.offers(fence.capability) {
                continue;
            }
            let params = (fence.params)(&session, &cwd);
            let answer = test.call(fence.method, params).await;
            test.judge_error(fence.check, &answer, &[]);
        }
        let has = |name: &str| opened.result().is_some_and(|it| it.get(name).is_some());
        if !has("modes") {
            let params = json!({ "sessionId": session, "modeId": "code" });
            let answer = test.call("session/set_mode", params).await;
            test.judge_error("agent.fence.mode", &answer, &[]);
        }
        if !has("configOptions") {
            let params = json!({ "sessionId": session, "configId": "model", "value": "x" });
            let answer = test.call("session/set_config_option", params).await;
            test.judge_error("agent.fence.config", &answer, &[]);
        }
        Ok(())
    })
}

struct UnadvertisedMethod {
    check: &'static str,
    capability: &'static str,
    method: &'static str,
    params: fn(&str, &str) -> Value,
}

const FENCES: &[UnadvertisedMethod] = &[
    fence("agent.fence.load", "/loadSession", "session/load", setup),
    fence(
        "agent.fence.resume",
        "/sessionCapabilities/resume",
        "session/resume",
        setup,
    ),
    fence(
        "agent.fence.fork",
        "/sessionCapabilities/fork",
        "session/fork",
        setup,
    ),
    fence(
        "agent.fence.list",
        "/sessionCapabilities/list",
        "session/list",
        nothing,
    ),
    fence(
        "agent.fence.delete",
        "/sessionCapabilities/delete",
        "session/delete",
        named,
    ),
    fence(
        "agent.fence.close",
        "/sessionCapabilities/close",
        "session/close",
        named,
    ),
    fence(
        "agent.fence.archive",
        "/sessionCapabilities/archive",
        "session/archive",
        named,
    ),
    fence(
        "agent.fence.status",
        "/sessionCapabilities/status",
        "session/status",
        named,
    ),
    fence(
        "agent.fence.title",
        "/sessionCapabilities/title",
        "session/set_title",
        |session, _| json!({ "sessionId": session, "title": "A title" }),
    ),
    fence("agent.fence.logout", "/auth/logout", "logout", nothing),
    fence(
        "agent.fence.auth-status",
        "/auth/status",
        "auth/status",
        nothing,
    ),
    fence(
        "agent.fence.providers",
        "/providers",
        "providers/list",
        nothing,
    ),
];

const fn fence(
    check: &'static str,
    capability: &'static str,
    method: &'static str,
    params: fn(&str, &str) -> Value,
) -> UnadvertisedMethod {
    UnadvertisedMethod {
        check,
        capability,
        method,
        params,
    }
}

fn nothing(_: &str, _: &str) -> Value {
    json!({})
}

fn named(session: &str, _: &str) -> Value {
    json!({ "sessionId": session })
}

fn setup(session: &str, cwd: &str) -> Value {
    json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] })
}

const fn refuses(id: &'static str, text: &'static str, capability: &'static str) -> Check {
    let hint = "Advertise it, or reject it with -32601.";
    should(id, "33", text, hint).needs(Need::NoCapability(capability))
}

const CHECKS: &[Check] = &[
    refuses(
        "agent.fence.load",
        "session/load is rejected when it is not advertised.",
        "loadSession",
    ),
    refuses(
        "agent.fence.resume",
        "session/resume is rejected when it is not advertised.",
        "sessionCapabilities.resume",
    ),
    refuses(
        "agent.fence.fork",
        "session/fork is rejected when it is not advertised.",
        "sessionCapabilities.fork",
    ),
    refuses(
        "agent.fence.list",
        "session/list is rejected when it is not advertised.",
        "sessionCapabilities.list",
    ),
    refuses(
        "agent.fence.delete",
        "session/delete is rejected when it is not advertised.",
        "sessionCapabilities.delete",
    ),
    refuses(
        "agent.fence.close",
        "session/close is rejected when it is not advertised.",
        "sessionCapabilities.close",
    ),
    refuses(
        "agent.fence.archive",
        "session/archive is rejected when it is not advertised.",
        "sessionCapabilities.archive",
    ),
    refuses(
        "agent.fence.status",
        "session/status is rejected when it is not advertised.",
        "sessionCapabilities.status",
    ),
    refuses(
        "agent.fence.title",
        "session/set_title is rejected when it is not advertised.",
        "sessionCapabilities.title",
    ),
    refuses(
        "agent.fence.logout",
        "logout is rejected when it is not advertised.",
        "auth.logout",
    ),
    refuses(
        "agent.fence.auth-status",
        "auth/status is rejected when it is not advertised.",
        "auth.status",
    ),
    refuses(
        "agent.fence.providers",
        "providers/list is rejected when it is not advertised.",
        "providers",
    ),
    refuses(
        "agent.fence.mode",
        "session/set_mode is rejected in a session without modes.",
        "a session's modes",
    ),
    refuses(
        "agent.fence.config",
        "session/set_config_option is rejected in a session without options.",
        "a session's configOptions",
    ),
];
