//! The official SDK, from bytes to handler and from call to bytes: a real connection, over memory instead
//! of a pipe.
//!
//! Each run is one connection on one thread. Its two ends pause as pipes and agents do, otherwise the SDK
//! would first queue everything (its queues have no bound) and the benchmark would measure the memory bus.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::v1::schema::SessionNotification;
use agent_client_protocol::{
    Agent, ByteStreams, Client, JsonRpcMessage, JsonRpcNotification, Result, UntypedMessage,
};
use serde_json::Value;

use crate::contender::{Contender, Run};
use crate::official;
use crate::workload::Workload;
use memory::{Counter, Feed, Silence};

mod memory;

pub(crate) const CONTENDER: Contender = Contender {
    name: "official SDK",
    decode: Some(decode),
    encode: Some(encode),
};

fn decode(workload: &Rc<Workload>) -> Run {
    let workload = Rc::clone(workload);
    let stream: Arc<[u8]> = workload.stream().into();
    Box::new(move |n| {
        let feed = Feed::new(Arc::clone(&stream), workload.bytes(n));
        let handled = memory::block_on(receive(feed)).unwrap();
        assert_eq!(handled, n);
        workload.bytes(n)
    })
}

fn encode(workload: &Rc<Workload>) -> Run {
    let notifications: Arc<[Lent]> = official::notifications(workload)
        .into_iter()
        .map(Lent::new)
        .collect();
    Box::new(move |n| {
        let counter = Counter::default();
        let written = Arc::clone(&counter.written);
        memory::block_on(send(counter, Arc::clone(&notifications), n)).unwrap();
        written.load(Ordering::Relaxed)
    })
}

async fn receive(feed: Feed) -> Result<usize> {
    let handled = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&handled);
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _cx| {
                black_box(notification);
                counter.fetch_add(1, Ordering::Relaxed);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(ByteStreams::new(Counter::default(), feed))
        .await?;
    Ok(handled.load(Ordering::Relaxed))
}

async fn send(counter: Counter, notifications: Arc<[Lent]>, n: usize) -> Result<()> {
    Agent
        .v1()
        .connect_with(ByteStreams::new(counter, Silence), async move |client| {
            for (i, notification) in notifications.iter().cycle().take(n).enumerate() {
                client.send_notification(black_box(notification).clone())?;
                if i % BURST == BURST - 1 {
                    memory::pause().await;
                }
            }
            Ok(())
        })
        .await
}

/// A notification to send again and again. The SDK wants to own what it sends; a deep copy each time would
/// add four percent that are not its own.
#[derive(Clone, Debug)]
struct Lent(Arc<SessionNotification>);

impl Lent {
    fn new(notification: SessionNotification) -> Self {
        Self(Arc::new(notification))
    }
}

impl JsonRpcNotification for Lent {}

impl JsonRpcMessage for Lent {
    fn matches_method(method: &str) -> bool {
        SessionNotification::matches_method(method)
    }

    fn method(&self) -> &str {
        self.0.method()
    }

    fn to_untyped_message(&self) -> Result<UntypedMessage> {
        self.0.to_untyped_message()
    }

    fn parse_message(method: &str, params: &Value) -> Result<Self> {
        SessionNotification::parse_message(method, params).map(Self::new)
    }
}

/// Updates an agent sends before it waits for something.
const BURST: usize = 64;
