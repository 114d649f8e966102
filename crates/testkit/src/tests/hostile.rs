//! Tests with malformed input: no text makes the parser panic, and bytes pass a tap unchanged.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Script, Side, Tap, TraceEvent};

const PAGE: &str = include_str!("../../../../docs/scripts.md");

#[test]
fn truncated_and_corrupted_scripts_never_panic() {
    let script: String = PAGE.split("```script\n").skip(1).collect();
    let mut wrong = 0;
    for (at, _) in script.char_indices().step_by(5) {
        wrong += usize::from(Script::parse(&script[..at]).is_err());
        for spoilt in ["\"", "é", "{", "\\", "@", "x", "\n"] {
            let text = format!("{}{spoilt}{}", &script[..at], &script[at..]);
            if let Err(error) = Script::parse(&text) {
                assert!(error.line > 0 && error.column > 0, "{error}");
            }
        }
    }
    assert!(wrong > 0);
}

#[tokio::test]
async fn bytes_pass_a_tap_unchanged() {
    let (mut client, mut agent, tap) = Tap::new(16);
    let sent = b"{\"a\":1}\r\n\n  \xff\xfe\nno line break at the end".as_slice();
    let sending = async {
        client.1.write_all(sent).await.unwrap();
        client.1.shutdown().await.unwrap();
    };
    let mut got = Vec::new();
    let (_, read) = tokio::join!(sending, agent.0.read_to_end(&mut got));
    read.unwrap();
    assert_eq!(got, sent);
    let trace = tap.trace();
    assert_eq!(trace.lines_of(Side::Client).count(), 3);
    assert_eq!(trace.entries().last().unwrap().event, TraceEvent::Closed);
    drop(agent);
    assert_eq!(client.0.read(&mut [0]).await.unwrap(), 0);
}
