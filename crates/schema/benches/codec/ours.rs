//! Our own types: the envelope found in one scan, the params decoded from the text they came in.

use std::hint::black_box;
use std::rc::Rc;

use attache_rpc::Message;
use attache_rpc::json;
use attache_schema::v1;

use crate::contender::{Contender, Run, decoding};
use crate::workload::Workload;

pub(crate) const CONTENDER: Contender = Contender {
    name: "ours",
    decode: Some(decode),
    encode: Some(encode),
};

fn decode(workload: &Rc<Workload>) -> Run {
    decoding(workload, |line| drop(black_box(parse(line))))
}

fn encode(workload: &Rc<Workload>) -> Run {
    let notifications: Vec<_> = workload.lines.iter().map(|line| parse(line)).collect();
    let mut buffer = String::new();
    Box::new(move |n| {
        let mut encode = |params: &v1::SessionNotification| {
            buffer.clear();
            attache_rpc::write_notification(&mut buffer, "session/update", black_box(params));
            buffer.push('\n');
            black_box(buffer.as_str()).len()
        };
        notifications.iter().cycle().take(n).map(&mut encode).sum()
    })
}

fn parse(line: &[u8]) -> v1::SessionNotification {
    match Message::parse(line).unwrap() {
        Message::Notification {
            method,
            params: Some(params),
        } if method == "session/update" => json::from_str(params).unwrap(),
        other => panic!("not an update: {other:?}"),
    }
}
