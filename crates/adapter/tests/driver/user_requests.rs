//! Tests of requests to the user that are answered, cancelled or left open.

use super::{play, play_as, play_in, prompt, said, titled};

const FORMS: &str = r#"{"elicitation":{"form":{},"url":{}}}"#;
const FORM: &str = r#"<- elicitation/create @form {"sessionId":$session,"mode":"form","message":"files asks: Which?",
    "requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}
"#;
const CALL: &str = r#"<. session/update {"sessionId":$session,"update":{"sessionUpdate":"tool_call","kind":"edit", ...}}
<- session/request_permission @question {"sessionId":$session, ...}
"#;
const END: &str = "<= @turn {\"stopReason\":\"end_turn\"}\n";

#[tokio::test]
async fn a_form_of_a_server() {
    for answer in ["accept", "decline", "cancel"] {
        let answered = format!("=> @form {{\"action\":\"{answer}\"}}\n");
        play_as(
            FORMS,
            &(titled("form") + FORM + &answered + &said(answer) + END),
        )
        .await;
    }
    let failed = "!> @form {\"code\":-32603,\"message\":\"no\"}\n";
    play_as(
        FORMS,
        &(titled("form") + FORM + failed + &said("cancel") + END),
    )
    .await;
}

#[tokio::test]
async fn two_questions_at_once_wait_for_their_own_answers() {
    let script = titled("both")
        + &FORM.replace("@form", "@one")
        + &FORM.replace("@form", "@two")
        + "=> @two {\"action\":\"decline\"}\n"
        + &said("decline")
        + "=> @one {\"action\":\"accept\"}\n"
        + &said("accept")
        + END;
    play_as(FORMS, &script).await;
}

#[tokio::test]
async fn a_client_without_forms_is_not_asked() {
    play(&(titled("form") + &said("decline") + END)).await;
}

#[tokio::test]
async fn a_page_ends_behind_its_question() {
    let script = titled("page")
        + r#"<- elicitation/create {"sessionId":$session,"mode":"url","message":"files asks: Which?",
             "url":"https://example.com/login","elicitationId":$page}
           => {"action":"accept"}
           <. elicitation/complete {"elicitationId":$page}
"# + &said("accept")
        + END;
    play_as(FORMS, &script).await;
}

#[tokio::test]
async fn a_form_is_asked_once_and_an_answer_after_its_withdrawal_reaches_nobody() {
    let script = titled("form")
        + FORM
        + r#"-> _session/steering @steer {"sessionId":$session,"prompt":[{"type":"text","text":"regret"}]}
           any order
             <= @steer {"outcome":"injected"}
             in order
               <. $/cancel_request {"requestId":@form}
               => @form {"action":"accept"}
             end
             in order
"# + &said("Never mind.")
        + END
        + "end\nend\n"
        + &prompt("hi")
        + &said("Hello.")
        + END;
    play_as(FORMS, &script).await;
}

#[tokio::test]
async fn a_question_that_is_open_when_the_cli_dies_is_taken_back() {
    let script = titled("write")
        + CALL
        + r#"-> _session/steering @steer {"sessionId":$session,"prompt":[{"type":"text","text":"die"}]}
           any order
             <= @steer {"outcome":"injected"}
             <. $/cancel_request {"requestId":@question}
             in order
"# + &said("Ouch")
        + r#"<. session/update {"sessionId":$session,"update":{"sessionUpdate":"tool_call_update","status":"failed", ...}}
               <! @turn {"code":-32603, ...}
             end
           end
"# + &prompt("hi")
        + &said("Hello.")
        + "<= @turn {\"stopReason\":\"end_turn\"} within 20s\n";
    play(&script).await;
}

#[tokio::test]
async fn a_turn_that_is_cancelled_while_a_question_is_open_ends_as_cancelled() {
    let script = titled("write")
        + CALL
        + r#".> session/cancel {"sessionId":$session}
           => @question {"outcome":{"outcome":"cancelled"}}
           <= @turn {"stopReason":"cancelled"}
"# + &prompt("hi")
        + &said("Hello.")
        + END;
    play(&script).await;
}

#[tokio::test]
async fn a_file_that_would_be_overwritten_is_shown_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "old").expect("a file");
    let script = titled("replace")
        + r#"<. session/update {"sessionId":$session,"update":{"sessionUpdate":"tool_call", ...}}
<- session/request_permission @question {"toolCall":{"content":[{"type":"diff","oldText":"old","newText":"x", ...}], ...}, ...}
=> @question {"outcome":{"outcome":"selected","optionId":"allow"}}
<. session/update {"update":{"sessionUpdate":"tool_call_update","status":"completed", ...}, ...}
"# + &said("Done.")
        + END;
    play_in(folder.path(), &script).await;
}
