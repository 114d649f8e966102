//! Questions for permission.

use attache_host::permissions::{Preset, Scope, Term};
use expect_test::expect;

use super::{BEGIN, Table};
use crate::command::{Answer, Command};

const OPTIONS: &str = r#""options":[{"optionId":"yes","name":"No","kind":"allow_once"},{"optionId":"no","name":"Yes","kind":"reject_once"}]"#;

async fn asking(script: &str) -> Table {
    let script = format!(
        "-> session/prompt @turn {{...}}\n{}\n<= @turn {{\"stopReason\":\"end_turn\"}}\n",
        script.replace("OPTIONS", OPTIONS)
    );
    let mut table = Table::in_session("{}", &script).await;
    table.prompt("go");
    table
}

fn answer(table: &mut Table, question: u64, answer: Answer) {
    table.desk.submit(Command::Answer {
        question,
        answer,
        term: Term::Endless,
    });
}

#[tokio::test(start_paused = true)]
async fn a_person_answers() {
    let mut table = asking(
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
    table.until("asked 1").await;
    answer(&mut table, 1, Answer::Allow(Scope::Once));
    table.until("asked 2").await;
    answer(&mut table, 2, Answer::Reject(Scope::Once));
    table.until("asked 3").await;
    answer(&mut table, 2, Answer::Allow(Scope::Once));
    answer(&mut table, 3, Answer::Dismiss);
    table.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit a
        asked 2: Edit b
        asked 3: Edit c
        ended end_turn
    "#]];
    table.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_shows_what_was_told_before() {
    let mut table = asking(
        r#"
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"a","title":"Edit a","kind":"edit"}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a"},OPTIONS}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        "#,
    )
    .await;
    table.until("asked 1").await;
    answer(&mut table, 1, Answer::Allow(Scope::Once));
    table.until("ended").await;
    let expected = expect![[r#"
        began go
        update s tool Edit a
        asked 1: Edit a
        ended end_turn
    "#]];
    table.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_call_that_changes_while_it_is_asked_about_asks_anew() {
    let mut table = asking(
        r#"
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"a","title":"Run ls","kind":"execute","rawInput":{"command":"ls"}}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a"},OPTIONS}
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"a","rawInput":{"command":"rm -r ~"},"title":"Run rm"}}
        => {"outcome":{"outcome":"selected","optionId":"no"}}
        "#,
    )
    .await;
    table.until("asked 2").await;
    answer(&mut table, 1, Answer::Allow(Scope::Once));
    answer(&mut table, 2, Answer::Reject(Scope::Once));
    table.until("ended").await;
    let expected = expect![[r#"
        began go
        update s tool Run ls
        asked 1: Run ls
        update s tool a changed
        withdrawn 1
        asked 2: Run rm
        ended end_turn
    "#]];
    table.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_taken_back_is_withdrawn() {
    let mut table = asking(
        r#"
        <- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Edit a"},OPTIONS}
        <. $/cancel_request {"requestId":@ask}
        !> @ask {"code":-32800, ...}
        "#,
    )
    .await;
    table.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit a
        withdrawn 1
        ended end_turn
    "#]];
    table.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_decided_for_longer_answers_what_waits() {
    let mut table = asking(
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
    table.until("asked 2").await;
    answer(&mut table, 1, Answer::Allow(Scope::Session));
    table.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Edit
        asked 2: Edit
        decided, allowed: true
        withdrawn 2
        ended end_turn
    "#]];
    table.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_where_a_rule_decides() {
    let script = format!(
        "-> initialize {{...}}\n<= {{\"protocolVersion\":1,\"agentInfo\":{{\"name\":\"a\",\"version\":\"1\"}}}}\n{BEGIN}\
        -> session/prompt @turn {{...}}
        <- session/request_permission {{\"sessionId\":\"s\",\"toolCall\":{{\"toolCallId\":\"a\",\"title\":\"Edit\",\"kind\":\"edit\"}},{OPTIONS}}}
        => {{\"outcome\":{{\"outcome\":\"selected\",\"optionId\":\"no\"}}}}
        <= @turn {{\"stopReason\":\"end_turn\"}}"
    );
    let mut table = Table::over(&script, Preset::DenyAll);
    table.begin();
    table.until("opened").await;
    table.prompt("go");
    table.until("ended").await;
    let expected = expect![[r#"
        ready
        opened s
        began go
        decided, allowed: false
        ended end_turn
    "#]];
    table.check(expected).await;
}
