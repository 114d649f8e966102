//! Files, and MCP servers over the connection.

use expect_test::expect;

use super::*;

#[test]
fn read_file() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent fs/read_text_file",
        r#"{"path": "/a", "encoding": "utf-8", "startLine": 5, "endLine": 9}"#,
        expect![[r#"
            {
              "path":"/a",
              "line":5,
              "sessionId":"s",
              "limit":5,
              "_meta":{"attache.dialect":{"encoding":"utf-8"}}
            }"#]],
    );
    check(
        &mut conversation,
        "client= fs/read_text_file",
        r#"{"content": "x", "encoding": "utf-8", "totalLines": 8, "truncated": true}"#,
        expect![[r#"
            {
              "content":"x",
              "_meta":{"attache.dialect":{"encoding":"utf-8","totalLines":8,"truncated":true}}
            }"#]],
    );
    check(
        &mut conversation,
        "agent fs/read_text_file",
        r#"{"path": "/a", "endLine": 9}"#,
        expect![[r#"{"path":"/a","sessionId":"s","limit":9}"#]],
    );
    check(
        &mut conversation,
        "agent fs/read_text_file",
        r#"{"path": "/a", "startLine": 2}"#,
        expect![[r#"{"path":"/a","line":2,"sessionId":"s"}"#]],
    );
    check_written(
        &mut conversation,
        "client fs/read_text_file",
        r#"{"sessionId": "s", "path": "/a", "line": 3, "limit": 1}"#,
        expect![[r#"{"path":"/a","startLine":3,"endLine":3}"#]],
    );
    check_written(
        &mut conversation,
        "agent= fs/read_text_file",
        r#"{"content": "x"}"#,
        expect![[r#"{"content":"x","encoding":"utf-8"}"#]],
    );
}

#[test]
fn relative_paths_start_at_the_working_directory() {
    let mut conversation = TranslatedConversation::in_session();
    check_lossy(
        &mut conversation,
        "agent fs/read_text_file",
        r#"{"path": "src/../a.rs"}"#,
        expect![[r#"{"path":"/home/user/project/src/../a.rs","sessionId":"s"}"#]],
        expect![[r#"{"path":"/home/user/project/src/../a.rs"}"#]],
    );
    check_lossy(
        &mut conversation,
        "agent terminal/create",
        r#"{"command": "ls", "cwd": "."}"#,
        expect![[r#"{"command":"ls","cwd":"/home/user/project","sessionId":"s"}"#]],
        expect![[r#"{"command":"ls","cwd":"/home/user/project"}"#]],
    );
}

#[test]
fn write_file() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent fs/write_text_file",
        r#"{
          "path": "/a",
          "content": "hello",
          "encoding": "utf-8",
          "createDirectories": true,
          "overwrite": false
        }"#,
        expect![[r#"
            {
              "path":"/a",
              "content":"hello",
              "sessionId":"s",
              "_meta":{
                "attache.dialect":{"encoding":"utf-8","createDirectories":true,"overwrite":false}
              }
            }"#]],
    );
    check(
        &mut conversation,
        "client= fs/write_text_file",
        r#"{"bytesWritten": 5, "created": true}"#,
        expect![[r#"{"_meta":{"attache.dialect":{"bytesWritten":5,"created":true}}}"#]],
    );
    check_written(
        &mut conversation,
        "client fs/write_text_file",
        r#"{"sessionId": "s", "path": "/a", "content": "x"}"#,
        expect![[r#"{"path":"/a","content":"x","overwrite":true}"#]],
    );
}

#[test]
fn written_bytes_are_counted() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent fs/write_text_file",
        r#"{"path": "/a", "content": "hé"}"#,
        expect![[r#"{"path":"/a","content":"hé","sessionId":"s","_meta":{"attache.dialect":{}}}"#]],
    );
    check_written(
        &mut conversation,
        "agent= fs/write_text_file",
        r#"null"#,
        expect![[r#"{"bytesWritten":3,"created":false}"#]],
    );
    check(
        &mut conversation,
        "agent fs/write_text_file",
        r#"{"path": "/b", "content": "", "overwrite": false}"#,
        expect![[r#"
            {
              "path":"/b",
              "content":"",
              "sessionId":"s",
              "_meta":{"attache.dialect":{"overwrite":false}}
            }"#]],
    );
    check_written(
        &mut conversation,
        "agent= fs/write_text_file",
        r#"{}"#,
        expect![[r#"{"bytesWritten":0,"created":true}"#]],
    );
}

#[test]
fn mcp_over_acp() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "agent _mcp/request",
        r#"{
          "serverName": "remote-tool",
          "mcpMethod": "tools/call",
          "mcpParams": {"name": "search", "arguments": {"query": "..."}}
        }"#,
        expect![[r#"
            {
              "serverId":"remote-tool",
              "method":"tools/call",
              "params":{"name":"search","arguments":{"query":"..."}},
              "requestId":"mcp-1"
            }"#]],
    );
    check(
        &mut conversation,
        "client= mcp/message",
        r#"{"content": []}"#,
        expect![[r#"{"result":{"content":[]}}"#]],
    );
    check(
        &mut conversation,
        "client= mcp/message",
        r#"null"#,
        expect![[r#"{"result":null}"#]],
    );
}

#[test]
fn an_error_of_an_mcp_server_is_an_error_of_the_call() {
    let mut conversation = TranslatedConversation::in_session();
    let result = r#"{"error":{"code":-7,"message":"no"}}"#;
    let error = conversation.agent.write_result(id(), "mcp/message", result);
    assert_eq!(error.expect_err("failed").code, -7);
}

#[test]
fn other_extensions_pass() {
    let mut conversation = TranslatedConversation::in_session();
    let params = r#"{"path":"/a","analysisType":"security"}"#;
    assert_eq!(
        conversation.pass("client _custom/analyzeCode", params).0,
        params
    );
}
