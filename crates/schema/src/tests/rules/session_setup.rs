//! Setting sessions up.

use expect_test::expect;

use super::{check, clean};

#[test]
fn roots_and_servers_need_a_capability() {
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[{"type":"http","name":"h","url":"https://a.example","headers":[]},{"type":"sse","name":"s","url":"https://a.example","headers":[]},{"type":"acp","name":"a","serverId":"1"},{"type":"carrier pigeon"}],"additionalDirectories":["/b"]}
        "#,
        expect![[r#"
            session/new params.additionalDirectories: needs agentCapabilities.sessionCapabilities.additionalDirectories, which was not advertised; do not send it (rule 63, MUST)
            session/new params.mcpServers[0]: needs agentCapabilities.mcpCapabilities.http, which was not advertised; do not send it (rule 74, MUST)
            session/new params.mcpServers[1]: needs agentCapabilities.mcpCapabilities.sse, which was not advertised; do not send it (rule 74, MUST)
            session/new params.mcpServers[2]: needs agentCapabilities.mcpCapabilities.acp, which was not advertised; do not send it (rule 33, MUST)
            session/new params.mcpServers[3].type: the server's type is not defined; use stdio, http, sse or acp (rule B3, SHOULD)
        "#]],
    );
    clean(
        r#"
        agent has {"mcpCapabilities":{"http":true,"sse":true,"acp":true},"sessionCapabilities":{"additionalDirectories":{}}}
        client session/new {"cwd":"/a","mcpServers":[{"type":"http","name":"h","url":"https://a.example","headers":[]},{"type":"sse","name":"s","url":"https://a.example","headers":[]},{"type":"acp","name":"a","serverId":"1"},{"name":"m","command":"/m","args":[],"env":[]}],"additionalDirectories":["/b"]}
        "#,
    );
}

#[test]
fn an_acp_mcp_server_has_a_unique_id() {
    check(
        r#"
        agent has {"mcpCapabilities":{"acp":true}}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"},{"type":"acp","name":"b","serverId":"1"}]}
        agent = {"sessionId":"s"}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"}]}
        "#,
        expect![[r#"
            session/new params.mcpServers[1].serverId: the id is in use on this connection; choose a new one (rule 182, MUST)
            session/new params.mcpServers[0].serverId: the id is in use on this connection; choose a new one (rule 182, MUST)
        "#]],
    );
}

#[test]
fn an_mcp_server_of_a_failed_session_may_be_reused() {
    clean(
        r#"
        agent has {"mcpCapabilities":{"acp":true}}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"}]}
        agent ! {"code":-32000,"message":"Authentication required"}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"}]}
        agent mcp/message {"serverId":"1","requestId":"r","method":"initialize"}
        client mcp/message {"serverId":"1","requestId":"r","method":"notifications/progress"}
        "#,
    );
}

#[test]
fn a_failed_session_keeps_the_mcp_servers_of_others() {
    check(
        r#"
        agent has {"mcpCapabilities":{"acp":true}}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"}]}
        agent = {"sessionId":"s"}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"}]}
        agent ! {"code":-32602,"message":"the id is in use"}
        agent mcp/message {"serverId":"1","requestId":"r","method":"initialize"}
        client session/new {"cwd":"/a","mcpServers":[{"type":"acp","name":"a","serverId":"1"}]}
        "#,
        expect![[r#"
            session/new params.mcpServers[0].serverId: the id is in use on this connection; choose a new one (rule 182, MUST)
            session/new params.mcpServers[0].serverId: the id is in use on this connection; choose a new one (rule 182, MUST)
        "#]],
    );
}

#[test]
fn an_mcp_message_names_a_declared_server() {
    check(
        r#"
        agent mcp/message {"serverId":"1","requestId":"","method":"initialize"}
        client = {"result":{},"error":{"code":1,"message":"m"}}
        agent mcp/message {"serverId":"1","requestId":"r","method":"initialize"}
        client = {"result":{}}
        client mcp/message {"serverId":"1","requestId":"r","method":"notifications/progress"}
        "#,
        expect![[r#"
            mcp/message params.requestId: the id is empty; send one with text (rule B2, SHOULD)
            mcp/message params.serverId: no session has named this server; use an id from mcpServers (rule B5, SHOULD)
            mcp/message result: has both result and error; send one of them (rule 183, MUST)
            mcp/message params.serverId: no session has named this server; use an id from mcpServers (rule B5, SHOULD)
            mcp/message params.serverId: no session has named this server; use an id from mcpServers (rule B5, SHOULD)
            mcp/message params: needs agentCapabilities.mcpCapabilities.acp, which was not advertised; do not send it (rule 33, MUST)
        "#]],
    );
}

#[test]
fn a_system_prompt_needs_the_capability() {
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"t"}]}}
        agent = {"sessionId":"s"}
        agent has {"sessionCapabilities":{"systemPrompt":{}}}
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"override","content":[{"type":"text","text":"t"}]}}
        agent = {"sessionId":"s2"}
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"prepend","content":[{"type":"text","text":"t"}]}}
        agent ! {"code":-32602,"message":"Invalid params"}
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"append","content":[]}}
        agent ! {"code":-32602,"message":"Invalid params"}
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"text","text":""}]}}
        agent ! {"code":-32602,"message":"Invalid params"}
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"resource_link","name":"n","uri":"u"}]}}
        agent ! {"code":-32602,"message":"Invalid params"}
        "#,
        expect![[r#"
            session/new params.systemPrompt: needs agentCapabilities.sessionCapabilities.systemPrompt, which was not advertised; do not send it (rule 76, MUST)
            session/new params.systemPrompt.mode: the agent's own prompt cannot be replaced; use append (rule 76, MUST)
            session/new result: the request's system prompt cannot be used; answer with an error (rule 77, MUST)
            session/new params.systemPrompt.mode: the mode is not defined; use append or override (rule 76, MUST)
            session/new params.systemPrompt.content: the system prompt has no text; omit it (rule 76, MUST)
            session/new params.systemPrompt.content: the system prompt has no text; omit it (rule 76, MUST)
            session/new params.systemPrompt.content: has a block that is not text; send text blocks only (rule 76, MUST)
        "#]],
    );
    clean(
        r#"
        agent has {"sessionCapabilities":{"systemPrompt":{"mode":{"override":{}}}}}
        client session/new {"cwd":"/a","mcpServers":[],"systemPrompt":{"mode":"override","content":[{"type":"text","text":"t"}]}}
        agent = {"sessionId":"s"}
        "#,
    );
}

#[test]
fn a_session_has_a_unique_id() {
    check(
        r#"
        agent has {"sessionCapabilities":{"fork":{}}}
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s"}
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s"}
        client session/fork {"sessionId":"s","cwd":"/a"}
        agent = {"sessionId":"s"}
        client session/fork {"sessionId":"s","cwd":"/a"}
        agent = {"sessionId":"t"}
        "#,
        expect![[r#"
            session/new result.sessionId: another session has this id; make a new one (rule 52, MUST)
            session/fork result.sessionId: another session has this id; make a new one (rule 52, MUST)
        "#]],
    );
}

#[test]
fn load_replays_no_notices_and_resume_replays_nothing() {
    check(
        r#"
        client has {"session":{"notices":{}}}
        agent has {"loadSession":true,"sessionCapabilities":{"resume":{}}}
        client session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t"}}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"T"}}
        agent = {}
        client session/resume {"sessionId":"s","cwd":"/a"}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t"}}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"T"}}
        agent = null
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"T"}}
        "#,
        expect![[r#"
            session/update params.update: a notice is sent while the session is loaded; do not replay old ones (rule 57, observed)
            session/update params.update: history is replayed before the response; respond without replaying it (rule 59, MUST)
        "#]],
    );
}
