//! Random traffic through a proxy that matches nothing arrives as it was sent, on both sides.

use proptest::prelude::*;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};

use crate::proxy;
use crate::{Options, pipes};

/// A message that one side sends. Numbers choose among what is possible.
#[derive(Debug, Clone)]
enum Step {
    Request(usize),
    Notification(usize),
    Respond(usize),
    Cancel(usize),
}

fn step() -> impl Strategy<Value = (bool, Step)> {
    let step = prop_oneof![
        any::<usize>().prop_map(Step::Request),
        any::<usize>().prop_map(Step::Notification),
        any::<usize>().prop_map(Step::Respond),
        any::<usize>().prop_map(Step::Cancel),
    ];
    (any::<bool>(), step)
}

type Stream = tokio::io::DuplexStream;

/// One end of the proxy.
struct End {
    read: BufReader<ReadHalf<Stream>>,
    write: WriteHalf<Stream>,
    sent: Vec<String>,
    received: Vec<String>,
    /// The ids of open requests that this end has sent.
    open: Vec<String>,
}

impl End {
    fn new((read, write): (ReadHalf<Stream>, WriteHalf<Stream>)) -> Self {
        End {
            read: BufReader::new(read),
            write,
            sent: Vec::new(),
            received: Vec::new(),
            open: Vec::new(),
        }
    }

    async fn send(&mut self, line: String) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.sent.push(line);
    }

    /// Receives everything that the other end has sent.
    async fn receive(&mut self, count: usize) {
        while self.received.len() < count {
            let mut line = String::new();
            self.read.read_line(&mut line).await.unwrap();
            assert!(line.ends_with('\n'), "the proxy has closed");
            self.received.push(line);
        }
    }
}

async fn play(steps: Vec<(bool, Step)>, capacity: usize) {
    let (client, front) = pipes(capacity);
    let (agent, back) = pipes(capacity);
    let mut proxy = proxy::connect(client, agent, Options::default());
    let forwarding = tokio::spawn(async move {
        while let Some(message) = proxy.next().await {
            message.forward();
        }
        proxy.finish().await
    });
    let mut ends = [End::new(front), End::new(back)];
    for (number, (is_agent, step)) in steps.into_iter().enumerate() {
        let (this, other) = (usize::from(is_agent), usize::from(!is_agent));
        let line = match step {
            Step::Request(choice) => {
                let id = IDS[choice % IDS.len()].replace('#', &number.to_string());
                ends[this].open.push(id.clone());
                let (method, params) = content(choice);
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id}, \"method\":{method},\"params\":{params}}}\n"
                )
            }
            Step::Notification(choice) => {
                let (method, params) = content(choice);
                format!("{{\"method\":{method},\"params\":{params},\"x\":1,\"jsonrpc\":\"2.0\"}}\n")
            }
            Step::Respond(choice) if !ends[other].open.is_empty() => {
                let open = &mut ends[other].open;
                let id = open.remove(choice % open.len());
                let outcome = OUTCOMES[choice % OUTCOMES.len()];
                format!("{{\"jsonrpc\":\"2.0\",{outcome} ,\"id\":{id}}}\n")
            }
            Step::Cancel(choice) if !ends[this].open.is_empty() => {
                let open = &ends[this].open;
                let id = &open[choice % open.len()];
                format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{{\"requestId\":{id}}}}}\n"
                )
            }
            Step::Respond(_) | Step::Cancel(_) => continue,
        };
        // The side that responds has seen the request.
        let count = ends[other].sent.len();
        ends[this].receive(count).await;
        ends[this].send(line).await;
        let count = ends[this].sent.len();
        ends[other].receive(count).await;
    }
    let [mut client, mut agent] = ends;
    client.receive(agent.sent.len()).await;
    agent.receive(client.sent.len()).await;
    assert_eq!(client.sent, agent.received);
    assert_eq!(agent.sent, client.received);
    drop(client);
    forwarding.await.unwrap().unwrap();
}

fn content(choice: usize) -> (&'static str, &'static str) {
    let (choice, rest) = (choice / 7, choice / 77);
    (METHODS[choice % METHODS.len()], PARAMS[rest % PARAMS.len()])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_traffic_arrives_as_it_was_sent(
        steps in proptest::collection::vec(step(), 1..80),
        capacity in prop_oneof![Just(1_usize), Just(100), Just(64 << 10)],
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(play(steps, capacity));
    }
}

/// `#` is a number that makes the id unique.
const IDS: [&str; 7] = [
    "#",
    "-#",
    "#.50e+1",
    "\"#\"",
    "\"\\u00e9 #\"",
    "\" \\\" #\"",
    "\"attache-proxy-#\"",
];
const METHODS: [&str; 8] = [
    "\"session/update\"",
    "\"session/prompt\"",
    "\"session\\/load\"",
    "\"session/request_permission\"",
    "\"session/cancel\"",
    "\"_x/y\"",
    "\"$/progress\"",
    "\"\"",
];
const PARAMS: [&str; 7] = [
    "{\"sessionId\":\"a\",\"update\":{}}",
    "{\"x\":[1.0],\"sessionId\":\"\\u0062\"}",
    "{\"sessionId\":7}",
    "{\"sessionId\":\"a\",\"sessionId\":\"b\"}",
    "[]",
    "{ }",
    "null",
];
const OUTCOMES: [&str; 5] = [
    "\"result\":{\"sessionId\":\"a\", \"x\":1}",
    "\"result\":null",
    "\"result\":[]",
    "\"error\":{\"code\":1,\"message\":\"\",\"x\":1}",
    "\"error\":{ }",
];
