//! Permission requests and the user's answers.

use attache_host::permissions::{
    DiskComparison, Expiry, PermissionConfig, Permissions, Preset, Scope,
};
use expect_test::expect;

use super::{BEGIN, Fixture, allow, reject};
use crate::command::{Command, PermissionAnswer};
use crate::event::Event;

const OPTIONS: &str = r#""options":[{"optionId":"yes","name":"No","kind":"allow_once"},{"optionId":"no","name":"Yes","kind":"reject_once"}]"#;

async fn asking(script: &str) -> Fixture {
    let script = format!(
        "-> session/prompt @turn {{...}}\n{}\n<= @turn {{\"stopReason\":\"end_turn\"}}\n",
        script.replace("OPTIONS", OPTIONS)
    );
    let mut fixture = Fixture::in_session("{}", &script).await;
    fixture.prompt("go");
    fixture
}

fn answer(fixture: &mut Fixture, prompt: u64, answer: PermissionAnswer) {
    fixture.conversation.submit(Command::AnswerPermission {
        prompt,
        answer,
        expiry: Expiry::Never,
    });
}

#[tokio::test(start_paused = true)]
async fn the_user_answers_permission_requests() {
    let mut fixture = asking(
        r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit a"},OPTIONS}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"b","title":"Edit b"},OPTIONS}
        => {"outcome":{"outcome":"selected","optionId":"no"}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"c","title":"Edit c"},OPTIONS}
        => {"outcome":{"outcome":"cancelled"}}
        "#,
    )
    .await;
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    fixture.until("asked 2").await;
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("asked 3").await;
    answer(&mut fixture, 2, allow(Scope::Once));
    answer(&mut fixture, 3, PermissionAnswer::Dismiss);
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit a
        asked 2: Edit b
        asked 3: Edit c
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_shows_earlier_updates_of_its_tool_call() {
    let mut fixture = asking(
        r#"
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"a","title":"Edit a","kind":"edit"}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a"},OPTIONS}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        "#,
    )
    .await;
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        update s tool Edit a
        asked 1: Edit a
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_changed_tool_call_gets_a_new_prompt() {
    let mut fixture = asking(
        r#"
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"a","title":"Run ls","kind":"execute","rawInput":{"command":"ls"}}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a"},OPTIONS}
        quiet 1s
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"a","rawInput":{"command":"rm -r ~"},"title":"Run rm"}}
        => {"outcome":{"outcome":"selected","optionId":"no"}}
        "#,
    )
    .await;
    fixture.until("asked 2").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        update s tool Run ls
        asked 1: Run ls
        update s tool a changed
        withdrawn 1
        asked 2: Run rm
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn fields_of_the_request_do_not_hide_a_change() {
    let mut fixture = asking(
        r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Run ls","kind":"execute","rawInput":{"command":"ls"}},OPTIONS}
        quiet 1s
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"pending"}}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"a","rawInput":{"command":"rm -r ~"},"title":"Run rm"}}
        => {"outcome":{"outcome":"selected","optionId":"no"}}
        "#,
    )
    .await;
    fixture.until("asked 1").await;
    let Event::PermissionRequested(asked) = fixture.until("asked 2").await else {
        unreachable!()
    };
    assert_eq!(asked.action.command, Some(vec!["rm -r ~".to_owned()]));
    assert_eq!(asked.action.kind, attache::v1::ToolKind::Execute);
    answer(&mut fixture, 1, allow(Scope::Once));
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Run ls
        update s tool a changed
        update s tool a changed
        withdrawn 1
        asked 2: Run rm
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_permission_request_is_withdrawn() {
    let mut fixture = asking(
        r#"
        <- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit a"},OPTIONS}
        quiet 1s
        <. $/cancel_request {"requestId":@ask}
        !> @ask {"code":-32800, ...}
        "#,
    )
    .await;
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit a
        withdrawn 1
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_remembered_decision_answers_waiting_requests() {
    let mut fixture = asking(
        r#"
        <- session/request_permission @a {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit","kind":"edit","locations":[{"path":"/tmp/x"}]},OPTIONS}
        <- session/request_permission @b {"sessionId":"s","toolCall":{"toolCallId":"b","title":"Edit","kind":"edit","locations":[{"path":"/tmp/x"}]},OPTIONS}
        any order
          => @a {"outcome":{"outcome":"selected","optionId":"yes"}}
          => @b {"outcome":{"outcome":"selected","optionId":"yes"}}
        end
        "#,
    )
    .await;
    fixture.until("asked 2").await;
    answer(&mut fixture, 1, allow(Scope::Session));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit
        asked 2: Edit
        remembered /tmp/x (session), allowed: true
        withdrawn 2
        decided, allowed: true
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn no_prompt_appears_when_a_rule_decides() {
    let script = format!(
        "-> initialize {{...}}\n<= {{\"protocolVersion\":1,\"agentInfo\":{{\"name\":\"a\",\"version\":\"1\"}}}}\n{BEGIN}\
        -> session/prompt @turn {{...}}
        <- session/request_permission {{\"sessionId\":\"s\",\"toolCall\":{{\"toolCallId\":\"a\",\"title\":\"Edit\",\"kind\":\"edit\"}},{OPTIONS}}}
        => {{\"outcome\":{{\"outcome\":\"selected\",\"optionId\":\"no\"}}}}
        <= @turn {{\"stopReason\":\"end_turn\"}}"
    );
    let mut fixture = Fixture::with_preset(&script, Preset::DenyAll);
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.prompt("go");
    fixture.until("ended").await;
    let expected = expect![[r#"
        ready
        opened s
        began go
        decided, allowed: false
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

const EDIT: &str = r#"<- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit","kind":"edit","content":[{"type":"diff","path":"PATH","oldText":"one\n","newText":"two\n"}]},OPTIONS}
        => {"outcome":{"outcome":"cancelled"}}"#;

/// The change in the prompt when the agent shows that `one` becomes `two`.
async fn compared(there: Option<&str>) -> (Option<String>, String, DiskComparison) {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let path = dir.path().canonicalize().unwrap().join("file");
    if let Some(text) = there {
        std::fs::write(&path, text).unwrap();
    }
    let mut fixture = asking(&EDIT.replace("PATH", path.to_str().unwrap())).await;
    let Event::PermissionRequested(asked) = fixture.until("asked").await else {
        unreachable!()
    };
    answer(&mut fixture, 1, PermissionAnswer::Dismiss);
    fixture.until("ended").await;
    let [change] = &asked.changes[..] else {
        panic!("{:?}", asked.changes)
    };
    let diff = change.diff.clone();
    (diff.old_text, diff.new_text, change.disk.clone())
}

#[tokio::test(start_paused = true)]
async fn a_change_is_shown_as_that_of_the_file_on_disk() {
    let shown = |old: &str, new: &str, disk| (Some(old.to_owned()), new.to_owned(), disk);
    let found = compared(Some("zero\none\n")).await;
    assert_eq!(
        found,
        shown("zero\none\n", "zero\ntwo\n", DiskComparison::Applies)
    );
    let found = compared(Some("precious\n")).await;
    assert_eq!(found, shown("one\n", "two\n", DiskComparison::NotFound));
    let found = compared(None).await;
    assert_eq!(found, shown("one\n", "two\n", DiskComparison::NoFile));
}

#[tokio::test(start_paused = true)]
async fn files_outside_the_roots_are_not_read() {
    let mut fixture = asking(&EDIT.replace("PATH", "/etc/hostname")).await;
    let Event::PermissionRequested(asked) = fixture.until("asked").await else {
        unreachable!()
    };
    answer(&mut fixture, 1, PermissionAnswer::Dismiss);
    fixture.until("ended").await;
    let disk = &asked.changes[0].disk;
    assert!(matches!(disk, DiskComparison::Unknown(why) if why.contains("outside")));
}

#[tokio::test(start_paused = true)]
async fn large_requests_are_limited_together() {
    let large = "x".repeat(3 << 20);
    let ask = format!(
        r#"<- session/request_permission @LABEL {{"sessionId":"s","toolCall":{{"toolCallId":"a","title":"Edit","rawInput":{{"text":"{large}"}}}},OPTIONS}}"#
    );
    let script = format!(
        "{} x5\n{} x3\n=> @late {{\"outcome\":{{\"outcome\":\"cancelled\"}}}} x3\nquiet 1s\n{}",
        ask.replace("LABEL", "held"),
        ask.replace("LABEL", "late"),
        r#"<- session/request_permission @small {"sessionId":"s","toolCall":{"toolCallId":"b","title":"Small"},OPTIONS}
        => @small {"outcome":{"outcome":"cancelled"}}
        => @held {"outcome":{"outcome":"cancelled"}} x5"#
    );
    let mut fixture = asking(&script).await;
    // Requests beyond the limit were cancelled and no longer count.
    fixture.until("asked 6: Small").await;
    answer(&mut fixture, 6, PermissionAnswer::Dismiss);
    for prompt in 1..=5 {
        answer(&mut fixture, prompt, PermissionAnswer::Dismiss);
    }
    fixture.until("ended").await;
    assert_eq!(fixture.seen.matches("asked").count(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_locked_store_delays_only_the_response() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().canonicalize().unwrap().join("permissions.json");
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some(store.clone());
    let (permissions, _) = Permissions::open(config);
    let script = format!(
        r#"-> initialize {{...}}
        <= {{"protocolVersion":1,"agentCapabilities":{{"sessionCapabilities":{{"list":{{}}}}}}}}
        {BEGIN}
        -> session/prompt @turn {{...}}
        <- session/request_permission @ask {{"sessionId":"s","toolCall":{{"toolCallId":"a","title":"Edit","kind":"edit","locations":[{{"path":"/tmp/x"}}]}},{OPTIONS}}}
        -> session/list @list {{...}}
        <= @list {{"sessions":[]}}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"still here"}}}}}}
        => @ask {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
        <= @turn {{"stopReason":"end_turn"}}"#
    );
    let mut fixture = Fixture::with_permissions(&script, permissions.clone());
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.prompt("go");
    fixture.until("asked 1").await;
    let lock = std::fs::File::create(store.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    answer(&mut fixture, 1, allow(Scope::Always));
    let (cwd, cursor) = (None, None);
    fixture
        .conversation
        .submit(Command::ListSessions { cwd, cursor });
    fixture.until("update s still here").await;
    assert!(!store.exists());
    lock.unlock().unwrap();
    fixture.until("ended end_turn").await;
    assert_eq!(permissions.list().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_cannot_be_stored_is_reported() {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some("/dev/null/permissions.json".into());
    let (permissions, _) = Permissions::open(config);
    permissions.fault();
    let script = format!(
        r#"-> initialize {{...}}
        <= {{"protocolVersion":1}}
        {BEGIN}
        -> session/prompt @turn {{...}}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"a","title":"Edit"}},{OPTIONS}}}
        => {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
        <= @turn {{"stopReason":"end_turn"}}"#
    );
    let mut fixture = Fixture::with_permissions(&script, permissions);
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.prompt("go");
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Always));
    fixture
        .until("trouble: the decision lasts only until Attaché ends")
        .await;
    fixture.until("ended").await;
}

#[tokio::test(start_paused = true)]
async fn a_rejection_takes_the_option_for_this_one_time() {
    let mut fixture = asking(
        r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit a"},OPTIONS}
        => {"outcome":{"outcome":"selected","optionId":"no"}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"b","title":"Edit b"},"options":[{"optionId":"never","name":"Never","kind":"reject_always"}]}
        => {"outcome":{"outcome":"cancelled"}}
        "#,
    )
    .await;
    for number in [1, 2] {
        fixture.until(&format!("asked {number}")).await;
        let remember = Scope::Once;
        answer(&mut fixture, number, PermissionAnswer::Reject { remember });
    }
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit a
        asked 2: Edit b
        ended end_turn
    "#]];
    fixture.check(expected).await;
}
