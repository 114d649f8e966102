//! Tests of interrupted turns: the client disconnects, fails a request or cancels, or the process ends.

use std::time::Duration;

use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;
use crate::entry_kinds;

const DONE: &str = r#"{"say":[{"text":"Done."}]}"#;
const ASK: &str = r#"{"say":[{"call":{"name":"ask","input":{"question":"Which?"}}}]}"#;
const WRITE: &str =
    r#"{"say":[{"call":{"name":"write","input":{"path":"a.txt","content":"one\n"}}}]}"#;

fn prompt(text: &str, rest: &str) -> String {
    format!(
        r#"
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"{text}"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        {rest}
    "#
    )
}

fn resumed(id: &str, text: &str) -> String {
    let turn = prompt(text, r#"<= @turn {"stopReason":"end_turn", ...}"#);
    let turn = turn.replace("$s", &format!("\"{id}\""));
    format!(
        r#"
        -> session/resume {{"sessionId":"{id}","cwd":"CWD"}}
        <= {{...}}
        <. session/update {{...}}
        {turn}"#
    )
}

#[tokio::test]
async fn a_client_that_disconnects_mid_turn_leaves_no_call_without_a_result() {
    let calls = r#"{"say":[{"call":{"id":"c1","name":"think","input":{"thought":"Hm."}}},
        {"call":{"id":"c2","name":"write","input":{"path":"a.txt","content":"one"}}},
        {"call":{"id":"c3","name":"write","input":{"path":"b.txt","content":"two"}}}]}"#;
    let stage = TestAgent::new(&format!("{calls},{DONE}"));
    let asked = prompt(
        "Go",
        r#"<- session/request_permission {"sessionId":$s, ...}"#,
    );
    stage.play_and_vanish(&format!("{NEW}{asked}")).await;
    let id = stage.only().await;
    stage.play("{}", &resumed(&id, "And?")).await;
    expect![[r#"
        user: Go
        model calls think {"thought":"Hm."}
        model calls write {"path":"a.txt","content":"one"}
        model calls write {"path":"b.txt","content":"two"}
        think: Noted.
        write failed: Not finished: the turn failed
        write failed: Not finished: the turn failed
        user: And?
    "#]]
    .assert_eq(&stage.sent_to_model());
    let shown = stage.journal().await;
    assert_eq!(shown.matches("Some(Failed)").count(), 2, "{shown}");
}

#[tokio::test]
async fn the_result_of_a_call_survives_the_interruption_of_the_next() {
    let stage = TestAgent::new(&format!("{DONE},{DONE}"));
    let hello = prompt("Hi", r#"<= @turn {"stopReason":"end_turn", ...}"#);
    stage.play("{}", &format!("{NEW}{hello}")).await;
    let id = stage.only().await;
    let calls = r#"{"model":[{"call":{"id":"c1","name":"run","input":"{}"}},{"call":{"id":"c2","name":"run","input":"{}"}}]}"#;
    let result =
        r#"{"tools":[{"id":"c1","name":"run","content":[{"text":"It is done."}],"failed":false}]}"#;
    let entries = [
        (entry_kinds::PROMPT, "[]"),
        (entry_kinds::MESSAGE, r#"{"user":[{"text":"Twice"}]}"#),
        (entry_kinds::MESSAGE, calls),
        (entry_kinds::MESSAGE, result),
    ];
    stage.add(&id, &entries).await;
    stage.play("{}", &resumed(&id, "And?")).await;
    expect![[r#"
        user: Hi
        model: Done.
        user: Twice
        model calls run {}
        model calls run {}
        run: It is done.
        run failed: Interrupted: the agent stopped before this was finished
        model: [Interrupted: the agent stopped before this was finished]
        user: And?
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn an_interrupted_prompt_that_the_model_never_got_is_kept() {
    let stage = TestAgent::new(&format!("{DONE},{DONE}"));
    let hello = prompt("Hi", r#"<= @turn {"stopReason":"end_turn", ...}"#);
    stage.play("{}", &format!("{NEW}{hello}")).await;
    let id = stage.only().await;
    let asked =
        r#"[{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Fix it"}}]"#;
    let aside = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"MCP server x is not available"}}"#;
    stage
        .add(
            &id,
            &[(entry_kinds::PROMPT, asked), (entry_kinds::UPDATE, aside)],
        )
        .await;
    stage.play("{}", &resumed(&id, "And?")).await;
    expect![[r#"
        user: Hi
        model: Done.
        user: Fix it
        model: [Interrupted: the agent stopped before this was finished]
        user: And?
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn an_interrupted_slash_command_is_not_sent_to_the_model() {
    let stage = TestAgent::new(DONE);
    stage.play("{}", NEW).await;
    let id = stage.only().await;
    let asked =
        r#"[{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"/help"}}]"#;
    let said = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"You are talking to"}}"#;
    stage
        .add(
            &id,
            &[(entry_kinds::PROMPT, asked), (entry_kinds::UPDATE, said)],
        )
        .await;
    stage.play("{}", &resumed(&id, "And?")).await;
    expect![[r#"
        user: And?
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_failed_permission_request_does_not_allow_the_call() {
    let stage = TestAgent::new(&format!("{WRITE},{DONE}"));
    let asked = prompt(
        "Go",
        r#"<- session/request_permission {"sessionId":$s, ...}
        !> {"code":-32603,"message":"no window"}
        <. session/update {"sessionId":$s, ...} x*
        <= @turn {"stopReason":"end_turn", ...}"#,
    );
    stage.play("{}", &format!("{NEW}{asked}")).await;
    assert!(!stage.project().join("a.txt").exists());
    expect![[r#"
        user: Go
        model calls write {"path":"a.txt","content":"one\n"}
        write failed: the client could not ask the user, so this is not allowed; continue without it or say what you need
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn a_failed_elicitation_is_reported_to_the_model() {
    let stage = TestAgent::new(&format!("{ASK},{DONE}"));
    let asked = prompt(
        "Go",
        r#"<- elicitation/create {"sessionId":$s, ...}
        !> {"code":-32603,"message":"no window"}
        <. session/update {"sessionId":$s, ...} x*
        <= @turn {"stopReason":"end_turn", ...}"#,
    );
    let forms = r#"{"elicitation":{"form":{}}}"#;
    stage.play(forms, &format!("{NEW}{asked}")).await;
    expect![[r#"
        user: Go
        model calls ask {"question":"Which?"}
        ask failed: the client could not ask the user; put the question into your message and end your turn
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn permission_after_a_switch_to_architect_mode_does_not_count() {
    let stage = TestAgent::new(&format!("{WRITE},{DONE}"));
    let asked = prompt(
        "Go",
        r#"<- session/request_permission @ask {"sessionId":$s, ...}
        -> session/set_mode @mode {"sessionId":$s,"modeId":"architect"}
        <. session/update {"sessionId":$s,"update":{"sessionUpdate":"current_mode_update", ...}}
        <. session/update {"sessionId":$s,"update":{"sessionUpdate":"config_option_update", ...}}
        <= @mode {}
        => @ask {"outcome":{"outcome":"selected","optionId":"allow_once"}}
        <. session/update {"sessionId":$s, ...} x*
        <= @turn {"stopReason":"end_turn", ...}"#,
    );
    stage.play("{}", &format!("{NEW}{asked}")).await;
    assert!(!stage.project().join("a.txt").exists());
}

#[tokio::test]
async fn a_session_new_that_was_cancelled_leaves_no_session() {
    let stage = TestAgent::new("");
    let script = r#"
        -> session/new @new {"cwd":"CWD","mcpServers":[]}
        .> $/cancel_request {"requestId":@new}
        <! @new {"code":-32800, ...}
    "#;
    stage.play("{}", script).await;
    let store = stage.store();
    let emptied = async {
        while !store
            .list(&Default::default(), None, 2)
            .await
            .unwrap()
            .infos
            .is_empty()
        {
            tokio::task::yield_now().await;
        }
    };
    let emptied = tokio::time::timeout(Duration::from_secs(5), emptied).await;
    assert!(emptied.is_ok());
}

#[tokio::test]
async fn a_client_terminal_is_replayed_as_text() {
    let run = r#"{"say":[{"call":{"name":"run","input":{"command":"make"}}}]}"#;
    let stage = TestAgent::new(&format!("{run},{DONE}"));
    let ran = prompt(
        "Go",
        r#"<- session/request_permission {"sessionId":$s, ...}
        => {"outcome":{"outcome":"selected","optionId":"allow_once"}}
        <. session/update {"sessionId":$s,"update":{"sessionUpdate":"tool_call_update","status":"in_progress", ...}}
        <- terminal/create {"sessionId":$s, ...}
        => {"terminalId":"t"}
        any order
          <- terminal/wait_for_exit @wait {"sessionId":$s,"terminalId":"t"}
          <. session/update {"sessionId":$s,"update":{"sessionUpdate":"tool_call_update","content":[{"type":"terminal","terminalId":"t"}], ...}}
        end
        => @wait {"exitCode":0}
        <- terminal/output {"sessionId":$s,"terminalId":"t"}
        => {"output":"made","truncated":false,"exitStatus":{"exitCode":0}}
        <- terminal/release {"sessionId":$s,"terminalId":"t"}
        => {}
        <. session/update {"sessionId":$s,"update":{"sessionUpdate":"tool_call_update","status":"completed","content":[{"type":"terminal","terminalId":"t"}], ...}}
        <. session/update {"sessionId":$s, ...} x*
        <= @turn {"stopReason":"end_turn", ...}"#,
    );
    stage
        .play(r#"{"terminal":true}"#, &format!("{NEW}{ran}"))
        .await;
    let id = stage.only().await;
    let loaded = format!(
        r#"
        -> session/load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        <. session/update {{"sessionId":"{id}", ...}} x*
        <= {{...}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"available_commands_update", ...}}}}
    "#
    );
    let replayed = stage.play("{}", &loaded).await.to_script();
    assert!(!replayed.contains(r#""type":"terminal""#), "{replayed}");
    assert!(replayed.contains("made\\n[exit code 0]"), "{replayed}");
}

#[tokio::test]
async fn a_cancelled_compaction_is_reported_as_cancelled() {
    let stage = TestAgent::new(&format!(r#"{DONE},{{"say":[{{"text":"They"}},"hang"]}}"#));
    let one = prompt("One", r#"<= @turn {"stopReason":"end_turn", ...}"#);
    let script = format!(
        r#"{NEW}{one}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"/compact"}}]}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"compaction_update","compactionId":$c,"status":"in_progress"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"compaction_summary_chunk","compactionId":$c, ...}}}}
        .> session/cancel {{"sessionId":$s}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"compaction_update","compactionId":$c,"status":"cancelled"}}}}
        <= @turn {{"stopReason":"cancelled", ...}}
    "#
    );
    stage
        .play(r#"{"session":{"compaction":{}}}"#, &script)
        .await;
}

#[tokio::test]
async fn an_interrupted_compaction_has_failed_and_is_hidden_from_clients_without_compaction() {
    let stage = TestAgent::new(DONE);
    stage.play("{}", NEW).await;
    let id = stage.only().await;
    let asked =
        r#"[{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"/compact"}}]"#;
    let begun =
        r#"{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}"#;
    stage
        .add(
            &id,
            &[(entry_kinds::PROMPT, asked), (entry_kinds::UPDATE, begun)],
        )
        .await;
    let loaded = |shown: &str| {
        format!(
            r#"
        -> session/load {{"sessionId":"{id}","cwd":"CWD","mcpServers":[]}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"user_message_chunk", ...}}}}
        {shown}
        <= {{...}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"available_commands_update", ...}}}}
    "#
        )
    };
    let both = format!(
        r#"<. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}}}}
        <. session/update {{"sessionId":"{id}","update":{{"sessionUpdate":"compaction_update","compactionId":"k","status":"failed", ...}}}}"#
    );
    stage
        .play(r#"{"session":{"compaction":{}}}"#, &loaded(&both))
        .await;
    stage.play("{}", &loaded("")).await;
}
