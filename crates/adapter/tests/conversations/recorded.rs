//! The conversations, one by one.

use attache_adapter::mapping::DisplaySupport;
use expect_test::expect;

use super::{check, played};

#[test]
fn partial() {
    check(
        "partial",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell agent_thought_chunk {"messageId":"73:0","content":{"type":"text","text":"hmm let me t"}}
            tell agent_thought_chunk {"messageId":"73:0","content":{"type":"text","text":"hink"}}
            tell agent_message_chunk {"messageId":"73:1","content":{"type":"text","text":"Hello from t"}}
            tell agent_message_chunk {"messageId":"73:1","content":{"type":"text","text":"he fake mode"}}
            tell agent_message_chunk {"messageId":"73:1","content":{"type":"text","text":"l, this is t"}}
            tell agent_message_chunk {"messageId":"73:1","content":{"type":"text","text":"ext."}}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_de","title":"Read","kind":"read"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_de","title":"Read /home/user/project/hello.txt","locations":[{"path":"/home/user/project/hello.txt"}]}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_de","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```\nline one\nline two\nline three\n```"}}]}
            tell agent_message_chunk {"messageId":"0a:0","content":{"type":"text","text":"I read it."}}
            tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":18,"size":1000000}
            ended end_turn
        "#]],
    );
}

#[test]
fn edit_write() {
    check(
        "edit_write",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_81","title":"Read /home/user/project/hello.txt","locations":[{"path":"/home/user/project/hello.txt"}],"kind":"read"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_81","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```\nline one\nline two\nline three\n```"}}]}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Edit"}},"toolCallId":"toolu_be","title":"Edit /home/user/project/hello.txt","locations":[{"path":"/home/user/project/hello.txt"}],"kind":"edit","content":[{"type":"diff","path":"/home/user/project/hello.txt","newText":"line 2","oldText":"line two"}]}
            ask Edit 1
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Edit"}},"toolCallId":"toolu_be","status":"completed","content":[{"type":"diff","path":"/home/user/project/hello.txt","newText":"line one\nline 2\nline three\n","oldText":"line one\nline two\nline three\n"}],"locations":[{"path":"/home/user/project/hello.txt","line":1}]}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_5c","title":"Write /home/user/project/new.txt","locations":[{"path":"/home/user/project/new.txt"}],"kind":"edit","content":[{"type":"diff","path":"/home/user/project/new.txt","newText":"brand new\n"}]}
            ask Write 1
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Write"}},"toolCallId":"toolu_5c","status":"completed","content":[{"type":"diff","path":"/home/user/project/new.txt","newText":"brand new\n"}]}
            tell agent_message_chunk {"messageId":"7f:0","content":{"type":"text","text":"Edited."}}
            tell usage_update {"cost":{"amount":0.0007359999999999999,"currency":"USD"},"used":12,"size":1000000}
            ended end_turn
        "#]],
    );
}

#[test]
fn read() {
    check(
        "read",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell agent_message_chunk {"messageId":"47:0","content":{"type":"text","text":"Reading."}}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_b2","title":"Read /home/user/project/hello.txt","locations":[{"path":"/home/user/project/hello.txt"}],"kind":"read"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Read"}},"toolCallId":"toolu_b2","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```\nline one\nline two\nline three\n```"}}]}
            tell agent_message_chunk {"messageId":"bd:0","content":{"type":"text","text":"Done reading."}}
            tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
            ended end_turn
        "#]],
    );
}

#[test]
fn bash_allow() {
    check(
        "bash_allow",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_75","title":"touch made.txt && echo made","kind":"execute"}
            runs touch made.txt && echo made
            ask Bash 3
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_75","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```console\nmade\n```"}}]}
            tell agent_message_chunk {"messageId":"57:0","content":{"type":"text","text":"Done."}}
            tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
            ended end_turn
        "#]],
    );
}

#[test]
fn bash_deny() {
    check(
        "bash_deny",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_79","title":"touch denied.txt","kind":"execute"}
            runs touch denied.txt
            ask Bash 3
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_79","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```console\nuser said no\n```"}}]}
            tell agent_message_chunk {"messageId":"ea:0","content":{"type":"text","text":"Ok, not done."}}
            tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
            ended end_turn
        "#]],
    );
}

#[test]
fn bash_deny_interrupt() {
    check(
        "bash_deny_interrupt",
        &expect![[r#"
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ce","title":"touch denied.txt","kind":"execute"}
            runs touch denied.txt
            ask Bash 3
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ce","status":"failed","content":[]}
            tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
            ended cancelled
        "#]],
    );
}

#[test]
fn bash_fails() {
    check(
        "bash_fails",
        &expect![[r#"
            state Running
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_95","title":"Run a command","kind":"execute"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_95","title":"ls /nope; exit 3"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_95"}
            runs ls /nope; exit 3
            state RequiresAction
            ask Bash 0
            state Running
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_95","status":"failed","content":[{"type":"content","content":{"type":"text","text":"```console\nls: cannot access '/nope': No such file or directory\n```"}}]}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec","title":"Run a command","kind":"execute"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec","title":"tail -f /dev/null"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec"}
            runs tail -f /dev/null
            state RequiresAction
            ask Bash 2
            state Running
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec","status":"in_progress"}
            tell agent_message_chunk {"messageId":"d0:0","content":{"type":"text","text":"ok"}}
            tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":18,"size":1000000}
            ended end_turn
            state Idle
        "#]],
    );
}

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
fn todo_tools() {
    check(
        "todo_tools",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"completed"},{"content":"second","priority":"medium","status":"in_progress"},{"content":"third","priority":"medium","status":"pending"}]}
        tell agent_message_chunk {"messageId":"3f:0","content":{"type":"text","text":"Todo done."}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn task_tools() {
    check(
        "task_tools",
        &expect![[r#"
        state Running
        tell current_mode_update {"currentModeId":"default"}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"pending"}]}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"in_progress"}]}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"in_progress"}]}
        tell agent_message_chunk {"messageId":"52:0","content":{"type":"text","text":"ok"}}
        tell usage_update {"cost":{"amount":0.0007359999999999999,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
    "#]],
    );
}

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
            tell agent_message_chunk {"messageId":"17:0","content":{"type":"text","text":"## Context Usage\n\n**Model:** claude-opus-5-5  \n**Tokens:** 2.2k / 1m (0%)\n\n### Estimated usage by category\n\n| Category | TokenUsage | Percentage |\n|----------|--------|------------|\n| System prompt | 90 | 0.0% |\n| Skills | 2.1k | 0.2% |\n| Messages | 10 | 0.0% |\n| Free space | 964.8k | 96.5% |\n| Autocompact buffer | 33k | 3.3% |\n\n### Skills\n\n| Skill | Source | TokenUsage |\n|-------|--------|--------|\n| dataviz | Built-in | ~480 |\n| update-config | Built-in | ~240 |\n| keybindings-help | Built-in | ~80 |\n| code-review | Built-in | ~280 |\n| simplify | Built-in | ~60 |\n| fewer-permission-prompts | Built-in | ~60 |\n| loop | Built-in | ~120 |\n| claude-api | Built-in | ~390 |\n| workflow-authoring | Built-in | ~80 |\n| run | Built-in | ~120 |\n| plugin-authoring | Built-in | ~90 |\n| init | Built-in | ~20 |\n| security-review | Built-in | ~30 |"}}
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
fn subagent() {
    check(
        "subagent",
        &expect![[r#"
            state Running
            tell current_mode_update {"currentModeId":"default"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_d1","title":"Subagent","kind":"think"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_d1","title":"look"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_d1","content":[{"type":"content","content":{"type":"text","text":"look SCRIPT<<[[{\"text\":\"inner words\"},{\"tool\":\"Read\",\"input\":{\"file_path\":\"/home/user/proj/a.txt\"}}],[{\"text\":\"inner done\"}]]>>"}}]}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_d1","content":[{"type":"content","content":{"type":"text","text":"look SCRIPT<<[[{\"text\":\"inner words\"},{\"tool\":\"Read\",\"input\":{\"file_path\":\"/home/user/project/a.txt\"}}],[{\"text\":\"inner done\"}]]>>"}}]}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_d1","status":"in_progress"}
            tell agent_message_chunk {"_meta":{"claudeCode":{"parentToolUseId":"toolu_d14ce91dc8474b33970a1aad"}},"content":{"type":"text","text":"inner words"},"messageId":"e1:0"}
            tell tool_call {"_meta":{"claudeCode":{"toolName":"Read","parentToolUseId":"toolu_d14ce91dc8474b33970a1aad"}},"toolCallId":"toolu_02","title":"Read /home/user/project/a.txt","locations":[{"path":"/home/user/project/a.txt"}],"kind":"read"}
            tell agent_message_chunk {"messageId":"39:0","content":{"type":"text","text":"outer done"}}
            tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":18,"size":1000000}
            ended end_turn
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Read","parentToolUseId":"toolu_d14ce91dc8474b33970a1aad"}},"toolCallId":"toolu_02","status":"completed","content":[{"type":"content","content":{"type":"text","text":"1\tone\n2\t"}}]}
            tell agent_message_chunk {"_meta":{"claudeCode":{"parentToolUseId":"toolu_d14ce91dc8474b33970a1aad"}},"content":{"type":"text","text":"inner done"},"messageId":"47:0"}
            tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Task"}},"toolCallId":"toolu_d1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"inner done"}}]}
            tell agent_message_chunk {"messageId":"1e:0","content":{"type":"text","text":"(script exha"}}
            tell agent_message_chunk {"messageId":"1e:0","content":{"type":"text","text":"usted)"}}
            tell usage_update {"cost":{"amount":0.0009199999999999998,"currency":"USD"},"used":18,"size":1000000}
            ended end_turn
            state Idle
        "#]],
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
fn image() {
    check(
        "image",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"ae:0","content":{"type":"text","text":"nice pixel"}}
        tell usage_update {"cost":{"amount":0.00018399999999999997,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn a_client_with_terminals() {
    let display = DisplaySupport {
        terminals: true,
        compaction: true,
    };
    expect![[r#"
        state Running
        tell current_mode_update {"currentModeId":"default"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"},"terminal_info":{"terminal_id":"toolu_95594efc45894767ac130ed8"}},"toolCallId":"toolu_95","title":"Run a command","content":[{"type":"terminal","terminalId":"toolu_95594efc45894767ac130ed8"}],"kind":"execute"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_95","title":"ls /nope; exit 3"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_95"}
        runs ls /nope; exit 3
        state RequiresAction
        ask Bash 0
        state Running
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"},"terminal_exit":{"terminal_id":"toolu_95594efc45894767ac130ed8","exit_code":3,"signal":null},"terminal_output":{"terminal_id":"toolu_95594efc45894767ac130ed8","data":"ls: cannot access '/nope': No such file or directory"}},"toolCallId":"toolu_95","status":"failed"}
        tell tool_call {"_meta":{"claudeCode":{"toolName":"Bash"},"terminal_info":{"terminal_id":"toolu_ec15cf0b5a474945876f932c"}},"toolCallId":"toolu_ec","title":"Run a command","content":[{"type":"terminal","terminalId":"toolu_ec15cf0b5a474945876f932c"}],"kind":"execute"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec","title":"tail -f /dev/null"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec"}
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec"}
        runs tail -f /dev/null
        state RequiresAction
        ask Bash 2
        state Running
        tell tool_call_update {"_meta":{"claudeCode":{"toolName":"Bash"}},"toolCallId":"toolu_ec","status":"in_progress"}
        tell agent_message_chunk {"messageId":"d0:0","content":{"type":"text","text":"ok"}}
        tell usage_update {"cost":{"amount":0.000552,"currency":"USD"},"used":18,"size":1000000}
        ended end_turn
        state Idle
    "#]].assert_eq(&played("bash_fails", display));
}
