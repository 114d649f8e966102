//! Requests for files and commands without a permission request first.

use attache_host::permissions::{Expiry, Preset, Scope};
use expect_test::{Expect, expect};

use super::{BEGIN, Fixture, allow, reject};
use crate::command::{Command, PermissionAnswer};

/// A turn in a session in `/tmp`.
async fn doing(preset: Preset, script: &str) -> Fixture {
    let script = format!(
        "-> initialize {{...}}\n<= {{\"protocolVersion\":1}}\n{BEGIN}\
         -> session/prompt @turn {{...}}\n{script}\n<= @turn {{\"stopReason\":\"end_turn\"}}\n"
    );
    let mut fixture = Fixture::with_preset(&script, preset);
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.seen.clear();
    fixture.prompt("go");
    fixture
}

async fn check(preset: Preset, script: &str, answers: &[PermissionAnswer], expected: Expect) {
    let mut fixture = doing(preset, script).await;
    for (at, answer) in (1_u64..).zip(answers) {
        fixture.until(&format!("asked {at}")).await;
        let (prompt, answer) = (at, answer.clone());
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
async fn unattended_only_reading_is_allowed() {
    let script = r#"
        <- fs/write_text_file {"sessionId":"s","path":"/tmp/attache-deed","content":"x"}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        <- terminal/create {"sessionId":"s","command":"true"}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        <- fs/read_text_file {"sessionId":"s","path":"/tmp/attache-there-is-no-such-file"}
        !> {"code":-32002, ...}
        "#;
    let expected = expect![[r#"
        began go
        decided, allowed: false
        decided, allowed: false
        ended end_turn
    "#]];
    check(Preset::ApproveReads, script, &[], expected).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_denied_is_not_read_either() {
    let script = r#"
        <- fs/read_text_file {"sessionId":"s","path":"/tmp/attache-there-is-no-such-file"}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        "#;
    let expected = expect![[r#"
        began go
        decided, allowed: false
        ended end_turn
    "#]];
    check(Preset::DenyAll, script, &[], expected).await;
}

#[tokio::test(start_paused = true)]
async fn the_user_is_asked_about_requests_without_permission() {
    let script = r#"
        <- terminal/create {"sessionId":"s","command":"make","args":["-x"],"cwd":"/attache-nowhere"}
        !> {"code":-32600,"data":{"kind":"permission_denied"}, ...}
        <- terminal/create {"sessionId":"s","command":"make","args":["-x"],"cwd":"/attache-nowhere"}
        !> {"code":-32602, ...}
        "#;
    let answers = [reject(Scope::Once), allow(Scope::Once)];
    let expected = expect![[r#"
        began go
        asked 1: make -x
        asked 2: make -x
        ended end_turn
    "#]];
    check(Preset::Ask, script, &answers, expected).await;
}

#[tokio::test(start_paused = true)]
async fn permission_for_a_tool_call_covers_what_it_showed() {
    let script = r#"
        <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"a","title":"Run","kind":"execute","rawInput":{"command":"make -x","cwd":"/attache-nowhere"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
        => {"outcome":{"outcome":"selected","optionId":"yes"}}
        <- terminal/create {"sessionId":"s","command":"make","args":["-x"],"cwd":"/attache-nowhere"}
        !> {"code":-32602, ...}
        <- terminal/create {"sessionId":"s","command":"make","args":["-y"],"cwd":"/attache-nowhere"}
        !> {"code":-32600, ...}
        "#;
    let answers = [allow(Scope::Once), reject(Scope::Once)];
    let expected = expect![[r#"
        began go
        asked 1: Run
        remembered make -x (in /attache-nowhere) (once), allowed: true
        asked 2: make -y
        ended end_turn
    "#]];
    check(Preset::Ask, script, &answers, expected).await;
}

#[tokio::test(start_paused = true)]
async fn updates_of_a_tool_call_do_not_change_a_host_request() {
    let script = r#"
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"attache:deed","title":"Read a poem","kind":"read"}}
        <- terminal/create {"sessionId":"s","command":"make"}
        quiet 1s
        <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"attache:deed","title":"Read another poem"}}
        !> {"code":-32600, ...}
        "#;
    let expected = expect![[r#"
        began go
        update s tool Read a poem
        asked 1: make
        update s tool attache:deed changed
        ended end_turn
    "#]];
    let mut fixture = doing(Preset::Ask, script).await;
    fixture.until("update s tool attache:deed changed").await;
    fixture.conversation.submit(Command::AnswerPermission {
        prompt: 1,
        answer: reject(Scope::Once),
        expiry: Expiry::Never,
    });
    fixture.until("ended").await;
    fixture.check(expected).await;
}
