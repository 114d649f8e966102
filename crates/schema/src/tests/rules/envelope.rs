//! Ids of requests and names of methods.

use attache_rpc::Id;
use attache_rpc::json::Raw;
use expect_test::{Expect, expect};

use super::check;
use crate::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, Extension,
    ProtocolLevelNotification,
};
use crate::rules::{self, Context, Violation, agent, check_id, check_method_name, client};

fn check_found(found: &[Violation], expect: Expect) {
    let lines: String = found.iter().map(|found| format!("{found}\n")).collect();
    expect.assert_eq(&lines);
}

#[test]
fn request_ids_have_a_maximum_length() {
    let found = [Id::from(1), Id::from("a"), Id::from(&*"x".repeat(256))];
    check_found(
        &found.iter().flat_map(check_id).collect::<Vec<_>>(),
        expect![""],
    );
    let found = [Id::null(), Id::from(""), Id::from(&*"x".repeat(257))];
    check_found(
        &found.iter().flat_map(check_id).collect::<Vec<_>>(),
        expect![[r#"
            request id: the id is null, so no response can be matched; send a number or a string (rule B1, SHOULD)
            request id: the id is empty; send a number or a string (rule B1, SHOULD)
            request id: the id is longer than 256 bytes; send a shorter one (rule B1, SHOULD)
        "#]],
    );
    let long = "x".repeat(257);
    check(
        &format!(
            r#"
            client has {{"elicitation":{{"form":{{}}}}}}
            client $/cancel_request {{"requestId":1}}
            client $/cancel_request {{"requestId":""}}
            agent elicitation/create {{"mode":"form","requestId":"{long}","message":"m","requestedSchema":{{}}}}
            "#
        ),
        expect![[r#"
            $/cancel_request params.requestId: the id is empty; send a number or a string (rule B1, SHOULD)
            elicitation/create params.requestId: the id is longer than 256 bytes; send a shorter one (rule B1, SHOULD)
        "#]],
    );
}

#[test]
fn a_custom_method_starts_with_an_underscore() {
    for name in [
        "session/new",
        "$/cancel_request",
        "proxy/successor",
        "_mine",
        "_mine/too",
    ] {
        assert_eq!(check_method_name(name), [], "{name}");
    }
    check_found(
        &check_method_name("session/set_model"),
        expect![[r#"
        extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
    "#]],
    );
}

#[test]
fn only_the_name_of_a_custom_call_is_checked() {
    let call = |method: &str| Extension {
        method: method.to_owned(),
        params: Some(Raw::of("anything")),
    };
    let context = Context::default();
    let found = |method| {
        [
            client::check_request(&ClientRequest::Extension(call(method)), &context),
            client::check_notification(&ClientNotification::Extension(call(method)), &context),
            agent::check_request(&AgentRequest::Extension(call(method)), &context),
            agent::check_notification(&AgentNotification::Extension(call(method)), &context),
            rules::check_protocol_notification(&ProtocolLevelNotification::Extension(call(method))),
            agent::check_response(&ClientRequest::Extension(call(method)), Ok("1"), &context),
            client::check_response(&AgentRequest::Extension(call(method)), Ok("1"), &context),
        ]
        .concat()
    };
    check_found(&found("_mine"), expect![""]);
    check_found(
        &found("mine"),
        expect![[r#"
        extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
        extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
        extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
        extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
        extension method: the protocol has no such method; start a custom method with _ (rule 174, MUST)
    "#]],
    );
}
