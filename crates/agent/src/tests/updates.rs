//! Tests of the updates during a turn, from the prompt to the stop reason.

use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;

#[tokio::test]
async fn text_and_thoughts_are_streamed() {
    let stage = TestAgent::new(
        r#"{"say":[{"thought":"Hm."},{"text":"Hel"},{"text":"lo"},{"usage":{"input":10,"output":4,"thought":1,"cache_read":0,"cache_write":0}}]}"#,
    );
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Greet me"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"session_info_update","title":"Greet me"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_thought_chunk","content":{{"type":"text","text":"Hm."}},"messageId":$t}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"Hel"}},"messageId":$m}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"lo"}},"messageId":$m}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"usage_update","used":14,"size":200000}}}}
        <= @turn {{"stopReason":"end_turn","usage":{{"totalTokens":14,"inputTokens":10,"outputTokens":4,"thoughtTokens":1}}}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Greet me
    "#]]
    .assert_eq(&stage.sent_to_model());
    expect![[r#"
        Prompt
        Message
        Update thought
        Update message "Hel"
        Update message "lo"
        Message
        TurnEnded
    "#]]
    .assert_eq(&stage.journal().await);
}

#[tokio::test]
async fn an_edit_is_shown_permitted_and_applied() {
    let stage = TestAgent::new(
        r#"{"say":[{"call":{"id":"c1","name":"edit","input":{"path":"a.txt","edits":[{"old":"one","new":"two"}]}}}]},
           {"say":[{"text":"Done."}]}"#,
    );
    stage.write("a.txt", "one\n");
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Change it"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"session_info_update", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call","toolCallId":$c,"title":"edit","name":"edit","kind":"edit", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"usage_update", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call_update","toolCallId":$c,"title":"Edit a.txt","kind":"edit",
              "content":[{{"type":"diff","path":"CWD/a.txt","oldText":"one\n","newText":"two\n"}}],
              "locations":[{{"path":"CWD/a.txt","line":1}}],"rawInput":{{"path":"a.txt", ...}}}}}}
        <- session/request_permission {{"sessionId":$s,"toolCall":{{"toolCallId":$c,"title":"Edit a.txt","kind":"edit",
              "content":[{{"type":"diff", ...}}], ...}},"options":[{{"optionId":"allow_once","name":"Allow once","kind":"allow_once"}}, ...]}}
        => {{"outcome":{{"outcome":"selected","optionId":"allow_once"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call_update","toolCallId":$c,"status":"in_progress"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call_update","toolCallId":$c,"status":"completed", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"Done."}}, ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    assert_eq!(stage.read("a.txt"), "two\n");
    expect![[r#"
        user: Change it
        model calls edit {"path":"a.txt","edits":[{"old":"one","new":"two"}]}
        edit: Edited `a.txt`: 1 replacement, the first at line 1.
    "#]]
    .assert_eq(&stage.sent_to_model());
    expect![[r#"
        Prompt
        Message
        Update tool_call Pending
        Message
        Update tool_call_update None
        Decision
        ToolStarted
        Update tool_call_update Some(InProgress)
        ToolEnded
        Message
        Update tool_call_update Some(Completed)
        Update message "Done."
        Message
        TurnEnded
    "#]]
    .assert_eq(&stage.journal().await);
}

#[tokio::test]
async fn a_cancelled_turn_settles_open_calls() {
    let stage = TestAgent::new(
        r#"{"say":[{"text":"Wait."},{"call":{"id":"c1","name":"run","input":{"command":"sleep 1000"}}}]},
           {"say":[{"text":"Well."}]}"#,
    );
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Sleep"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"session_info_update", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call","toolCallId":$c, ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"usage_update", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call_update","toolCallId":$c,"title":"Run `sleep 1000`", ...}}}}
        <- session/request_permission {{"sessionId":$s, ...}}
        => {{"outcome":{{"outcome":"selected","optionId":"allow_once"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call_update","toolCallId":$c,"status":"in_progress"}}}}
        .> session/cancel {{"sessionId":$s}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"tool_call_update","toolCallId":$c,"status":"failed", ...}}}} within 100ms
        <= @turn {{"stopReason":"cancelled", ...}} within 100ms
        .> session/cancel {{"sessionId":$s}}
        -> session/prompt @next {{"sessionId":$s,"prompt":[{{"type":"text","text":"And?"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @next {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Sleep
        model: Wait.
        model calls run {"command":"sleep 1000"}
        run failed: Cancelled by the user
        user: And?
    "#]]
    .assert_eq(&stage.sent_to_model());
    expect![[r#"
        Prompt
        Message
        Update message "Wait."
        Update tool_call Pending
        Message
        Update tool_call_update None
        Decision
        ToolStarted
        Update tool_call_update Some(InProgress)
        Message
        Update tool_call_update Some(Failed)
        TurnEnded
        Prompt
        Message
        Update message "Well."
        Message
        TurnEnded
    "#]]
    .assert_eq(&stage.journal().await);
}
