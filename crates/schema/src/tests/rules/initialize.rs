//! `initialize` and login.

use expect_test::expect;

use super::{check, clean};

#[test]
fn both_sides_send_name_and_version() {
    check(
        r#"
        client initialize {"protocolVersion":1}
        agent = {"protocolVersion":1}
        "#,
        expect![[r#"
            initialize params.clientInfo: is missing; send the client's name and version (rule 26, SHOULD)
            initialize result.agentInfo: is missing; send the agent's name and version (rule 28, SHOULD)
        "#]],
    );
    clean(
        r#"
        client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}
        agent = {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"}}
        "#,
    );
}

#[test]
fn a_terminal_login_needs_the_client_capability() {
    check(
        r#"
        client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}
        agent = {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"authMethods":[{"id":"a","name":"A"},{"type":"terminal","id":"t","name":"T"}]}
        client authenticate {"methodId":"t"}
        client authenticate {"methodId":"x"}
        client authenticate {"methodId":"a"}
        client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{"auth":{"terminal":true}}}
        agent = {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"authMethods":[{"type":"terminal","id":"t","name":"T"}]}
        "#,
        expect![[r#"
            initialize result.authMethods[1]: needs clientCapabilities.auth.terminal, which was not advertised; do not send it (rule 40, MUST)
            authenticate params.methodId: the method is a terminal login; run the agent's command instead (rule 41, MUST)
            authenticate params.methodId: the agent did not offer this method; use one of authMethods (rule B5, SHOULD)
        "#]],
    );
}

#[test]
fn the_archive_capability_requires_list() {
    check(
        r#"
        client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}
        agent = {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{"sessionCapabilities":{"archive":{}}}}
        client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}
        agent = {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{"sessionCapabilities":{"archive":{},"list":{}}}}
        "#,
        expect![[r#"
            initialize result.agentCapabilities.sessionCapabilities.archive: requires list; advertise both or neither (rule 88, MUST)
        "#]],
    );
}

#[test]
fn auth_status_does_not_require_a_login() {
    check(
        r#"
        agent has {"auth":{"status":{}}}
        client auth/status {}
        agent ! {"code":-32000,"message":"Authentication required"}
        client auth/status {}
        agent = {"state":"unauthenticated"}
        "#,
        expect![[r#"
            auth/status error.code: the status can be asked without a login; answer with the state (rule 49, MUST)
        "#]],
    );
}

const INITIALIZE: &str =
    r#"client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"}}"#;

#[test]
fn a_request_before_initialize_is_a_violation() {
    check(
        &format!(
            r#"
            begin
            client session/new {{"cwd":"/a","mcpServers":[]}}
            agent = {{"sessionId":"s"}}
            client session/prompt {{"sessionId":"s","prompt":[]}}
            agent ! {{"code":-32603,"message":"m"}}
            client session/prompt {{"sessionId":"s","prompt":[]}}
            agent ! {{"code":-32600,"message":"m"}}
            {INITIALIZE}
            agent ! {{"code":-32603,"message":"m"}}
            client session/new {{"cwd":"/a","mcpServers":[]}}
            "#
        ),
        expect![[r#"
            session/new params: the connection is not initialized; call initialize first (rule 24, MUST)
            session/new result: the request came before initialize; answer with an error (-32600) (rule 14a, observed)
            session/prompt error: the request came before initialize; answer with an error (-32600) (rule 14a, observed)
            session/new params: the connection is not initialized; call initialize first (rule 24, MUST)
        "#]],
    );
    clean(&format!(
        r#"
        begin
        {INITIALIZE}
        client session/new {{"cwd":"/a","mcpServers":[]}}
        agent = {{"sessionId":"s"}}
        "#
    ));
}

#[test]
fn capabilities_count_after_initialize() {
    check(
        r#"
        client initialize {"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{"terminal":true}}
        agent = {"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{"loadSession":true}}
        client session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}
        agent terminal/create {"sessionId":"s","command":"ls"}
        client session/resume {"sessionId":"s","cwd":"/a"}
        "#,
        expect![[r#"
            session/resume params: needs agentCapabilities.sessionCapabilities.resume, which was not advertised; do not send it (rule 58, MUST)
        "#]],
    );
}
