//! The first exchange.

use super::{agent, check, check_result, client, of_session};

#[test]
fn terminal_capability() {
    check(
        "initialize",
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},
            "terminal":{"create":true,"output":true,"waitForExit":true,"kill":false}}}"#,
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true,
            "_meta":{"attache.dialect":{"terminal":{"create":true,"output":true,"waitForExit":true,"kill":false}}}}}"#,
    );
    check(
        "initialize",
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}"#,
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}"#,
    );
    agent().writes(
        "initialize",
        r#"{"protocolVersion":1,"clientCapabilities":
            {"terminal":{"create":true,"output":true,"waitForExit":true,"kill":true,"release":true}}}"#,
        r#"{"protocolVersion":1,"clientCapabilities":{"terminal":true}}"#,
    );
}

#[test]
fn a_removed_capability_is_not_restored() {
    agent().writes(
        "initialize",
        r#"{"protocolVersion":1,"clientCapabilities":
            {"terminal":{"create":false,"output":false,"waitForExit":false,"kill":false,"release":false}}}"#,
        r#"{"protocolVersion":1,"clientCapabilities":{"terminal":false,
            "_meta":{"attache.dialect":{"terminal":{"create":true}}}}}"#,
    );
    agent().writes(
        "initialize",
        r#"{"protocolVersion":1,"clientCapabilities":
            {"terminal":{"create":false,"output":false,"waitForExit":false,"kill":false,"release":false}}}"#,
        r#"{"protocolVersion":1,"clientCapabilities":
            {"_meta":{"attache.dialect":{"terminal":{"create":true}}}}}"#,
    );
    client().writes_result(
        "initialize",
        r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"supportedTransports":["stdio"]}}}"#,
        r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":false,"sse":false,
            "_meta":{"attache.dialect":{"supportedTransports":["stdio","http"]}}}}}"#,
    );
}

#[test]
fn a_terminal_method_without_its_flag_is_not_sent() {
    let terminal = r#"{"sessionId":"s","terminalId":"t"}"#;
    client()
        .reads(
            "initialize",
            r#"{"protocolVersion":1,"clientCapabilities":{"terminal":{"create":true,"output":true}}}"#,
            r#"{"protocolVersion":1,"clientCapabilities":{"terminal":true,
                "_meta":{"attache.dialect":{"terminal":{"create":true,"output":true}}}}}"#,
        )
        .writes("terminal/output", terminal, terminal)
        .holds_back(
            "terminal/kill",
            terminal,
            "the client does not offer terminal/kill (-32601)",
        );
}

#[test]
fn agent_capabilities_and_auth_methods() {
    check_result(
        "initialize",
        r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true,
            "mcpCapabilities":{"supportedTransports":["stdio","http","carrier-pigeon"]},
            "sessionModes":[{"modeId":"code","title":"Code Mode","description":"All tools"}]},
            "authenticationMethods":[{"methodId":"api_key","title":"API Key","description":"With a key"}]}"#,
        r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true,
            "mcpCapabilities":{"http":true,"sse":false,
                "_meta":{"attache.dialect":{"supportedTransports":["stdio","http","carrier-pigeon"]}}},
            "_meta":{"attache.dialect":
                {"sessionModes":[{"modeId":"code","title":"Code Mode","description":"All tools"}]}}},
            "authMethods":[{"id":"api_key","name":"API Key","description":"With a key"}]}"#,
    );
    client().writes_result(
        "initialize",
        r#"{"protocolVersion":1,"agentCapabilities":
            {"mcpCapabilities":{"supportedTransports":["stdio","http","sse"]}},"authenticationMethods":[]}"#,
        r#"{"protocolVersion":1,"agentCapabilities":
            {"mcpCapabilities":{"http":true,"sse":true}},"authMethods":[]}"#,
    );
}

#[test]
fn modes_are_declared_once_and_reach_every_session() {
    let modes = |current: &str| {
        format!(
            r#"{{"currentModeId":"{current}","availableModes":
                [{{"id":"ask","name":"Ask Mode"}},{{"id":"code","name":"code"}}]}}"#
        )
    };
    agent()
        .reads_result(
            "initialize",
            r#"{"protocolVersion":1,"agentCapabilities":
                {"sessionModes":[{"modeId":"ask","title":"Ask Mode"},{"modeId":"code"}]}}"#,
            r#"{"protocolVersion":1,"agentCapabilities":{"_meta":{"attache.dialect":
                {"sessionModes":[{"modeId":"ask","title":"Ask Mode"},{"modeId":"code"}]}}}}"#,
        )
        .reads_result(
            "session/new",
            r#"{"sessionId":"s"}"#,
            &format!(r#"{{"sessionId":"s","modes":{}}}"#, modes("ask")),
        )
        .reads(
            "session/update",
            &of_session(r#"{"type":"current_mode_update","modeId":"code"}"#),
            &of_session(r#"{"sessionUpdate":"current_mode_update","currentModeId":"code"}"#),
        )
        .writes(
            "session/load",
            r#"{"sessionId":"s","mcpServers":[]}"#,
            r#"{"sessionId":"s","cwd":"/p","mcpServers":[]}"#,
        )
        .reads_result(
            "session/load",
            "null",
            &format!(r#"{{"modes":{}}}"#, modes("code")),
        );
    client().writes_result(
        "session/new",
        r#"{"sessionId":"s"}"#,
        &format!(
            r#"{{"sessionId":"s","modes":{},"configOptions":[]}}"#,
            modes("ask")
        ),
    );
}
