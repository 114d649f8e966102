//! Official connections, and what older documents name.

use std::borrow::Cow;

use attache_rpc::Id;

use super::border::{Talk, call, id};
use crate::dialect::{Border, Call, Dialect, Passage, Peer};

const OPTION: &str = r#"{"sessionId":"s","configOptions":[{"id":"llm","name":"Model","category":"model",
    "type":"select","currentValue":"a","options":[]}]}"#;
const MODELS: &str = r#"{"sessionId":"s","models":{"currentModelId":"a","availableModels":[]}}"#;
const SET_MODEL: &str = r#"{"sessionId":"s","modelId":"b"}"#;

fn official(peer: Peer) -> Border {
    Border::new(Dialect::Official, peer)
}

fn check(passage: Passage<'_>, method: &str, params: &str) {
    let Passage::Call {
        method: found,
        params: Some(found_params),
    } = passage
    else {
        panic!("no call: {passage:?}");
    };
    assert_eq!((&*found, &*found_params), (method, params));
}

#[test]
fn a_model_is_set_by_the_option_for_it() {
    let mut border = official(Peer::Client);
    border
        .write_result(id(), "session/new", OPTION)
        .expect("passes");
    check(
        border
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        "session/set_config_option",
        r#"{"sessionId":"s","value":"b","configId":"llm"}"#,
    );
}

#[test]
fn a_model_is_set_in_a_session_that_was_loaded() {
    let mut border = official(Peer::Client);
    let load = r#"{"cwd":"/p","mcpServers":[],"sessionId":"s"}"#;
    border
        .read_call(call("session/load", load))
        .expect("passes");
    border
        .write_result(id(), "session/load", OPTION)
        .expect("passes");
    check(
        border
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        "session/set_config_option",
        r#"{"sessionId":"s","value":"b","configId":"llm"}"#,
    );
}

#[test]
fn sessions_loaded_at_once_have_each_its_own_option() {
    let mut border = official(Peer::Client);
    let ids = [Id::from(1), Id::from(2)];
    for (id, session) in ids.iter().zip(["s", "t"]) {
        let load = format!(r#"{{"sessionId":"{session}","cwd":"/p","mcpServers":[]}}"#);
        let load = Call::request(id, "session/load", Some(&load));
        border.read_call(load).expect("passes");
    }
    let [first, second] = ids;
    let other = OPTION.replace("llm", "brain");
    for (id, result) in [(second, &*other), (first, OPTION)] {
        border
            .write_result(&id, "session/load", result)
            .expect("passes");
    }
    for (session, option) in [("s", "llm"), ("t", "brain")] {
        let set = format!(r#"{{"sessionId":"{session}","modelId":"b"}}"#);
        check(
            border
                .read_call(call("session/set_model", &set))
                .expect("read"),
            "session/set_config_option",
            &format!(r#"{{"sessionId":"{session}","value":"b","configId":"{option}"}}"#),
        );
    }
}

#[test]
fn a_model_of_a_session_without_an_option_is_refused() {
    let message = "Invalid params: modelId: this session has no option of category model (-32602)";
    Talk::new(Dialect::Official, Peer::Client)
        .writes_result(
            "session/new",
            r#"{"sessionId":"s"}"#,
            r#"{"sessionId":"s"}"#,
        )
        .refuses("session/set_model", SET_MODEL, message);
}

#[test]
fn between_a_client_and_an_agent_of_old_the_method_passes() {
    let mut border = official(Peer::Client);
    border
        .write_result(id(), "session/new", MODELS)
        .expect("passes");
    check(
        border
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        "session/set_model",
        SET_MODEL,
    );
}

#[test]
fn an_agent_that_only_has_models_is_sent_the_method() {
    let mut border = official(Peer::Agent);
    assert_eq!(
        border.read_result(id(), "session/new", MODELS),
        Ok(Cow::Borrowed(MODELS))
    );
    let set = r#"{"sessionId":"s","configId":"model","value":"b"}"#;
    for empty in ["{}", "null"] {
        check(
            border
                .write_call(call("session/set_config_option", set))
                .expect("written"),
            "session/set_model",
            SET_MODEL,
        );
        let result = border.read_result(id(), "session/set_config_option", empty);
        assert_eq!(result.as_deref(), Ok(r#"{"configOptions":[]}"#));
    }
    let other = r#"{"sessionId":"s","configId":"effort","value":"b"}"#;
    check(
        border
            .write_call(call("session/set_config_option", other))
            .expect("written"),
        "session/set_config_option",
        other,
    );
    let result = border.read_result(id(), "session/set_config_option", "{}");
    assert_eq!(result.as_deref(), Ok("{}"));
}

#[test]
fn a_word_in_the_data_says_that_a_login_is_needed() {
    let data = r#""message":"log in","data":{"reason":"auth_required","authMethods":[]}}"#;
    let theirs = format!(r#"{{"code":-32010,{data}"#);
    let ours = format!(r#"{{"code":-32000,{data}"#);
    Talk::new(Dialect::Official, Peer::Agent)
        .reads_error("session/new", &theirs, &ours)
        .reads_error("session/new", &ours, &ours)
        .writes_error("session/new", &ours, &ours);
}

#[test]
fn a_word_in_the_data_counts_for_more_than_the_number() {
    let not_found = r#"{"code":-32002,"message":"m","data":{"reason":"resource_not_found"}}"#;
    Talk::new(Dialect::Official, Peer::Agent)
        .reads_error(
            "session/prompt",
            r#"{"code":-32002,"message":"m","data":{"reason":"permission_denied"}}"#,
            r#"{"code":-32603,"message":"m","data":{"reason":"permission_denied",
                "attache.dialect":{"meaning":"permission_denied"}}}"#,
        )
        .reads_error(
            "session/prompt",
            r#"{"code":-32002,"message":"m","data":{"reason":"auth_required"}}"#,
            r#"{"code":-32000,"message":"m","data":{"reason":"auth_required"}}"#,
        )
        .reads_error("session/prompt", not_found, not_found);
}

#[test]
fn an_official_connection_lends_what_it_was_given() {
    let text = r#"{ "anything" : [1, 2] }"#;
    let mut border = official(Peer::Agent);
    for method in [
        "session/update",
        "session/prompt",
        "session/new",
        "terminal/output",
        "_x",
    ] {
        let passage = border.read_call(call(method, text)).expect("passes");
        assert!(
            matches!(&passage, Passage::Call { method: Cow::Borrowed(_), params: Some(Cow::Borrowed(same)) } if *same == text),
            "{passage:?}"
        );
        for result in [
            border.read_result(id(), method, text),
            official(Peer::Client).write_result(id(), method, text),
        ] {
            assert!(matches!(result, Ok(Cow::Borrowed(same)) if same == text));
        }
    }
}
