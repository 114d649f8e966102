//! Tests of the protocol rules on whole conversations.

use expect_test::{Expect, expect};

use super::perform;

async fn check(script: &str, expect: Expect) {
    let found = perform(script).await.violations();
    let found: String = found.iter().map(|found| format!("{found}\n")).collect();
    expect.assert_eq(&found);
}

const HELLO: &str = r#"
    -> initialize {"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}
    <= {"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"a","version":"1"}}
    -> session/new {"cwd":"/project","mcpServers":[]}
    <= {"sessionId":"s"}
"#;

#[tokio::test(start_paused = true)]
async fn a_conversation_without_violations() {
    let turn = r#"
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ho"}}}
        .> session/cancel {"sessionId":"s"}
        <= {"stopReason":"cancelled"}
    "#;
    check(&format!("{HELLO}{turn}"), expect![""]).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_ignores_its_cancellation() {
    let turn = r#"
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}
        .> session/cancel {"sessionId":"s"}
        <! {"code":-32603,"message":"aborted"}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ho"}}}
    "#;
    check(&format!("{HELLO}{turn}"), expect![[r#"
        message 7, agent: session/prompt error: the turn was cancelled, which is not an error; respond with the stop reason `cancelled` (rule 107, MUST)
        message 8, agent: session/update params.update: the prompt has its response; send updates of the turn before it (rule 108, MUST)
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn calls_without_the_capability() {
    let calls = r#"
        -> session/list {}
        <= {"sessions":[]}
        <- fs/read_text_file {"sessionId":"s","path":"a.rs"}
        => {"content":""}
    "#;
    check(&format!("{HELLO}{calls}"), expect![[r#"
        message 5, client: session/list params: needs agentCapabilities.sessionCapabilities.list, which was not advertised; do not send it (rule 78, MUST)
        message 7, agent: fs/read_text_file params: needs clientCapabilities.fs.readTextFile, which was not advertised; do not send it (rule 131, MUST)
        message 7, agent: fs/read_text_file params.path: the path is relative; send the absolute path (rule 13, MUST)
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn results_that_should_be_errors() {
    let calls = r#"
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":"early"}
        -> initialize {"protocolVersion":1,"clientCapabilities":{}}
        <= {"protocolVersion":1}
        -> nonsense {}
        <= {}
        -> session/prompt {"sessionId":7}
        <! {"code":-32603,"message":"no"}
        <= {} id 99
        ~> hello
    "#;
    check(calls, expect![[r#"
        message 2, agent: answer: expected an error with the code -32600 (rule 14a, observed)
        message 3, client: initialize params.clientInfo: is missing; send the client's name and version (rule 26, SHOULD)
        message 4, agent: initialize result.agentInfo: is missing; send the agent's name and version (rule 28, SHOULD)
        message 5, client: extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
        message 6, agent: answer: expected an error with the code -32601 (rule 15, observed)
        message 7, client: session/prompt: Invalid params: params.sessionId: expected a string, found a number (rule B6, SHOULD)
        message 8, agent: answer: expected an error with the code -32602 (rule 19, observed)
        message 9, agent: answer id: no open request has this id; respond with the id of the request (rule 21, observed)
        message 10, client: line: the line is not a JSON-RPC message; write nothing else there (rule 1, MUST)
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn a_loaded_session_replays_its_turns() {
    let script = r#"
        -> initialize {"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}
        <= {"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"a","version":"1"}}
        -> session/new {"cwd":"/project","mcpServers":[]}
        <= {"sessionId":"s"}
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","status":"completed"}}
        <= {"stopReason":"end_turn"}
        -> session/load {"sessionId":"s","cwd":"/project","mcpServers":[]}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hi"}}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","status":"completed"}}
        <= {}
    "#;
    check(script, expect![""]).await;
}
