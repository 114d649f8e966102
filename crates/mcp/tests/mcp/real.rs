//! Tests with third-party servers. They run if `ATTACHE_TEST_MCP` names a directory with the packages that `docs/mcp.md`
//! lists; otherwise they are reported as ignored.

use std::path::PathBuf;

use attache::v1;
use attache_mcp::ServerStatus;
use attache_process::{Child, Program};
use libtest_mimic::Trial;
use serde_json::json;

use crate::test_session::{PATIENCE, TestSession, said};

/// The tests. They are marked as ignored unless the variable is set.
pub(crate) fn trials() -> Vec<Trial> {
    let tests = suite();
    if std::env::var_os(DIRECTORY).is_some() {
        return tests;
    }
    eprintln!("skipped: the tests with servers of others need {DIRECTORY}, see docs/mcp.md");
    tests
        .into_iter()
        .map(|test| test.with_ignored_flag(true))
        .collect()
}

crate::trials!(as suite:
    everything_over_stdio,
    everything_over_streamable_http,
    everything_over_sse,
    filesystem,
    time,
);

async fn everything_over_stdio() {
    let server = node("server-everything", &["stdio"]);
    let desk = TestSession::open(vec![server]).await;
    uses_everything(&desk).await;
    desk.servers.close().await;
}

async fn everything_over_streamable_http() {
    let (_child, port) = start("streamableHttp").await;
    let none: [v1::HttpHeader; 0] = [];
    let url = format!("http://127.0.0.1:{port}/mcp");
    let server = v1::McpServer::Http(v1::McpServerHttp::new("fake", url, none));
    let desk = TestSession::open(vec![server]).await;
    uses_everything(&desk).await;
    desk.servers.close().await;
}

async fn everything_over_sse() {
    let (_child, port) = start("sse").await;
    let none: [v1::HttpHeader; 0] = [];
    let url = format!("http://127.0.0.1:{port}/sse");
    let server = v1::McpServer::Sse(v1::McpServerSse::new("fake", url, none));
    let desk = TestSession::open(vec![server]).await;
    uses_everything(&desk).await;
    desk.servers.close().await;
}

/// Uses every feature of the reference server that we support.
async fn uses_everything(desk: &TestSession) {
    let ServerStatus::Ready {
        tools,
        prompts,
        resources,
        ..
    } = desk.status()
    else {
        panic!("{:?}", desk.status());
    };
    assert!(
        tools >= 8 && prompts >= 3 && resources >= 3,
        "{:?}",
        desk.status()
    );
    assert_eq!(
        desk.call_with("echo", r#"{"message":"hi"}"#).await,
        "Echo: hi"
    );
    let sum = desk.call_with("get-sum", r#"{"a":2,"b":3}"#).await;
    assert_eq!(sum, "The sum of 2 and 3 is 5.");
    let wrong = desk.call_with("get-sum", r#"{"a":"two"}"#).await;
    assert!(wrong.starts_with("failed: "), "{wrong}");
    let picture = desk.call("get-tiny-image").await;
    assert!(picture.contains("<image/png "), "{picture}");
    let weather = json!({"location": "New York"}).to_string();
    let weather = desk
        .servers
        .call("mcp__fake__get-structured-content", &weather, drop)
        .await;
    assert!(
        weather
            .raw
            .is_some_and(|raw| raw["temperature"].is_number())
    );
    progresses(desk).await;
    let words = desk
        .servers
        .prompt("fake:args-prompt", "'New York' NY")
        .await
        .unwrap();
    assert!(format!("{words:?}").contains("New York, NY"), "{words:?}");
    let link = desk.servers.resources().remove(0);
    assert!(!desk.servers.read(&link.uri).await.unwrap().is_empty());
}

async fn progresses(desk: &TestSession) {
    let mut steps = Vec::new();
    let input = json!({"duration": 0.4, "steps": 2}).to_string();
    let name = "mcp__fake__trigger-long-running-operation";
    let outcome = desk
        .servers
        .call(name, &input, |step| steps.push(step.percent))
        .await;
    assert!(!outcome.failed, "{}", said(&outcome));
    assert!(steps.contains(&Some(50)), "{steps:?}");
}

async fn filesystem() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path().canonicalize().unwrap();
    std::fs::create_dir(&place).ok();
    let server = node("server-filesystem", &[place.to_str().unwrap()]);
    let desk =
        TestSession::open_with(vec![server], |session| session.roots = vec![place.clone()]).await;
    let file = place.join("note.txt");
    let input = json!({"path": file, "content": "written"}).to_string();
    let written = desk.call_with("write_file", &input).await;
    assert!(written.starts_with("Successfully wrote"), "{written}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "written");
    let read = desk
        .call_with("read_text_file", &json!({"path": file}).to_string())
        .await;
    assert_eq!(read, "written");
    let outside = desk
        .call_with("read_text_file", r#"{"path":"/etc/hostname"}"#)
        .await;
    assert!(outside.starts_with("failed: "), "{outside}");
    assert!(
        desk.servers
            .tool("mcp__fake__read_text_file")
            .unwrap()
            .read_only
    );
    std::fs::remove_dir_all(&place).unwrap();
}

async fn time() {
    let program = directory().join("venv/bin/mcp-server-time");
    let env: [v1::EnvVariable; 0] = [];
    let args: [&str; 0] = [];
    let server = v1::McpServerStdio::new("fake", program.to_str().unwrap(), args, env);
    let desk = TestSession::open(vec![v1::McpServer::Stdio(server)]).await;
    let now = desk
        .call_with("get_current_time", r#"{"timezone":"Europe/Zurich"}"#)
        .await;
    assert!(now.contains("Europe/Zurich"), "{now}");
    let wrong = desk
        .call_with("get_current_time", r#"{"timezone":"Nowhere"}"#)
        .await;
    assert!(wrong.starts_with("failed: "), "{wrong}");
}

/// An npm package as a server process.
fn node(package: &str, args: &[&str]) -> v1::McpServer {
    let script = script(package);
    let args = [script.to_str().unwrap()]
        .into_iter()
        .chain(args.iter().copied());
    let env: [v1::EnvVariable; 0] = [];
    v1::McpServer::Stdio(v1::McpServerStdio::new("fake", "node", args, env))
}

/// Starts the reference server on a free port.
async fn start(transport: &str) -> (Child, u16) {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let program = Program::new("node")
        .arg(script("server-everything"))
        .arg(transport);
    let child = program.env("PORT", port.to_string()).spawn().await.unwrap();
    let listens = async {
        let mut seen = 0;
        while !child.stderr().text().contains(&format!("on port {port}")) {
            seen = child
                .stderr()
                .more(seen)
                .await
                .expect("the server has ended");
        }
    };
    tokio::time::timeout(PATIENCE, listens)
        .await
        .expect("the server does not listen");
    (child, port)
}

fn script(package: &str) -> PathBuf {
    let modules = directory().join("node_modules/@modelcontextprotocol");
    modules.join(package).join("dist/index.js")
}

fn directory() -> PathBuf {
    std::env::var_os(DIRECTORY).unwrap().into()
}

const DIRECTORY: &str = "ATTACHE_TEST_MCP";
