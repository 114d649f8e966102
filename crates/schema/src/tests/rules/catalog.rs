//! Stored sessions and providers.

use expect_test::expect;

use super::check;

#[test]
fn an_agent_that_archives_reports_archived_for_every_session() {
    check(
        r#"
        agent has {"sessionCapabilities":{"list":{},"archive":{}}}
        client session/list {}
        agent = {"sessions":[{"sessionId":"s","cwd":"/a","archived":false},{"sessionId":"t","cwd":"/a"}]}
        client session/list {"archived":"sometimes"}
        agent = {"sessions":[]}
        client session/list {"archived":"sometimes"}
        agent ! {"code":-32602,"message":"Invalid params"}
        "#,
        expect![[r#"
            session/list result.sessions[1].archived: is missing; an agent that archives reports it for every session (rule 88, MUST)
            session/list result: the request's filter is not defined; answer with an error (-32602) (rule 89, MUST)
        "#]],
    );
}

#[test]
fn an_empty_title_is_a_violation() {
    check(
        r#"
        agent has {"sessionCapabilities":{"title":{}}}
        client session/set_title {"sessionId":"s","title":" "}
        agent = {"title":" "}
        client session/set_title {"sessionId":"s","title":"T"}
        agent = {"title":""}
        client session/set_title {"sessionId":"s","title":" T"}
        agent = {"title":"T"}
        "#,
        expect![[r#"
            session/set_title params.title: the title is empty; send one with text (rule 92, observed)
            session/set_title result: the request's title is empty; answer with an error (-32602) (rule 92, observed)
            session/set_title result.title: the title is empty; answer with the one that is stored (rule 92, observed)
        "#]],
    );
}

#[test]
fn deleting_an_unknown_session_succeeds() {
    check(
        r#"
        agent has {"sessionCapabilities":{"delete":{}}}
        client session/delete {"sessionId":"s"}
        agent ! {"code":-32002,"message":"Resource not found"}
        client session/delete {"sessionId":"s"}
        agent = null
        "#,
        expect![[r#"
            session/delete error.code: there is nothing to delete, which is fine; answer with success (rule 87, SHOULD)
        "#]],
    );
}

#[test]
fn a_status_error_names_the_session() {
    check(
        r#"
        agent has {"sessionCapabilities":{"status":{}}}
        client session/status {"sessionId":"s"}
        agent ! {"code":-32002,"message":"Resource not found"}
        client session/status {"sessionId":"s"}
        agent ! {"code":-32002,"message":"Resource not found","data":{"sessionId":"s"}}
        client session/status {"sessionId":"s"}
        agent = {"status":"asleep"}
        "#,
        expect![[r#"
            session/status error.data: the session's id is missing; add it as sessionId (rule 90, MUST)
        "#]],
    );
}

#[test]
fn a_required_provider_has_a_configuration() {
    check(
        r#"
        agent has {"providers":{}}
        client providers/list {}
        agent = {"providers":[{"providerId":"p","supported":["openai"],"required":true},{"providerId":"p","supported":[],"required":false,"current":null}]}
        client providers/list {}
        agent = {"providers":[{"providerId":"p","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://a.example"}}]}
        "#,
        expect![[r#"
            providers/list result.providers[1].providerId: another item of the list has the same id; give each a unique id (rule B5, SHOULD)
            providers/list result.providers[0].current: a required provider is never disabled; show its configuration (rule 179, MUST)
        "#]],
    );
}

#[test]
fn a_result_matches_the_schema() {
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[]}
        agent = {"session":"s"}
        agent has {"sessionCapabilities":{"status":{}}}
        client session/status {"sessionId":"s"}
        agent = {"status":1}
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        client = {"outcome":{}}
        "#,
        expect![[r#"
            session/new result: does not match the schema: sessionId: missing (rule B6, SHOULD)
            session/status result: does not match the schema: status: expected a string, found a number (rule B6, SHOULD)
            session/request_permission result: does not match the schema: outcome.outcome: missing (rule B6, SHOULD)
        "#]],
    );
}
