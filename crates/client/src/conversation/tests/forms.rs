//! Elicitation.

use attache::v1;
use expect_test::expect;

use super::{Table, session};
use crate::command::Command;

#[tokio::test(start_paused = true)]
async fn forms_and_pages_are_shown_filled_and_withdrawn() {
    let script = r#"
        -> session/prompt @turn {...}
        <- elicitation/create {"sessionId":"s","message":"Your name?","mode":"form","requestedSchema":{"type":"object","properties":{}}}
        => {"action":"decline"}
        <- elicitation/create {"sessionId":"s","message":"Log in","mode":"url","elicitationId":"e","url":"https://example.com"}
        => {"action":"accept"}
        <. elicitation/complete {"elicitationId":"unknown"}
        <. elicitation/complete {"elicitationId":"e"}
        <- elicitation/create {"sessionId":"unknown","message":"?","mode":"form","requestedSchema":{"type":"object","properties":{}}}
        !> {"code":-32002, ...}
        <- elicitation/create @last {"sessionId":"s","message":"Again?","mode":"form","requestedSchema":{"type":"object","properties":{}}}
        any order
          .> session/cancel {"sessionId":"s"}
          => @last {"action":"cancel"}
        end
        <= @turn {"stopReason":"cancelled"}
    "#;
    let mut table = Table::in_session("{}", script).await;
    table.prompt("ask me");
    table.until("form 1").await;
    let fill = |form, action| Command::AnswerForm { form, action };
    table
        .conversation
        .submit(fill(1, v1::ElicitationAction::Decline));
    table.until("form 2").await;
    let accept = v1::ElicitationAcceptAction::new();
    let accept = v1::ElicitationAction::Accept(accept);
    table.conversation.submit(fill(2, accept));
    table.until("form 3").await;
    table.conversation.submit(Command::Cancel(session()));
    table.until("ended").await;
    let expected = expect![[r#"
        began ask me
        form 1: Your name?
        form 2: Log in
        page e completed
        form 3: Again?
        form 3 withdrawn
        ended cancelled
    "#]];
    table.check(expected).await;
}
