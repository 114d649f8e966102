//! The changes that updates report.

use expect_test::{Expect, expect};

use super::script::{lines, run, step};
use crate::transcript::{Entry, Transcript};

#[track_caller]
fn check(script: &str, expect: Expect) {
    let mut transcript = Transcript::new();
    let mut out = String::new();
    for line in lines(script) {
        let change = step(&mut transcript, line);
        out += &format!("{change:?}\n");
    }
    expect.assert_eq(&out);
}

#[test]
fn a_chunk_names_the_new_bytes() {
    check(
        r#"
        agent Grüß
        agent e
        {"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"","mimeType":"image/png"}}
        agent dich
        agent#a x
        agent y
        agent#a z
        "#,
        expect![[r#"
            Added(0)
            Appended { entry: 0, block: 0, text: 6..7 }
            Appended { entry: 0, block: 1, text: 0..0 }
            Appended { entry: 0, block: 2, text: 0..4 }
            Added(1)
            Added(2)
            Appended { entry: 1, block: 0, text: 1..2 }
        "#]],
    );
}

#[test]
fn entries_are_added_and_changed() {
    check(
        r#"
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"u"}
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"v"}
        {"sessionUpdate":"tool_call_update","toolCallId":"d","title":"u"}
        {"sessionUpdate":"notice","severity":"info","title":"n"}
        {"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}
        {"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"s"}}
        {"sessionUpdate":"compaction_update","compactionId":"k","status":"completed"}
        {"sessionUpdate":"weather"}
        = cancelled
        "#,
        expect![[r#"
            Added(0)
            Added(1)
            Changed(1)
            Changed(1)
            Added(2)
            Added(3)
            Added(4)
            Appended { entry: 4, block: 0, text: 0..1 }
            Changed(4)
            Added(5)
            Added(6)
        "#]],
    );
}

#[test]
fn a_state_change_names_its_part() {
    check(
        r#"
        {"sessionUpdate":"plan","entries":[]}
        {"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":""}}
        {"sessionUpdate":"plan_removed","planId":"p"}
        {"sessionUpdate":"plan_removed","planId":"p"}
        {"sessionUpdate":"available_commands_update","availableCommands":[]}
        {"sessionUpdate":"current_mode_update","currentModeId":"ask"}
        {"sessionUpdate":"config_option_update","configOptions":[]}
        {"sessionUpdate":"session_info_update","title":"t"}
        {"sessionUpdate":"usage_update","used":1,"size":2}
        "#,
        expect![[r#"
            State(Plan)
            State(Plans)
            State(Plans)
            Nothing
            State(Commands)
            State(Mode)
            State(Config)
            State(Info)
            State(Usage)
        "#]],
    );
}

#[test]
fn a_revision_finds_the_entries_changed_since() {
    let mut transcript = run(r#"
        > Go
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        agent a
        "#);
    let before = transcript.revision();
    step(&mut transcript, "= cancelled");
    let changed: Vec<usize> = transcript.changed_since(before).map(Entry::index).collect();
    assert_eq!(changed, [1, 3]);
    assert_eq!(transcript.changed_since(transcript.revision()).count(), 0);
}
