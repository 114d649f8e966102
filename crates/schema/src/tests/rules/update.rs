//! The content of updates, prompts and responses, independent of earlier messages.

use expect_test::expect;

use super::{check, clean};

#[test]
fn enum_values_are_defined() {
    check(
        r#"
        client has {"plan":{},"session":{"compaction":{}},"subagents":{}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"mood_update"}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"smell"}}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"write","status":"running","content":[{"type":"text"},{"type":"content","content":{"type":"smell"}}]}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"c","priority":"urgent","status":"done"}]}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"drawing"}}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress","summary":[{"type":"smell"}]}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"session_message","messageId":"m","content":[{"type":"smell"}]}}
        client session/prompt {"sessionId":"s","prompt":[{"type":"smell"}]}
        agent = {"stopReason":"bored"}
        "#,
        expect![[r#"
            session/update params.update.sessionUpdate: the update is not defined; put custom data in _meta or a custom method (rule B3, SHOULD)
            session/update params.update.content.type: the block's type is not defined; use text, image, audio, resource_link or resource (rule B3, SHOULD)
            session/update params.update.kind: the kind is not defined and counts as other; use a defined one (rule B3, observed)
            session/update params.update.status: the status is not defined; use pending, in_progress, completed or failed (rule B3, observed)
            session/update params.update.content[0].type: the content's type is not defined; use content, diff or terminal (rule B3, SHOULD)
            session/update params.update.content[1].content.type: the block's type is not defined; use text, image, audio, resource_link or resource (rule B3, SHOULD)
            session/update params.update.entries[0].priority: the priority is not defined; use high, medium or low (rule B3, SHOULD)
            session/update params.update.entries[0].status: the status is not defined; use pending, in_progress or completed (rule B3, SHOULD)
            session/update params.update.plan.type: the plan's type is not defined; use items, file or markdown (rule B3, SHOULD)
            session/update params.update.summary[0].type: the block's type is not defined; use text, image, audio, resource_link or resource (rule B3, SHOULD)
            session/update params.update.content[0].type: the block's type is not defined; use text, image, audio, resource_link or resource (rule B3, SHOULD)
            session/prompt params.prompt[0].type: the block's type is not defined; use text, image, audio, resource_link or resource (rule B3, SHOULD)
            session/prompt result.stopReason: the reason is not defined; use end_turn, max_tokens, max_turn_requests, refusal or cancelled (rule B3, SHOULD)
        "#]],
    );
    clean(
        r#"
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"edit","status":"pending","content":[{"type":"content","content":{"type":"text","text":"t"}}]}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"c","priority":"high","status":"completed"}]}}
        client session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"t"}]}
        agent = {"stopReason":"end_turn"}
        "#,
    );
}

#[test]
fn titles_are_not_empty() {
    check(
        r#"
        client has {"session":{"notices":{}}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":""}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":" "}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","title":""}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t"}}
        "#,
        expect![[r#"
            session/update params.update.title: the title is empty; say what happened (rule B4, SHOULD)
            session/update params.update.title: the title is empty; say what the call does (rule B4, SHOULD)
            session/update params.update.title: the title is empty; say what the call does (rule B4, SHOULD)
        "#]],
    );
}

#[test]
fn trace_context_is_text_everywhere() {
    check(
        r#"
        client session/new {"cwd":"/a","mcpServers":[],"_meta":{"traceparent":1,"mine":1}}
        agent = {"sessionId":"s","_meta":{"baggage":{}}}
        client session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"t","_meta":{"tracestate":null}}]}
        client session/cancel {"sessionId":"s","_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","rawInput":{"_meta":{"traceparent":1},"sessionId":""}}}
        "#,
        expect![[r#"
            session/new params._meta.traceparent: the name is reserved for trace context; send a string or use another name (rule 177, SHOULD)
            session/new result._meta.baggage: the name is reserved for trace context; send a string or use another name (rule 177, SHOULD)
            session/prompt params.prompt[0]._meta.tracestate: the name is reserved for trace context; send a string or use another name (rule 177, SHOULD)
        "#]],
    );
}

#[test]
fn ids_have_a_minimum_and_maximum_length() {
    let long = "x".repeat(1025);
    let fair = "x".repeat(1024);
    check(
        &format!(
            r#"
            client session/new {{"cwd":"/a","mcpServers":[]}}
            agent = {{"sessionId":"","modes":{{"currentModeId":"a","availableModes":[{{"id":"a","name":"A"}},{{"id":"{long}","name":"B"}}]}}}}
            client session/prompt {{"sessionId":"{long}","prompt":[]}}
            agent session/update {{"sessionId":"{fair}","update":{{"sessionUpdate":"tool_call","toolCallId":"{long}","title":"T"}}}}
            "#
        ),
        expect![[r#"
            session/new result.sessionId: the id is empty; send one with text (rule B2, SHOULD)
            session/new result.modes.availableModes[1].id: the id is longer than 1024 bytes; send a shorter one (rule B2, SHOULD)
            session/prompt params.sessionId: the id is longer than 1024 bytes; send a shorter one (rule B2, SHOULD)
            session/update params.update.toolCallId: the id is longer than 1024 bytes; send a shorter one (rule B2, SHOULD)
        "#]],
    );
}
