//! What a proxy forwards unchanged.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::Between;
use crate::proxy::{self, ProxyMessage};
use crate::{Limits, Options, pipes};

async fn unchanged(script: &str) {
    let between = Between::transparent(script);
    between.run(ProxyMessage::forward).await.is_unchanged();
}

#[tokio::test(start_paused = true)]
async fn ids_stay_as_they_are() {
    unchanged(
        r#"
        -> initialize {"protocolVersion":1} id 0
        <= {"protocolVersion":1}
        -> session/new {"cwd":"/","mcpServers":[]} id "ž\u0041 \" 7"
        <= {"sessionId":"s"}
        any order
          in order
            -> session/prompt @a {"sessionId":"s","prompt":[]} id 9007199254740993
            <= @a {"stopReason":"end_turn"}
          end
          in order
            -> session/list @b {} id "9007199254740993"
            <= @b {"sessions":[]}
          end
          in order
            <- fs/read_text_file @c {"sessionId":"s","path":"/a"} id 9007199254740993
            => @c {"content":""}
          end
        end
        -> session/list {} id -1.50e+3
        <= {"sessions":[]}
    "#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn lines_stay_as_they_are() {
    let client = r#"
        ~> { "future" : 1,"params" :{"sessionId":"s" , "prompt":[{"type":"smell"}],"n":1.0e2},  "method":"session/prompt","id":1,"jsonrpc":"2.0"}
        <~ {"jsonrpc":"2.0","trace":[1],"id":1,"error":{"code":-32099,"message":"no","more":{"a":null},"data":null}}
        ~> {"jsonrpc":"2.0","method":"future\/method","params":[],"id":"a"}
        <~ {"jsonrpc":"2.0","id":"\u0061","result":null}
        ~> {"jsonrpc":"2.0","method":"$/progress","params":null}
        <~ {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"smell","own":[12345678901234567890.10]},"sessionId":"s"}}
        <~ {"jsonrpc":"2.0","method":"_future"}
    "#;
    let traffic = Between::new(client, client)
        .run(ProxyMessage::forward)
        .await;
    traffic.is_unchanged();
}

#[tokio::test(start_paused = true)]
async fn a_large_message_passes_in_both_directions() {
    let text = "x".repeat(3 << 20);
    unchanged(&format!(
        r#"
        -> session/prompt {{"sessionId":"s","prompt":[{{"type":"text","text":"{text}"}}]}}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}
        <= {{"stopReason":"end_turn"}}
    "#
    ))
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_no_message_concerns_only_its_sender() {
    let traffic = Between::new(
        r#"
        ~> nonsense
        <! {"code":-32700, ...} id null
        -> session/list {}
        <= {"sessions":[]}
    "#,
        r#"
        <~ a banner
        -> session/list {}
        <= {"sessions":[]}
    "#,
    );
    traffic.run(ProxyMessage::forward).await;
}

/// A side that does not read makes the other side wait, for as long as it takes.
#[tokio::test(start_paused = true)]
async fn a_side_that_does_not_read_slows_the_other_side_down() {
    let limits = Limits::default().inbound(4 << 10).outbound(4 << 10);
    let options = Options::default().limits(limits);
    let (client, (mut read, _write)) = pipes(1 << 10);
    let (agent, (_, mut writer)) = pipes(1 << 10);
    let mut proxy = proxy::connect(client, agent, options);
    tokio::spawn(async move {
        while let Some(message) = proxy.next().await {
            message.forward();
        }
    });
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"_n\",\"params\":[\"{}\"]}}\n",
        "x".repeat(200)
    );
    let mut written = 0;
    let a_day = Duration::from_secs(60 * 60 * 24);
    while timeout(a_day, writer.write_all(line.as_bytes()))
        .await
        .is_ok()
    {
        written += line.len();
        assert!(written < 1 << 20, "the proxy takes everything");
    }
    // The write that was cut off has left the beginning of a line.
    let mut bytes = vec![0; written];
    read.read_exact(&mut bytes).await.unwrap();
    assert_eq!(bytes, line.repeat(written / line.len()).into_bytes());
}
