//! Rules about sequences of messages.

use expect_test::expect;

use super::{check, clean};

/// Updates of a session, one a line.
fn updates(lines: &[&str]) -> String {
    let line = |update: &&str| {
        format!("agent session/update {{\"sessionId\":\"s\",\"update\":{update}}}\n")
    };
    lines.iter().map(line).collect()
}

#[test]
fn a_tool_call_is_reported_once_and_then_updated() {
    check(
        &updates(&[
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#,
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"u","status":"in_progress"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"u","status":"completed"}"#,
        ]),
        expect![[r#"
            session/update params.update.toolCallId: the id is in use; report changes with tool_call_update (rule 119, observed)
            session/update params.update.toolCallId: the call has not been reported; send tool_call first (rule 118, observed)
        "#]],
    );
}

#[test]
fn the_status_of_a_tool_call_moves_forward() {
    check(
        &updates(&[
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"in_progress"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"pending"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress"}"#,
            r#"{"sessionUpdate":"tool_call","toolCallId":"u","title":"U","status":"failed"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"u","status":"completed"}"#,
        ]),
        expect![[r#"
            session/update params.update.status: the status moves back; it may only move forward, and a final one stays (rule B7, SHOULD)
            session/update params.update.status: the status moves back; it may only move forward, and a final one stays (rule B7, SHOULD)
            session/update params.update.status: the status moves back; it may only move forward, and a final one stays (rule B7, SHOULD)
        "#]],
    );
    clean(&updates(&[
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress","title":"T2"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]}"#,
        r#"{"sessionUpdate":"tool_call","toolCallId":"u","title":"U"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"u","status":"failed"}"#,
    ]));
}

#[test]
fn a_tool_keeps_its_name() {
    check(
        &updates(&[
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","name":"grep"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","name":"grep"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","name":"find"}"#,
        ]),
        expect![[r#"
            session/update params.update.name: the tool's name has changed; keep the first one unless it was wrong (rule 126, SHOULD)
        "#]],
    );
}

#[test]
fn a_terminal_is_shown_before_it_is_released() {
    check(
        r#"
        client has {"terminal":true}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"early"}]}}
        agent terminal/release {"sessionId":"s","terminalId":"early"}
        agent terminal/release {"sessionId":"s","terminalId":"late"}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"terminal","terminalId":"early"},{"type":"terminal","terminalId":"late"}]}}
        "#,
        expect![[r#"
            session/update params.update.content[1].terminalId: the terminal has been released; show it before its release (rule 141, observed)
        "#]],
    );
}

#[test]
fn a_plan_is_sent_whole() {
    let plan = |entries: &[(&str, &str)]| -> String {
        let entry = |(content, status): &(&str, &str)| {
            format!(r#"{{"content":"{content}","priority":"high","status":"{status}"}}"#)
        };
        let entries: Vec<_> = entries.iter().map(entry).collect();
        let entries = entries.join(",");
        let whole = format!(r#"{{"sessionUpdate":"plan","entries":[{entries}]}}"#);
        let named = format!(
            r#"{{"sessionUpdate":"plan_update","plan":{{"type":"items","planId":"p","entries":[{entries}]}}}}"#
        );
        updates(&[&whole, &named])
    };
    let start = [
        "client has {\"plan\":{}}\n".to_owned(),
        plan(&[("a", "pending"), ("b", "pending"), ("c", "pending")]),
    ]
    .concat();
    check(
        &[start.clone(), plan(&[("a", "in_progress")])].concat(),
        expect![[r#"
            session/update params.update.entries: looks like the changed steps only; send the whole plan (rule 128, SHOULD)
            session/update params.update.plan.entries: looks like the changed steps only; send the whole plan (rule 128, SHOULD)
        "#]],
    );
    let meant: [&[(&str, &str)]; 4] = [
        &[("a", "in_progress"), ("b", "pending"), ("c", "pending")],
        &[("a", "in_progress"), ("c", "pending")],
        &[("d", "pending")],
        &[],
    ];
    for entries in meant {
        clean(&[start.clone(), plan(entries)].concat());
    }
    let removed = updates(&[r#"{"sessionUpdate":"plan_removed","planId":"p"}"#]);
    let again = updates(&[
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"high","status":"completed"}]}}"#,
    ]);
    clean(&[start, removed, again].concat());
}

#[test]
fn a_compaction_ends_once() {
    let chunk = r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":""}}"#;
    let status = |status| {
        format!(r#"{{"sessionUpdate":"compaction_update","compactionId":"k","status":"{status}"}}"#)
    };
    let (running, over) = (status("in_progress"), status("completed"));
    let client = "client has {\"session\":{\"compaction\":{}}}\n";
    let whole = updates(&[&running, chunk, &running, &status("resting"), chunk, &over]);
    clean(&format!("{client}{whole}over"));
    let twice = updates(&[chunk, &running, &over, chunk, &status("failed"), &running]);
    check(
        &format!("{client}{twice}over"),
        expect![[r#"
        session/update params.update.compactionId: the compaction is not running; send chunks while it is (rule 115, MUST)
        session/update params.update.compactionId: the compaction is not running; send chunks while it is (rule 115, MUST)
        session/update params.update.status: the compaction has ended; start another one with a new id (rule 115, MUST)
        session/update params.update.status: the compaction has ended; start another one with a new id (rule 115, MUST)
    "#]],
    );
    let open = updates(&[&running]);
    check(
        &format!("{client}{open}over"),
        expect![[r#"
        session/update params.update.status: a compaction has started but not ended; end it with a final status (rule 115, MUST)
    "#]],
    );
}

#[test]
fn a_cancelled_turn_ends_as_cancelled_after_its_updates() {
    let turn = r#"
        client session/prompt {"sessionId":"s","prompt":[]}
        client session/cancel {"sessionId":"s"}
    "#;
    let said = r#"
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t"}}}
    "#;
    let cost = r#"
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":2}}
    "#;
    clean(&format!(
        "{turn}{said}agent = {{\"stopReason\":\"cancelled\"}}{cost}"
    ));
    check(
        &format!("{turn}agent = {{\"stopReason\":\"end_turn\"}}"),
        expect![[r#"
            session/prompt result.stopReason: the turn was cancelled; respond with the stop reason `cancelled` (rule 106, MUST)
        "#]],
    );
    check(
        &format!("{turn}agent ! {{\"code\":-32800,\"message\":\"Request cancelled\"}}"),
        expect![[r#"
            session/prompt error: the turn was cancelled, which is not an error; respond with the stop reason `cancelled` (rule 107, MUST)
        "#]],
    );
    check(
        &format!("{turn}agent = {{\"stopReason\":\"cancelled\"}}{said}"),
        expect![[r#"
            session/update params.update: the prompt has its response; send updates of the turn before it (rule 108, MUST)
        "#]],
    );
}

#[test]
fn an_update_after_the_response_is_minor_without_cancel() {
    check(
        r#"
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a replay"}}}
        client session/cancel {"sessionId":"s"}
        client session/prompt {"sessionId":"s","prompt":[]}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"in time"}}}
        agent = {"stopReason":"end_turn"}
        client session/cancel {"sessionId":"s"}
        agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"late"}}}
        client session/prompt {"sessionId":"s","prompt":[]}
        agent ! {"code":-32603,"message":"Internal error"}
        "#,
        expect![[r#"
            session/update params.update: the prompt has its response; send updates of the turn before it (rule 108, observed)
        "#]],
    );
}

#[test]
fn a_queued_prompt_has_its_own_updates() {
    let said = r#"agent session/update {"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}"#;
    check(
        &format!(
            r#"
            client session/prompt {{"sessionId":"s","prompt":[]}}
            client session/prompt {{"sessionId":"s","prompt":[]}}
            {said}
            agent = {{"stopReason":"end_turn"}}
            {said}
            agent = {{"stopReason":"end_turn"}}
            {said}
            "#
        ),
        expect![[r#"
            session/update params.update: the prompt has its response; send updates of the turn before it (rule 108, observed)
        "#]],
    );
}

#[test]
fn a_cancelled_turn_cancels_its_permission_requests() {
    let question = r#"agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}"#;
    check(
        &format!(
            r#"
            client session/prompt {{"sessionId":"s","prompt":[]}}
            {question}
            client = {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
            {question}
            client session/cancel {{"sessionId":"s"}}
            client = {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
            {question}
            client = {{"outcome":{{"outcome":"cancelled"}}}}
            "#
        ),
        expect![[r#"
            session/request_permission result.outcome: the turn has been cancelled; answer with the outcome cancelled (rule 104, MUST)
        "#]],
    );
}
