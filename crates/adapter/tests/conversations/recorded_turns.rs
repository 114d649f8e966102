//! Recorded turns: results, errors, interrupts, compaction and resumed sessions.

use attache_adapter::mapping::DisplaySupport;
use expect_test::expect;

use super::{check, played};

#[test]
fn interrupt() {
    check(
        "interrupt",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"ca:0","content":{"type":"text","text":"starting a l"}}
        tell agent_message_chunk {"messageId":"ca:0","content":{"type":"text","text":"ong answer"}}
        ended cancelled
        tell agent_message_chunk {"messageId":"1e:0","content":{"type":"text","text":"still alive"}}
        tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn interrupt_bash() {
    check(
        "interrupt_bash",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_81","title":"tail -f /dev/null","kind":"execute"}
            runs tail -f /dev/null
            ask Bash 2
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_81","status":"failed","content":[]}
            tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
            ended cancelled
        "#]],
    );
}

#[test]
fn err_401() {
    check(
        "err_401",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell agent_message_chunk {"messageId":"00:0","content":{"type":"text","text":"Invalid API key · Fix external API key"}}
            failed log in with `attache claude --login`, or set ANTHROPIC_API_KEY
        "#]],
    );
}

#[test]
fn err_400() {
    check(
        "err_400",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"4f:0","content":{"type":"text","text":"API Error: 400 bad thing"}}
        failed API Error: 400 bad thing
    "#]],
    );
}

#[test]
fn err_max_turns() {
    check(
        "err_max_turns",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_81","title":"Read /home/user/project/hello.txt","locations":[{"path":"/home/user/project/hello.txt"}],"kind":"read"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_81","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```\nline one\nline two\nline three\n```"}}]}
            tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
            ended max_turn_requests
        "#]],
    );
}

#[test]
fn err_max_tokens() {
    check(
        "err_max_tokens",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"dd:0","content":{"type":"text","text":"partial answer"}}
        tell agent_message_chunk {"messageId":"83:0","content":{"type":"text","text":"(script exhausted)"}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn resume_bad() {
    check(
        "resume_bad",
        &expect![[r#"
        failed unknown session
    "#]],
    );
}

#[test]
fn slash() {
    check(
        "slash",
        &expect![[r###"
            tell current_mode_update {"currentModeId":"default"}
            tell agent_message_chunk {"messageId":"17:0","content":{"type":"text","text":"## Context Usage\n\n**Model:** claude-opus-5-5  \n**Tokens:** 2.2k / 1m (0%)\n\n### Estimated usage by category\n\n| Category | Tokens | Percentage |\n|----------|--------|------------|\n| System prompt | 90 | 0.0% |\n| Skills | 2.1k | 0.2% |\n| Messages | 10 | 0.0% |\n| Free space | 964.8k | 96.5% |\n| Autocompact buffer | 33k | 3.3% |\n\n### Skills\n\n| Skill | Source | Tokens |\n|-------|--------|--------|\n| dataviz | Built-in | ~480 |\n| update-config | Built-in | ~240 |\n| keybindings-help | Built-in | ~80 |\n| code-review | Built-in | ~280 |\n| simplify | Built-in | ~60 |\n| fewer-permission-prompts | Built-in | ~60 |\n| loop | Built-in | ~120 |\n| claude-api | Built-in | ~390 |\n| workflow-authoring | Built-in | ~80 |\n| run | Built-in | ~120 |\n| plugin-authoring | Built-in | ~90 |\n| init | Built-in | ~20 |\n| security-review | Built-in | ~30 |"}}
            look again
            ended end_turn
            tell agent_message_chunk {"messageId":"29:0","content":{"type":"text","text":"ok"}}
            tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
            ended end_turn
            tell agent_message_chunk {"content":{"type":"text","text":"Compacted "}}
            tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":12,"size":1000000}
            look again
            ended end_turn
        "###]],
    );
}

#[test]
fn compact() {
    check(
        "compact",
        &expect![[r#"
        state Running
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"3d:0","content":{"type":"text","text":"Total cost:            $0.0006\nTotal duration (API):  0s\nTotal duration (wall): 2s\nTotal code changes:    0 lines added, 0 lines removed\nUsage by model:\n     claude-opus-5-5:  33 input, 21 output, 0 cache read, 0 cache write ($0.0006)\nPrompt cache (main):   3 requests · 0% of input tokens from cache · no misses · no prompt caching reported by the API"}}
        ended end_turn
        state Idle
        state Running
        tell agent_message_chunk {"content":{"type":"text","text":"Compacted "}}
        ended end_turn
        state Idle
        state Running
        tell agent_message_chunk {"messageId":"47:0","content":{"type":"text","text":"t3"}}
        tell usage_update {"cost":{"amount":0.0011039999999999995,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
        state Running
        tell agent_message_chunk {"messageId":"09:0","content":{"type":"text","text":"t4"}}
        tell usage_update {"cost":{"amount":0.0012879999999999996,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
        state Running
        tell agent_message_chunk {"messageId":"83:0","content":{"type":"text","text":"Total cost:            $0.0013\nTotal duration (API):  0s\nTotal duration (wall): 3s\nTotal code changes:    0 lines added, 0 lines removed\nUsage by model:\n     claude-opus-5-5:  77 input, 49 output, 0 cache read, 0 cache write ($0.0013)\nPrompt cache (main):   5 requests · 0% of input tokens from cache · no misses · no prompt caching reported by the API"}}
        tell usage_update {"cost":{"amount":0.0012879999999999996,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
        state Running
        tell agent_message_chunk {"content":{"type":"text","text":"Compacted "}}
        tell usage_update {"cost":{"amount":0.0016559999999999997,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
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
