//! The official types of `agent-client-protocol-schema`, used as well as they can be: a whole line in one
//! pass, no `Value` in between, a buffer that is kept.
//!
//! The envelope is a plain struct, not the official `JsonRpcMessage`: that one flattens, which buffers
//! every line once more.

use std::hint::black_box;
use std::rc::Rc;

use agent_client_protocol_schema::v1::SessionNotification;
use serde::{Deserialize, Serialize};

use crate::contender::{Contender, Run, decoding};
use crate::workload::Workload;

pub(crate) const CONTENDER: Contender = Contender {
    name: "official types",
    decode: Some(decode),
    encode: Some(encode),
};

/// The typed params of every line, once through the workload.
pub(crate) fn notifications(workload: &Workload) -> Vec<SessionNotification> {
    workload
        .lines
        .iter()
        .map(|line| parse(line).params)
        .collect()
}

#[derive(Deserialize, Serialize)]
struct Line<'a, P> {
    jsonrpc: &'a str,
    method: &'a str,
    params: P,
}

fn decode(workload: &Rc<Workload>) -> Run {
    decoding(workload, |line| drop(black_box(parse(line))))
}

fn encode(workload: &Rc<Workload>) -> Run {
    let notifications = notifications(workload);
    let mut buffer = Vec::new();
    Box::new(move |n| {
        let mut encode = |params: &SessionNotification| {
            buffer.clear();
            let line = Line {
                jsonrpc: "2.0",
                method: "session/update",
                params: black_box(params),
            };
            serde_json::to_writer(&mut buffer, &line).unwrap();
            buffer.push(b'\n');
            black_box(buffer.as_slice()).len()
        };
        notifications.iter().cycle().take(n).map(&mut encode).sum()
    })
}

fn parse(line: &[u8]) -> Line<'_, SessionNotification> {
    let line: Line<'_, SessionNotification> = serde_json::from_slice(line).unwrap();
    assert!(line.jsonrpc == "2.0" && line.method == "session/update");
    line
}
