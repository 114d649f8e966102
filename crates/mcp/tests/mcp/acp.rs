//! Tests of servers that are reached through the client, and of their elicitations.

use attache::json::{Raw, RawObject};
use attache::{AgentCall, ClientCall, ClientHandle, Options, agent, client, v1};
use attache_mcp::{ServerEvent, ServerStatus};
use expect_test::expect;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::fake::{Act, Fake};
use crate::test_session::{TestSession, stdio, wait_for};
use crate::trials;

trials!(
    a_server_is_reached_through_the_client,
    what_a_server_tells_belongs_to_a_request,
    lists_are_asked_for_again_when_they_change,
    a_call_that_is_dropped_is_taken_back,
    a_server_that_asks_back_gets_its_answer,
    a_server_that_the_client_does_not_know_fails,
    a_question_goes_to_the_person,
    a_client_that_leaves_takes_its_servers_along,
);

/// Both ends of a connection. A task plays the client: it serves MCP and responds to forms.
struct Pair {
    client: ClientHandle,
    calls: mpsc::Receiver<AgentCall>,
    /// The MCP requests to the client, as text.
    asked: mpsc::Receiver<String>,
    /// The client's handle to the agent.
    agent: attache::AgentHandle,
}

async fn pair() -> Pair {
    let (ours, theirs) = attache::pipes(1 << 20);
    let (client, mut agent_calls) = agent::connect(ours.0, ours.1, Options::default());
    let (agent, client_calls) = client::connect(theirs.0, theirs.1, Options::default());
    let (sender, calls) = mpsc::channel(16);
    tokio::spawn(async move {
        while let Some(call) = agent_calls.next().await {
            match call {
                AgentCall::Initialize(_, reply) => {
                    let mut answer = v1::InitializeResponse::new(v1::ProtocolVersion::V1);
                    answer.agent_capabilities.mcp_capabilities.acp = true;
                    reply.ok(answer);
                }
                call => sender.send(call).await.unwrap(),
            }
        }
    });
    let (told, asked) = mpsc::channel(64);
    tokio::spawn(play(agent.clone(), client_calls, told));
    let mut hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1);
    let mut forms = v1::ElicitationCapabilities::new();
    forms.form = Some(v1::ElicitationFormCapabilities::new());
    hello.client_capabilities.elicitation = Some(forms);
    agent.initialize(hello).await.unwrap();
    Pair {
        client,
        calls,
        asked,
        agent,
    }
}

async fn play(
    agent: attache::AgentHandle,
    mut calls: attache::ClientCalls,
    told: mpsc::Sender<String>,
) {
    let mut fake = Fake::new("");
    while let Some(call) = calls.next().await {
        match call {
            ClientCall::MessageMcp(request, reply) if request.server_id.as_str() == "s1" => {
                let params = request.params.as_ref().map_or("{}", RawObject::as_str);
                let params: Value = serde_json::from_str(params).unwrap();
                let id = request.request_id.as_str();
                let message = json!({"id": id, "method": request.method, "params": params});
                told.send(format!("{} {}", request.method, params["name"]))
                    .await
                    .ok();
                let mut reply = Some(reply);
                for act in fake.take(&message) {
                    let Act::Say(said) = act else { continue };
                    let said: Value = serde_json::from_str(&said).unwrap();
                    if said.get("method").is_some() {
                        // The agent may have disconnected.
                        agent.notify(notification(id, &said)).await.ok();
                    } else if let Some(reply) = reply.take() {
                        reply.ok(response(&said));
                    }
                }
                if let Some(reply) = reply {
                    let told = told.clone();
                    tokio::spawn(async move {
                        reply.cancelled().await;
                        told.send("taken back".to_owned()).await.ok();
                    });
                }
            }
            ClientCall::CreateElicitation(request, reply) => {
                told.send(format!(
                    "{} {}",
                    request.message,
                    Raw::of(&request.mode).as_str()
                ))
                .await
                .ok();
                let mut accept = v1::ElicitationAcceptAction::new();
                let name = v1::ElicitationContentValue::String("Ada".to_owned());
                accept.content = Some([("name".to_owned(), name)].into());
                let action = v1::ElicitationAction::Accept(accept);
                reply.ok(v1::CreateElicitationResponse::new(action));
            }
            call => call.refuse(),
        }
    }
}

fn notification(id: &str, said: &Value) -> v1::MessageMcpNotification {
    let method = said["method"].as_str().unwrap();
    let listener = &said["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    let id = listener.as_str().unwrap_or(id);
    let mut notification = v1::MessageMcpNotification::new("s1", id, method);
    if let Some(params) = said["params"].as_object() {
        notification.params = Some(RawObject::from(params.clone()));
    }
    notification
}

fn response(said: &Value) -> v1::MessageMcpResponse {
    let response = match said.get("result") {
        Some(result) => json!({"result": result}),
        None => json!({"error": said["error"]}),
    };
    attache::json::from_str(&response.to_string()).unwrap()
}

async fn open(pair: &mut Pair, id: &str) -> TestSession {
    let server = v1::McpServer::Acp(v1::McpServerAcp::new("fake", id));
    let client = pair.client.clone();
    let desk = TestSession::open_with(vec![server], |place| {
        place.client = Some(client);
        place.session = Some("session".into());
    })
    .await;
    let servers = desk.servers.clone();
    let (_, empty) = mpsc::channel(1);
    let mut calls = std::mem::replace(&mut pair.calls, empty);
    tokio::spawn(async move {
        while let Some(call) = calls.recv().await {
            match call {
                AgentCall::MessageMcp(notification) => servers.deliver(&notification),
                call => call.refuse(),
            }
        }
    });
    desk
}

async fn a_server_is_reached_through_the_client() {
    let mut pair = pair().await;
    let desk = open(&mut pair, "s1").await;
    let ServerStatus::Ready { tools, version, .. } = desk.status() else {
        panic!("{:?}", desk.status());
    };
    assert_eq!(tools, 24);
    assert_eq!(version.as_deref(), Some("modern fake 2"));
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
    expect!["failed: the MCP server `fake` failed: bad token secret-in-process"]
        .assert_eq(&desk.call("refuse").await);
    desk.servers.close().await;
}

async fn what_a_server_tells_belongs_to_a_request() {
    let mut pair = pair().await;
    let desk = open(&mut pair, "s1").await;
    let (sender, mut steps) = mpsc::channel(4);
    let call = desk.servers.call("mcp__fake__never", "", move |step| {
        sender.try_send(step).ok();
    });
    let step = tokio::select! {
        _ = call => panic!("it was not to answer"),
        step = steps.recv() => step.unwrap(),
    };
    assert_eq!(
        (step.percent, step.message.as_deref()),
        (Some(25), Some("begun"))
    );
    let stray = v1::MessageMcpNotification::new("s1", "no number", "notifications/progress");
    desk.servers.deliver(&stray);
    pair.agent
        .notify(v1::MessageMcpNotification::new(
            "s1",
            "999",
            "notifications/x",
        ))
        .await
        .unwrap();
    assert_eq!(desk.call("echo").await, "nothing");
}

async fn lists_are_asked_for_again_when_they_change() {
    let mut pair = pair().await;
    let mut desk = open(&mut pair, "s1").await;
    heard(&mut pair.asked, "subscriptions/listen null").await;
    assert_eq!(desk.call("grow").await, "grown");
    let changed = ServerEvent::ToolsChanged {
        server: "fake".to_owned(),
    };
    assert_eq!(desk.event().await, changed);
    assert!(desk.servers.tool("mcp__fake__grown").is_some());
}

async fn a_call_that_is_dropped_is_taken_back() {
    let mut pair = pair().await;
    let desk = open(&mut pair, "s1").await;
    {
        let call = desk.servers.call("mcp__fake__never", "", drop);
        tokio::select! {
            _ = call => panic!("it was not to answer"),
            () = heard(&mut pair.asked, "tools/call \"never\"") => {}
        }
    }
    heard(&mut pair.asked, "taken back").await;
}

async fn a_server_that_asks_back_gets_its_answer() {
    let mut pair = pair().await;
    let desk = open(&mut pair, "s1").await;
    expect![[r#""s1" {"who":{"action":"accept","content":{"name":"Ada"}}}"#]]
        .assert_eq(&desk.call("back").await);
}

async fn a_server_that_the_client_does_not_know_fails() {
    let mut pair = pair().await;
    let mut desk = open(&mut pair, "s9").await;
    let ServerEvent::Failed { reason, .. } = desk.event().await else {
        panic!("it was to fail");
    };
    expect!["it refused to begin: the client did not pass it on: Method not found (-32601)"]
        .assert_eq(&reason);
}

async fn a_question_goes_to_the_person() {
    let mut pair = pair().await;
    let client = pair.client.clone();
    let desk = TestSession::open_with(vec![stdio("fake", "")], |place| {
        place.client = Some(client);
        place.session = Some("session".into());
    })
    .await;
    expect![[r#"{"action":"accept","content":{"name":"Ada"}}"#]]
        .assert_eq(&desk.call("elicit").await);
    expect![[r#"fake asks: Who are you? {"mode":"form","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#]]
        .assert_eq(&pair.asked.recv().await.unwrap());
}

async fn a_client_that_leaves_takes_its_servers_along() {
    let mut pair = pair().await;
    let desk = open(&mut pair, "s1").await;
    pair.agent.close();
    wait_for(|| matches!(desk.status(), ServerStatus::Ended(_)).then_some(())).await;
    expect!["failed: the MCP server `fake` failed: the connection has ended"]
        .assert_eq(&desk.call("echo").await);
}

async fn heard(asked: &mut mpsc::Receiver<String>, wanted: &str) {
    while let Some(text) = asked.recv().await {
        if text == wanted {
            return;
        }
    }
    panic!("{wanted} was never said");
}
