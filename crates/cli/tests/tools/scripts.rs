//! Agents written in shell.

/// An agent that answers each request by its method; `answers` are more arms of the `case`.
pub(crate) fn agent(capabilities: &str, answers: &str) -> String {
    format!(
        r#"#!/bin/sh
answer() {{ printf '{{"jsonrpc":"2.0","id":%s,%s}}\n' "$id" "$1"; }}
while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case "$line" in
    *'"initialize"'*) answer '"result":{{"protocolVersion":1,"agentInfo":{{"name":"fake","version":"1.2.3"}},{capabilities}}}' ;;
{answers}
    *'"session/new"'*) answer '"result":{{"sessionId":"s"}}' ;;
    *'"error"'*) ;;
    *) answer '"error":{{"code":-32601,"message":"Method not found"}}' ;;
    esac
done
"#
    )
}

/// An agent that offers nothing beyond the basics.
pub(crate) fn plain() -> String {
    agent(r#""authMethods":[]"#, "")
}

/// An agent with two pages of sessions, which it can replay and delete.
pub(crate) fn librarian() -> String {
    let capabilities =
        r#""agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"delete":{}}}"#;
    let answers = r#"
    *'"session/list"'*cursor*) answer '"result":{"sessions":[{"sessionId":"two","cwd":"/work","updatedAt":"2026-01-02T03:04:05.678Z"}]}' ;;
    *'"session/list"'*) answer '"result":{"sessions":[{"sessionId":"one","cwd":"/work","title":"The \u001b[31mfirst"}],"nextCursor":"next"}' ;;
    *'"session/load"'*)
        printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"one","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"What is two and two?"}}}}'
        printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"one","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Four."}}}}'
        answer '"result":{}' ;;
    *'"session/delete"'*) answer '"result":{}' ;;"#;
    agent(capabilities, answers)
}
