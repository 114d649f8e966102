//! How chunks become messages.

use expect_test::expect;

use super::check;
use super::script::run;
use crate::transcript::Transcript;

#[test]
fn chunks_without_an_id_are_joined_until_another_entry() {
    check(
        r#"
        user Hi
        agent Hel
        agent lo
        thought hm
        thought m
        agent again
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        agent after
        "#,
        expect![[r#"
            0 user "Hi"
            1 agent "Hello"
            2 thought "hmm"
            3 agent "again"
            4 call {"toolCallId":"c","title":"t"}
            5 agent "after"
        "#]],
    );
}

#[test]
fn a_state_change_does_not_interrupt_a_message() {
    check(
        r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        agent Hel
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
        {"sessionUpdate":"current_mode_update","currentModeId":"ask"}
        agent lo
        "#,
        expect![[r#"
            0 call {"toolCallId":"c","title":"t","status":"completed"}
            1 agent "Hello"
            mode ask
        "#]],
    );
}

#[test]
fn a_message_id_collects_its_chunks_in_any_position() {
    check(
        r#"
        agent#a One
        agent#b Two
        agent#a , more
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"}
        agent#b , too
        agent#c Three
        "#,
        expect![[r#"
            0 agent#a "One, more"
            1 agent#b "Two, too"
            2 call {"toolCallId":"c","title":"t"}
            3 agent#c "Three"
        "#]],
    );
}

#[test]
fn the_same_id_with_another_kind_is_another_message() {
    check(
        "
        thought#a hm
        agent#a Yes
        thought#a m
        user#a No
        ",
        expect![[r#"
            0 thought#a "hmm"
            1 agent#a "Yes"
            2 user#a "No"
        "#]],
    );
}

#[test]
fn chunks_with_and_without_an_id_do_not_mix() {
    check(
        "
        agent none
        agent#a one
        agent none again
        agent#a , more
        agent , more
        ",
        expect![[r#"
            0 agent "none"
            1 agent#a "one, more"
            2 agent "none again, more"
        "#]],
    );
}

#[test]
fn other_content_keeps_its_position() {
    check(
        r#"
        agent before
        {"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA==","mimeType":"image/png"}}
        agent after
        agent wards
        {"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","beam":1}}
        "#,
        expect![[r#"
            0 agent "before" {"type":"image","data":"AA==","mimeType":"image/png"} "afterwards" {"type":"hologram","beam":1}
        "#]],
    );
}

#[test]
fn text_with_annotations_is_a_separate_block() {
    check(
        r#"
        agent a
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b","annotations":{"priority":1}}}
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c","annotations":{"priority":1}}}
        agent d
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"e","_meta":{"k":1}}}
        "#,
        expect![[r#"
            0 agent "a" {"type":"text","text":"bc","annotations":{"priority":1.0}} "d" {"type":"text","text":"e","_meta":{"k":1}}
        "#]],
    );
}

#[test]
fn the_last_extension_data_is_kept() {
    let transcript = run(r#"
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"_meta":{"x":1}}
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"},"_meta":{"x":2}}
        agent c
        "#);
    let message = transcript.last_message().expect("a message");
    let meta = message.meta.as_ref().map(|meta| meta.as_str());
    assert_eq!((&*message.text(), meta), ("abc", Some(r#"{"x":2}"#)));
}

#[test]
fn the_text_is_that_of_the_agent_since_the_last_user_message() {
    let said = |script| run(script).text();
    assert_eq!(said("agent old\n> go\nagent new"), "new");
    assert_eq!(said("agent old\nuser go\nthought hm\nagent new"), "new");
    assert_eq!(
        said("> go\nagent a\nthought hm\nagent b\n= end_turn"),
        "a\n\nb"
    );
    assert_eq!(said("agent old\n> go"), "");
    assert_eq!(Transcript::new().text(), "");
}

#[test]
fn the_last_message_is_one_of_the_agent() {
    let transcript = run("agent#a One\nagent#b Two\nthought hm\nuser Hi");
    let last = transcript.last_message().expect("a message");
    assert_eq!(last.text(), "Two");
}
