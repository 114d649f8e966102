//! Tests of stored sessions: loaded, resumed, listed, forked, and interrupted in the middle of a turn.

use attache_journal::Kind;
use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;
use crate::entry_kinds;

const HELLO: &str = r#"{"say":[{"text":"Hello."}]}"#;

const TURN: &str = r#"
    -> session/prompt @turn {"sessionId":$s,"prompt":[{"type":"text","text":"Hi"}]}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"session_info_update", ...}}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello."},"messageId":$m}}
    <. session/update {"sessionId":$s,"update":{"sessionUpdate":"usage_update", ...}}
    <= @turn {"stopReason":"end_turn", ...}
"#;

#[tokio::test]
async fn loading_replays_the_session_and_restores_the_conversation() {
    let stage = TestAgent::new(&format!("{HELLO},{HELLO}"));
    stage.play("{}", &format!("{NEW}{TURN}")).await;
    let id = stage.only().await;
    let script = format!(
        r#"
        -> session/load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk","content":{{"type":"text","text":"Hi"}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"Hello."}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= {{"modes":{{"currentModeId":"ask", ...}},"configOptions":[{{"id":"mode", ...}}, ...]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"available_commands_update", ...}}}}
        -> session/prompt @turn {{"sessionId":"{id}","prompt":[{{"type":"text","text":"Again"}}]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Hi
        model: Hello.
        user: Again
    "#]]
    .assert_eq(&stage.sent_to_model());
}

/// `stored.db` was written by an earlier version, with entries of every kind.
#[tokio::test]
async fn a_session_of_an_earlier_version_is_replayed_and_restored() {
    let stage = TestAgent::new(HELLO);
    stage.put_database(include_bytes!("stored.db"));
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
        Update message "It says hi."
        Message
        TurnEnded
        Prompt
        Compacted
        Update message "The conversation is shortened from about 14 to 26 tokens."
        TurnEnded
        Prompt
        Message
        Update message "Again."
        Message
        TurnEnded
    "#]]
    .assert_eq(&stage.journal().await);
    let id = stage.only().await;
    let script = format!(
        r#"
        -> session/load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk","content":{{"type":"text","text":"Say hi"}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"tool_call","toolCallId":$c, ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"tool_call_update","toolCallId":$c, ...}}}} x3
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"It says hi."}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk","content":{{"type":"text","text":"/compact"}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk","content":{{"type":"text","text":"And now?"}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"Again."}},"messageId":_}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= {{...}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"available_commands_update", ...}}}}
        -> session/prompt @turn {{"sessionId":"{id}","prompt":[{{"type":"text","text":"Hi"}}]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: This is what happened before, in short:

        The user wanted hi.
        user: Go on from there when something is left to do.
        user: And now?
        model: Again.
        user: Hi
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn resuming_replays_nothing_and_restores_the_conversation() {
    let stage = TestAgent::new(&format!("{HELLO},{HELLO}"));
    stage.play("{}", &format!("{NEW}{TURN}")).await;
    let id = stage.only().await;
    let script = format!(
        r#"
        -> session/resume {{"sessionId":"{id}","cwd":"CWD"}}
        <= {{"modes":{{...}}, ...}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"available_commands_update", ...}}}}
        -> session/prompt @turn {{"sessionId":"{id}","prompt":[{{"type":"text","text":"Again"}}]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Hi
        model: Hello.
        user: Again
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_session_is_listed_named_archived_forked_closed_and_deleted() {
    let stage = TestAgent::new(&format!("{HELLO},{HELLO}"));
    let script = format!(
        r#"{NEW}{TURN}
        -> session/status {{"sessionId":$s}}
        <= {{"status":"open"}}
        -> session/list {{}}
        <= {{"sessions":[{{"sessionId":$s,"cwd":"CWD","title":"Hi","updatedAt":_,"archived":false}}]}}
        -> session/set_title {{"sessionId":$s,"title":"  A   better title "}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"session_info_update","title":"A better title"}}}}
        <= {{"title":"A better title"}}
        -> session/set_title {{"sessionId":$s,"title":" "}}
        <! {{"code":-32602, ...}}
        -> session/fork {{"sessionId":$s,"cwd":"CWD"}}
        <= {{"sessionId":$fork, ...}}
        <. session/update {{"sessionId":$fork,"update":{{"sessionUpdate":"available_commands_update", ...}}}}
        -> session/prompt @forked {{"sessionId":$fork,"prompt":[{{"type":"text","text":"And?"}}]}}
        <. session/update {{"sessionId":$fork,"update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":$fork,"update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @forked {{"stopReason":"end_turn", ...}}
        -> session/close {{"sessionId":$fork}}
        <= {{}}
        -> session/status {{"sessionId":$fork}}
        <= {{"status":"saved"}}
        -> session/archive {{"sessionId":$fork}}
        <= {{}}
        -> session/list {{}}
        <= {{"sessions":[{{"sessionId":$s, ...}}]}}
        -> session/list {{"archived":"only"}}
        <= {{"sessions":[{{"sessionId":$fork,"archived":true, ...}}]}}
        -> session/unarchive {{"sessionId":$fork}}
        <= {{}}
        -> session/delete {{"sessionId":$fork}}
        <= {{}}
        -> session/delete {{"sessionId":$fork}}
        <= {{}}
        -> session/list {{"cwd":"/elsewhere"}}
        <= {{"sessions":[]}}
        -> session/list {{"cursor":"made up"}}
        <! {{"code":-32602, ...}}
        -> session/load {{"sessionId":$fork,"cwd":"CWD","mcpServers":[]}}
        <! {{"code":-32002,"data":{{"sessionId":$fork}}, ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Hi
        model: Hello.
        user: And?
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn interrupted_calls_have_failed_and_the_model_is_told() {
    let stage = TestAgent::new(&format!("{HELLO},{HELLO}"));
    stage.play("{}", &format!("{NEW}{TURN}")).await;
    let id = stage.only().await;
    stage.add(&id, &CUT_OFF).await;
    let script = format!(
        r#"
        -> session/load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"tool_call","toolCallId":"t1", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= {{...}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"available_commands_update", ...}}}}
        -> session/prompt @turn {{"sessionId":"{id}","prompt":[{{"type":"text","text":"What happened?"}}]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"agent_message_chunk", ...}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"usage_update", ...}}}}
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Hi
        model: Hello.
        user: Run it
        model calls run {"command":"make"}
        run failed: Interrupted: the agent stopped before this was finished
        model: [Interrupted: the agent stopped before this was finished]
        user: What happened?
    "#]]
    .assert_eq(&stage.sent_to_model());
}

/// The journal of a turn that was killed while its command ran.
const CUT_OFF: [(Kind, &str); 6] = [
    (
        entry_kinds::PROMPT,
        r#"[{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Run it"}}]"#,
    ),
    (entry_kinds::MESSAGE, r#"{"user":[{"text":"Run it"}]}"#),
    (
        entry_kinds::UPDATE,
        r#"{"sessionUpdate":"tool_call","toolCallId":"t1","title":"run"}"#,
    ),
    (
        entry_kinds::MESSAGE,
        r#"{"model":[{"call":{"id":"c","name":"run","input":"{\"command\":\"make\"}"}}]}"#,
    ),
    (entry_kinds::TOOL_STARTED, r#"{"call":"t1","tool":"run"}"#),
    (
        entry_kinds::UPDATE,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"}"#,
    ),
];

#[tokio::test]
async fn a_session_that_is_open_in_another_process_is_rejected() {
    let stage = TestAgent::new(HELLO);
    stage.play("{}", &format!("{NEW}{TURN}")).await;
    let id = stage.only().await;
    let store = stage.store();
    let held = store.open_session(&id).await.unwrap();
    let script = format!(
        r#"
        -> session/load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        <! {{"code":-32600,"data":{{"kind":"in_use"}}, ...}}
    "#
    );
    stage.play("{}", &script).await;
    drop(held);
}

#[tokio::test]
async fn two_concurrent_loads_of_a_session_run_one_after_the_other() {
    let stage = TestAgent::new(HELLO);
    stage.play("{}", &format!("{NEW}{TURN}")).await;
    let id = stage.only().await;
    let script = format!(
        r#"
        -> session/load @first {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        -> session/load @second {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        any order
          <. session/update {{"sessionId":"{id}", ...}} x8
          <= @first {{...}}
          <= @second {{...}}
        end
    "#
    );
    let trace = stage.play("{}", &script).await.to_script();
    let shown = trace.matches(r#""text":"Hello.""#).count();
    assert_eq!(shown, 2, "{trace}");
}

#[tokio::test]
async fn a_session_that_is_deleted_while_it_is_loaded_is_gone() {
    let stage = TestAgent::new(HELLO);
    stage.play("{}", &format!("{NEW}{TURN}")).await;
    let id = stage.only().await;
    let script = format!(
        r#"
        -> session/load @load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        -> session/delete @delete {{"sessionId":"{id}"}}
        any order
          <. session/update {{"sessionId":"{id}", ...}} x4
          <= @load {{...}}
          <= @delete {{}}
        end
        -> session/list {{}}
        <= {{"sessions":[]}}
    "#
    );
    stage.play("{}", &script).await;
}

#[tokio::test]
async fn too_many_servers_are_rejected_at_once() {
    let stage = TestAgent::new(HELLO);
    let server = r#"{"name":"files","command":"/bin/true","args":[],"env":[]}"#;
    let servers = vec![server; 20_000].join(",");
    let script = format!(
        r#"
        -> session/new {{"cwd":"CWD","mcpServers":[{servers}]}}
        <! {{"code":-32602,"message":"Invalid params: `mcpServers` names 20000 servers; name at most 256", ...}} within 2s
    "#
    );
    stage.play("{}", &script).await;
}
