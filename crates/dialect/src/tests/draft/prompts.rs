//! Prompts: their content, and how turns end.

use expect_test::expect;

use super::*;

#[test]
fn turns() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/prompt",
        r#"{
          "sessionId": "s",
          "content": [{"type": "text", "text": "Hello"}],
          "_meta": {"customTracingId": "trace_xyz"}
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "prompt":[{"type":"text","text":"Hello"}],
              "_meta":{"customTracingId":"trace_xyz"}
            }"#]],
    );
    check(
        &mut conversation,
        "agent= session/prompt",
        r#"{"stopReason": "end_turn", "usage": {"inputTokens": 1500, "outputTokens": 2300}}"#,
        expect![[r#"
            {
              "stopReason":"end_turn",
              "usage":{"inputTokens":1500,"outputTokens":2300,"totalTokens":3800}
            }"#]],
    );
    conversation.pass(
        "client session/prompt",
        r#"{"sessionId": "s", "content": []}"#,
    );
    check(
        &mut conversation,
        "agent= session/prompt",
        r#"{"stopReason": "cancelled"}"#,
        expect![[r#"{"stopReason":"cancelled"}"#]],
    );
    check(
        &mut conversation,
        "client session/cancel",
        r#"{"sessionId": "s", "reason": "user_requested"}"#,
        expect![[r#"{"sessionId":"s","_meta":{"attache.dialect":{"reason":"user_requested"}}}"#]],
    );
}

#[test]
fn stop_reasons_that_the_draft_does_not_have() {
    let mut conversation = TranslatedConversation::in_session();
    check_written(
        &mut conversation,
        "client= session/prompt",
        r#"{"stopReason": "refusal"}"#,
        expect![[r#"{"stopReason":"end_turn"}"#]],
    );
    check_written(
        &mut conversation,
        "client= session/prompt",
        r#"{
          "stopReason": "max_turn_requests",
          "usage": {"totalTokens": 9, "inputTokens": 1, "outputTokens": 2}
        }"#,
        expect![[r#"
            {
              "stopReason":"max_tokens",
              "usage":{"totalTokens":9,"inputTokens":1,"outputTokens":2}
            }"#]],
    );
}

#[test]
fn a_turn_that_ends_with_an_error_is_an_error() {
    let mut conversation = TranslatedConversation::in_session();
    conversation.pass("client session/prompt", r#"{"sessionId":"s","content":[]}"#);
    let result = r#"{"stopReason":"error","usage":{"inputTokens":1,"outputTokens":0}}"#;
    let error = conversation
        .agent
        .read_result(id(), "session/prompt", result);
    expect!["Internal error: the agent ended the turn with an error (-32603)"]
        .assert_eq(&error.expect_err("failed").to_string());
}

#[test]
fn attachments_join_the_prompt() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/prompt",
        r#"{
          "sessionId": "s",
          "content": [{"type": "text", "text": "Look"}],
          "attachments": [
            {"path": "src/a b.rs"},
            {
              "uri": "https://example.com/x.png?y",
              "mediaType": "image/png",
              "name": "x"
            },
            {"type": "resource", "uri": "file:///n", "content": "note"},
            {"id": 7},
            "seven"
          ]
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "prompt":[
                {"type":"text","text":"Look"},
                {
                  "type":"resource_link",
                  "name":"a b.rs",
                  "uri":"file:///home/user/project/src/a%20b.rs",
                  "_meta":{"attache.dialect":{"attachment":true}}
                },
                {
                  "type":"resource_link",
                  "name":"x",
                  "uri":"https://example.com/x.png?y",
                  "mimeType":"image/png",
                  "_meta":{"attache.dialect":{"attachment":true}}
                },
                {
                  "type":"resource",
                  "resource":{"uri":"file:///n","text":"note"},
                  "_meta":{"attache.dialect":{"attachment":true}}
                }
              ],
              "_meta":{
                "attache.dialect":{
                  "attachments":[
                    {"path":"src/a b.rs"},
                    {"uri":"https://example.com/x.png?y","mediaType":"image/png","name":"x"},
                    {"type":"resource","uri":"file:///n","content":"note"},
                    {"id":7},
                    "seven"
                  ]
                }
              }
            }"#]],
    );
}

#[test]
fn pictures_and_sounds() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/prompt",
        r#"{
          "sessionId": "s",
          "content": [
            {
              "type": "image",
              "source": {
                "type": "base64",
                "mediaType": "image/png",
                "data": "iVBORw0KGgo..."
              }
            },
            {
              "type": "audio",
              "source": {
                "type": "base64",
                "mediaType": "audio/wav",
                "data": "UklGRi..."
              }
            },
            {
              "type": "image",
              "source": {
                "type": "url",
                "mediaType": "image/png",
                "url": "https://example.com/a/b.png?c#d"
              }
            }
          ]
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "prompt":[
                {"type":"image","data":"iVBORw0KGgo...","mimeType":"image/png"},
                {"type":"audio","data":"UklGRi...","mimeType":"audio/wav"},
                {
                  "_meta":{
                    "attache.dialect":{
                      "source":{
                        "type":"url",
                        "mediaType":"image/png",
                        "url":"https://example.com/a/b.png?c#d"
                      },
                      "type":"image"
                    }
                  },
                  "type":"resource_link",
                  "uri":"https://example.com/a/b.png?c#d",
                  "name":"b.png",
                  "mimeType":"image/png"
                }
              ]
            }"#]],
    );
}

#[test]
fn images_for_a_draft_agent() {
    let mut conversation = TranslatedConversation::in_session();
    check_written(
        &mut conversation,
        "agent session/prompt",
        r#"{
          "sessionId": "s",
          "prompt": [
            {
              "type": "image",
              "data": "x",
              "mimeType": "image/png",
              "uri": "file:///x.png"
            },
            {
              "type": "image",
              "data": "",
              "mimeType": "image/png",
              "uri": "https://x"
            }
          ]
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "content":[
                {
                  "type":"image",
                  "uri":"file:///x.png",
                  "source":{"type":"base64","mediaType":"image/png","data":"x"}
                },
                {
                  "type":"image",
                  "source":{"type":"url","mediaType":"image/png","url":"https://x"}
                }
              ]
            }"#]],
    );
}

#[test]
fn resources() {
    let mut conversation = TranslatedConversation::in_session();
    check(
        &mut conversation,
        "client session/prompt",
        r#"{
          "sessionId": "s",
          "content": [
            {
              "type": "resource_link",
              "uri": "file:///src/auth.ts",
              "mimeType": "text/typescript",
              "title": "Auth"
            },
            {"type": "resource_link", "uri": "file:///src/auth.ts"},
            {
              "type": "resource",
              "uri": "file:///src/auth.ts",
              "mimeType": "text/typescript",
              "title": "auth.ts",
              "content": "export"
            }
          ]
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "prompt":[
                {
                  "type":"resource_link",
                  "uri":"file:///src/auth.ts",
                  "mimeType":"text/typescript",
                  "title":"Auth",
                  "name":"Auth"
                },
                {"type":"resource_link","uri":"file:///src/auth.ts","name":"auth.ts"},
                {
                  "type":"resource",
                  "resource":{"uri":"file:///src/auth.ts","mimeType":"text/typescript","text":"export"},
                  "_meta":{"attache.dialect":{"title":"auth.ts"}}
                }
              ]
            }"#]],
    );
    check_written(
        &mut conversation,
        "agent session/prompt",
        r#"{
          "sessionId": "s",
          "prompt": [
            {"type": "resource_link", "name": "n", "uri": "file:///a"},
            {
              "type": "resource",
              "resource": {
                "uri": "file:///a",
                "blob": "AAAA",
                "mimeType": "application/x"
              }
            }
          ]
        }"#,
        expect![[r#"
            {
              "sessionId":"s",
              "content":[
                {"type":"resource_link","name":"n","uri":"file:///a"},
                {
                  "type":"resource",
                  "uri":"file:///a",
                  "blob":"AAAA",
                  "mimeType":"application/x",
                  "content":""
                }
              ]
            }"#]],
    );
}
