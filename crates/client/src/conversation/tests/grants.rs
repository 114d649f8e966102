//! The reach of a permission: only what was shown, only in its turn, and never beyond a deny rule.

use attache_host::permissions::{Expiry, PermissionConfig, Permissions, Policy, Preset, Scope};
use expect_test::{Expect, expect};

use super::{BEGIN, Fixture, allow, reject, session};
use crate::command::{Command, PermissionAnswer};

/// A session in `/tmp`.
async fn fixture(permissions: Permissions, script: &str) -> Fixture {
    let script = format!("-> initialize {{...}}\n<= {{\"protocolVersion\":1}}\n{BEGIN}{script}\n");
    let mut fixture = Fixture::with_permissions(&script, permissions);
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.seen.clear();
    fixture
}

/// One turn, with an answer to each prompt.
async fn check(script: &str, answers: &[PermissionAnswer], expected: Expect) {
    let script = format!("{TURN}{script}\n{END}");
    let mut fixture = fixture(Permissions::preset(Preset::Ask), &script).await;
    fixture.prompt("go");
    for (prompt, answer) in (1_u64..).zip(answers) {
        fixture.until(&format!("asked {prompt}")).await;
        let answer = answer.clone();
        fixture.conversation.submit(Command::AnswerPermission {
            prompt,
            answer,
            expiry: Expiry::Never,
        });
    }
    fixture.until("ended").await;
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_denies_counts_for_what_was_allowed_under_another_name() {
    let mut config = PermissionConfig::new(Preset::ApproveAll);
    let policy = r#"{"rules":[{"action":"deny","kind":"edit"}]}"#;
    config.policy = Some(Policy::parse("policy.json", policy).unwrap());
    let script = format!(
        r#"{TURN}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"a","title":"Look","kind":"other","rawInput":{{"path":"/tmp/attache-denied"}}}},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}}]}}
        => {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
        <- fs/write_text_file {{"sessionId":"s","path":"/tmp/attache-denied","content":"x"}}
        !> {{"code":-32600,"data":{{"kind":"permission_denied"}}, ...}}
        {END}"#
    );
    let mut fixture = fixture(Permissions::open(config).0, &script).await;
    fixture.prompt("go");
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        decided, allowed: true
        decided, allowed: false
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

/// A repository with a link `open` to `closed`, and a policy for both names.
async fn check_linked(policy: &str, deed: &str) {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("closed")).unwrap();
    std::fs::write(base.join("closed/file"), "secret").unwrap();
    std::os::unix::fs::symlink("closed", base.join("open")).unwrap();
    let base = base.to_str().unwrap();
    let mut config = PermissionConfig::new(Preset::ApproveReads);
    let policy = policy.replace("BASE", base);
    config.policy = Some(Policy::parse("policy.json", &policy).unwrap());
    let deed = deed.replace("BASE", base);
    let script = format!(
        r#"{TURN}
        <- {deed}
        !> {{"code":-32600,"data":{{"kind":"permission_denied"}}, ...}}
        {END}"#
    );
    let mut fixture = fixture(Permissions::open(config).0, &script).await;
    fixture.prompt("go");
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        decided, allowed: false
        ended end_turn
    "#]];
    fixture.check(expected).await;
}

#[tokio::test]
async fn a_link_in_the_repository_does_not_lead_past_a_rule() {
    check_linked(
        r#"{"rules":[{"action":"deny","path":"BASE/closed/**"}]}"#,
        r#"fs/read_text_file {"sessionId":"s","path":"BASE/open/file"}"#,
    )
    .await;
    check_linked(
        r#"{"rules":[{"action":"allow","kind":"edit","path":"BASE/open/**"}]}"#,
        r#"fs/write_text_file {"sessionId":"s","path":"BASE/open/file","content":"x"}"#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn permission_for_a_command_applies_in_the_directory_that_was_shown() {
    let script = r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{"command":"attache-no-such-program x","cwd":"/tmp/build"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        <- terminal/create {"sessionId":"s","command":"attache-no-such-program","args":["x"]}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        "#;
    let answers = [allow(Scope::Once), reject(Scope::Once)];
    let expected = expect![[r#"
        began go
        asked 1: Run
        remembered attache-no-such-program x (in /tmp/build) (once), allowed: true
        asked 2: attache-no-such-program x
        ended end_turn
    "#]];
    check(script, &answers, expected).await;
}

#[tokio::test(start_paused = true)]
async fn permission_ends_with_the_turn_also_for_a_child_session() {
    let run = r#"<- terminal/create {"sessionId":"child","command":"attache-no-such-program"}"#;
    let script = format!(
        r#"{TURN}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"subagent_update","sessionId":"child","title":"Look"}}}}
        <- session/request_permission {{"sessionId":"child","toolCall":{{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{{"command":["attache-no-such-program"]}}}},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}}]}}
        => {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
        {END}
        {TURN}
        {run}
        !> {{"code":-32600,"data":{{"kind":"permission_denied"}}, ...}}
        {END}"#
    );
    let mut fixture = fixture(Permissions::preset(Preset::Ask), &script).await;
    fixture.prompt("go");
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    fixture.until("ended").await;
    fixture.prompt("more");
    fixture.until("asked 2").await;
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("ended").await;
}

#[tokio::test(start_paused = true)]
async fn permission_ends_when_the_turn_is_cancelled() {
    let script = format!(
        r#"{TURN}
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{{"command":["attache-no-such-program"]}}}},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}}]}}
        => {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
        <. session/update {{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"thanks"}}}}}}
        .> session/cancel {{...}}
        <- terminal/create {{"sessionId":"s","command":"attache-no-such-program"}}
        !> {{"code":-32600,"data":{{"kind":"permission_denied"}}, ...}}
        <= @turn {{"stopReason":"cancelled"}}"#
    );
    let mut fixture = fixture(Permissions::preset(Preset::Ask), &script).await;
    fixture.prompt("go");
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    fixture.until("update s thanks").await;
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began go
        asked 1: Run
        remembered attache-no-such-program (once), allowed: true
        update s thanks
        decided, allowed: false
        ended cancelled
    "#]];
    fixture.check(expected).await;
}

#[tokio::test(start_paused = true)]
async fn permission_for_a_command_once_does_not_cover_it_twice() {
    let script = r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{"command":["attache-no-such-program"],"cwd":"/attache-nowhere"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        <- terminal/create {"sessionId":"s","command":"attache-no-such-program","cwd":"/attache-nowhere"}
        !> {"code":-32602, ...}
        <- terminal/create {"sessionId":"s","command":"attache-no-such-program","cwd":"/attache-nowhere"}
        !> {"code":-32602, ...}
        <- terminal/create {"sessionId":"s","command":"attache-no-such-program","cwd":"/attache-nowhere"}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        "#;
    let answers = [allow(Scope::Once), allow(Scope::Once), reject(Scope::Once)];
    let expected = expect![[r#"
        began go
        asked 1: Run
        remembered attache-no-such-program (in /attache-nowhere) (once), allowed: true
        asked 2: attache-no-such-program
        asked 3: attache-no-such-program
        ended end_turn
    "#]];
    check(script, &answers, expected).await;
}

/// The user allows a change from `two` to `2` in a file of three lines; then the agent writes.
async fn check_written(written: &str, answers: &[PermissionAnswer], expected: Expect) {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "one\ntwo\nthree\n").unwrap();
    let path = file.display();
    let script = format!(
        r#"
        <- session/request_permission {{"sessionId":"s","toolCall":{{"toolCallId":"a","title":"Change","kind":"edit","content":[{{"type":"diff","path":"{path}","oldText":"two\n","newText":"2\n"}}]}},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}}]}}
        => {{"outcome":{{"outcome":"selected","optionId":"yes"}}}}
        <- fs/write_text_file @write {{"sessionId":"s","path":"{path}","content":"{written}"}}
        {answer}
        "#,
        answer = match answers.len() {
            1 => "=> @write {}",
            _ => r#"!> @write {"code":-32600, ...}"#,
        }
    );
    let script = format!("{TURN}{script}{END}");
    let mut fixture = fixture(Permissions::preset(Preset::Ask), &script).await;
    fixture.prompt("go");
    for (prompt, answer) in (1_u64..).zip(answers) {
        fixture.until(&format!("asked {prompt}")).await;
        self::answer(&mut fixture, prompt, answer.clone());
    }
    fixture.until("ended").await;
    fixture.seen = fixture.seen.replace(&path.to_string(), "FILE");
    fixture.check(expected).await;
}

#[tokio::test]
async fn a_change_that_was_shown_may_be_written() {
    let expected = expect![[r#"
        began go
        asked 1: Change
        remembered edit FILE (once), allowed: true
        ended end_turn
    "#]];
    check_written(r"one\n2\nthree\n", &[allow(Scope::Once)], expected).await;
}

#[tokio::test]
async fn a_part_that_was_shown_is_not_the_whole_file() {
    let expected = expect![[r#"
        began go
        asked 1: Change
        remembered edit FILE (once), allowed: true
        asked 2: Write FILE
        ended end_turn
    "#]];
    let answers = [allow(Scope::Once), reject(Scope::Once)];
    check_written(r"2\n", &answers, expected).await;
}

#[tokio::test]
async fn another_change_than_the_one_that_was_shown_is_asked_about() {
    let expected = expect![[r#"
        began go
        asked 1: Change
        remembered edit FILE (once), allowed: true
        asked 2: Write FILE
        ended end_turn
    "#]];
    let answers = [allow(Scope::Once), reject(Scope::Once)];
    check_written(r"one\n2\nthree\nrm -rf /\n", &answers, expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_remembered_denial_withdraws_earlier_permission() {
    let script = r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"One","kind":"edit","content":[{"type":"diff","path":"/tmp/attache-denied","newText":"1"}]},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"b","title":"Two","kind":"edit","content":[{"type":"diff","path":"/tmp/attache-denied","newText":"2"}]},"options":[{"optionId":"no","name":"No","kind":"reject_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"no"}}
        <- fs/write_text_file {"sessionId":"s","path":"/tmp/attache-denied","content":"1"}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        "#;
    let answers = [allow(Scope::Once), reject(Scope::Session)];
    let expected = expect![[r#"
        began go
        asked 1: One
        remembered edit /tmp/attache-denied (once), allowed: true
        asked 2: Two
        remembered /tmp/attache-denied (session), allowed: false
        decided, allowed: false
        ended end_turn
    "#]];
    check(script, &answers, expected).await;
}

fn answer(fixture: &mut Fixture, prompt: u64, answer: PermissionAnswer) {
    fixture.conversation.submit(Command::AnswerPermission {
        prompt,
        answer,
        expiry: Expiry::Never,
    });
}

const TURN: &str = "-> session/prompt @turn {...}\n";
const END: &str = "<= @turn {\"stopReason\":\"end_turn\"}\n";
