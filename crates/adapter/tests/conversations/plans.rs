//! To-do lists, as the CLI keeps them with different models and settings.

use expect_test::expect;

use super::check;

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
