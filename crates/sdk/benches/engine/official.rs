//! The official SDK on both sides.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, InitializeRequest, InitializeResponse, MessageId, PromptRequest,
    PromptResponse, SessionNotification, SessionUpdate, SetSessionModeRequest,
    SetSessionModeResponse, StopReason,
};
use agent_client_protocol::{Agent, ByteStreams, Client, ConnectTo, Stdio};

use crate::figures;
use crate::task::{
    IN_FLIGHT, MODE, PER_MESSAGE, RoundTrips, SESSION, TEXT, Task, WARM_UP, Watch, message_id,
};
use pipe::{Input, Output};

mod pipe;

/// Its own transport, a thread for each direction.
pub(crate) fn stock() -> Stdio {
    Stdio::new()
}

/// Pipes that the runtime waits for, with nothing in between.
pub(crate) fn pipes() -> ByteStreams<Output, Input> {
    let (read, write) = attache_transport::stdio().unwrap();
    ByteStreams::new(Output(write), Input(read))
}

pub(crate) async fn agent(transport: impl ConnectTo<Agent> + 'static) {
    let watch: Arc<Mutex<Option<Watch>>> = Arc::default();
    let (streaming, asking) = (Arc::clone(&watch), Arc::clone(&watch));
    Agent
        .v1()
        .on_receive_request(
            async move |_: InitializeRequest, responder, _| {
                responder.respond(InitializeResponse::new(ProtocolVersion::V1))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                streaming.lock().unwrap().get_or_insert_with(Watch::start);
                let to = client.clone();
                client.spawn(async move {
                    stream(&to, request).await?;
                    responder.respond(PromptResponse::new(StopReason::EndTurn))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: SetSessionModeRequest, responder, _| {
                asking.lock().unwrap().get_or_insert_with(Watch::start);
                responder.respond(SetSessionModeResponse::new())
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(transport)
        .await
        .unwrap();
    if let Some(watch) = &*watch.lock().unwrap() {
        watch.stop_cpu();
    }
}

async fn stream(
    client: &ConnectionTo<Client>,
    request: PromptRequest,
) -> agent_client_protocol::Result<()> {
    let ContentBlock::Text(text) = &request.prompt[0] else {
        panic!("not a number: {:?}", request.prompt);
    };
    let n: usize = text.text.parse().unwrap();
    let mut id = MessageId::new(message_id(0));
    for i in 0..n {
        if i.is_multiple_of(PER_MESSAGE) {
            id = MessageId::new(message_id(i));
        }
        let chunk = ContentChunk::new(TEXT.into()).message_id(id.clone());
        let update = SessionUpdate::AgentMessageChunk(chunk);
        let session = request.session_id.clone();
        client.send_notification(SessionNotification::new(session, update))?;
        if i % BURST == BURST - 1 {
            tokio::task::yield_now().await;
        }
    }
    Ok(())
}

pub(crate) async fn client(transport: impl ConnectTo<Client> + 'static, task: Task) {
    let texts: Arc<Mutex<Texts>> = Arc::default();
    let folded = Arc::clone(&texts);
    Client
        .v1()
        .on_receive_notification(
            async move |figures: SessionNotification, _| {
                folded.lock().unwrap().fold(figures.update);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_with(transport, async move |agent: ConnectionTo<Agent>| {
            let hello = InitializeRequest::new(ProtocolVersion::V1);
            agent.send_request(hello).block_task().await?;
            match task {
                Task::Stream(n) => receive(&agent, &texts, n).await,
                Task::Sequential(n) => ask_sequentially(&agent, n).await,
                Task::InFlight(n) => ask_in_flight(&agent, n).await,
            }
        })
        .await
        .unwrap();
}

/// Messages by their ids.
#[derive(Default)]
struct Texts {
    texts: HashMap<String, String>,
    bytes: usize,
}

impl Texts {
    fn fold(&mut self, update: SessionUpdate) {
        if let SessionUpdate::AgentMessageChunk(ContentChunk {
            content: ContentBlock::Text(text),
            message_id: Some(id),
            ..
        }) = update
        {
            self.bytes += text.text.len();
            match self.texts.get_mut(&*id.0) {
                Some(before) => before.push_str(&text.text),
                None => drop(self.texts.insert(id.0.to_string(), text.text)),
            }
        }
    }
}

type Done = agent_client_protocol::Result<()>;

async fn receive(agent: &ConnectionTo<Agent>, texts: &Mutex<Texts>, n: usize) -> Done {
    let watch = Watch::start();
    let prompt = PromptRequest::new(SESSION, vec![n.to_string().into()]);
    agent.send_request(prompt).block_task().await?;
    while texts.lock().unwrap().bytes < n * TEXT.len() {
        tokio::task::yield_now().await;
    }
    watch.stop();
    assert_eq!(texts.lock().unwrap().texts.len(), n.div_ceil(PER_MESSAGE));
    Ok(())
}

async fn ask_sequentially(agent: &ConnectionTo<Agent>, n: usize) -> Done {
    for _ in 0..WARM_UP {
        ask(agent).await?;
    }
    let mut trips = RoundTrips::new(n);
    let watch = Watch::start();
    for _ in 0..n {
        let start = Instant::now();
        ask(agent).await?;
        trips.add(start);
    }
    watch.stop();
    trips.report();
    Ok(())
}

async fn ask_in_flight(agent: &ConnectionTo<Agent>, n: usize) -> Done {
    let watch = Watch::start();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let agent = agent.clone();
        tasks.spawn(async move {
            for _ in 0..n / IN_FLIGHT {
                ask(&agent).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    watch.stop();
    figures::report("asked", crate::table::float(n / IN_FLIGHT * IN_FLIGHT));
    Ok(())
}

async fn ask(agent: &ConnectionTo<Agent>) -> Done {
    let request = SetSessionModeRequest::new(SESSION, MODE);
    agent.send_request(request).block_task().await?;
    Ok(())
}

/// Updates after which the agent lets others run: its queues have no bound, and nothing else would.
const BURST: usize = 64;
