//! Conversations that end badly, or say nothing.

use attache_adapter::mapping::DisplaySupport;
use expect_test::expect;

use super::{check, played};

#[test]
fn bash_noperm() {
    check(
        "bash_noperm",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_cb","title":"touch denied.txt","kind":"execute"}
        runs touch denied.txt
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_cb","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```console\ntouch in '/home/user/project/denied.txt' needs approval. The path is inside the working directories for this session ('/home/user/project'), and Claude Code asks before a shell command creates, changes or removes files there.\n```"}}]}
        tell agent_message_chunk {"messageId":"09:0","content":{"type":"text","text":"Ok, not done."}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn err_429() {
    check(
        "err_429",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"c6:0","content":{"type":"text","text":"API Error: Request rejected (429) · slow down"}}
        failed API Error: Request rejected (429) · slow down
    "#]],
    );
}

#[test]
fn err_529() {
    check(
        "err_529",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"f0:0","content":{"type":"text","text":"API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8765)."}}
        failed API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8765).
    "#]],
    );
}

#[test]
fn of_lines_that_the_cli_refuses_nothing_is_told() {
    for name in ["err_badjson", "err_unknown_type"] {
        assert_eq!(played(name, DisplaySupport::default()), "\n", "{name}");
    }
}
