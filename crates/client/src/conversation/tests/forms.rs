//! Elicitation.

use attache::v1;
use expect_test::expect;

use super::{Fixture, session};
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
    let mut fixture = Fixture::in_session("{}", script).await;
    fixture.prompt("ask me");
    fixture.until("form 1").await;
    let fill = |form, action| Command::AnswerForm { form, action };
    fixture
        .conversation
        .submit(fill(1, v1::ElicitationAction::Decline));
    fixture.until("form 2").await;
    let accept = v1::ElicitationAcceptAction::new();
    let accept = v1::ElicitationAction::Accept(accept);
    fixture.conversation.submit(fill(2, accept));
    fixture.until("form 3").await;
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.until("ended").await;
    let expected = expect![[r#"
        began ask me
        form 1: Your name?
        form 2: Log in
        page e completed
        form 3: Again?
        form 3 withdrawn
        ended cancelled
    "#]];
    fixture.check(expected).await;
}
