//! Sessions that are named, taken up again and forked, what the CLI offers, and single frames.

use expect_test::expect;

use super::check;

#[test]
fn initialize() {
    check(
        "initialize",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"aa:0","content":{"type":"text","text":"after init"}}
        tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
        tell current_mode_update {"currentModeId":"acceptEdits"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_7b","title":"Write /home/user/project/ae.txt","locations":[{"path":"/home/user/project/ae.txt"}],"kind":"edit","content":[{"type":"diff","path":"/home/user/project/ae.txt","newText":"x"}]}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_7b","status":"completed","content":[{"type":"diff","path":"/home/user/project/ae.txt","newText":"x"}]}
        tell agent_message_chunk {"messageId":"4b:0","content":{"type":"text","text":"second turn"}}
        tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn resume_1() {
    check(
        "resume_1",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"98:0","content":{"type":"text","text":"remember 42"}}
        tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn resume_2() {
    check(
        "resume_2",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"06:0","content":{"type":"text","text":"it was 42"}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn resume_fork() {
    check(
        "resume_fork",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"6f:0","content":{"type":"text","text":"it was 42"}}
        tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn session_id() {
    check(
        "session_id",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"44:0","content":{"type":"text","text":"it was 42"}}
        tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn samples() {
    check(
        "samples",
        &expect![[r#"
        state Running
        tell current_mode_update {"currentModeId":"default"}
        tell agent_thought_chunk {"messageId":"32:0","content":{"type":"text","text":"hmm"}}
        tell agent_message_chunk {"messageId":"32:1","content":{"type":"text","text":"Hello "}}
        tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ba","title":"Run a command","kind":"execute"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ba","title":"touch made-by-bash && echo hi"}
        runs touch made-by-bash && echo hi
        state RequiresAction
        ask Bash 3
        say "hook_callback is not served here"
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ba","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\nhi\n```"}}]}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_wr","title":"Write /home/user/project/new.txt","locations":[{"path":"/home/user/project/new.txt"}],"kind":"edit","content":[{"type":"diff","path":"/home/user/project/new.txt","newText":"line1\nline2\n"}]}
        ask Write 1
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_wr","status":"completed","content":[{"type":"diff","path":"/home/user/project/new.txt","newText":"line1\nline2\n"}]}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"AskUserQuestion"}},"toolCallId":"toolu_as","title":"Which?"}
        ask AskUserQuestion 0
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"AskUserQuestion"}},"toolCallId":"toolu_as","status":"completed","content":[{"type":"content","content":{"type":"text","text":"The user did not answer the questions."}}]}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"toolCallId":"toolu_ex","title":"Ready to code?","kind":"switch_mode"}
        ask ExitPlanMode 0
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"ExitPlanMode"}},"toolCallId":"toolu_ex","status":"completed"}
        tell usage_update {"cost":{"amount":0.0011039999999999995,"currency":"USD"},"used":18,"size":1000000}
        ended cancelled
        tell usage_update {"cost":{"amount":0.0016559999999999997,"currency":"USD"},"used":18,"size":1000000}
        ended cancelled
        withdraw
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":18,"size":1000000}
        ended cancelled
        failed unknown session
    "#]],
    );
}
