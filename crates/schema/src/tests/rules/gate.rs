//! Messages that need a capability of the peer.

use expect_test::expect;

use super::{check, clean};

const METHODS: &str = r#"
    client logout {}
    client auth/status {}
    client session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}
    client session/resume {"sessionId":"s","cwd":"/a"}
    client session/fork {"sessionId":"s","cwd":"/a"}
    client session/close {"sessionId":"s"}
    client session/list {}
    client session/delete {"sessionId":"s"}
    client session/archive {"sessionId":"s"}
    client session/unarchive {"sessionId":"s"}
    client session/status {"sessionId":"s"}
    client session/set_title {"sessionId":"s","title":"T"}
    client providers/list {}
    client providers/set {"providerId":"p","apiType":"openai","baseUrl":"https://a.example"}
    client providers/disable {"providerId":"p"}
    agent fs/read_text_file {"sessionId":"s","path":"/a"}
    agent fs/write_text_file {"sessionId":"s","path":"/a","content":""}
    agent terminal/create {"sessionId":"s","command":"ls"}
    agent terminal/output {"sessionId":"s","terminalId":"t"}
    agent terminal/wait_for_exit {"sessionId":"s","terminalId":"t"}
    agent terminal/kill {"sessionId":"s","terminalId":"t"}
    agent terminal/release {"sessionId":"s","terminalId":"t"}
    agent elicitation/create {"mode":"url","sessionId":"s","message":"m","elicitationId":"e","url":"https://a.example"}
    agent elicitation/complete {"elicitationId":"e"}
    agent auth/status_update {"state":"authenticated"}
"#;

const UPDATES: &str = r#"
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"T"}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":""}}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c"}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"session_message","messageId":"m"}}
    agent session/update {"sessionId":"s","update":{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":""}}}
"#;

#[test]
fn a_method_needs_its_capability() {
    check(
        METHODS,
        expect![[r#"
            logout params: needs agentCapabilities.auth.logout, which was not advertised; do not send it (rule 45, MUST)
            auth/status params: needs agentCapabilities.auth.status, which was not advertised; do not send it (rule 33, MUST)
            session/load params: needs agentCapabilities.loadSession, which was not advertised; do not send it (rule 53, MUST)
            session/resume params: needs agentCapabilities.sessionCapabilities.resume, which was not advertised; do not send it (rule 58, MUST)
            session/fork params: needs agentCapabilities.sessionCapabilities.fork, which was not advertised; do not send it (rule 33, MUST)
            session/close params: needs agentCapabilities.sessionCapabilities.close, which was not advertised; do not send it (rule 60, MUST)
            session/list params: needs agentCapabilities.sessionCapabilities.list, which was not advertised; do not send it (rule 78, MUST)
            session/delete params: needs agentCapabilities.sessionCapabilities.delete, which was not advertised; do not send it (rule 85, MUST)
            session/archive params: needs agentCapabilities.sessionCapabilities.archive, which was not advertised; do not send it (rule 33, MUST)
            session/unarchive params: needs agentCapabilities.sessionCapabilities.archive, which was not advertised; do not send it (rule 33, MUST)
            session/status params: needs agentCapabilities.sessionCapabilities.status, which was not advertised; do not send it (rule 33, MUST)
            session/set_title params: needs agentCapabilities.sessionCapabilities.title, which was not advertised; do not send it (rule 33, MUST)
            providers/list params: needs agentCapabilities.providers, which was not advertised; do not send it (rule 33, MUST)
            providers/set params: needs agentCapabilities.providers, which was not advertised; do not send it (rule 33, MUST)
            providers/disable params: needs agentCapabilities.providers, which was not advertised; do not send it (rule 33, MUST)
            fs/read_text_file params: needs clientCapabilities.fs.readTextFile, which was not advertised; do not send it (rule 131, MUST)
            fs/write_text_file params: needs clientCapabilities.fs.writeTextFile, which was not advertised; do not send it (rule 131, MUST)
            terminal/create params: needs clientCapabilities.terminal, which was not advertised; do not send it (rule 134, MUST)
            terminal/output params: needs clientCapabilities.terminal, which was not advertised; do not send it (rule 134, MUST)
            terminal/wait_for_exit params: needs clientCapabilities.terminal, which was not advertised; do not send it (rule 134, MUST)
            terminal/kill params: needs clientCapabilities.terminal, which was not advertised; do not send it (rule 134, MUST)
            terminal/release params: needs clientCapabilities.terminal, which was not advertised; do not send it (rule 134, MUST)
            elicitation/create params.mode: needs clientCapabilities.elicitation.url, which was not advertised; do not send it (rule 158, MUST)
            elicitation/complete params: needs clientCapabilities.elicitation.url, which was not advertised; do not send it (rule 158, MUST)
            auth/status_update params: needs agentCapabilities.auth.status, which was not advertised; do not send it (rule 51, SHOULD)
        "#]],
    );
}

#[test]
fn an_update_needs_its_capability() {
    check(
        UPDATES,
        expect![[r#"
        session/update params.update: needs clientCapabilities.session.notices, which was not advertised; do not send it (rule 114, MUST)
        session/update params.update: needs clientCapabilities.session.compaction, which was not advertised; do not send it (rule 114, MUST)
        session/update params.update: needs clientCapabilities.session.compaction, which was not advertised; do not send it (rule 114, MUST)
        session/update params.update: needs clientCapabilities.plan, which was not advertised; do not send it (rule 130, MUST)
        session/update params.update: needs clientCapabilities.plan, which was not advertised; do not send it (rule 130, MUST)
        session/update params.update: needs clientCapabilities.subagents, which was not advertised; do not send it (rule 188, MUST)
        session/update params.update: needs clientCapabilities.subagents, which was not advertised; do not send it (rule 188, MUST)
        session/update params.update: needs clientCapabilities.subagents, which was not advertised; do not send it (rule 188, MUST)
    "#]],
    );
}

#[test]
fn an_advertised_capability_allows_its_methods() {
    let capabilities = r#"
        client has {"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"compaction":{},"notices":{}},"plan":{},"subagents":{},"elicitation":{"url":{}}}
        agent has {"loadSession":true,"sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"fork":{},"archive":{},"status":{},"title":{}},"auth":{"logout":{},"status":{}},"providers":{}}
    "#;
    clean(&[capabilities, METHODS, UPDATES].concat());
}

#[test]
fn baseline_methods_need_no_capability() {
    clean(
        r#"
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"sessionId":"s"}
        client session/prompt {"sessionId":"s","prompt":[]}
        client session/cancel {"sessionId":"s"}
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        client = {"outcome":{"outcome":"cancelled"}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":2}}
        agent = {"stopReason":"cancelled"}
        "#,
    );
}

#[test]
fn a_prompt_has_only_advertised_content() {
    let prompt = r#"
        client session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"resource_link","name":"n","uri":"file:///a"},{"type":"image","data":"","mimeType":"image/png"},{"type":"audio","data":"","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"file:///a","text":""}}]}
    "#;
    check(
        prompt,
        expect![[r#"
        session/prompt params.prompt[2]: needs agentCapabilities.promptCapabilities.image, which was not advertised; do not send it (rule 96, MUST)
        session/prompt params.prompt[3]: needs agentCapabilities.promptCapabilities.audio, which was not advertised; do not send it (rule 96, MUST)
        session/prompt params.prompt[4]: needs agentCapabilities.promptCapabilities.embeddedContext, which was not advertised; do not send it (rule 96, MUST)
    "#]],
    );
    let taken =
        r#"agent has {"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true}}"#;
    clean(&[taken, prompt].concat());
}

#[test]
fn the_archived_filter_needs_the_capability() {
    check(
        r#"
        agent has {"sessionCapabilities":{"list":{}}}
        client session/list {"archived":"only"}
        agent has {"sessionCapabilities":{"list":{},"archive":{}}}
        client session/list {"archived":"only"}
        "#,
        expect![[r#"
            session/list params.archived: needs agentCapabilities.sessionCapabilities.archive, which was not advertised; do not send it (rule 33, MUST)
        "#]],
    );
}

#[test]
fn a_child_session_is_announced_before_its_messages() {
    check(
        r#"
        client has {"subagents":{}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"c","recipientSessionId":"s"}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c"}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"c","recipientSessionId":"s"}}
        "#,
        expect![[r#"
            session/update params.update.senderSessionId: the child session has not been announced; send subagent_update first (rule 188, MUST)
        "#]],
    );
}

#[test]
fn the_client_does_not_prompt_a_child_session() {
    check(
        r#"
        client has {"subagents":{}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c"}}
        client session/cancel {"sessionId":"c"}
        client session/prompt {"sessionId":"c","prompt":[]}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c","capabilities":{"cancel":{}}}}
        client session/cancel {"sessionId":"c"}
        client session/cancel {"sessionId":"s"}
        "#,
        expect![[r#"
            session/cancel params.sessionId: the child session does not support cancel; leave it to its parent (rule 189, MUST)
            session/prompt params.sessionId: the child session cannot be changed by the client; leave it to its parent (rule 189, MUST)
        "#]],
    );
}
