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
            .ok_or("a question was asked".to_owned());
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
        return Err("the question has no message".to_owned());
    }
    let whole = match text(question, "/params/mode") {
        "form" => has("/requestedSchema"),
        "url" => has("/url") && has("/elicitationId"),
        _ => false,
    };
    whole
        .then_some(())
        .ok_or("the question lacks its mode or what belongs to it".to_owned())
}

const CHECKS: &[Check] = &[
    must(
        "agent.elicitation.accepted",
        "167",
        "A turn in which a question is answered is answered.",
        "Go on with what was said.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.declined",
        "167",
        "A turn in which a question is declined is answered.",
        "Do without.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.cancelled",
        "167",
        "A turn in which a question is closed is answered.",
        "Do without.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.unknown-action",
        "172",
        "A turn in which a question gets an action that nobody knows is answered.",
        "Take it for none that you know.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.whole",
        "158",
        "A question has a message, a mode, and what belongs to it.",
        "A form has requestedSchema, a page url and elicitationId.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.fenced",
        "158",
        "A client without questions is asked none.",
        "Look at elicitation.form and elicitation.url first.",
    )
    .prompt(PromptKind::Elicitation),
    must(
        "agent.elicitation.fenced-ends",
        "158",
        "With a client without questions the turn is answered.",
        "Do without, or refuse.",
    )
    .prompt(PromptKind::Elicitation),
];
