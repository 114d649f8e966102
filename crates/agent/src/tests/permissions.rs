//! Tests of modes, config options, remembered permissions and permission requests.

use expect_test::expect;

use super::NEW;
use super::test_agent::TestAgent;

const WRITE: &str =
    r#"{"say":[{"call":{"name":"write","input":{"path":"a.txt","content":"one\n"}}}]}"#;
const DONE: &str = r#"{"say":[{"text":"Done."}]}"#;

fn prompt(shown: &str) -> String {
    format!(
        r#"
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        {shown}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    )
}

#[tokio::test]
async fn code_mode_changes_files_without_asking() {
    let stage = TestAgent::new(&format!("{WRITE},{DONE}"));
    let script = format!(
        r#"{NEW}
        -> session/set_mode {{"sessionId":$s,"modeId":"code"}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"current_mode_update","currentModeId":"code"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"config_option_update","configOptions":[{{"id":"mode","currentValue":"code", ...}}, ...]}}}}
        <= {{}}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[tokio::test]
async fn architect_mode_changes_nothing_and_asks_before_switching() {
    let leave =
        r###"{"say":[{"call":{"name":"mode","input":{"mode":"code","reason":"# The plan"}}}]}"###;
    let stage = TestAgent::new(&format!("{WRITE},{leave},{WRITE},{DONE}"));
    let script = format!(
        r#"{NEW}
        -> session/set_config_option {{"sessionId":$s,"configId":"mode","value":"architect"}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"current_mode_update","currentModeId":"architect"}}}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"config_option_update", ...}}}}
        <= {{"configOptions":[{{"id":"mode","currentValue":"architect", ...}}, ...]}}
        {}"#,
        prompt(
            r##"<- session/request_permission {"sessionId":$s,"toolCall":{"toolCallId":_,"title":"Switch to Code mode","kind":"switch_mode",
                  "content":[{"type":"content","content":{"type":"text","text":"# The plan"}}]},
                "options":[{"optionId":"ask","name":"Switch to Ask mode: asks before every change, command and page","kind":"allow_once"},
                  {"optionId":"code","name":"Switch to Code mode: changes files without asking; asks before commands and pages","kind":"allow_once"},
                  {"optionId":"stay","name":"Stay in Architect mode","kind":"reject_once"}]}
            => {"outcome":{"outcome":"selected","optionId":"code"}}"##
        )
    );
    stage.play("{}", &script).await;
    assert_eq!(stage.read("a.txt"), "one\n");
    expect![[r##"
        user: Go
        model calls write {"path":"a.txt","content":"one\n"}
        write failed: not possible in architect mode: nothing may be changed; call `mode` to ask the user for another mode
        model calls mode {"mode":"code","reason":"# The plan"}
        mode: The mode is now code: Changes files without asking; asks before commands and pages.
        model calls write {"path":"a.txt","content":"one\n"}
        write: Made `a.txt`: 1 line.
    "##]].assert_eq(&stage.sent_to_model());
    let offered = stage.model.requests()[0]
        .tools
        .iter()
        .map(|tool| tool.name.clone())
        .collect::<Vec<_>>();
    expect!["read list glob search fetch plan think ask mode"].assert_eq(&offered.join(" "));
}

#[tokio::test]
async fn always_allow_is_not_asked_again_even_after_a_restart() {
    let run = r#"{"say":[{"call":{"name":"run","input":{"command":"echo hi"}}}]}"#;
    let stage = TestAgent::new(&[run, DONE, run, DONE, run, DONE].join(","));
    let asked = prompt(
        r#"<- session/request_permission {"sessionId":$s,"options":[_,{"optionId":"allow_always","name":"Always allow exactly this command in this directory in this session","kind":"allow_always"},_,_], ...}
        => {"outcome":{"outcome":"selected","optionId":"allow_always"}}"#,
    );
    let free = prompt("");
    let free = free.replacen(
        "<. session/update {\"sessionId\":$s, ...} x*\n        \n",
        "",
        1,
    );
    stage.play("{}", &format!("{NEW}{asked}{free}")).await;
    let page = stage
        .store()
        .list(&Default::default(), None, 2)
        .await
        .unwrap();
    let resumed = format!(
        r#"
        -> session/resume {{"sessionId":"{id}","cwd":"CWD"}}
        <= {{...}}
        <. session/update {{...}}
        {}"#,
        free.replace("$s", &format!("\"{}\"", page.infos[0].id.as_str())),
        id = page.infos[0].id.as_str(),
    );
    stage.play("{}", &resumed).await;
}

#[tokio::test]
async fn a_rejection_goes_to_the_model_and_nothing_runs() {
    let stage = TestAgent::new(&format!("{WRITE},{DONE}"));
    let asked = prompt(
        r#"<- session/request_permission {"sessionId":$s, ...}
        => {"outcome":{"outcome":"selected","optionId":"reject_once"}}"#,
    );
    stage.play("{}", &format!("{NEW}{asked}")).await;
    assert!(!stage.project().join("a.txt").exists());
    expect![[r#"
        user: Go
        model calls write {"path":"a.txt","content":"one\n"}
        write failed: the user rejected this; do not try it in another way; continue without it or ask what to do instead
    "#]].assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn an_option_that_was_not_offered_allows_nothing() {
    let stage = TestAgent::new(&format!("{WRITE},{DONE}"));
    let asked = prompt(
        r#"<- session/request_permission {"sessionId":$s, ...}
        => {"outcome":{"outcome":"selected","optionId":"anything"}}"#,
    );
    stage.play("{}", &format!("{NEW}{asked}")).await;
    assert!(!stage.project().join("a.txt").exists());
}

#[tokio::test]
async fn the_ask_tool_sends_a_form_to_clients_with_forms() {
    let ask = r#"{"say":[{"call":{"name":"ask","input":{"question":"Which?","options":["red","blue"]}}}]}"#;
    let stage = TestAgent::new(&format!("{ask},{DONE}"));
    let asked = prompt(
        r#"<- elicitation/create {"sessionId":$s,"toolCallId":_,"mode":"form","message":"Which?",
              "requestedSchema":{"type":"object","properties":{"answer":{"type":"string","title":"Answer","enum":["red","blue"]}},"required":["answer"]}}
        => {"action":"accept","content":{"answer":"blue"}}"#,
    );
    stage
        .play(r#"{"elicitation":{"form":{}}}"#, &format!("{NEW}{asked}"))
        .await;
    expect![[r#"
        user: Go
        model calls ask {"question":"Which?","options":["red","blue"]}
        ask: The user answered: blue
    "#]]
    .assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn the_ask_tool_fails_for_clients_without_forms() {
    let ask = r#"{"say":[{"call":{"name":"ask","input":{"question":"Which?"}}}]}"#;
    let stage = TestAgent::new(&format!("{ask},{DONE}"));
    let script = format!(
        r#"{NEW}
        -> session/prompt @turn {{"sessionId":$s,"prompt":[{{"type":"text","text":"Go"}}]}}
        <. session/update {{"sessionId":$s, ...}} x*
        <= @turn {{"stopReason":"end_turn", ...}}
    "#
    );
    stage.play("{}", &script).await;
    expect![[r#"
        user: Go
        model calls ask {"question":"Which?"}
        ask failed: this client cannot show questions; put the question into your message and end your turn
    "#]].assert_eq(&stage.sent_to_model());
}

#[tokio::test]
async fn modes_and_options_that_are_not_offered_are_rejected() {
    let stage = TestAgent::new(DONE);
    let script = format!(
        r#"{NEW}
        -> session/set_mode {{"sessionId":$s,"modeId":"yolo"}}
        <! {{"code":-32602, ...}}
        -> session/set_config_option {{"sessionId":$s,"configId":"model","value":"nobody/knows"}}
        <! {{"code":-32602, ...}}
        -> session/set_config_option {{"sessionId":$s,"configId":"colour","value":"red"}}
        <! {{"code":-32602, ...}}
        -> session/set_config_option {{"sessionId":$s,"configId":"model","value":"embedded"}}
        <. session/update {{"sessionId":$s,"update":{{"sessionUpdate":"config_option_update", ...}}}}
        <= {{"configOptions":[_,{{"id":"model","currentValue":"embedded", ...}}]}}
        -> session/new {{"cwd":"relative","mcpServers":[]}}
        <! {{"code":-32602, ...}}
        -> session/new {{"cwd":"CWD","mcpServers":[],"additionalDirectories":["CWD/missing"]}}
        <! {{"code":-32602, ...}}
        -> providers/list {{}}
        <= {{"providers":[{{"providerId":"anthropic","supported":["anthropic"],"required":false}}, ...]}}
        -> providers/set {{"providerId":"anthropic","apiType":"vertex","baseUrl":"http://127.0.0.1:1"}}
        <! {{"code":-32602, ...}}
        -> providers/set {{"providerId":"nobody","apiType":"openai","baseUrl":"http://127.0.0.1:1"}}
        <! {{"code":-32602, ...}}
    "#
    );
    stage.play("{}", &script).await;
}
