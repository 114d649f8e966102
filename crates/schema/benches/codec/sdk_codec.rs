//! The official SDK's conversions alone, step by step as its actors do them, without connection, queues
//! and handlers: what of the `official SDK` row is codec.

use std::hint::black_box;
use std::rc::Rc;

use agent_client_protocol::v1::schema::SessionNotification;
use agent_client_protocol::{
    JsonRpcMessage, RawJsonRpcMessage, RawJsonRpcParams, TransportFrame, UntypedMessage,
};
use serde_json::Value;

use crate::contender::{Contender, Run, decoding};
use crate::official;
use crate::workload::Workload;

pub(crate) const CONTENDER: Contender = Contender {
    name: "SDK, codec only",
    decode: Some(decode),
    encode: Some(encode),
};

fn decode(workload: &Rc<Workload>) -> Run {
    decoding(workload, |line| drop(black_box(parse(line))))
}

fn encode(workload: &Rc<Workload>) -> Run {
    let notifications = official::notifications(workload);
    Box::new(move |n| {
        let encode = |notification: &SessionNotification| {
            let mut line = print(black_box(notification));
            line.push('\n');
            black_box(line).len()
        };
        notifications.iter().cycle().take(n).map(encode).sum()
    })
}

fn parse(line: &[u8]) -> SessionNotification {
    let line = str::from_utf8(line).unwrap();
    let TransportFrame::Single(RawJsonRpcMessage::Notification(raw)) =
        TransportFrame::parse_json(line)
    else {
        panic!("not a notification: {line}");
    };
    let params = raw.params.map_or(Value::Null, RawJsonRpcParams::into_value);
    let untyped = UntypedMessage::new(&raw.method, params).unwrap();
    SessionNotification::parse_message(untyped.method(), untyped.params()).unwrap()
}

fn print(notification: &SessionNotification) -> String {
    let (method, params) = notification.to_untyped_message().unwrap().into_parts();
    TransportFrame::Single(RawJsonRpcMessage::notification(method, params).unwrap())
        .to_json()
        .unwrap()
}
