//! Requests that the SDK rejects before the program sees them, and requests whose reply the program drops.

use attache_testkit::Side;
use expect_test::expect;

use super::{Agent, AgentCall, Client, ClientCall, hello_back, wire};

/// An agent that drops every request.
async fn drop_all(mut agent: Agent) -> attache_testkit::Trace {
    while let Some(call) = agent.calls.next().await {
        match call {
            AgentCall::Initialize(_, reply) => reply.ok(hello_back()),
            other => drop(other),
        }
    }
    agent.finish().await
}

#[tokio::test(start_paused = true)]
async fn requests_before_initialize() {
    let agent = Agent::new(
        r#"
        -> session/new {"cwd":"/project","mcpServers":[]}
        <! {"code":-32600, ...}
        -> session/prompt {"sessionId":"s","prompt":[]}
        <! {"code":-32600, ...}
        .> session/cancel {"sessionId":"s"}
        -> initialize {"protocolVersion":1}
        <= {"protocolVersion":1, ...}
    "#,
    );
    let trace = drop_all(agent).await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: `initialize` comes first","data":{"kind":"not_initialized"}}}
            {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid request: `initialize` comes first","data":{"kind":"not_initialized"}}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_initialize_changes_nothing() {
    let mut agent = Agent::new(
        r#"
        -> initialize {"protocolVersion":1,"clientCapabilities":{"terminal":true}}
        <= {"protocolVersion":1, ...}
        -> initialize {"protocolVersion":1,"clientCapabilities":{"fs":{"writeTextFile":true}}}
        <! {"code":-32600, ...}
        -> initialize {"protocolVersion":2}
        <! {"code":-32600, ...}
    "#,
    );
    let Some(AgentCall::Initialize(_, reply)) = agent.calls.next().await else {
        panic!("the first one is shown");
    };
    reply.ok(hello_back());
    assert!(agent.calls.next().await.is_none(), "the others are not");
    let offered = agent.client.capabilities().unwrap();
    assert!(offered.terminal && !offered.fs.write_text_file);
    let trace = agent.finish().await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
        {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid request: the connection is already initialized; its version and capabilities stay","data":{"kind":"already_initialized"}}}
        {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid request: the connection is already initialized; its version and capabilities stay","data":{"kind":"already_initialized"}}}
    "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_initialize_can_be_repeated_and_a_pending_one_cannot() {
    let mut agent = Agent::new(
        r#"
        -> initialize {"protocolVersion":1}
        <! {"code":-32603, ...}
        -> initialize @waits {"protocolVersion":1,"clientCapabilities":{"terminal":true}}
        -> initialize {"protocolVersion":1}
        <! {"code":-32600, ...}
        <= @waits {"protocolVersion":1, ...}
    "#,
    );
    let Some(AgentCall::Initialize(_, reply)) = agent.calls.next().await else {
        panic!("the first one is shown");
    };
    reply.fail(attache_schema::error::internal("not now"));
    let Some(AgentCall::Initialize(_, reply)) = agent.calls.next().await else {
        panic!("the second one is shown");
    };
    let answer = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        reply.ok(hello_back());
    };
    let (next, ()) = tokio::join!(agent.calls.next(), answer);
    assert!(next.is_none(), "the third is not");
    assert!(agent.client.capabilities().unwrap().terminal);
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn methods_that_do_not_exist() {
    let agent = Agent::with(
        "{}",
        r#"
        -> session/nonsense {"secret":"x"}
        <! {"code":-32601, ...}
        -> $/nonsense
        <! {"code":-32601, ...}
        -> fs/read_text_file {"sessionId":"s","path":"/a"}
        <! {"code":-32601, ...}
        .> session/nonsense {"secret":"x"}
        .> $/nonsense
        quiet 1s
    "#,
    )
    .await;
    let trace = drop_all(agent).await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found","data":{"method":"session/nonsense"}}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found","data":{"method":"$/nonsense"}}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found","data":{"method":"fs/read_text_file"}}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn invalid_params_are_named_and_not_repeated() {
    let agent = Agent::with(
        "{}",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[{"type":"text","text":["secret"]}]}
        <! {"code":-32602, ...}
        -> session/new {"cwd":"/secret"}
        <! {"code":-32602, ...}
        -> session/new
        <! {"code":-32602, ...}
        -> session/new ["secret"]
        <! {"code":-32602, ...}
        .> session/cancel {"sessionId":["secret"]}
        quiet 1s
    "#,
    )
    .await;
    let trace = drop_all(agent).await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid params: params.prompt[0].text: expected a string, found an array","data":{"kind":"wrong_type","path":"params.prompt[0].text"}}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params: params.mcpServers: missing","data":{"kind":"missing","path":"params.mcpServers"}}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: params: expected an object, found null","data":{"kind":"wrong_type","path":"params"}}}
            {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: params: expected an object, found an array","data":{"kind":"wrong_type","path":"params"}}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_not_messages() {
    let agent = Agent::with(
        "{}",
        r#"
        ~> {"jsonrpc":"2.0","id":1,
        <! {"code":-32700, ...} id null
        ~> [{"jsonrpc":"2.0","id":1,"method":"session/new"}]
        <! {"code":-32600, ...} id null
        ~> {"jsonrpc":"2.0","id":77,"method":7}
        <! {"code":-32600, ...} id 77
        -> session/list {}
        <! {"code":-32603, ...}
    "#,
    )
    .await;
    drop_all(agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_dropped() {
    let agent = Agent::with(
        "{}",
        r#"
        -> session/new {"cwd":"/project","mcpServers":[]}
        <! {"code":-32603, ...}
        -> session/prompt {"sessionId":"s","prompt":[]}
        <! {"code":-32603, ...}
    "#,
    )
    .await;
    let trace = drop_all(agent).await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error: the request was dropped without a response","data":{"kind":"internal"}}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error: the request was dropped without a response","data":{"kind":"internal"}}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_task_panics() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]}
        <! {"code":-32603, ...}
        -> session/prompt {"sessionId":"s","prompt":[]}
        <= {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let (_, reply) = agent.prompt().await;
    let turn = async { panic!("a turn that fails, on purpose") };
    let task = tokio::spawn(reply.run::<crate::Error>(turn));
    assert!(task.await.unwrap_err().is_panic());
    let (_, reply) = agent.prompt().await;
    reply.ok(super::end_of_turn());
    agent.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_dropped_after_it_was_cancelled() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/new @new {"cwd":"/project","mcpServers":[]}
        .> $/cancel_request {"requestId":@new}
        <! @new {"code":-32800, ...}
    "#,
    )
    .await;
    let Some(AgentCall::NewSession(_, reply)) = agent.calls.next().await else {
        panic!("no session/new");
    };
    reply.cancelled().await;
    drop(reply);
    let trace = agent.finish().await;
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
            {"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_that_our_client_does_not_advertise() {
    let mut client = Client::with(
        "{}",
        r#"
        <- fs/read_text_file {"sessionId":"s","path":"/a"}
        !> {"code":-32601, ...}
        <- session/nonsense {}
        !> {"code":-32601, ...}
        <- session/request_permission {"sessionId":"s"}
        !> {"code":-32602, ...}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        !> {"code":-32603, ...}
        <. session/nonsense {}
        <~ a banner
        <. session/update {"sessionId":7}
        <. _last
    "#,
    )
    .await;
    while let Some(call) = client.calls.next().await {
        let last = matches!(call, ClientCall::ExtensionNotification(_));
        drop(call);
        if last {
            break;
        }
    }
    let ignored = client.agent.ignored();
    assert_eq!(ignored.count, 2);
    let reasons = ignored
        .recent
        .iter()
        .map(|one| format!("{}: {}\n", one.method, one.error));
    expect![[r#"
        session/nonsense: Method not found (-32601)
        session/update: Invalid params: params.sessionId: expected a string, found a number (-32602)
    "#]]
    .assert_eq(&reasons.collect::<String>());
    assert_eq!(client.agent.counts().malformed, 1);
    let trace = client.finish().await;
    wire(
        &trace,
        Side::Client,
        expect![[r#"
            {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":{"method":"fs/read_text_file"}}}
            {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found","data":{"method":"session/nonsense"}}}
            {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params: params.toolCall: missing","data":{"kind":"missing","path":"params.toolCall"}}}
            {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"Internal error: the request was dropped without a response","data":{"kind":"internal"}}}
        "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn an_id_that_is_still_in_use() {
    let mut agent = Agent::with(
        "{}",
        r#"
        -> session/prompt {"sessionId":"s","prompt":[]} id "same"
        -> session/prompt {"sessionId":"s","prompt":[]} id "same"
        <! {"code":-32600, ...}
        <= {"stopReason":"end_turn"}
    "#,
    )
    .await;
    let (_, reply) = agent.prompt().await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    reply.ok(super::end_of_turn());
    while agent.calls.next().await.is_some() {}
    let trace = agent.peer.finish().await.unwrap();
    wire(
        &trace,
        Side::Agent,
        expect![[r#"
        {"jsonrpc":"2.0","id":"same","error":{"code":-32600,"message":"a request with this id is still in progress","data":{"kind":"duplicate_id"}}}
        {"jsonrpc":"2.0","id":"same","result":{"stopReason":"end_turn"}}
    "#]],
    );
}
