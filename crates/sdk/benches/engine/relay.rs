//! A relay between two pipes that decodes no update: our transport without the SDK.

use std::io::{Read, Write, pipe, stdin, stdout};
use std::process::Stdio;

use attache_rpc::{SendOptions, SessionKey};
use attache_transport::{Inbox, IncomingCall, Options, PeerHandle, connect};

use crate::Effort;
use crate::figures::{self, Figures};
use crate::pair::Running;
use crate::side::own;
use crate::table::{Table, float, median, micros, whole};
use crate::task::{SESSION, TEXT, Watch};

mod copies;

pub(crate) fn bench(effort: Effort) {
    let runs: Vec<Figures> = (0..effort.of(10)).map(|_| measure(UPDATES)).collect();
    let per = |name: &str| median(runs.iter().map(|run| run.get(name)).collect());
    let title = format!("relay of an update, unread; {} bytes", line().len());
    let mut table = Table::new(title, &["", "CPU µs/update", "updates/s", "copied"]);
    let cells = vec![
        micros(per("cpu") / float(UPDATES)),
        whole(float(UPDATES) / per("wall")),
        format!("{} of {LOOKED_AT}", copied()),
    ];
    table.row("ours", cells);
    table.print();
}

pub(crate) fn check() {
    measure(1000);
    assert_eq!(copied(), 0);
}

fn copied() -> usize {
    crate::runtime().block_on(copies::copied(LOOKED_AT, &line()))
}

/// An agent that writes updates, a relay, a client that counts bytes.
fn measure(n: usize) -> Figures {
    let (from_agent, to_relay) = pipe().unwrap();
    let (from_relay, to_client) = pipe().unwrap();
    let (silence, quiet) = pipe().unwrap();
    drop(quiet);
    let mut agent = own(&["agent", "flood"]);
    agent.env(COUNT, n.to_string());
    let agent = Running::start(agent, silence, Stdio::from(to_relay));
    let relay = Running::start(own(&["relay"]), from_agent, Stdio::from(to_client));
    let client = own(&["client", "count", "stream", "0"]);
    let client = Running::start(client, from_relay, Stdio::null());
    agent.finish();
    let figures = relay.finish();
    assert_eq!(client.finish().get("bytes"), float(n * line().len()));
    figures
}

pub(crate) fn run() {
    crate::on_tokio(async {
        let (read, write) = attache_transport::stdio().unwrap();
        let (_agent, inbox) = connect(read, tokio::io::sink(), Options::default());
        let (silence, _quiet) = tokio::io::simplex(1);
        let (link, _) = connect(silence, write, Options::default());
        let watch = Watch::start();
        pass_on(&link, inbox).await;
        link.flush().await;
        watch.stop();
    });
}

async fn pass_on(link: &PeerHandle, mut inbox: Inbox) {
    let options = SendOptions::of(SessionKey::named(SESSION));
    while let Some(incoming) = inbox.next().await {
        let IncomingCall::Notification(call) = incoming else {
            panic!("not an update: {incoming:?}");
        };
        link.relay(call.line().clone(), options).await.unwrap();
    }
}

pub(crate) fn flood() {
    let n: usize = std::env::var(COUNT).unwrap().parse().unwrap();
    let line = line();
    let batch = line.repeat(BATCH);
    let mut out = stdout().lock();
    for _ in 0..n / BATCH {
        out.write_all(batch.as_bytes()).unwrap();
    }
    out.write_all(line.repeat(n % BATCH).as_bytes()).unwrap();
    out.flush().unwrap();
}

pub(crate) fn count() {
    let mut bytes = 0;
    let mut buffer = vec![0; 64 << 10];
    let mut input = stdin().lock();
    loop {
        match input.read(&mut buffer).unwrap() {
            0 => break,
            n => bytes += n,
        }
    }
    figures::report("bytes", float(bytes));
}

fn line() -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":\"{SESSION}\",\"update\":\
         {{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"{TEXT}\"}},\
         \"messageId\":\"msg_00000000\"}}}}}}\n"
    )
}

const UPDATES: usize = 200_000;
const LOOKED_AT: usize = 1000;
const BATCH: usize = 300;
const COUNT: &str = "ENGINE_COUNT";
