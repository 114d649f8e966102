//! Recorded conversations with tool calls and to-do lists.

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
fn tasks() {
    check(
        "tasks",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"5b:0","content":{"type":"text","text":"Tasks done."}}
        tell usage_update {"cost":{"amount":0.0007359999999999999,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn tasks_on() {
    check(
        "tasks_on",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell agent_message_chunk {"messageId":"dc:0","content":{"type":"text","text":"Tasks done."}}
        tell usage_update {"cost":{"amount":0.0007359999999999999,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn todo() {
    check(
        "todo",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"completed"},{"content":"second","priority":"medium","status":"in_progress"},{"content":"third","priority":"medium","status":"pending"}]}
        tell agent_message_chunk {"messageId":"4f:0","content":{"type":"text","text":"Todo done."}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}

#[test]
fn todo_sonnet45() {
    check(
        "todo_sonnet45",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"completed"},{"content":"second","priority":"medium","status":"in_progress"},{"content":"third","priority":"medium","status":"pending"}]}
        tell agent_message_chunk {"messageId":"ae:0","content":{"type":"text","text":"Todo done."}}
        tell usage_update {"cost":{"amount":0.000276,"currency":"USD"},"used":12,"size":200000}
        ended end_turn
    "#]],
    );
}

#[test]
fn todo_sonnet45_off() {
    check(
        "todo_sonnet45_off",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"completed"},{"content":"second","priority":"medium","status":"in_progress"},{"content":"third","priority":"medium","status":"pending"}]}
        tell agent_message_chunk {"messageId":"34:0","content":{"type":"text","text":"Todo done."}}
        tell usage_update {"cost":{"amount":0.000276,"currency":"USD"},"used":12,"size":200000}
        ended end_turn
    "#]],
    );
}

#[test]
fn todo_tasks_off() {
    check(
        "todo_tasks_off",
        &expect![[r#"
        tell current_mode_update {"currentModeId":"default"}
        tell plan {"entries":[{"content":"first","priority":"medium","status":"completed"},{"content":"second","priority":"medium","status":"in_progress"},{"content":"third","priority":"medium","status":"pending"}]}
        tell agent_message_chunk {"messageId":"ac:0","content":{"type":"text","text":"Todo done."}}
        tell usage_update {"cost":{"amount":0.00036799999999999995,"currency":"USD"},"used":12,"size":1000000}
        ended end_turn
    "#]],
    );
}
