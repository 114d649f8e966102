//! Cost of decoding and encoding a session update: our types, the official types, the official
//! SDK, and bare `serde_json`. `cargo xtask bench` runs this program, adds instruction counts and prints
//! the tables.
//!
//! ```text
//! codec              every contender handles every workload once; nothing is measured
//! codec --bench      time and allocations, one tab-separated row each
//! codec --exe        the path of this program
//! codec --count DIRECTION CONTENDER WORKLOAD N
//!                    sets up, then handles exactly N messages
//! ```

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark prints its result and stops at the first surprise"
)]

use std::env;
use std::rc::Rc;

use contender::{Contender, Direction};
use workload::Workload;

mod alloc;
mod contender;
mod measure;
mod official;
mod ours;
mod reference;
mod sdk;
mod sdk_codec;
mod workload;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    season_heap();
    match args[..] {
        [] => check(),
        ["--exe", ..] => println!("{}", env::current_exe().unwrap().display()),
        ["--count", direction, contender, workload, n, ..] => {
            count(direction, contender, workload, n.parse().unwrap())
        }
        ["--bench", ..] => bench(),
        _ => panic!("unknown arguments {args:?}"),
    }
}

/// Leaves gaps between live blocks, as in a program that has been running. On a fresh heap everything
/// borders on its free end, and glibc then tidies up after each message of some contenders and of none
/// of others: up to a sixth of their instructions.
fn season_heap() {
    let pairs: Vec<(Vec<u8>, Box<[u8; 32]>)> = (0..64)
        .map(|_| (Vec::with_capacity(48 * 1024), Box::new([0; 32])))
        .collect();
    for (gap, block) in pairs {
        drop(gap);
        Box::leak(block);
    }
}

fn check() {
    for (direction, workload) in blocks() {
        for contender in CONTENDERS {
            if let Some(mut run) = contender.prepare(direction, &workload) {
                measure::check(contender.name, direction, &workload, &mut run);
            }
        }
    }
}

fn count(direction: &str, contender: &str, workload: &str, n: usize) {
    let direction = Direction::ALL
        .into_iter()
        .find(|d| d.to_string() == direction)
        .expect("a direction");
    let contender = CONTENDERS
        .iter()
        .find(|c| c.name == contender)
        .expect("a contender");
    let workload = Rc::new(Workload::named(workload).expect("a workload"));
    let mut run = contender
        .prepare(direction, &workload)
        .expect("a contender that takes part");
    assert_eq!(run(n), workload.bytes(n));
}

fn bench() {
    println!("direction\tworkload\tcontender\tround\tbytes/msg\tns/msg\tallocs/msg");
    for (direction, workload) in blocks() {
        for (name, figures) in measure::block(CONTENDERS, direction, &workload) {
            print!(
                "{direction}\t{}\t{name}\t{}\t",
                workload.name,
                workload.lines.len()
            );
            let measure::Figures {
                bytes,
                nanoseconds,
                allocations,
            } = figures;
            println!("{bytes:.1}\t{nanoseconds:.1}\t{allocations:.2}");
        }
    }
}

fn blocks() -> impl Iterator<Item = (Direction, Rc<Workload>)> {
    let workloads = workload::NAMES.map(|name| Rc::new(Workload::named(name).unwrap()));
    Direction::ALL
        .into_iter()
        .flat_map(move |direction| workloads.clone().map(|workload| (direction, workload)))
}

/// In the order of the tables.
const CONTENDERS: &[Contender] = &[
    ours::CONTENDER,
    official::CONTENDER,
    sdk::CONTENDER,
    sdk_codec::CONTENDER,
    reference::SCAN,
    reference::VALUE,
];
