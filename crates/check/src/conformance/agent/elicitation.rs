//! Elicitations, answered in every way that the protocol allows.

use serde_json::Value;

use crate::conformance::agent_test::{AgentTest, all_client_capabilities};
use crate::conformance::check::must;
use crate::conformance::fake_editor::FormAction;
use crate::conformance::json::{method, text};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "elicitation",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        let Some(prompt) = test.prompt_text(PromptKind::Elicitation) else {
            return Ok(());
        };
        test.initialize().await?;
        let mut asks = false;
        for (id, form) in [
            ("agent.elicitation.accepted", FormAction::Accept),
            ("agent.elicitation.declined", FormAction::Decline),
            ("agent.elicitation.cancelled", FormAction::Cancel),
            ("agent.elicitation.unknown-action", FormAction::Unknown),
        ] {
            test.restart_if_gone().await?;
            test.editor()?.form = form;
            let session = test.new_session().await?;
            let from = test.entry_count();
            let answer = test.prompt(&session, &prompt).await;
            let messages = test.messages_since(from);
            let Some((entry, question)) = messages.iter().find(|(_, it)| is_permission_request(it))
            else {
                continue;
            };
            asks = true;
            let entries = [vec![*entry], answer.entries()].concat();
            test.judge(id, answer.expect_response(), &entries);
            test.judge("agent.elicitation.whole", whole(question), &entries);
        }
        if !asks {
            return Ok(());
        }
        let mut without = all_client_capabilities();
        if let Some(offers) = without.as_object_mut() {
            offers.remove("elicitation");
        }
        test.initialize_with(without).await?;
        let session = test.new_session().await?;
        let from = test.entry_count();
        let answer = test.prompt(&session, &prompt).await;
        let request = test
            .messages_since(from)
            .into_iter()
            .filter(|(_, it)| is_permission_request(it));
        let request: Vec<usize> = request.map(|(entry, _)| entry).collect();
        let quiet = request
            .is_empty()
            .then_some(())
            .ok_or("an elicitation was sent".to_owned());
        test.judge(
            "agent.elicitation.fenced",
            quiet,
            &[request, answer.entries()].concat(),
        );
        test.judge_response("agent.elicitation.fenced-ends", &answer);
        Ok(())
    })
}

fn is_permission_request(message: &Value) -> bool {
    method(message) == "elicitation/create"
}

fn whole(question: &Value) -> Result<(), String> {
    let has = |pointer: &str| question.pointer(&format!("/params{pointer}")).is_some();
    if text(question, "/params/message").is_empty() {
        return Err("the elicitation has no message".to_owned());
    }
    let whole = match text(question, "/params/mode") {
        "form" => has("/requestedSchema"),
        "url" => has("/url") && has("/elicitationId"),
        _ => false,
    };
    whole
        .then_some(())
        .ok_or("the elicitation lacks its mode or the members of its mode".to_owned())
}

const CHECKS: &[Check] = &[
    must(
        "agent.elicitation.accepted",
        "167",
        "A turn ends when its elicitation is accepted.",
        "Continue with the content of the response.",
    )
    .when_prompted(PromptKind::Elicitation),
    must(
        "agent.elicitation.declined",
        "167",
        "A turn ends when its elicitation is declined.",
        "Continue without it.",
    )
    .when_prompted(PromptKind::Elicitation),
    must(
        "agent.elicitation.cancelled",
        "167",
        "A turn ends when its elicitation is cancelled.",
        "Continue without it.",
    )
    .when_prompted(PromptKind::Elicitation),
    must(
        "agent.elicitation.unknown-action",
        "172",
        "A turn ends when its elicitation gets an unknown action.",
        "Treat an unknown action like cancel.",
    )
    .when_prompted(PromptKind::Elicitation),
    must(
        "agent.elicitation.whole",
        "158",
        "An elicitation has a message, a mode, and the members of its mode.",
        "A form has requestedSchema; a URL has url and elicitationId.",
    )
    .when_prompted(PromptKind::Elicitation),
    must(
        "agent.elicitation.fenced",
        "158",
        "A client without elicitation gets no elicitation.",
        "Check elicitation.form and elicitation.url first.",
    )
    .when_prompted(PromptKind::Elicitation),
    must(
        "agent.elicitation.fenced-ends",
        "158",
        "With a client without elicitation, the turn ends.",
        "Continue without it, or refuse.",
    )
    .when_prompted(PromptKind::Elicitation),
];
