//! What tool calls give: texts, diffs, terminals.

use expect_test::expect;

use super::updates::{check_update, check_written_update};
use super::*;

#[test]
fn outputs() {
    let mut talk = Talk::in_session();
    check_update(
        &mut talk,
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
        &mut talk,
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
        &mut talk,
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
    check_update(
        &mut talk,
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
        &mut talk,
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
    let mut talk = Talk::in_session();
    check_update(
        &mut talk,
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

#[test]
fn diffs_for_a_draft_client() {
    let mut talk = Talk::in_session();
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [
            {
              "type": "diff",
              "path": "/a",
              "oldText": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
              "newText": "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"
            }
          ]
        }"#,
        expect![[r#"
            tool_call_update {
              "id":"a",
              "output":{
                "type":"diff",
                "path":"/a",
                "hunks":[
                  {
                    "oldStart":2,
                    "oldLines":7,
                    "newStart":2,
                    "newLines":7,
                    "content":"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8"
                  }
                ]
              }
            }"#]],
    );
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [{"type": "diff", "path": "/a", "newText": "x\ny"}]
        }"#,
        expect![[r#"
            tool_call_update {
              "id":"a",
              "output":{
                "type":"diff",
                "path":"/a",
                "hunks":[
                  {
                    "oldStart":0,
                    "oldLines":0,
                    "newStart":1,
                    "newLines":2,
                    "content":"@@ -0,0 +1,2 @@\n+x\n+y"
                  }
                ]
              }
            }"#]],
    );
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [{"type": "diff", "path": "/a", "oldText": "x\n", "newText": ""}]
        }"#,
        expect![[r#"
            tool_call_update {
              "id":"a",
              "output":{
                "type":"diff",
                "path":"/a",
                "hunks":[
                  {
                    "oldStart":1,
                    "oldLines":1,
                    "newStart":0,
                    "newLines":0,
                    "content":"@@ -1,1 +0,0 @@\n-x"
                  }
                ]
              }
            }"#]],
    );
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [
            {
              "type": "diff",
              "path": "/a",
              "oldText": "a\na\n",
              "newText": "a\na\na\n"
            }
          ]
        }"#,
        expect![[r#"
            tool_call_update {
              "id":"a",
              "output":{
                "type":"diff",
                "path":"/a",
                "hunks":[
                  {
                    "oldStart":1,
                    "oldLines":2,
                    "newStart":1,
                    "newLines":3,
                    "content":"@@ -1,2 +1,3 @@\n a\n a\n+a"
                  }
                ]
              }
            }"#]],
    );
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [{"type": "diff", "path": "/a", "oldText": "x", "newText": "x\n"}]
        }"#,
        expect![[r#"tool_call_update {"id":"a","output":{"type":"diff","path":"/a","hunks":[]}}"#]],
    );
}

#[test]
fn content_for_a_draft_client() {
    let mut talk = Talk::in_session();
    check_written_update(
        &mut talk,
        r#"{
          "sessionUpdate": "tool_call_update",
          "toolCallId": "a",
          "content": [{"type": "terminal", "terminalId": "t"}]
        }"#,
        expect![[r#"tool_call_update {"id":"a","output":{"type":"terminal","terminalId":"t"}}"#]],
    );
    check_written_update(
        &mut talk,
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
        &mut talk,
        r#"{"sessionUpdate": "tool_call_update", "toolCallId": "a", "content": []}"#,
        expect![[r#"tool_call_update {"id":"a"}"#]],
    );
}
