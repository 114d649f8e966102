//! Official connections with the shapes of older documents.

use std::borrow::Cow;

use attache_rpc::Id;
use serde_json::Value;

use super::call_translator::{TranslatedConversation, call, id};
use crate::{Call, CallTranslator, Dialect, Role, TranslatedCall};

const OPTION: &str = r#"{"sessionId":"s","configOptions":[{"id":"llm","name":"Model","category":"model",
    "type":"select","currentValue":"a","options":[]}]}"#;
const MODELS: &str = r#"{"sessionId":"s","models":{"currentModelId":"a","availableModels":[
    {"modelId":"a","name":"A"},{"modelId":"b","name":"B","description":"better"}]}}"#;
const SET_MODEL: &str = r#"{"sessionId":"s","modelId":"b"}"#;

fn official(peer: Role) -> CallTranslator {
    CallTranslator::new(Dialect::Official, peer)
}

fn check(translated: TranslatedCall<'_>, method: &str, params: &str) {
    let TranslatedCall::Call {
        method: found,
        params: Some(found_params),
    } = translated
    else {
        panic!("no call: {translated:?}");
    };
    assert_eq!((&*found, &*found_params), (method, params));
}

#[test]
fn a_model_is_set_by_the_option_for_it() {
    let mut translator = official(Role::Client);
    translator
        .write_result(id(), "session/new", OPTION)
        .expect("passes");
    check(
        translator
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        "session/set_config_option",
        r#"{"sessionId":"s","value":"b","configId":"llm"}"#,
    );
}

#[test]
fn a_model_is_set_in_a_session_that_was_loaded() {
    let mut translator = official(Role::Client);
    let load = r#"{"cwd":"/p","mcpServers":[],"sessionId":"s"}"#;
    translator
        .read_call(call("session/load", load))
        .expect("passes");
    translator
        .write_result(id(), "session/load", OPTION)
        .expect("passes");
    check(
        translator
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        "session/set_config_option",
        r#"{"sessionId":"s","value":"b","configId":"llm"}"#,
    );
}

#[test]
fn concurrently_loaded_sessions_have_separate_options() {
    let mut translator = official(Role::Client);
    let ids = [Id::from(1), Id::from(2)];
    for (id, session) in ids.iter().zip(["s", "t"]) {
        let load = format!(r#"{{"sessionId":"{session}","cwd":"/p","mcpServers":[]}}"#);
        let load = Call::request(id, "session/load", Some(&load));
        translator.read_call(load).expect("passes");
    }
    let [first, second] = ids;
    let other = OPTION.replace("llm", "brain");
    for (id, result) in [(second, &*other), (first, OPTION)] {
        translator
            .write_result(&id, "session/load", result)
            .expect("passes");
    }
    for (session, option) in [("s", "llm"), ("t", "brain")] {
        let set = format!(r#"{{"sessionId":"{session}","modelId":"b"}}"#);
        check(
            translator
                .read_call(call("session/set_model", &set))
                .expect("read"),
            "session/set_config_option",
            &format!(r#"{{"sessionId":"{session}","value":"b","configId":"{option}"}}"#),
        );
    }
}

#[test]
fn set_model_without_a_model_option_is_rejected() {
    let message = "Invalid params: modelId: this session has no option of category model (-32602)";
    TranslatedConversation::new(Dialect::Official, Role::Client)
        .writes_result(
            "session/new",
            r#"{"sessionId":"s"}"#,
            r#"{"sessionId":"s"}"#,
        )
        .refuses("session/set_model", SET_MODEL, message);
}

#[test]
fn set_model_passes_between_an_older_client_and_agent() {
    let mut translator = official(Role::Client);
    translator
        .write_result(id(), "session/new", MODELS)
        .expect("passes");
    check(
        translator
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        "session/set_model",
        SET_MODEL,
    );
}

/// The option that represents [`MODELS`].
fn models(id: &str, current: &str) -> String {
    format!(
        r#"{{"id":"{id}","name":"Model","category":"model","type":"select","currentValue":"{current}",
            "options":[{{"value":"a","name":"A"}},{{"value":"b","name":"B","description":"better"}}]}}"#
    )
}

/// A session whose agent has models and these options, as a client gets to know it.
fn opened(options: &str, all: &str) -> TranslatedConversation {
    let with = |options: &str| {
        format!(
            r#"{},"configOptions":[{options}]}}"#,
            &MODELS[..MODELS.len() - 1]
        )
    };
    TranslatedConversation::new(Dialect::Official, Role::Agent).reads_result(
        "session/new",
        &with(options),
        &with(all),
    )
}

const SET: &str = "session/set_config_option";
const EFFORT: &str = r#"{"id":"effort","name":"Effort","type":"boolean","currentValue":true}"#;

#[test]
fn the_models_of_an_older_agent_become_an_option() {
    let set = r#"{"sessionId":"s","configId":"model","value":"b"}"#;
    let all = format!(r#"{{"configOptions":[{EFFORT},{}]}}"#, models("model", "b"));
    for empty in ["{}", "null"] {
        let mut translator = official(Role::Agent);
        let with = format!(
            r#"{},"configOptions":[{EFFORT}]}}"#,
            &MODELS[..MODELS.len() - 1]
        );
        let read = translator
            .read_result(id(), "session/new", &with)
            .expect("read");
        let read: Value = serde_json::from_str(&read).expect("JSON");
        let model: Value = serde_json::from_str(&models("model", "a")).expect("JSON");
        assert_eq!(read["configOptions"][1], model);
        check(
            translator.write_call(call(SET, set)).expect("written"),
            "session/set_model",
            SET_MODEL,
        );
        let result = translator.read_result(id(), SET, empty).expect("read");
        let result: Value = serde_json::from_str(&result).expect("JSON");
        assert_eq!(result, serde_json::from_str::<Value>(&all).expect("JSON"));
    }
}

#[test]
fn the_option_for_the_models_stays_in_every_list() {
    let other = r#"{"sessionId":"s","configId":"effort","value":false,"type":"boolean"}"#;
    let told = |options: &str| {
        let update =
            format!(r#"{{"sessionUpdate":"config_option_update","configOptions":[{options}]}}"#);
        format!(r#"{{"sessionId":"s","update":{update}}}"#)
    };
    let model = models("model", "a");
    let list = |options: &str| format!(r#"{{"configOptions":[{options}]}}"#);
    opened("", &model)
        .writes(SET, other, other)
        .reads_result(SET, &list(EFFORT), &list(&format!("{EFFORT},{model}")))
        .reads("session/update", &told(""), &told(&model))
        .reads(
            "session/update",
            &told(EFFORT),
            &told(&format!("{EFFORT},{model}")),
        );
}

#[test]
fn the_option_for_the_models_gets_a_free_id() {
    let taken = r#"{"id":"model","name":"Model of a car","type":"boolean","currentValue":true}"#;
    let other = r#"{"sessionId":"s","configId":"model","value":false,"type":"boolean"}"#;
    opened(taken, &format!("{taken},{}", models("attache.model", "a"))).writes(SET, other, other);
}

#[test]
fn a_current_model_that_is_not_available_can_be_chosen() {
    let theirs = r#"{"sessionId":"s","models":{"currentModelId":"x","availableModels":[{"modelId":"y"},7]}}"#;
    let option = r#"{"id":"model","name":"Model","category":"model","type":"select","currentValue":"x",
        "options":[{"value":"x","name":"x"},{"value":"y","name":"y"}]}"#;
    let ours = format!(
        r#"{},"configOptions":[{option}]}}"#,
        &theirs[..theirs.len() - 1]
    );
    TranslatedConversation::new(Dialect::Official, Role::Agent).reads_result(
        "session/new",
        theirs,
        &ours,
    );
}

#[test]
fn an_option_for_the_model_that_comes_later_counts() {
    let update = format!(
        r#"{{"sessionId":"s","update":{{"sessionUpdate":"config_option_update","configOptions":[{}]}}}}"#,
        models("llm", "a")
    );
    let set = r#"{"sessionId":"s","configId":"llm","value":"b"}"#;
    opened("", &models("model", "a"))
        .reads("session/update", &update, &update)
        .writes(SET, set, set);
    let mut translator = official(Role::Client);
    translator
        .write_call(call("session/update", &update))
        .expect("written");
    check(
        translator
            .read_call(call("session/set_model", SET_MODEL))
            .expect("read"),
        SET,
        r#"{"sessionId":"s","value":"b","configId":"llm"}"#,
    );
}

#[test]
fn an_option_with_an_overlong_id_is_not_remembered() {
    let option = OPTION.replace("llm", &"x".repeat(4097));
    let message = "Invalid params: modelId: this session has no option of category model (-32602)";
    TranslatedConversation::new(Dialect::Official, Role::Client)
        .writes_result("session/new", &option, &option)
        .refuses("session/set_model", SET_MODEL, message);
}

#[test]
fn a_reason_in_the_data_means_auth_required() {
    let data = r#""message":"log in","data":{"reason":"auth_required","authMethods":[]}}"#;
    let theirs = format!(r#"{{"code":-32010,{data}"#);
    let ours = format!(r#"{{"code":-32000,{data}"#);
    TranslatedConversation::new(Dialect::Official, Role::Agent)
        .reads_error("session/new", &theirs, &ours)
        .reads_error("session/new", &ours, &ours)
        .writes_error("session/new", &ours, &ours);
}

#[test]
fn a_reason_in_the_data_overrides_the_number() {
    let not_found = r#"{"code":-32002,"message":"m","data":{"reason":"resource_not_found"}}"#;
    TranslatedConversation::new(Dialect::Official, Role::Agent)
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
fn an_official_connection_borrows_its_messages() {
    let text = r#"{ "anything" : [1, 2] }"#;
    let mut translator = official(Role::Agent);
    for method in [
        "session/update",
        "session/prompt",
        "session/new",
        "terminal/output",
        "_x",
    ] {
        let translated = translator.read_call(call(method, text)).expect("passes");
        assert!(
            matches!(&translated, TranslatedCall::Call { method: Cow::Borrowed(_), params: Some(Cow::Borrowed(same)) } if *same == text),
            "{translated:?}"
        );
        for result in [
            translator.read_result(id(), method, text),
            official(Role::Client).write_result(id(), method, text),
        ] {
            assert!(matches!(result, Ok(Cow::Borrowed(same)) if same == text));
        }
    }
}
