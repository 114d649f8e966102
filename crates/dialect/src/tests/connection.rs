//! Peers that speak another dialect, on the wire.

use attache::{AgentCall, ClientCall, Error, Options, Transcript, agent, client, pipes, v1};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::{Dialect, Role, detect, translator_for};

fn detecting(peer: Role) -> Options {
    Options::default().translator(detect(peer))
}

/// An agent of ours that talks to a client in the client's dialect.
async fn converse(lines: &[&str]) -> Vec<String> {
    let (ours, theirs) = pipes(1 << 16);
    let (client, mut calls) = agent::connect(ours.0, ours.1, detecting(Role::Client));
    let agent_side = tokio::spawn(async move {
        while let Some(call) = calls.next().await {
            match call {
                AgentCall::Initialize(_, reply) => {
                    reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
                }
                AgentCall::NewSession(request, reply) => {
                    assert_eq!(request.cwd.as_str(), "/project");
                    reply.ok(v1::NewSessionResponse::new("s"));
                }
                AgentCall::Prompt(request, reply) => {
                    client
                        .session(request.session_id)
                        .send_message("hello")
                        .await
                        .unwrap();
                    reply.ok(v1::PromptResponse::new(v1::StopReason::EndTurn));
                }
                other => other.refuse(),
            }
        }
    });
    let (read, mut write) = theirs;
    for line in lines {
        write.write_all(line.as_bytes()).await.unwrap();
        write.write_all(b"\n").await.unwrap();
    }
    write.shutdown().await.unwrap();
    let mut answers = Vec::new();
    let mut read = BufReader::new(read).lines();
    while let Some(line) = read.next_line().await.unwrap() {
        answers.push(line);
    }
    agent_side.await.unwrap();
    answers
}

#[tokio::test]
async fn a_draft_client_gets_draft_responses() {
    let said = converse(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"workingDirectory":"/project"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}"#,
    ])
    .await;
    assert!(said[0].contains("\"capabilities\""), "{}", said[0]);
    assert!(!said[0].contains("agentCapabilities"), "{}", said[0]);
    let update = said
        .iter()
        .find(|line| line.contains("session/update"))
        .unwrap();
    assert!(update.contains("\"data\""), "{update}");
    assert!(!update.contains("sessionUpdate"), "{update}");
}

#[tokio::test]
async fn a_draft_client_detected_by_its_first_session() {
    let said = converse(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"workingDirectory":"/project"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}"#,
    ])
    .await;
    let update = said
        .iter()
        .find(|line| line.contains("session/update"))
        .unwrap();
    assert!(!update.contains("sessionUpdate"), "{update}");
}

#[tokio::test]
async fn an_official_client_gets_official_responses() {
    let said = converse(&[
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":true}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}"#,
    ])
    .await;
    assert!(said[0].contains("agentCapabilities"), "{}", said[0]);
    assert!(said.iter().any(|line| line.contains("sessionUpdate")));
}

#[tokio::test]
async fn a_pharo_agent_by_configuration() {
    let (ours, theirs) = pipes(1 << 16);
    let options = Options::default().translator(translator_for(Dialect::Pharo, Role::Agent));
    let (agent, mut calls) = client::connect(ours.0, ours.1, options);
    let (read, mut write) = theirs;
    let agent_side = tokio::spawn(async move {
        let mut read = BufReader::new(read).lines();
        let mut said = Vec::new();
        while let Some(line) = read.next_line().await.unwrap() {
            let answer = match said.len() {
                0 => {
                    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authenticationMethods":[]}}"#
                }
                _ => concat!(
                    r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"type":"agent_message_chunk","content":{"type":"text","text":"hello"}}}}"#,
                    "\n",
                    r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#
                ),
            };
            said.push(line);
            write.write_all(answer.as_bytes()).await.unwrap();
            write.write_all(b"\n").await.unwrap();
        }
        said
    });
    agent
        .initialize(v1::InitializeRequest::new(v1::ProtocolVersion::V1))
        .await
        .unwrap();
    let session = agent.session("s");
    let mut transcript = Transcript::new();
    let answer = calls
        .until(session.prompt(["hi"]), |call| {
            if let ClientCall::Session(update) = call {
                transcript.apply(update.update);
            }
        })
        .await;
    assert_eq!(answer.unwrap().stop_reason, v1::StopReason::EndTurn);
    assert_eq!(transcript.text(), "hello");
    drop((agent, session, calls));
    assert_eq!(agent_side.await.unwrap().len(), 2);
}

/// A client of the draft pushes the output of its terminals, so it gets no request for output.
#[tokio::test]
async fn a_request_answered_by_the_translator_ends_no_other() {
    let (ours, (read, mut write)) = pipes(1 << 16);
    let (client, mut calls) = agent::connect(ours.0, ours.1, detecting(Role::Client));
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"capabilities":{"terminal":true}}}"#;
    write.write_all(hello.as_bytes()).await.unwrap();
    write.write_all(b"\n").await.unwrap();
    let Some(AgentCall::Initialize(_, reply)) = calls.next().await else {
        panic!("no initialize");
    };
    reply.ok(v1::InitializeResponse::new(v1::ProtocolVersion::V1));
    client.flush().await;
    let unknown = v1::TerminalOutputRequest::new("s", "t");
    let refused = client.request(unknown).await.unwrap_err();
    let code = refused.refusal().map(|error| error.code);
    assert_eq!(code, Some(Error::INVALID_PARAMS), "{refused}");
    client
        .session("s")
        .send_message("still here")
        .await
        .unwrap();
    let mut lines = BufReader::new(read).lines();
    lines.next_line().await.unwrap();
    let said = lines.next_line().await.unwrap().unwrap();
    assert!(said.contains("still here"), "{said}");
}

/// Sets the model with a client of ours. The agent responds with these lines. Returns the requests that the agent got.
async fn set_model(answers: &'static [&'static str]) -> Vec<String> {
    let (ours, theirs) = pipes(1 << 16);
    let (agent, calls) = client::connect(ours.0, ours.1, detecting(Role::Agent));
    let (read, mut write) = theirs;
    let agent_side = tokio::spawn(async move {
        let mut read = BufReader::new(read).lines();
        let mut said = Vec::new();
        for answer in answers {
            said.push(read.next_line().await.unwrap().unwrap());
            write.write_all(answer.as_bytes()).await.unwrap();
            write.write_all(b"\n").await.unwrap();
        }
        said
    });
    let hello = v1::InitializeRequest::new(v1::ProtocolVersion::V1);
    agent.initialize(hello).await.unwrap();
    let new = v1::NewSessionRequest::new("/project", []);
    let opened = agent.request(new).await.unwrap();
    let options = opened.config_options.unwrap_or_default();
    let Some(option) = options.first() else {
        drop((agent, calls));
        return agent_side.await.unwrap();
    };
    let set = v1::SetSessionConfigOptionRequest::new(opened.session_id, option.id.clone(), "large");
    let set = agent.request(set).await.unwrap();
    assert!(!set.config_options.is_empty());
    drop((agent, calls));
    agent_side.await.unwrap()
}

#[tokio::test]
async fn the_models_of_an_older_agent_are_an_option_of_the_session() {
    let said = set_model(&[
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","models":{"currentModelId":"small","availableModels":[{"modelId":"small","name":"Small"},{"modelId":"large","name":"Large"}]}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
    ])
    .await;
    assert_eq!(
        said[2],
        r#"{"jsonrpc":"2.0","id":3,"method":"session/set_model","params":{"sessionId":"s","modelId":"large"}}"#
    );
}

#[tokio::test]
async fn an_option_of_a_current_agent_is_unchanged() {
    let said = set_model(&[
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"small","options":[{"value":"small","name":"Small"},{"value":"large","name":"Large"}]}]}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"large","options":[{"value":"large","name":"Large"}]}]}}"#,
    ])
    .await;
    assert!(said[2].contains("session/set_config_option"), "{}", said[2]);
}
