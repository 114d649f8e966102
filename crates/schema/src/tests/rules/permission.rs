//! Permission requests.

use attache_rpc::json::from_str;
use expect_test::expect;

use super::check;
use crate::rules::is_allowed;

const QUESTION: &str = r#"{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"odd","name":"Odd","kind":"allow_maybe"},{"optionId":"two","name":"Two","kind":"allow_once"},{"optionId":"two","name":"Two","kind":"reject_once"}]}"#;

#[test]
fn the_selected_option_was_offered() {
    check(
        r#"
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
        client = {"outcome":{"outcome":"selected","optionId":"no"}}
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}
        client = {"outcome":{"outcome":"selected","optionId":"yes"}}
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        client = {"outcome":{"outcome":"granted"}}
        agent session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}
        client ! {"code":-32603,"message":"Internal error"}
        "#,
        expect![[r#"
            session/request_permission result.outcome.optionId: the option was not offered; select one of the request's options (rule 125, observed)
            session/request_permission result.outcome.outcome: the outcome is not defined and allows nothing; use selected or cancelled (rule B3, SHOULD)
        "#]],
    );
}

#[test]
fn permission_options_have_known_kinds_and_unique_ids() {
    check(
        &format!("agent session/request_permission {QUESTION}"),
        expect![[r#"
            session/request_permission params.options[5].optionId: another item of the list has the same id; give each a unique id (rule B5, SHOULD)
            session/request_permission params.options[3].kind: the kind is not defined; use allow_once, allow_always, reject_once or reject_always (rule B3, SHOULD)
        "#]],
    );
}

#[test]
fn only_an_offered_allow_option_allows() {
    let request = from_str(QUESTION).expect("a question");
    let allows = |outcome: &str| {
        let response = from_str(&format!(r#"{{"outcome":{outcome}}}"#)).expect("an answer");
        is_allowed(&request, &response)
    };
    let selected = |id| format!(r#"{{"outcome":"selected","optionId":"{id}"}}"#);
    assert!(allows(&selected("yes")));
    assert!(allows(&selected("always")));
    for id in ["no", "odd", "two", "never offered", ""] {
        assert!(!allows(&selected(id)), "{id}");
    }
    assert!(!allows(r#"{"outcome":"cancelled"}"#));
    assert!(!allows(r#"{"outcome":"granted","optionId":"yes"}"#));
}
