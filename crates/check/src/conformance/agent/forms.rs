//! Questions to the person, with every answer there is.

use serde_json::Value;

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::must;
use crate::conformance::desk::Form;
use crate::conformance::json::{method, text};
use crate::conformance::scene::{Scene, offers};
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "forms",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        let Some(said) = scene.said_for(PromptKind::Elicitation) else {
            return Ok(());
        };
        scene.greet().await?;
        let mut asks = false;
        for (id, form) in [
            ("agent.elicitation.accepted", Form::Accepts),
            ("agent.elicitation.declined", Form::Declines),
            ("agent.elicitation.cancelled", Form::Cancels),
            ("agent.elicitation.unknown-action", Form::Puzzles),
        ] {
            scene.revive().await?;
            scene.desk()?.form = form;
            let session = scene.session().await?;
            let from = scene.now();
            let answer = scene.prompt(&session, &said).await;
            let heard = scene.heard(from);
            let Some((entry, question)) = heard.iter().find(|(_, it)| is_question(it)) else {
                continue;
            };
            asks = true;
            let entries = [vec![*entry], answer.entries()].concat();
            scene.judge(id, answer.was_answered(), &entries);
            scene.judge("agent.elicitation.whole", whole(question), &entries);
        }
        if !asks {
            return Ok(());
        }
        let mut without = offers();
        if let Some(offers) = without.as_object_mut() {
            offers.remove("elicitation");
        }
        scene.greet_as(without).await?;
        let session = scene.session().await?;
        let from = scene.now();
        let answer = scene.prompt(&session, &said).await;
        let asked = scene
            .heard(from)
            .into_iter()
            .filter(|(_, it)| is_question(it));
        let asked: Vec<usize> = asked.map(|(entry, _)| entry).collect();
        let quiet = asked
            .is_empty()
            .then_some(())
            .ok_or("an elicitation was sent".to_owned());
        scene.judge(
            "agent.elicitation.fenced",
            quiet,
            &[asked, answer.entries()].concat(),
        );
        scene.was_answered("agent.elicitation.fenced-ends", &answer);
        Ok(())
    })
}

fn is_question(message: &Value) -> bool {
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
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.declined",
        "167",
        "A turn ends when its elicitation is declined.",
        "Continue without it.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.cancelled",
        "167",
        "A turn ends when its elicitation is cancelled.",
        "Continue without it.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.unknown-action",
        "172",
        "A turn ends when its elicitation gets an unknown action.",
        "Treat an unknown action like cancel.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.whole",
        "158",
        "An elicitation has a message, a mode, and the members of its mode.",
        "A form has requestedSchema; a URL has url and elicitationId.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.fenced",
        "158",
        "A client without elicitation gets no elicitation.",
        "Check elicitation.form and elicitation.url first.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.fenced-ends",
        "158",
        "With a client without elicitation, the turn ends.",
        "Continue without it, or refuse.",
    )
    .prompt(PromptKind::Elicitation),
];
