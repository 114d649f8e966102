//! An endpoint as its peer sees it: how it reads lines, what it responds, and what it accepts.

mod cancel;
mod event_orders;
mod limits;
mod malformed;
mod random_traffic;
mod responses;

use super::pair::TestEndpoint;
use crate::NonJsonLines;

/// Received lines, the expected events, and the expected responses.
type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

/// Checks each row on a new endpoint that has made one call, number 1.
fn check(non_json_lines: NonJsonLines, rows: &[Row<'_>]) {
    for (lines, seen, written) in rows {
        let mut end = TestEndpoint::new(
            crate::Limits::default(),
            crate::Framing::Lines,
            non_json_lines,
        );
        end.call("m", "{}");
        end.lines();
        end.feed(lines.as_bytes());
        end.feed(b"\n");
        assert_eq!(end.event_lines(), *seen, "{lines}");
        assert_eq!(end.lines(), *written, "{lines}");
        end.feed(b"{\"jsonrpc\":\"2.0\",\"method\":\"next\"}\n");
        assert_eq!(end.event_lines(), ["notification next -"], "after {lines}");
    }
}

fn request(id: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"m\"}}\n").into_bytes()
}

fn failure(id: &str, code: i32, message: &str, data: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{},"data":{data}}}}}"#,
        crate::json::Raw::of(message).as_str(),
    )
}
