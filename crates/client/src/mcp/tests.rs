use std::path::Path;

use attache::json;
use expect_test::{Expect, expect};

use super::{check as can_reach, parse};
use attache::v1;

/// Shows the servers as they go to the agent, or what is wrong.
fn check(text: &str, expected: &Expect) {
    let lookup = |name: &str| (name == "TOKEN").then(|| "t0ken".to_owned());
    let shown = match parse(
        "servers.json",
        text,
        Path::new("/etc/servers.json"),
        &lookup,
    ) {
        Ok(servers) => servers
            .iter()
            .map(|server| json::to_string(server) + "\n")
            .collect(),
        Err(error) => format!("{error}\n"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn servers_as_programs_write_them_down() {
    check(
        r#"{"mcpServers":{
            "files":{"command":"/bin/files","args":["--root","."],"env":{"KEY":"${TOKEN}"}},
            "web":{"type":"http","url":"https://example.com/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}},
            "old":{"type":"sse","url":"https://example.com/sse"},
            "off":{"command":"/bin/off","disabled":true}
        }}"#,
        &expect![[r#"
            {"name":"files","command":"/bin/files","args":["--root","."],"env":[{"name":"KEY","value":"t0ken"}]}
            {"type":"http","name":"web","url":"https://example.com/mcp","headers":[{"name":"Authorization","value":"Bearer t0ken"}]}
            {"type":"sse","name":"old","url":"https://example.com/sse","headers":[]}
        "#]],
    );
    check(
        r#"{"servers":{"web":{"url":"http://localhost:3000"}}}"#,
        &expect![[r#"
            {"type":"http","name":"web","url":"http://localhost:3000","headers":[]}
        "#]],
    );
    check(
        r#"{"context_servers":{"files":{"command":{"path":"/bin/files","args":["x"],"env":{}}}}}"#,
        &expect![[r#"
            {"name":"files","command":"/bin/files","args":["x"],"env":[]}
        "#]],
    );
    check(
        r#"[{"name":"files","command":"/bin/files","args":[],"env":[{"name":"A","value":"${B:-b}"}]}]"#,
        &expect![[r#"
            {"name":"files","command":"/bin/files","args":[],"env":[{"name":"A","value":"b"}]}
        "#]],
    );
}

#[test]
fn a_program_with_a_folder_is_beside_the_file() {
    check(
        r#"{"a":{"command":"./bin/m.sh"},"b":{"command":"bin/m.sh","args":["./x"]},"c":{"command":{"path":"../m.sh"}}}"#,
        &expect![[r#"
            {"name":"a","command":"/etc/bin/m.sh","args":[],"env":[]}
            {"name":"b","command":"/etc/bin/m.sh","args":["./x"],"env":[]}
            {"name":"c","command":"/etc/../m.sh","args":[],"env":[]}
        "#]],
    );
}

#[test]
fn faults_say_where() {
    check(
        "{",
        &expect![[r#"
        servers.json is not JSON: EOF while parsing an object at line 1 column 1
    "#]],
    );
    check(
        r#"{"mcpServers":[]}"#,
        &expect![[r#"
        servers.json: mcpServers: expected an object of servers by their names
    "#]],
    );
    check(
        r#"{"mcpServers":{"a":"b"}}"#,
        &expect![[r#"
        servers.json: mcpServers.a: expected an object with `command` or `url`
    "#]],
    );
    check(
        r#"{"mcpServers":{"a":{}}}"#,
        &expect![[r#"
        servers.json: mcpServers.a: expected `command` or `url`
    "#]],
    );
    check(
        r#"{"mcpServers":{"a":{"command":"/bin/a","args":["x",1]}}}"#,
        &expect![[r#"
            servers.json: mcpServers.a.args[1]: expected a string
        "#]],
    );
    check(
        r#"{"mcpServers":{"a":{"command":"/bin/a","env":{"A":"${NOT_SET}"}}}}"#,
        &expect![[r#"
            servers.json: mcpServers.a.env.A: the variable NOT_SET is not set
        "#]],
    );
    check(
        r#"{"mcpServers":{"a":{"command":"no-such-program-here"}}}"#,
        &expect![[r#"
            servers.json: mcpServers.a.command: there is no program `no-such-program-here`; install it, or give its full path
        "#]],
    );
    check(
        r#"{"mcpServers":{"a":{"type":"carrier-pigeon"}}}"#,
        &expect![[r#"
            servers.json: mcpServers.a.type: expected `stdio`, `http` or `sse`
        "#]],
    );
    check(
        r#"{"a":{"url":"ftp://example.com"}}"#,
        &expect![[r#"
        servers.json: a.url: expected an address that begins with http:// or https://
    "#]],
    );
    check(
        r#"[{"command":"/bin/a"}]"#,
        &expect![[r#"
        servers.json: [0].name: expected a string
    "#]],
    );
}

#[test]
fn a_server_that_the_agent_cannot_reach_is_named() {
    let server = v1::McpServerHttp::new("web", "https://example.com", []).into();
    let none = v1::McpCapabilities::new();
    expect!["the agent cannot reach MCP servers over HTTP, as `web` needs; leave it out, or run it as a command"]
        .assert_eq(&can_reach(&[server], &none).unwrap_err().to_string());
    let server = v1::McpServerHttp::new("web", "https://example.com", []).into();
    let http = v1::McpCapabilities::new().http(true);
    assert!(can_reach(&[server], &http).is_ok());
}
