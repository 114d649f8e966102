//! Tests of the offered models, the lists of their providers, and the login status of the default model.

use attache_model::Environment;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::test_agent::TestAgent;

/// A server that responds to every request with a list of one model.
async fn lister() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            drop(stream.read(&mut request).await);
            let list = r#"{"object":"list","data":[{"id":"llama9","object":"model"}]}"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{list}",
                list.len()
            );
            drop(stream.write_all(answer.as_bytes()).await);
        }
    });
    address
}

fn opened(model: &str) -> String {
    format!(
        r#"
        -> session/new {{"cwd":"CWD","mcpServers":[]}}
        <= {{"sessionId":$s,"configOptions":[_,{{"id":"model","currentValue":"{model}", ...}}, ...], ...}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"available_commands_update", ...}}}}
    "#
    )
}

#[tokio::test]
async fn the_first_listed_model_of_a_provider_is_the_default() {
    let mut stage = TestAgent::new("");
    stage.environment = Some(Environment {
        ollama_host: Some(lister().await),
        ..Environment::default()
    });
    stage.play("{}", &opened("ollama/llama9")).await;
}

#[tokio::test]
async fn a_silent_provider_is_reported_and_the_embedded_model_answers() {
    let mut stage = TestAgent::new("");
    stage.environment = Some(Environment {
        ollama_host: Some("127.0.0.1:1".to_owned()),
        ..Environment::default()
    });
    let script = format!(
        r#"{}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"/mcp"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":$why}}, ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#,
        opened("embedded")
    );
    let trace = stage.play("{}", &script).await.to_script();
    assert!(
        trace.contains("ollama cannot be reached at 127.0.0.1:1"),
        "{trace}"
    );
}

#[tokio::test]
async fn a_model_name_without_provider_is_resolved() {
    let mut stage = TestAgent::new("");
    stage.environment = Some(Environment {
        anthropic_key: Some("k".to_owned().into()),
        model: Some("claude-of-tomorrow".to_owned()),
        ..Environment::default()
    });
    stage
        .play("{}", &opened("anthropic/claude-of-tomorrow"))
        .await;
}

/// Plays `auth/status` with an environment, and expects these states before and after `providers/set`.
async fn check_auth_status(environment: Environment, before: &str, provider: &str, after: &str) {
    let mut agent = TestAgent::new("");
    agent.environment = Some(environment);
    let changed = match before == after {
        true => String::new(),
        false => format!("<. auth/status_update {{\"state\":\"{after}\"}}"),
    };
    let script = format!(
        r#"
        -> auth/status {{}}
        <= {{"state":"{before}"}}
        -> providers/set @set {{"providerId":"{provider}","apiType":"anthropic","baseUrl":"http://127.0.0.1:1","headers":{{"x-api-key":"k"}}}}
        {changed}
        <= @set {{}}
        -> auth/status {{}}
        <= {{"state":"{after}"}}
    "#
    );
    agent.play("{}", &script).await;
}

#[tokio::test]
async fn the_login_status_is_that_of_the_default_model() {
    let environment = |key: Option<&str>, model: Option<&str>| Environment {
        anthropic_key: key.map(Into::into),
        model: model.map(str::to_owned),
        ..Environment::default()
    };
    let claude = Some("anthropic/claude-of-tomorrow");
    check_auth_status(
        environment(None, None),
        "not_required",
        "custom",
        "not_required",
    )
    .await;
    check_auth_status(
        environment(None, claude),
        "unauthenticated",
        "anthropic",
        "authenticated",
    )
    .await;
    check_auth_status(
        environment(Some("k"), claude),
        "authenticated",
        "anthropic",
        "authenticated",
    )
    .await;
}
