//! Tests of elicitations of MCP servers.

use attache::json::Raw;
use attache::v1;
use attache_adapter::elicitation::{request, respond};
use attache_adapter::frames::{Elicitation, Frame};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn asked(members: Value) -> Elicitation {
    let mut request =
        json!({ "subtype": "elicitation", "mcp_server_name": "files", "message": "Which?" });
    for (name, value) in members.as_object().expect("an object") {
        request[name] = value.clone();
    }
    let frame = json!({ "type": "control_request", "request_id": "q", "request": request });
    match Frame::from_value(frame) {
        Frame::Elicitation(asked) => *asked,
        other => panic!("{other:?}"),
    }
}

fn client(modes: Value) -> v1::ClientCapabilities {
    let capabilities = json!({ "elicitation": modes });
    Raw::from(capabilities).read().expect("capabilities")
}

/// The elicitation for a client that supports forms and web pages.
fn check(members: Value, expected: &Expect) {
    let everything = client(json!({ "form": {}, "url": {} }));
    let request = request(&asked(members), &v1::SessionId::from("s"), &everything);
    let request = request.map_or("declined".to_owned(), |it| Raw::of(&it).as_str().to_owned());
    expected.assert_eq(&request);
}

fn form(fields: Value) -> Value {
    json!({ "mode": "form", "requested_schema": { "type": "object", "properties": fields } })
}

#[test]
fn a_form_says_which_server_asks() {
    check(
        json!({
            "message": "Which \u{1b}[1mone\u{1b}[0m?",
            "title": "A choice",
            "requested_schema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "name": { "type": "string", "minLength": 1, "format": "email" },
                    "age": { "type": "integer", "minimum": 0, "default": 3 },
                    "share": { "type": "number", "maximum": 0.5 },
                    "sure": { "type": "boolean", "default": true },
                    "tags": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "maxItems": 1 },
                },
                "required": ["name"],
            },
        }),
        &expect![[
            r#"{"message":"files asks: Which one?","sessionId":"s","mode":"form","requestedSchema":{"type":"object","title":"A choice","properties":{"age":{"type":"integer","minimum":0,"default":3},"name":{"type":"string","minLength":1,"format":"email"},"share":{"type":"number","maximum":0.5},"sure":{"type":"boolean","default":true},"tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1}},"required":["name"]}}"#
        ]],
    );
}

#[test]
fn names_of_choices_come_in_two_ways() {
    check(
        form(json!({
            "old": { "type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"] },
            "new": { "type": "string", "oneOf": [{ "const": "s", "title": "Small" }] },
        })),
        &expect![[
            r#"{"message":"files asks: Which?","sessionId":"s","mode":"form","requestedSchema":{"type":"object","properties":{"new":{"type":"string","oneOf":[{"const":"s","title":"Small"}]},"old":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]}}}}"#
        ]],
    );
}

#[test]
fn a_form_that_cannot_be_shown_whole_is_declined() {
    let declined = expect!["declined"];
    for fields in [
        json!({ "where": { "type": "object", "properties": {} } }),
        json!({ "any": {} }),
        json!({ "many": { "type": "array", "items": { "type": "number" } } }),
        json!({ "name": { "type": "string", "minLength": "one" } }),
        json!([]),
    ] {
        check(form(fields), &declined);
    }
    for members in [
        json!({ "mode": "form" }),
        json!({ "requested_schema": { "type": "array" } }),
        json!({ "requested_schema": { "type": "object", "required": ["nowhere"] } }),
        json!({ "requested_schema": [] }),
        json!({ "mode": "voice", "requested_schema": { "type": "object" } }),
        json!({ "mode": "url", "elicitation_id": "e" }),
        json!({ "mode": "url", "url": "file:///etc/passwd", "elicitation_id": "e" }),
    ] {
        check(members, &declined);
    }
}

#[test]
fn a_page_has_an_id_of_its_own() {
    check(
        json!({ "mode": "url", "url": "https://example.com/login", "elicitation_id": "e" }),
        &expect![[
            r#"{"message":"files asks: Which?","sessionId":"s","mode":"url","elicitationId":"q","url":"https://example.com/login"}"#
        ]],
    );
}

#[test]
fn a_client_is_asked_only_as_it_can_be() {
    let page = asked(json!({ "mode": "url", "url": "https://example.com", "elicitation_id": "e" }));
    let form = asked(form(json!({})));
    for (modes, has_form, has_page) in [
        (Value::Null, false, false),
        (json!({}), false, false),
        (json!({ "form": {} }), true, false),
        (json!({ "url": {} }), false, true),
    ] {
        let client = client(modes);
        let can = |asked| request(asked, &v1::SessionId::from("s"), &client).is_some();
        assert_eq!((can(&form), can(&page)), (has_form, has_page), "{client:?}");
    }
}

#[test]
fn what_the_person_did_is_what_the_server_hears() {
    let page = asked(json!({ "mode": "url", "url": "https://example.com", "elicitation_id": "e" }));
    let form = asked(form(json!({})));
    let content = json!({ "name": "Ann", "age": 3, "share": 0.5, "sure": true, "tags": ["a"] });
    let accepted = json!({ "action": "accept", "content": content });
    let answers = [
        (&form, accepted.clone()),
        (&form, json!({ "action": "accept" })),
        (&form, json!({ "action": "decline" })),
        (&form, json!({ "action": "cancel" })),
        (&form, json!({ "action": "later" })),
        (&page, accepted),
    ];
    let lines = answers.map(|(asked, said)| {
        let response: v1::CreateElicitationResponse = Raw::from(said).read().expect("an answer");
        respond(asked, response.action)["response"].to_string()
    });
    expect![[r#"
        {"subtype":"success","request_id":"q","response":{"action":"accept","content":{"age":3,"name":"Ann","share":0.5,"sure":true,"tags":["a"]}}}
        {"subtype":"success","request_id":"q","response":{"action":"accept","content":{}}}
        {"subtype":"success","request_id":"q","response":{"action":"decline"}}
        {"subtype":"success","request_id":"q","response":{"action":"cancel"}}
        {"subtype":"success","request_id":"q","response":{"action":"cancel"}}
        {"subtype":"success","request_id":"q","response":{"action":"accept"}}"#]].assert_eq(&lines.join("\n"));
}
