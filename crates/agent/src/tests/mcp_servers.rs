//! Tests of MCP servers in a conversation: permission requests for their tools, modes, prompts and instructions.

use expect_test::expect;

use super::test_agent::TestAgent;

const CALL: &str = r#"{"say":[{"call":{"name":"mcp__desk__stamp","input":{"on":"letter"}}}]}"#;
const DONE: &str = r#"{"say":[{"text":"Done."}]}"#;

/// A session with a server that the client reaches, which has one tool.
const NEW: &str = r#"
    -> session/new {"cwd":"CWD","mcpServers":[{"type":"acp","name":"desk","serverId":"d"}]}
    any order
      <= {"sessionId":$s, ...}
      <. session/update {"update":{"sessionUpdate":"available_commands_update", ...}, ...} x2
      in order
        <- mcp/message @hello {"serverId":"d","method":"server/discover", ...}
        => @hello {"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},
            "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"desk","version":"1"}},"ttlMs":0,"cacheScope":"private"}}
        <- mcp/message @list {"serverId":"d","method":"tools/list", ...}
        => @list {"result":{"resultType":"complete","tools":[{"name":"stamp","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"}}
      end
    end
"#;

fn prompt(rest: &str) -> String {
    format!(
        r#"
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        {rest}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    )
}

#[tokio::test]
async fn the_permission_request_shows_the_arguments_of_an_mcp_tool() {
    let stage = TestAgent::new(&format!("{CALL},{DONE}"));
    let called = prompt(
        r#"<- session/request_permission {"sessionId":$s,"toolCall":{"title":"Call `stamp` of the MCP server `desk`","name":"mcp__desk__stamp","kind":"other","content":_,"rawInput":{"on":"letter"}, ...}, ...}
        => {"outcome":{"outcome":"selected","optionId":"allow_once"}}
        <. session/update {"sessionId":$s,"update":{"sessionUpdate":"tool_call_update","status":"in_progress", ...}}
        <- mcp/message {"serverId":"d","method":"tools/call","params":{"name":"stamp","arguments":{"on":"letter"}, ...}, ...}
        => {"result":{"resultType":"complete","content":[{"type":"text","text":"Stamped."}]}}"#,
    );
    stage.play("{}", &format!("{NEW}{called}")).await;
    expect![[r#"
        user: Go
        model calls mcp__desk__stamp {"on":"letter"}
        mcp__desk__stamp: Stamped.
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn mcp_tools_are_not_called_in_architect_mode() {
    let stage = TestAgent::new(&format!("{CALL},{DONE}"));
    let mode = r#"
        -> session/set_mode {"sessionId":$s,"modeId":"architect"}
        <. session/update {"sessionId":$s, ...} x2
        <= {}
    "#;
    let refused = prompt("").replacen("<. session/update {\"sessionId\":$s, ...} x*\n", "", 1);
    stage.play("{}", &format!("{NEW}{mode}{refused}")).await;
    expect![[r#"
        user: Go
        model calls mcp__desk__stamp {"on":"letter"}
        mcp__desk__stamp failed: not possible in architect mode: a tool of an MCP server may change something, whatever its description says; call `mode` to ask the user for another mode
    "#]]
    .assert_eq(&stage.sent_to_model());
    let offered = stage.model.requests()[0].tools.clone();
    assert!(offered.iter().all(|tool| tool.name != "mcp__desk__stamp"));
}

#[tokio::test]
async fn help_does_not_wait_for_servers() {
    let stage = TestAgent::new("");
    let script = r#"
        -> session/new {"cwd":"CWD","mcpServers":[{"type":"acp","name":"desk","serverId":"d"}]}
        any order
          <= {"sessionId":$s, ...}
          <. session/update {"update":{"sessionUpdate":"available_commands_update", ...}, ...}
          <- mcp/message @hello {"serverId":"d","method":"server/discover", ...}
        end
        -> session/prompt @turn {"sessionId":$s,"prompt":[{"type":"text","text":"/help"}]}
        <. session/update {"sessionId":$s,"update":{"sessionUpdate":"agent_message_chunk", ...}}
        <= @turn {"stopReason":"end_turn", ...}
        ...
    "#;
    stage.play("{}", script).await;
}

#[tokio::test]
async fn the_instructions_of_an_mcp_server_reach_the_model() {
    let stage = TestAgent::new(DONE);
    let new = NEW.replace(
        r#""ttlMs":0,"cacheScope":"private"}}
        <- mcp/message @list"#,
        r#""instructions":"Stamp twice.","ttlMs":0,"cacheScope":"private"}}
        <- mcp/message @list"#,
    );
    assert_ne!(new, NEW);
    let turn = prompt("").replacen("<. session/update {\"sessionId\":$s, ...} x*\n", "", 1);
    stage.play("{}", &format!("{new}{turn}")).await;
    let told = stage.model.requests()[0].instructions.clone();
    assert!(
        told.contains("<mcp-server name=\"desk\">\nStamp twice.\n</mcp-server>"),
        "{told}"
    );
}
