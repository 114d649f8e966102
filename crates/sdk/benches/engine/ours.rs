//! Our SDK on both sides.

use std::time::Instant;

use attache::Options;
use attache::{AgentCall, AgentHandle, ClientCall, ClientCalls, ClientHandle, Transcript, v1};

use crate::figures;
use crate::task::{
    IN_FLIGHT, MODE, PER_MESSAGE, RoundTrips, SESSION, TEXT, Task, WARM_UP, Watch, message_id,
};

pub(crate) async fn agent() {
    let (client, mut calls) = attache::agent::stdio().unwrap();
    let mut watch = None;
    while let Some(call) = calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => {
                reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
            }
            AgentCall::Prompt(request, reply) => {
                watch.get_or_insert_with(Watch::start);
                stream(&client, request).await;
                reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
            }
            AgentCall::SetSessionMode(_, reply) => {
                watch.get_or_insert_with(Watch::start);
                reply.ok(v1::SetSessionModeResponse::default());
            }
            other => other.refuse(),
        }
    }
    if let Some(watch) = watch {
        watch.stop_cpu();
    }
}

async fn stream(client: &ClientHandle, request: v1::PromptRequest) {
    let v1::ContentBlock::Text(text) = &request.prompt[0] else {
        panic!("not a number: {:?}", request.prompt);
    };
    let n: usize = text.text.parse().unwrap();
    let session = client.session(request.session_id);
    let mut id = v1::MessageId::from(message_id(0));
    for i in 0..n {
        if i.is_multiple_of(PER_MESSAGE) {
            id = v1::MessageId::from(message_id(i));
        }
        let chunk = v1::ContentChunk::new(TEXT).message_id(id.clone());
        let update = v1::SessionUpdate::AgentMessageChunk(chunk);
        session.update(update).await.unwrap();
    }
}

pub(crate) async fn client(task: Task) {
    let (read, write) = attache_transport::stdio().unwrap();
    let (agent, calls) = attache::client::connect(read, write, Options::default());
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1);
    agent.initialize(hello).await.unwrap();
    match task {
        Task::Stream(n) => receive(&agent, calls, n).await,
        Task::Sequential(n) => ask_sequentially(&agent, n).await,
        Task::InFlight(n) => ask_in_flight(&agent, n).await,
    }
    agent.flush().await;
}

async fn receive(agent: &AgentHandle, mut calls: ClientCalls, n: usize) {
    let watch = Watch::start();
    let session = agent.session(SESSION);
    let mut transcript = Transcript::new();
    let answer = session.prompt([n.to_string()]);
    let fold = |call| match call {
        ClientCall::Session(figures) => drop(transcript.apply(figures.update)),
        other => other.refuse(),
    };
    calls.until(answer, fold).await.unwrap();
    watch.stop();
    assert_eq!(transcript.entries().len(), n.div_ceil(PER_MESSAGE));
    let bytes: usize = transcript
        .entries()
        .map(|entry| entry.message().unwrap().text().len())
        .sum();
    assert_eq!(bytes, n * TEXT.len());
}

async fn ask_sequentially(agent: &AgentHandle, n: usize) {
    for _ in 0..WARM_UP {
        ask(agent).await;
    }
    let mut trips = RoundTrips::new(n);
    let watch = Watch::start();
    for _ in 0..n {
        let start = Instant::now();
        ask(agent).await;
        trips.add(start);
    }
    watch.stop();
    trips.report();
}

async fn ask_in_flight(agent: &AgentHandle, n: usize) {
    let watch = Watch::start();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let agent = agent.clone();
        tasks.spawn(async move {
            for _ in 0..n / IN_FLIGHT {
                ask(&agent).await;
            }
        });
    }
    tasks.join_all().await;
    watch.stop();
    figures::report("asked", crate::table::float(n / IN_FLIGHT * IN_FLIGHT));
}

async fn ask(agent: &AgentHandle) {
    let request = v1::SetSessionModeRequest::new(SESSION, MODE);
    agent.request(request).await.unwrap();
}
