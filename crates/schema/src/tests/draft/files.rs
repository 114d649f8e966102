//! Files, and MCP servers over the connection.

use expect_test::expect;

use super::*;

#[test]
fn read_file() {
    let mut talk = Talk::in_session();
    check(
        &mut talk,
        "agent fs/read_text_file",
        r#"{"path": "/a", "encoding": "utf-8", "startLine": 5, "endLine": 9}"#,
        expect![],
    );
    check(
        &mut talk,
        "client= fs/read_text_file",
        r#"{"content": "x", "encoding": "utf-8", "totalLines": 8, "truncated": true}"#,
        expect![],
    );
    check(&mut talk, "agent fs/read_text_file", r#"{"path": "/a", "endLine": 9}"#, expect![]);
    check(&mut talk, "agent fs/read_text_file", r#"{"path": "/a", "startLine": 2}"#, expect![]);
    check_written(
        &mut talk,
        "client fs/read_text_file",
        r#"{"sessionId": "s", "path": "/a", "line": 3, "limit": 1}"#,
        expect![],
    );
    check_written(&mut talk, "agent= fs/read_text_file", r#"{"content": "x"}"#, expect![]);
}

#[test]
fn relative_paths_start_at_the_working_directory() {
    let mut talk = Talk::in_session();
    check_lossy(
        &mut talk,
        "agent fs/read_text_file",
        r#"{"path": "src/../a.rs"}"#,
        expect![],
        expect![],
    );
    check_lossy(
        &mut talk,
        "agent terminal/create",
        r#"{"command": "ls", "cwd": "."}"#,
        expect![],
        expect![],
    );
}

#[test]
fn write_file() {
    let mut talk = Talk::in_session();
    check(
        &mut talk,
        "agent fs/write_text_file",
        r#"{
          "path": "/a",
          "content": "hello",
          "encoding": "utf-8",
          "createDirectories": true,
          "overwrite": false
        }"#,
        expect![],
    );
    check(
        &mut talk,
        "client= fs/write_text_file",
        r#"{"bytesWritten": 5, "created": true}"#,
        expect![],
    );
    check_written(
        &mut talk,
        "client fs/write_text_file",
        r#"{"sessionId": "s", "path": "/a", "content": "x"}"#,
        expect![],
    );
}

#[test]
fn what_was_written_is_counted() {
    let mut talk = Talk::in_session();
    check(&mut talk, "agent fs/write_text_file", r#"{"path": "/a", "content": "hé"}"#, expect![]);
    check_written(&mut talk, "agent= fs/write_text_file", r#"null"#, expect![]);
    check(
        &mut talk,
        "agent fs/write_text_file",
        r#"{"path": "/b", "content": "", "overwrite": false}"#,
        expect![],
    );
    check_written(&mut talk, "agent= fs/write_text_file", r#"{}"#, expect![]);
}

#[test]
fn mcp_over_acp() {
    let mut talk = Talk::in_session();
    check(
        &mut talk,
        "agent _mcp/request",
        r#"{
          "serverName": "remote-tool",
          "mcpMethod": "tools/call",
          "mcpParams": {"name": "search", "arguments": {"query": "..."}}
        }"#,
        expect![],
    );
    check(&mut talk, "client= mcp/message", r#"{"content": []}"#, expect![]);
    check(&mut talk, "client= mcp/message", r#"null"#, expect![]);
}

#[test]
fn an_error_of_an_mcp_server_is_an_error_of_the_call() {
    let mut talk = Talk::in_session();
    let result = r#"{"error":{"code":-7,"message":"no"}}"#;
    let error = talk.agent.write_result("mcp/message", result);
    assert_eq!(error.expect_err("failed").code, -7);
}

#[test]
fn other_extensions_pass() {
    let mut talk = Talk::in_session();
    let params = r#"{"path":"/a","analysisType":"security"}"#;
    assert_eq!(talk.pass("client _custom/analyzeCode", params).0, params);
}
