//! An MCP server on this machine, over both HTTP transports: a response to each request, and a separate event stream.
//! Its only tool returns the client's authorization.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::interop::model::http::{self, Request};

type EventStream = Arc<Mutex<Option<TcpStream>>>;

/// Serves until the process ends: `/mcp` is the streamable transport, `/sse` the older one.
pub(super) fn serve() -> io::Result<SocketAddr> {
    let events = EventStream::default();
    http::serve(move |stream| answer(stream, &events))
}

fn answer(mut stream: TcpStream, events: &EventStream) -> io::Result<()> {
    let request = Request::read(&stream)?;
    let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let answer = (!message["id"].is_null()).then(|| {
        let result = result(&message, &request.authorization);
        json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()
    });
    match (request.method.as_str(), request.path.as_str(), answer) {
        ("POST", "/mcp", Some(answer)) => {
            http::begin(&mut stream, "application/json")?;
            stream.write_all(answer.as_bytes())
        }
        ("GET", "/sse", _) => {
            http::begin(&mut stream, "text/event-stream")?;
            http::event(&mut stream, Some("endpoint"), "/messages")?;
            *events.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
            Ok(())
        }
        ("POST", "/messages", answer) => {
            status(&mut stream, "202 Accepted")?;
            let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
            match (events.as_mut(), answer) {
                (Some(events), Some(answer)) => http::event(events, Some("message"), &answer),
                _ => Ok(()),
            }
        }
        ("POST", _, _) => status(&mut stream, "202 Accepted"),
        _ => status(&mut stream, "405 Method Not Allowed"),
    }
}

fn status(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())
}

fn result(message: &Value, authorization: &str) -> Value {
    match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "echo", "version": "1" },
        }),
        Some("tools/list") => {
            let tool = json!({ "name": "say", "description": "Says something", "inputSchema": { "type": "object" } });
            json!({ "tools": [tool] })
        }
        Some("tools/call") => {
            json!({ "content": [{ "type": "text", "text": format!("heard {authorization}") }] })
        }
        _ => json!({}),
    }
}
