//! The output of tool calls: texts, diffs, terminals.

use expect_test::{Expect, expect};

use super::updates::{check_update, check_written_update};
use super::*;

#[test]
fn outputs() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{
          "id": "a",
          "status": "completed",
          "output": {"type": "text", "text": "done"},
          "duration": 45
        }"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "status":"completed",
              "content":[{"type":"content","content":{"type":"text","text":"done"}}],
              "_meta":{"attache.dialect":{"duration":45}},
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{
          "id": "a",
          "output": {
            "type": "terminal",
            "terminalId": "t",
            "command": "npm test",
            "exitCode": 0,
            "stdout": "All tests passed!",
            "stderr": ""
          }
        }"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "content":[
                {
                  "type":"terminal",
                  "terminalId":"t",
                  "_meta":{
                    "attache.dialect":{"command":"npm test","exitCode":0,"stdout":"All tests passed!","stderr":""}
                  }
                }
              ],
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{
          "id": "a",
          "output": {
            "type": "image",
            "source": {"type": "base64", "mediaType": "image/png", "data": "x"}
          }
        }"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "content":[{"type":"content","content":{"type":"image","data":"x","mimeType":"image/png"}}],
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
}

#[test]
fn outputs_of_unknown_types() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "output": {"rows": 3}}"#,
        expect![[r#"
        {
          "toolCallId":"a",
          "_meta":{"attache.dialect":{"output":{"rows":3}}},
          "rawOutput":{"rows":3},
          "sessionUpdate":"tool_call_update"
        }"#]],
    );
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{"id": "a", "output": "plain"}"#,
        expect![[r#"
        {
          "toolCallId":"a",
          "_meta":{"attache.dialect":{"output":"plain"}},
          "rawOutput":"plain",
          "sessionUpdate":"tool_call_update"
        }"#]],
    );
}

#[test]
fn hunks_are_shown_and_kept() {
    let mut conversation = TranslatedConversation::in_session();
    check_update(
        &mut conversation,
        "tool_call_update",
        r#"{
          "id": "a",
          "output": {
            "type": "diff",
            "path": "/p/a.ts",
            "hunks": [
              {
                "oldStart": 10,
                "oldLines": 5,
                "newStart": 10,
                "newLines": 8,
                "content": "@@ -10,5 +10,8 @@\n-a\n+b"
              },
              {
                "oldStart": 30,
                "oldLines": 1,
                "newStart": 33,
                "newLines": 0,
                "content": "-c"
              }
            ]
          }
        }"#,
        expect![[r#"
            {
              "toolCallId":"a",
              "content":[
                {
                  "type":"content",
                  "content":{
                    "type":"text",
                    "text":"--- /p/a.ts\n+++ /p/a.ts\n@@ -10,5 +10,8 @@\n-a\n+b\n@@ -30,1 +33,0 @@\n-c"
                  },
                  "_meta":{
                    "attache.dialect":{
                      "output":{
                        "type":"diff",
                        "path":"/p/a.ts",
                        "hunks":[
                          {
                            "oldStart":10,
                            "oldLines":5,
                            "newStart":10,
                            "newLines":8,
                            "content":"@@ -10,5 +10,8 @@\n-a\n+b"
                          },
                          {"oldStart":30,"oldLines":1,"newStart":33,"newLines":0,"content":"-c"}
                        ]
                      }
                    }
                  }
                }
              ],
              "sessionUpdate":"tool_call_update"
            }"#]],
    );
}

/// An output that was read from a draft agent, and changed before it is written for a draft client.
fn check_changed(output: &str, change: impl FnOnce(&mut Value), written: Expect) {
    let mut conversation = TranslatedConversation::in_session();
    let update = format!(
        r#"{{"sessionId":"s","type":"tool_call_update","data":{{"id":"a","output":{output}}}}}"#
    );
    let (official, _) = conversation.pass("agent session/update", &update);
    let mut official = value(&official);
    change(&mut official["update"]);
    let again = conversation.written("client session/update", &official.to_string());
    written.assert_eq(&again[0]["data"].to_string());
}

#[test]
fn a_changed_output_overrides_the_kept_one() {
    check_changed(
        r#"{"rows":3,"of":"x"}"#,
        |update| update["rawOutput"] = value(r#"{"of":"x","rows":3}"#),
        expect![[r#"{"id":"a","output":{"rows":3,"of":"x"}}"#]],
    );
    check_changed(
        r#"{"rows":3}"#,
        |update| update["rawOutput"] = "hidden".into(),
        expect![[r#"{"id":"a","rawOutput":"hidden","output":{"type":"text","text":"hidden"}}"#]],
    );
    check_changed(
        r#"{"rows":3}"#,
        |update| drop(update.as_object_mut().expect("members").remove("rawOutput")),
        expect![[r#"{"id":"a"}"#]],
    );
    check_changed(
        r#"{"type":"diff","path":"/a","hunks":[]}"#,
        |update| update["content"][0]["content"]["text"] = "hidden".into(),
        expect![[r#"{"id":"a","output":{"type":"text","text":"hidden"}}"#]],
    );
}

/// The hunks between two texts, as a draft client gets them.
fn check_diff(old: &str, new: &str, hunks: Expect) {
    let (old, new) = (Value::from(old), Value::from(new));
    let diff = format!(r#"{{"type":"diff","path":"/a","oldText":{old},"newText":{new}}}"#);
    let update = r#""sessionUpdate":"tool_call_update","toolCallId":"a""#;
    let params = format!(r#"{{"sessionId":"s","update":{{{update},"content":[{diff}]}}}}"#);
    let written = TranslatedConversation::in_session().written("client session/update", &params);
    let found = written[0]["data"]["output"]["hunks"]
        .as_array()
        .expect("a list");
    let found = found.iter().map(|hunk| {
        let place =
            ["oldStart", "oldLines", "newStart", "newLines"].map(|name| hunk[name].to_string());
        format!(
            "{}\n{}",
            place.join(" "),
            hunk["content"]
                .as_str()
                .expect("a text")
                .replace('\r', "\\r")
        )
    });
    hunks.assert_eq(&found.collect::<Vec<_>>().join("\n"));
}

#[test]
fn diffs_for_a_draft_client() {
    let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    check_diff(
        lines,
        &lines.replace('5', "five"),
        expect![[r#"
        2 7 2 7
        @@ -2,7 +2,7 @@
         2
         3
         4
        -5
        +five
         6
         7
         8"#]],
    );
    check_diff(
        lines,
        &lines.replace("1\n", ""),
        expect![[r#"
        1 4 1 3
        @@ -1,4 +1,3 @@
        -1
         2
         3
         4"#]],
    );
    check_diff(
        "a\na\n",
        "a\na\na\n",
        expect![[r#"
        1 2 1 3
        @@ -1,2 +1,3 @@
         a
         a
        +a"#]],
    );
    check_diff(
        "",
        "x\ny",
        expect![[r#"
        0 0 1 2
        @@ -0,0 +1,2 @@
        +x
        +y"#]],
    );
    check_diff(
        "x\n",
        "",
        expect![[r#"
        1 1 0 0
        @@ -1,1 +0,0 @@
        -x"#]],
    );
    check_diff("x", "x\n", expect![]);
    check_diff(
        "x\r\ny",
        "x\ny",
        expect![[r#"
        1 2 1 2
        @@ -1,2 +1,2 @@
        -x\r
        +x
         y"#]],
    );
}

#[test]
fn content_for_a_draft_client() {
    let mut conversation = TranslatedConversation::in_session();
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [{"type": "terminal", "terminalId": "t"}]
        }"#,
        expect![[r#"tool_call_update {"id":"a","output":{"type":"terminal","terminalId":"t"}}"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [
            {"type": "content", "content": {"type": "text", "text": "first"}},
            {"type": "diff", "path": "/a", "oldText": "x", "newText": "y"},
            {"type": "terminal", "terminalId": "t"}
          ]
        }"#,
        expect![[r#"
            tool_call_update {
              "id":"a",
              "output":{
                "type":"text",
                "text":"first\n--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-x\n+y\n[terminal t]"
              }
            }"#]],
    );
    check_written_update(
        &mut conversation,
        r#"{"sessionUpdate": "tool_call_update", "toolCallId": "a", "content": []}"#,
        expect![[r#"tool_call_update {"id":"a"}"#]],
    );
}
