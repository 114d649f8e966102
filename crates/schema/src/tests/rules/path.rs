//! Paths and lines.

use expect_test::expect;

use super::{check, clean};

#[test]
fn a_relative_path_is_reported_in_every_message() {
    check(
        r#"
        client has {"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"subagents":{}}
        agent has {"sessionCapabilities":{"list":{},"additionalDirectories":{}}}
        client session/new {"cwd":"a","mcpServers":[{"name":"m","command":"npx","args":[],"env":[]}],"additionalDirectories":["/b","c",""]}
        client session/list {"cwd":"a"}
        agent = {"sessions":[{"sessionId":"s","cwd":"a","additionalDirectories":["b"]}]}
        agent fs/read_text_file {"sessionId":"s","path":"a"}
        agent fs/write_text_file {"sessionId":"s","path":"./a","content":""}
        agent terminal/create {"sessionId":"s","command":"ls","cwd":"a"}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","locations":[{"path":"a"}],"content":[{"type":"diff","path":"a","newText":""}]}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c","cwd":"a","additionalDirectories":["b"]}}
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","locations":[{"path":"~/a"}]},"options":[]}
        "#,
        expect![[r#"
            session/new params.cwd: the path is relative; send the absolute path (rule 68, MUST)
            session/new params.additionalDirectories[1]: the path is relative; send the absolute path (rule 64, MUST)
            session/new params.additionalDirectories[2]: the path is empty; send the absolute path (rule 64, MUST)
            session/new params.mcpServers[0].command: the path is relative; send the absolute path (rule 13, MUST)
            session/list params.cwd: the path is relative; send the absolute path (rule 13, MUST)
            session/list result.sessions[0].cwd: the path is relative; send the absolute path (rule 13, MUST)
            session/list result.sessions[0].additionalDirectories[0]: the path is relative; send the absolute path (rule 13, MUST)
            fs/read_text_file params.path: the path is relative; send the absolute path (rule 13, MUST)
            fs/write_text_file params.path: the path is relative; send the absolute path (rule 13, MUST)
            terminal/create params.cwd: the path is relative; send the absolute path (rule 13, MUST)
            session/update params.update.content[0].path: the path is relative; send the absolute path (rule 13, MUST)
            session/update params.update.locations[0].path: the path is relative; send the absolute path (rule 13, MUST)
            session/update params.update.cwd: the path is relative; send the absolute path (rule 13, MUST)
            session/update params.update.additionalDirectories[0]: the path is relative; send the absolute path (rule 13, MUST)
            session/request_permission params.toolCall.locations[0].path: the path is relative; send the absolute path (rule 13, MUST)
        "#]],
    );
}

#[test]
fn an_agent_must_reject_a_relative_root() {
    check(
        r#"
        agent has {"sessionCapabilities":{"additionalDirectories":{}}}
        client session/new {"cwd":"/a","mcpServers":[],"additionalDirectories":["b"]}
        agent = {"sessionId":"s"}
        client session/new {"cwd":"/a","mcpServers":[],"additionalDirectories":[""]}
        agent ! {"code":-32602,"message":"Invalid params"}
        "#,
        expect![[r#"
            session/new params.additionalDirectories[0]: the path is relative; send the absolute path (rule 64, MUST)
            session/new result: a root of the request is not absolute; answer with an error (-32602) (rule 67, MUST)
            session/new params.additionalDirectories[0]: the path is empty; send the absolute path (rule 64, MUST)
        "#]],
    );
}

#[test]
fn paths_of_unix_and_windows_are_absolute() {
    clean(
        r#"
        client has {"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"subagents":{}}
        agent has {"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"fork":{},"additionalDirectories":{}}}
        client session/new {"cwd":"C:\\a","mcpServers":[{"name":"m","command":"/usr/bin/npx","args":[],"env":[]}],"additionalDirectories":["//host/b"]}
        agent = {"sessionId":"s"}
        client session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}
        client session/resume {"sessionId":"s","cwd":"/a"}
        client session/fork {"sessionId":"s","cwd":"/a"}
        client session/list {"cwd":"/a"}
        agent = {"sessions":[{"sessionId":"s","cwd":"/a","additionalDirectories":["/b"]}]}
        agent fs/read_text_file {"sessionId":"s","path":"/a","line":1}
        agent terminal/create {"sessionId":"s","command":"ls","cwd":"/a"}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","locations":[{"path":"/a","line":1}],"content":[{"type":"diff","path":"/a","newText":""}]}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c","cwd":"/a"}}
        "#,
    );
}

#[test]
fn lines_start_at_one() {
    check(
        r#"
        client has {"fs":{"readTextFile":true}}
        agent fs/read_text_file {"sessionId":"s","path":"/a","line":0}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","locations":[{"path":"/a","line":0}]}}
        "#,
        expect![[r#"
            fs/read_text_file params.line: there is no line 0; the first line is 1 (rule 14, MUST)
            session/update params.update.locations[0].line: there is no line 0; the first line is 1 (rule 14, MUST)
        "#]],
    );
}
