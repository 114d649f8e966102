//! Tests of recordings: written, read, redacted and replayed.

mod files;
mod format;
mod mock;
mod redaction;
mod replay;
mod writing;

use std::time::{Duration, Instant};

use attache_rpc::json::to_string;
use attache_testkit::Side;

use super::{Record, RecordContent, RecordedLine, RecordedStream, RecordingReader};

/// A recording of these lines, one millisecond apart.
fn recording(lines: &[(RecordedStream, &str)]) -> String {
    let mut out = String::new();
    for (number, (stream, line)) in (1..).zip(lines) {
        let record = Record {
            at: number * 1000,
            time: format!("2026-01-31T12:00:00.{:06}Z", number * 1000),
            content: RecordContent::Line(*stream, RecordedLine::whole(*line)),
        };
        out.push_str(&to_string(&record));
        out.push('\n');
    }
    out
}

/// A recording of a conversation whose lines start with `>` for the client or `<` for the agent.
fn conversation(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<(RecordedStream, &str)> = lines
        .map(|line| match line.strip_prefix("< ") {
            Some(line) => (RecordedStream::from(Side::Agent), line),
            None => (
                RecordedStream::from(Side::Client),
                line.trim_start_matches("> "),
            ),
        })
        .collect();
    recording(&lines)
}

fn read(text: &str) -> RecordingReader<&[u8]> {
    RecordingReader::new(text.as_bytes())
}

/// Waits until the condition is true, for a limited time.
fn poll(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "it does not come to that");
        std::thread::sleep(Duration::from_millis(1));
    }
}

const TALK: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}}
    < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"a","version":"1"}}}
    > {"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}
    < {"jsonrpc":"2.0","id":2,"result":{"sessionId":"old"}}
    > {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"old","prompt":[{"type":"text","text":"hi"}]}}
    < {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ho"}}}}
    < {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Look","kind":"read","status":"in_progress"}}}
    < {"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"old","toolCall":{"toolCallId":"t1"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}
    > {"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}}
    < {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}}}
    < {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":{"totalTokens":9,"inputTokens":7,"outputTokens":2}}}
"#;
