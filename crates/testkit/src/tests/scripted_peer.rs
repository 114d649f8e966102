//! Tests of what a scripted peer tells a test that fails.

use expect_test::expect;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::scripted_agent;

const SCRIPT: &str = r#"
    -> initialize {"protocolVersion":1, ...}
    <= {"protocolVersion":1,"agentCapabilities":{}}
    -> session/new {"cwd":"/project", ...}
    <= {"sessionId":"s"}
"#;

#[tokio::test(start_paused = true)]
async fn the_difference_is_known_when_the_stream_ends() {
    let ((read, mut write), agent) = scripted_agent(SCRIPT).unwrap();
    let mut answers = BufReader::new(read).lines();
    write.write_all(INITIALIZE).await.unwrap();
    answers.next_line().await.unwrap().unwrap();
    write.write_all(NEW_SESSION).await.unwrap();
    assert_eq!(answers.next_line().await.unwrap(), None);
    expect![[r#"
        line 4 of the script, played as the agent: params.cwd: expected "/project", found "/other"
          expected  -> session/new {"cwd":"/project", ...}
          found     -> session/new {"cwd":"/other","mcpServers":[]}
        the conversation:
          -> initialize {"protocolVersion":1}
          <= {"protocolVersion":1,"agentCapabilities":{}}
          -> session/new {"cwd":"/other","mcpServers":[]}
    "#]]
    .assert_eq(&agent.report());
}

#[tokio::test(start_paused = true)]
async fn without_a_difference_the_conversation_is_shown() {
    let ((read, mut write), agent) = scripted_agent(SCRIPT).unwrap();
    write.write_all(INITIALIZE).await.unwrap();
    let mut answers = BufReader::new(read).lines();
    answers.next_line().await.unwrap().unwrap();
    expect![[r#"
        the agent had found no difference to its script
        the conversation:
          -> initialize {"protocolVersion":1}
          <= {"protocolVersion":1,"agentCapabilities":{}}
    "#]]
    .assert_eq(&agent.report());
}

const INITIALIZE: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";
const NEW_SESSION: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/new\",\"params\":{\"cwd\":\"/other\",\"mcpServers\":[]}}\n";
