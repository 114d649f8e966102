//! Tests of MCP servers that fail: the session continues without them.

use expect_test::expect;

use super::test_agent::TestAgent;

const MISSING: &str = r#"{"name":"gone","command":"/no/such/program","args":[],"env":[{"name":"TOKEN","value":"hunter2secret"}]}"#;

#[tokio::test]
async fn an_unavailable_server_is_a_notice_after_the_response() {
    let stage = TestAgent::new(r#"{"say":[{"text":"Well."}]}"#);
    let script = format!(
        r#"
        -> session/new {{"cwd":"CWD","mcpServers":[{MISSING}]}}
        <= {{"sessionId":$s, ...}}
        any order
          <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"available_commands_update", ...}}}}
          <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"notice","severity":"warning","title":"MCP server gone is not available","description":_}}}}
        end
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    let trace = stage.play(r#"{"session":{"notices":{}}}"#, &script).await;
    let said: String = trace.lines_of(attache_testkit::Side::Agent).collect();
    assert!(!said.contains("hunter2secret"), "{said}");
}

#[tokio::test]
async fn a_client_without_notices_gets_a_message_in_the_next_turn() {
    let stage = TestAgent::new(r#"{"say":[{"text":"Well."}]}"#);
    let script = format!(
        r#"
        -> session/new {{"cwd":"CWD","mcpServers":[{MISSING}]}}
        <= {{"sessionId":$s, ...}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"available_commands_update", ...}}}}
        -> session/prompt @mcp {{"sessionId":$s,"prompt":[{{"type":"text","text":"/mcp"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @mcp {{"stopReason":"end_turn", ...}}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    let trace = stage.play("{}", &script).await;
    let said: String = trace.lines_of(attache_testkit::Side::Agent).collect();
    assert!(said.contains("MCP server gone is not available"), "{said}");
    expect![[r#"
        user: Go
    "#]]
    .assert_eq(&stage.sent_to_model());
}
