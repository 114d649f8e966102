//! Cost of a conversation between two processes over real pipes: our SDK, the official SDK, a bare loop.
//! `cargo xtask bench engine` runs this program, which starts itself once for each side.
//!
//! ```text
//! engine                        every pair talks a little; nothing is measured
//! engine --bench [--quick]      the tables; --quick measures less and counts no instructions
//! engine agent NAME             one side on standard input and output, which tells its figures
//! engine client NAME TASK N     on standard error
//! engine relay NAME
//! ```
//!
//! Every side that is built here runs on tokio's `current_thread` runtime, except the bare loop, which has none.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark prints its result and stops at the first surprise"
)]

use std::env;

use relay::Relay;
use task::Task;

mod count;
mod figures;
mod meter;
mod official;
mod ours;
mod pair;
mod ping;
mod raw;
mod relay;
mod requests;
mod side;
mod start;
mod streaming;
mod table;
mod task;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let mut words: Vec<&str> = args.iter().map(String::as_str).collect();
    words.retain(|word| *word != "--bench");
    match words[..] {
        [] if words.len() == args.len() => check(),
        [] => bench(Effort::Full),
        ["--quick"] => bench(Effort::Quick),
        ["agent", name] => agent(name),
        ["client", name, task, n] => client(name, Task::parse(task, n.parse().unwrap())),
        ["relay", name] => relay::run(Relay::parse(name)),
        _ => panic!("unknown arguments {words:?}"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    Quick,
}

impl Effort {
    /// How many of something to do.
    fn of(self, full: usize) -> usize {
        match self {
            Effort::Full => full,
            Effort::Quick => full / 5,
        }
    }
}

fn agent(name: &str) {
    match name {
        "ours" => on_tokio(ours::agent()),
        "official" => on_tokio(official::agent(official::stock())),
        "official-pipe" => on_tokio(async { official::agent(official::pipes()).await }),
        "raw" => raw::agent(),
        "flood" => relay::flood(),
        "pong" => on_tokio(ping::pong()),
        _ => panic!("no agent {name}"),
    }
}

fn client(name: &str, task: Task) {
    match name {
        "ours" => on_tokio(ours::client(task)),
        "official" => on_tokio(official::client(official::stock(), task)),
        "official-pipe" => on_tokio(async move { official::client(official::pipes(), task).await }),
        "raw" => raw::client(task),
        "count" => relay::count(),
        "ping" => on_tokio(ping::ping(task)),
        _ => panic!("no client {name}"),
    }
}

/// Runs a side as a task. The future of `block_on` itself would have the runtime ask for events once more whenever
/// another task wakes it.
fn on_tokio(side: impl Future<Output = ()> + Send + 'static) {
    let runtime = runtime();
    runtime.block_on(runtime.spawn(side)).unwrap();
    // The official stdio has a thread that reads for ever.
    std::process::exit(0);
}

fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap()
}

fn check() {
    streaming::check();
    requests::check();
    relay::check();
}

fn bench(effort: Effort) {
    streaming::bench(effort);
    requests::bench(effort);
    relay::bench(effort);
    start::bench(effort);
    match effort {
        Effort::Full => count::bench(),
        Effort::Quick => println!("instructions per update: skipped by --quick"),
    }
}
