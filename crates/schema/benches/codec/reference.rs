//! Points of reference without ACP types: `serde_json` checks every byte, and `serde_json` builds a tree. Its maps keep
//! their order, because the official crates enable that feature for the whole build.

use std::hint::black_box;
use std::rc::Rc;

use serde_json::Value;

use crate::contender::{Contender, Run, decoding};
use crate::workload::Workload;

pub(crate) const SCAN: Contender = Contender {
    name: "serde_json scan",
    decode: Some(scan),
    encode: None,
};

pub(crate) const VALUE: Contender = Contender {
    name: "serde_json Value",
    decode: Some(decode_value),
    encode: Some(encode_value),
};

fn scan(workload: &Rc<Workload>) -> Run {
    decoding(workload, |line| {
        black_box(serde_json::from_slice::<serde::de::IgnoredAny>(line).unwrap());
    })
}

fn decode_value(workload: &Rc<Workload>) -> Run {
    decoding(workload, |line| {
        drop(black_box(serde_json::from_slice::<Value>(line).unwrap()))
    })
}

fn encode_value(workload: &Rc<Workload>) -> Run {
    let values: Vec<Value> = workload
        .lines
        .iter()
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let mut buffer = Vec::new();
    Box::new(move |n| {
        let mut encode = |value: &Value| {
            buffer.clear();
            serde_json::to_writer(&mut buffer, black_box(value)).unwrap();
            buffer.push(b'\n');
            black_box(buffer.as_slice()).len()
        };
        values.iter().cycle().take(n).map(&mut encode).sum()
    })
}
