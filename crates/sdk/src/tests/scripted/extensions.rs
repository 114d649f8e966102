//! Typed extensions, from both sides.

use std::collections::BTreeMap;

use attache_schema::method::{
    ExtensionNotification, ExtensionRequest, NotificationToClient, RequestToAgent, RequestToClient,
};
use attache_testkit::Side;
use expect_test::expect;
use serde::{Deserialize, Serialize};

use super::{Agent, AgentCall, Client, ClientCall, wire};
use crate::CallErrorKind;
use crate::json::Raw;

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Search {
    words: String,
}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Found {
    paths: Vec<String>,
}

impl ExtensionRequest for Search {
    const METHOD: &'static str = "_acme/search";
    type Response = Found;
}

impl RequestToAgent for Search {}
impl RequestToClient for Search {}

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct Indexed {
    files: u32,
}

impl ExtensionNotification for Indexed {
    const METHOD: &'static str = "_acme/indexed";
}

impl NotificationToClient for Indexed {}

/// Its keys are no strings, so JSON has no place for it.
#[derive(Serialize)]
struct Unwritable(BTreeMap<Vec<u8>, u8>);

impl ExtensionRequest for Unwritable {
    const METHOD: &'static str = "_acme/unwritable";
    type Response = ();
}

impl RequestToAgent for Unwritable {}

fn search() -> Search {
    let words = "a \"quoted\"\nword".to_owned();
    Search { words }
}

#[tokio::test(start_paused = true)]
async fn a_client_sends_a_typed_extension() {
    let client = Client::with(
        "{}",
        r#"
        -> _acme/search {"words":"a \"quoted\"\nword"}
        <= {"paths":["/a"]}
        -> _acme/search {"words":"a \"quoted\"\nword"}
        <= {"paths":[7]}
        -> _acme/search {...}
        <! {"code":-32602,"message":"no","data":{"path":"params.words"}}
    "#,
    )
    .await;
    let found = client.agent.request(search()).await.unwrap();
    assert_eq!(found.paths, ["/a"]);
    let unreadable = client.agent.request(search()).await.unwrap_err();
    expect!["_acme/search to the agent failed: result: does not match its type"]
        .assert_eq(&unreadable.to_string());
    let refused = client.agent.request(search()).await.unwrap_err();
    assert_eq!(refused.position().as_deref(), Some("params.words"));
    let unwritable = Unwritable(BTreeMap::from([(vec![1], 2)]));
    let unsent = client.agent.request(unwritable).await.unwrap_err();
    assert!(matches!(unsent.kind(), CallErrorKind::Unwritable(_)));
    let trace = client.finish().await;
    wire(
        &trace,
        Side::Client,
        expect![[r#"
        {"jsonrpc":"2.0","id":2,"method":"_acme/search","params":{"words":"a \"quoted\"\nword"}}
        {"jsonrpc":"2.0","id":3,"method":"_acme/search","params":{"words":"a \"quoted\"\nword"}}
        {"jsonrpc":"2.0","id":4,"method":"_acme/search","params":{"words":"a \"quoted\"\nword"}}
    "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_answers_a_typed_extension() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> _acme/search {"words":"a"}
        <. _acme/indexed {"files":3}
        <= {"paths":["/a"]}
        -> _acme/search {"words":7}
        <! {"code":-32602, ...}
        -> _acme/other {}
        <! {"code":-32601, ...}
    "#,
    )
    .await;
    agent.client.notify(Indexed { files: 3 }).await.unwrap();
    for _ in 0..3 {
        let Some(AgentCall::Extension(call, reply)) = agent.calls.next().await else {
            panic!("no request");
        };
        match call.request::<Search>() {
            Some(Ok(search)) => {
                assert_eq!(search.words, "a");
                let paths = vec!["/a".to_owned()];
                reply.ok_for::<Search>(&Found { paths });
            }
            Some(Err(error)) => reply.fail(error),
            None => AgentCall::Extension(call, reply).refuse(),
        }
    }
    let trace = agent.finish().await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
        {"jsonrpc":"2.0","method":"_acme/indexed","params":{"files":3}}
        {"jsonrpc":"2.0","id":2,"result":{"paths":["/a"]}}
        {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params: params: does not match its type","data":{"kind":"unfit","path":"params"}}}
        {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found","data":{"method":"_acme/other"}}}
    "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_reads_a_typed_notification() {
    let mut client = Client::with(
        "{}",
        "<. _acme/indexed {\"files\":3}\n<. _acme/indexed {\"files\":\"3\"}",
    )
    .await;
    let mut read = Vec::new();
    for _ in 0..2 {
        let Some(ClientCall::ExtensionNotification(call)) = client.calls.next().await else {
            panic!("no notification");
        };
        assert!(call.request::<Search>().is_none());
        read.push(call.notification::<Indexed>().unwrap());
    }
    assert_eq!(read[0], Ok(Indexed { files: 3 }));
    expect!["Invalid params: params: does not match its type (-32602)"]
        .assert_eq(&read[1].as_ref().unwrap_err().to_string());
    client.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_raw_result_is_read_by_its_type() {
    let client = Client::with("{}", "-> _acme/search {}\n<= {\"paths\":[]}").await;
    let none = Raw::parse("{}").unwrap();
    let answer = client.agent.request_extension("_acme/search", &none).await;
    let found: Found = crate::json::decode_serde(answer.unwrap().as_str()).unwrap();
    assert!(found.paths.is_empty());
    client.finish().await;
}
