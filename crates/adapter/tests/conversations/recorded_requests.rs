//! Recorded conversations with permission requests, questions and elicitations.

use expect_test::expect;
use serde_json::json;

use super::{check, check_frames};

#[test]
fn plan() {
    check(
        "plan",
        &expect![[r##"
        tell current_mode_update {"currentModeId":"plan"}
        tell agent_message_chunk {"messageId":"57:0","content":{"type":"text","text":"Here is my plan."}}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"toolCallId":"toolu_3a","title":"Ready to code?","content":[{"type":"content","content":{"type":"text","text":"# Plan\n1. do x\n2. do y"}}],"kind":"switch_mode"}
        ask ExitPlanMode 0
        tell current_mode_update {"currentModeId":"default"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"toolCallId":"toolu_3a","status":"completed"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_d8","title":"Write /home/user/project/planned.txt","locations":[{"path":"/home/user/project/planned.txt"}],"kind":"edit","content":[{"type":"diff","path":"/home/user/project/planned.txt","newText":"p"}]}
        ask Write 1
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_d8","status":"completed","content":[{"type":"diff","path":"/home/user/project/planned.txt","newText":"p"}]}
        tell agent_message_chunk {"messageId":"c5:0","content":{"type":"text","text":"Plan done."}}
        tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "##]],
    );
}

#[test]
fn plan_deny() {
    check(
        "plan_deny",
        &expect![[r##"
        tell current_mode_update {"currentModeId":"plan"}
        tell agent_message_chunk {"messageId":"ec:0","content":{"type":"text","text":"Here is my plan."}}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"toolCallId":"toolu_b8","title":"Ready to code?","content":[{"type":"content","content":{"type":"text","text":"# Plan\n1. do x\n2. do y"}}],"kind":"switch_mode"}
        ask ExitPlanMode 0
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"toolCallId":"toolu_b8","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```\nuser said no\n```"}}]}
        tell agent_message_chunk {"messageId":"47:0","content":{"type":"text","text":"I will keep planning."}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "##]],
    );
}

#[test]
fn ask() {
    check(
        "ask",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"AskUserQuestion"}},"toolCallId":"toolu_b5","title":"Which colour?"}
        ask AskUserQuestion 0
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"AskUserQuestion"}},"toolCallId":"toolu_b5","status":"completed","content":[{"type":"content","content":{"type":"text","text":"Your questions have been answered: \"Which colour?\"=\"Red\". You can now continue with these answers in mind."}}]}
        tell agent_message_chunk {"messageId":"63:0","content":{"type":"text","text":"You chose."}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

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
        elicit asker Url { id: "el-1", url: "https://example.com/login" }
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
