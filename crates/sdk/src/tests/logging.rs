//! What the SDK writes to the program's log, and the trace context of requests.

use std::io;
use std::sync::{Arc, Mutex};

use attache_rpc::json::Raw;
use expect_test::{Expect, expect};
use tracing::Level;
use tracing::subscriber::DefaultGuard;

use super::scripted::{Agent, Client, end_of_turn};
use crate::{AgentCall, ClientCall, Error, TraceContext, v1};

/// Everything that is logged on this thread, as text.
struct CapturedLog {
    text: Arc<Mutex<Vec<u8>>>,
    _subscriber: DefaultGuard,
}

impl CapturedLog {
    fn begin(level: Level) -> CapturedLog {
        let text = Arc::new(Mutex::new(Vec::new()));
        let writer = Arc::clone(&text);
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .without_time()
            .with_writer(move || LogWriter(Arc::clone(&writer)))
            .finish();
        CapturedLog {
            text,
            _subscriber: tracing::subscriber::set_default(subscriber),
        }
    }

    /// The log so far, without what all lines have in common, and without the end of the connection: its tasks end at
    /// some time after the conversation.
    fn text(&self) -> String {
        let text = String::from_utf8(self.text.lock().unwrap().clone()).unwrap();
        let is_shown =
            |line: &&str| !line.contains("initialize") && !line.contains("connection ended");
        let lines = text.lines().filter(is_shown);
        let lines = lines.map(|line| match line.split_once("translated=false") {
            Some((_, after)) => format!("…{after}\n"),
            None => format!("{line}\n"),
        });
        lines.collect()
    }

    fn check(self, expected: &Expect) {
        expected.assert_eq(&self.text());
    }
}

struct LogWriter(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test(start_paused = true)]
async fn a_spawned_turn_runs_in_the_span_and_the_trace_of_its_prompt() {
    let log = CapturedLog::begin(Level::DEBUG);
    let script = format!(
        r#"
        -> session/prompt @turn {{"sessionId":"s","prompt":[],"_meta":{{"traceparent":"{PARENT}","tracestate":"a=1"}}}}
        <- fs/read_text_file {{"sessionId":"s","path":"/a","_meta":{{"traceparent":"{PARENT}","tracestate":"a=1"}}}}
        => {{"content":"x"}}
        <= @turn {{"stopReason":"end_turn"}}
        -> session/prompt @next {{"sessionId":"s","prompt":[]}}
        <- fs/read_text_file {{"sessionId":"s","path":"/a"}}
        => {{"content":"x"}}
        <= @next {{"stopReason":"end_turn"}}
    "#
    );
    let mut agent = Agent::with(r#"{"fs":{"readTextFile":true}}"#, &script).await;
    for _ in 0..2 {
        let (request, reply) = agent.prompt().await;
        let session = agent.client.session(request.session_id);
        let turn = tokio::spawn(reply.run(async move {
            session.read_text_file("/a").await?;
            Ok::<_, crate::CallError>(end_of_turn())
        }));
        turn.await.unwrap();
    }
    agent.finish().await;
    log.check(&expect![[r#"
        …}:request{direction="received" method=session/prompt id=2 queued_ms=0.0 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736"}:request{direction="sent" method=fs/read_text_file id=1 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736" result="ok"  duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/prompt id=2 queued_ms=0.0 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736" result="ok"  duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/prompt id=3 queued_ms=0.0 session=s}:request{direction="sent" method=fs/read_text_file id=2 session=s result="ok"  duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/prompt id=3 queued_ms=0.0 session=s result="ok"  duration_ms=0.0}: attache_transport: request finished
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn a_request_in_a_scope_carries_its_context() {
    let script = format!(
        r#"
        -> session/new {{"cwd":"/a","mcpServers":[],"_meta":{{"traceparent":"{PARENT}"}}}}
        <= {{"sessionId":"s"}}
        -> _mine {{"x":1,"_meta":{{"traceparent":"{PARENT}"}}}}
        <= {{}}
        -> session/new {{"cwd":"/b","mcpServers":[],"_meta":{{"traceparent":"mine"}}}}
        <= {{"sessionId":"t"}}
    "#
    );
    let client = Client::with("{}", &script).await;
    let agent = client.agent.clone();
    let requests = async move {
        agent.request(v1::NewSessionRequest::new("/a", [])).await?;
        let params = Raw::parse(r#"{"x":1}"#).unwrap();
        agent.request_extension("_mine", &params).await?;
        let meta = v1::NewSessionRequest::new("/b", []);
        let meta = meta.meta(attache_schema::Meta::new().with("traceparent", Raw::of("mine")));
        agent.request(meta).await
    };
    let context = TraceContext::parse(PARENT).unwrap();
    context.scope(requests).await.unwrap();
    assert_eq!(TraceContext::current(), None);
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn attack_no_event_of_an_agent_repeats_what_a_message_contains() {
    let log = CapturedLog::begin(Level::TRACE);
    let script = format!(
        r#"
        .> session/cancel {{"sessionId":["{CANARY}"]}}
        .> unknown/thing {{"{CANARY}":"{CANARY}"}}
        -> session/prompt {{"sessionId":"s","prompt":[{{"type":"text","text":["{CANARY}"]}}]}}
        <! {{"code":-32602, ...}}
        -> session/whatever {{"key":"{CANARY}"}}
        <! {{"code":-32601, ...}}
        -> session/prompt @turn {{"sessionId":"s","prompt":[{{"type":"text","text":"{CANARY}"}}],"_meta":{{"traceparent":"{PARENT}","baggage":"key={CANARY}"}}}}
        <- fs/read_text_file {{...}}
        => {{"content":["{CANARY}"]}}
        <- fs/read_text_file {{...}}
        !> {{"code":-32000,"message":"{CANARY}","data":"{CANARY}"}}
        <! @turn {{"code":-32001, ...}}
    "#
    );
    let mut agent = Agent::with(r#"{"fs":{"readTextFile":true}}"#, &script).await;
    let (request, reply) = agent.prompt().await;
    let session = agent.client.session(request.session_id);
    let turn = tokio::spawn(reply.run(async move {
        session
            .read_text_file(format!("/{CANARY}"))
            .await
            .unwrap_err();
        session
            .read_text_file(format!("/{CANARY}"))
            .await
            .unwrap_err();
        Err::<v1::PromptResponse, _>(Error::new(-32001, CANARY))
    }));
    turn.await.unwrap();
    drop(agent.client);
    while agent.calls.next().await.is_some() {}
    drop(agent.calls);
    agent.peer.finish().await.unwrap();
    assert!(!log.text().contains(CANARY), "{}", log.text());
    log.check(&expect![[r#"
        …}: attache: an invalid notification is ignored method=session/cancel reason="Invalid params: params.sessionId: expected a string, found an array"
        …}: attache: an unknown notification is ignored method=unknown/thing
        …}:request{direction="received" method=session/prompt id=2 queued_ms=0.0}: attache: an invalid request is rejected method=session/prompt reason="Invalid params: params.prompt[0].text: expected a string, found an array"
        …}:request{direction="received" method=session/prompt id=2 queued_ms=0.0 result="error" error_code=-32602 duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/whatever id=3 queued_ms=0.0}: attache: an unknown request is rejected method=session/whatever
        …}:request{direction="received" method=session/whatever id=3 queued_ms=0.0 result="error" error_code=-32601 duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/prompt id=4 queued_ms=0.0 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736"}:request{direction="sent" method=fs/read_text_file id=1 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736" result="ok"  duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/prompt id=4 queued_ms=0.0 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736"}: attache: a response cannot be read method=fs/read_text_file reason=result.content: expected a string, found an array
        …}:request{direction="received" method=session/prompt id=4 queued_ms=0.0 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736"}:request{direction="sent" method=fs/read_text_file id=2 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736" result="error" error_code=-32000 duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/prompt id=4 queued_ms=0.0 session=s trace_id="4bf92f3577b34da6a3ce929d0e0e4736" result="error" error_code=-32001 duration_ms=0.0}: attache_transport: request finished
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn attack_no_event_of_a_client_repeats_what_a_message_contains() {
    let log = CapturedLog::begin(Level::TRACE);
    let script = format!(
        r#"
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":1,"{CANARY}":"{CANARY}"}}}}}}
        <- fs/read_text_file {{"sessionId":"s","path":"/{CANARY}"}}
        !> {{"code":-32601, ...}}
        <- session/request_permission {{"sessionId":"s","toolCall":"{CANARY}","options":[]}}
        !> {{"code":-32602, ...}}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{CANARY}"}}}}}}
    "#
    );
    let mut client = Client::with("{}", &script).await;
    let call = client.calls.next().await;
    assert!(matches!(call, Some(ClientCall::Session(_))));
    drop((client.agent, client.calls));
    client.peer.finish().await.unwrap();
    assert!(!log.text().contains(CANARY), "{}", log.text());
    log.check(&expect![[r#"
        …}: attache: an invalid notification is ignored method=session/update reason="Invalid params: params.update.content.text: expected a string, found a number"
        …}:request{direction="received" method=fs/read_text_file id=1 queued_ms=0.0}: attache: an unknown request is rejected method=fs/read_text_file
        …}:request{direction="received" method=fs/read_text_file id=1 queued_ms=0.0 result="error" error_code=-32601 duration_ms=0.0}: attache_transport: request finished
        …}:request{direction="received" method=session/request_permission id=2 queued_ms=0.0}: attache: an invalid request is rejected method=session/request_permission reason="Invalid params: params.toolCall: expected an object, found a string"
        …}:request{direction="received" method=session/request_permission id=2 queued_ms=0.0 result="error" error_code=-32602 duration_ms=0.0}: attache_transport: request finished
    "#]]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_shows_its_span_and_its_context() {
    let log = CapturedLog::begin(Level::DEBUG);
    let script = format!(
        r#"
        -> session/new {{"cwd":"/a","mcpServers":[],"_meta":{{"traceparent":"{PARENT}"}}}}
        <= {{"sessionId":"s"}}
    "#
    );
    let mut agent = Agent::with("{}", &script).await;
    let Some(AgentCall::NewSession(_, reply)) = agent.calls.next().await else {
        panic!("no session/new");
    };
    assert_eq!(reply.trace_context().unwrap().traceparent(), PARENT);
    reply.span().in_scope(|| tracing::info!("mine"));
    reply.ok(v1::NewSessionResponse::new("s"));
    agent.finish().await;
    log.check(&expect![[r#"
        …}:request{direction="received" method=session/new id=2 queued_ms=0.0 trace_id="4bf92f3577b34da6a3ce929d0e0e4736"}: attache::tests::logging: mine
        …}:request{direction="received" method=session/new id=2 queued_ms=0.0 trace_id="4bf92f3577b34da6a3ce929d0e0e4736" result="ok"  duration_ms=0.0}: attache_transport: request finished
    "#]]);
}

const CANARY: &str = "CANARY-sk-ant-0123456789-CANARY";
