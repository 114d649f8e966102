//! Questions of MCP servers, and those that a rule of the user makes.

use expect_test::expect;
use serde_json::json;

use super::{check, check_frames};

#[test]
fn a_form() {
    check(
        "elicitation_form",
        &expect![[r#"
        state Running
        tell tool_call {"_meta":{"claudeCode":{"toolName":"mcp__asker__form"}},"toolCallId":"toolu_06","title":"asker: form"}
        state RequiresAction
        ask mcp__asker__form 1
        state Running
        state RequiresAction
        elicit asker Form(Object {"type": String("object"), "properties": Object {"name": Object {"type": String("string"), "title": String("Name"), "minLength": Number(1)}, "age": Object {"type": String("integer"), "minimum": Number(0)}, "plan": Object {"type": String("string"), "enum": Array [String("a"), String("b")], "enumNames": Array [String("A"), String("B")]}}, "required": Array [String("name")]})
        state Running
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"mcp__asker__form"}},"toolCallId":"toolu_06","status":"completed","content":[{"type":"content","content":{"type":"text","text":"got {\"action\": \"accept\", \"content\": {\"name\": \"Ann\", \"age\": 3}}"}}]}
        tell agent_message_chunk {"messageId":"45:0","content":{"type":"text","text":"Done."}}
        tell usage_update {"cost":{"amount":0.000128,"currency":"USD"},"used":2,"size":1000000}
        ended end_turn
        state Idle
    "#]],
    );
}

#[test]
fn a_page() {
    check(
        "elicitation_page",
        &expect![[r#"
        state Running
        tell tool_call {"_meta":{"claudeCode":{"toolName":"mcp__asker__url"}},"toolCallId":"toolu_07","title":"asker: url"}
        state RequiresAction
        ask mcp__asker__url 1
        state Running
        state RequiresAction
        elicit asker UrlElicitation { id: "el-1", url: "https://example.com/login" }
        state Running
        page done asker el-1
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"mcp__asker__url"}},"toolCallId":"toolu_07","status":"completed","content":[{"type":"content","content":{"type":"text","text":"got {\"action\": \"accept\"}"}}]}
        tell agent_message_chunk {"messageId":"d2:0","content":{"type":"text","text":"Done."}}
        tell usage_update {"cost":{"amount":0.000128,"currency":"USD"},"used":2,"size":1000000}
        ended end_turn
        state Idle
    "#]],
    );
}

#[test]
fn a_form_that_is_taken_back() {
    check(
        "elicitation_withdrawn",
        &expect![[r#"
        state Running
        tell tool_call {"_meta":{"claudeCode":{"toolName":"mcp__asker__form"}},"toolCallId":"toolu_0c","title":"asker: form"}
        state RequiresAction
        ask mcp__asker__form 1
        state Running
        state RequiresAction
        elicit asker Form(Object {"type": String("object"), "properties": Object {"name": Object {"type": String("string"), "title": String("Name"), "minLength": Number(1)}, "age": Object {"type": String("integer"), "minimum": Number(0)}, "plan": Object {"type": String("string"), "enum": Array [String("a"), String("b")], "enumNames": Array [String("A"), String("B")]}}, "required": Array [String("name")]})
        withdraw
        state Running
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"mcp__asker__form"}},"toolCallId":"toolu_0c","status":"failed"}
        tell usage_update {"cost":{"amount":0.000064,"currency":"USD"},"used":2,"size":1000000}
        ended cancelled
        state Idle
    "#]],
    );
}

#[test]
fn a_rule_to_ask() {
    check(
        "ask_rule",
        &expect![[r#"
            state Running
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_07","title":"touch a.txt","kind":"execute"}
            runs touch a.txt
            state RequiresAction
            ask Bash 0 never always
            state Running
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_07","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```console\nno\n```"}}]}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_0c","title":"Write /home/user/other.txt","locations":[{"path":"/home/user/other.txt"}],"kind":"edit","content":[{"type":"diff","path":"/home/user/other.txt","newText":"x"}]}
            state RequiresAction
            ask Write 0 never always
            state Running
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_0c","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```\nno\n```"}}]}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_07","title":"rm -rf ~","kind":"execute"}
            runs rm -rf ~
            state RequiresAction
            ask Bash 0 never always
            state Running
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_07","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```console\nno\n```"}}]}
            tell agent_message_chunk {"messageId":"19:0","content":{"type":"text","text":"Done."}}
            tell usage_update {"cost":{"amount":0.000256,"currency":"USD"},"used":2,"size":1000000}
            ended end_turn
            state Idle
        "#]],
    );
}

#[test]
fn a_dialog_is_not_left_open() {
    let dialog = json!({ "subtype": "request_user_dialog", "dialog_kind": "new", "payload": {} });
    let frame = json!({ "type": "control_request", "request_id": "q", "request": dialog });
    check_frames(&[frame], &expect![[r#"say {"behavior":"cancelled"}"#]]);
}
