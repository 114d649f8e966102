//! A relay between two pipes that decodes no update: our transport without the SDK, and a proxy of the SDK that matches
//! nothing.

use std::io::{Read, Write, pipe, stdin, stdout};
use std::process::{Command, Stdio};

use attache::proxy::{self, ProxyMessage};
use attache_rpc::{SendOptions, SessionKey};
use attache_transport::{Inbox, IncomingCall, Options, PeerHandle, connect};

use crate::Effort;
use crate::count::under_callgrind;
use crate::figures::{self, Figures};
use crate::pair::Running;
use crate::side::own;
use crate::table::{Table, float, median, micros, whole};
use crate::task::{SESSION, TEXT, Watch};

mod copies;

/// What relays.
#[derive(Clone, Copy)]
pub(crate) enum Relay {
    /// The transport, which forwards lines.
    Transport,
    /// A proxy of the SDK.
    Proxy,
}

impl Relay {
    pub(crate) fn parse(name: &str) -> Self {
        let found = RELAYS.into_iter().find(|relay| relay.name() == name);
        found.unwrap_or_else(|| panic!("no relay {name}"))
    }

    fn name(self) -> &'static str {
        match self {
            Relay::Transport => "transport",
            Relay::Proxy => "proxy",
        }
    }

    fn command(self) -> Command {
        own(&["relay", self.name()])
    }
}

pub(crate) fn bench(effort: Effort) {
    let title = format!("relay of an update, unread; {} bytes", line().len());
    let mut table = Table::new(title, &["", "CPU µs/update", "updates/s", "copied"]);
    for relay in RELAYS {
        let run = || measure(relay.command(), UPDATES);
        let runs: Vec<Figures> = (0..effort.of(10)).map(|_| run()).collect();
        let per = |name: &str| median(runs.iter().map(|run| run.get(name)).collect());
        let cells = vec![
            micros(per("cpu") / float(UPDATES)),
            whole(float(UPDATES) / per("wall")),
            format!("{} of {LOOKED_AT}", copied(relay)),
        ];
        table.row(relay.name(), cells);
    }
    table.print();
}

/// Instructions per update: the difference of n and 2n updates.
pub(crate) fn count_instructions() {
    let mut table = Table::new("instructions per relayed update", &["", "relay"]);
    for relay in RELAYS {
        eprintln!("counting {}", relay.name());
        let counted = |n| measure(under_callgrind(&relay.command()), n).instructions();
        let per = (counted(2 * COUNTED) - counted(COUNTED)) / float(COUNTED);
        table.row(relay.name(), vec![whole(per)]);
    }
    table.print();
}

pub(crate) fn check() {
    for relay in RELAYS {
        measure(relay.command(), 1000);
        assert_eq!(copied(relay), 0);
    }
}

fn copied(relay: Relay) -> usize {
    crate::runtime().block_on(copies::copied(relay, LOOKED_AT, &line()))
}

/// An agent that writes updates, a relay, a client that counts bytes.
fn measure(relay: Command, n: usize) -> Figures {
    let (from_agent, to_relay) = pipe().unwrap();
    let (from_relay, to_client) = pipe().unwrap();
    let (silence, quiet) = pipe().unwrap();
    drop(quiet);
    let mut agent = own(&["agent", "flood"]);
    agent.env(COUNT, n.to_string());
    let agent = Running::start(agent, silence, Stdio::from(to_relay));
    let relay = Running::start(relay, from_agent, Stdio::from(to_client));
    let client = own(&["client", "count", "stream", "0"]);
    let client = Running::start(client, from_relay, Stdio::null());
    agent.finish();
    let figures = relay.finish();
    assert_eq!(client.finish().get("bytes"), float(n * line().len()));
    figures
}

pub(crate) fn run(relay: Relay) {
    match relay {
        Relay::Transport => crate::on_tokio(relay_with_transport()),
        Relay::Proxy => crate::on_tokio(relay_with_proxy()),
    }
}

async fn relay_with_transport() {
    let (read, write) = attache_transport::stdio().unwrap();
    let (_agent, inbox) = connect(read, tokio::io::sink(), Options::default());
    let (silence, _quiet) = tokio::io::simplex(1);
    let (link, _) = connect(silence, write, Options::default());
    let watch = Watch::start();
    pass_on(&link, inbox).await;
    link.flush().await;
    watch.stop();
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

async fn relay_with_proxy() {
    let (read, write) = attache_transport::stdio().unwrap();
    let (silence, _quiet) = tokio::io::simplex(1);
    let agent = (read, tokio::io::sink());
    let mut proxy = proxy::connect((silence, write), agent, attache::Options::default());
    let watch = Watch::start();
    while let Some(message) = proxy.next().await {
        match message {
            ProxyMessage::InitializeRequest(_) => panic!("not an update"),
            other => other.forward(),
        }
    }
    watch.stop();
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

const RELAYS: [Relay; 2] = [Relay::Transport, Relay::Proxy];
const COUNTED: usize = 10_000;
const UPDATES: usize = 200_000;
const LOOKED_AT: usize = 1000;
const BATCH: usize = 300;
const COUNT: &str = "ENGINE_COUNT";
