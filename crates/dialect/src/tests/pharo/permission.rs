//! Permission requests and their answers.

use super::{agent, check, check_result, client, of_session};
use crate::tests::call_translator::{TranslatedConversation, call, id};
use crate::{CallTranslator, Dialect, Role};

#[test]
fn permission_requests() {
    check(
        "session/request_permission",
        r#"{"sessionId":"s","title":"Delete?","description":"Old logs",
            "options":[{"optionId":"a","kind":"allow_once","label":"Yes"},
                {"optionId":"d","kind":"deny","label":"No"}]}"#,
        r#"{"sessionId":"s","toolCall":{"toolCallId":"attache-pharo-1","title":"Delete?",
                "content":[{"type":"content","content":{"type":"text","text":"Old logs"}}]},
            "options":[{"optionId":"a","kind":"allow_once","name":"Yes"},
                {"optionId":"d","kind":"reject_once","name":"No","_meta":{"attache.dialect":{"kind":"deny"}}}]}"#,
    );
    check(
        "session/request_permission",
        r#"{"sessionId":"s","toolCallId":"t","title":"Write a","options":[]}"#,
        r#"{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Write a"},"options":[]}"#,
    );
}

#[test]
fn a_permission_request_gets_the_title_that_its_tool_call_had() {
    client()
        .writes(
            "session/update",
            &of_session(r#"{"type":"tool_call","toolCallId":"t","title":"Write a"}"#),
            &of_session(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Write a"}"#),
        )
        .writes(
            "session/request_permission",
            r#"{"sessionId":"s","toolCallId":"t","title":"Write a","options":[]}"#,
            r#"{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}"#,
        )
        .writes(
            "session/request_permission",
            r#"{"sessionId":"s","toolCallId":"u","title":"Tool call u","options":[]}"#,
            r#"{"sessionId":"s","toolCall":{"toolCallId":"u"},"options":[]}"#,
        );
}

#[test]
fn permission_answers() {
    let selected = r#"{"outcome":{"outcome":"selected","optionId":"1"}}"#;
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#;
    check_result(ASK, r#"{"selectedOptionId":"1"}"#, selected);
    client().reads_result(ASK, r#"{"selectedOptionId":null}"#, cancelled);
    asks(agent(), "2").writes_result(ASK, r#"{"selectedOptionId":"2"}"#, cancelled);
    asks(asks(agent(), "2"), "3")
        .out_of_turn()
        .writes_result(ASK, r#"{"selectedOptionId":"3"}"#, cancelled)
        .writes_result(ASK, r#"{"selectedOptionId":"2"}"#, cancelled);
}

#[test]
fn a_cancelled_request_never_grants() {
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#;
    let failure = "Request cancelled (-32800)";
    agent()
        .reads(
            ASK,
            r#"{"sessionId":"s","toolCallId":"t","options":[{"optionId":"1","kind":"allow_once","label":"Yes"}]}"#,
            r#"{"sessionId":"s","toolCall":{"toolCallId":"t"},
                "options":[{"optionId":"1","kind":"allow_once","name":"Yes"}]}"#,
        )
        .fails_result(ASK, cancelled, failure);
    let unasked = asks(agent(), "2").writes_result(ASK, r#"{"selectedOptionId":"2"}"#, cancelled);
    asks(unasked.fails_result(ASK, cancelled, failure), "4").writes_result(
        ASK,
        r#"{"selectedOptionId":"4"}"#,
        cancelled,
    );
}

#[test]
fn an_outcome_that_selects_nothing_never_grants() {
    let translator = || CallTranslator::new(Dialect::Pharo, Role::Agent);
    let request = |reject: &str| {
        format!(
            r#"{{"sessionId":"s","toolCallId":"t","options":[{{"optionId":"1","kind":"allow_once","label":"Yes"}}{reject}]}}"#
        )
    };
    let reject = r#",{"optionId":"2","kind":"reject_once","label":"No"}"#;
    for outcome in [
        r#"{"outcome":{"outcome":"x_refused","optionId":"1"}}"#,
        r#"{"outcome":{"optionId":"1"}}"#,
        r#"{"outcome":null}"#,
        "{}",
    ] {
        let mut translator = translator();
        translator
            .read_call(call(ASK, &request(reject)))
            .expect("read");
        let written = translator.write_result(id(), ASK, outcome);
        assert_eq!(written.as_deref(), Ok(r#"{"selectedOptionId":"2"}"#));
        translator.read_call(call(ASK, &request(""))).expect("read");
        let written = translator.write_result(id(), ASK, outcome);
        assert_eq!(written.expect_err("no grant").code, -32800);
    }
}

fn asks(conversation: TranslatedConversation, reject: &str) -> TranslatedConversation {
    conversation.reads(
        ASK,
        &format!(
            r#"{{"sessionId":"s","toolCallId":"t","options":[{{"optionId":"1","kind":"allow_once","label":"Yes"}},
                {{"optionId":"{reject}","kind":"reject_once","label":"No"}}]}}"#
        ),
        &format!(
            r#"{{"sessionId":"s","toolCall":{{"toolCallId":"t"}},
                "options":[{{"optionId":"1","kind":"allow_once","name":"Yes"}},
                {{"optionId":"{reject}","kind":"reject_once","name":"No"}}]}}"#
        ),
    )
}

const ASK: &str = "session/request_permission";
