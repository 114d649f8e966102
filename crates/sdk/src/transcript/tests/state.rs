//! The current state of a session.

use expect_test::expect;

use super::check;
use super::script::{lines, run, step};
use crate::transcript::Transcript;
use crate::transcript::state::MAX_PLANS;

#[test]
fn a_plan_is_replaced_as_a_whole() {
    check(
        r#"
        {"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"},{"content":"b","priority":"low","status":"pending"}]}
        {"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"completed"}]}
        "#,
        expect![[r#"
            plan {"entries":[{"content":"a","priority":"high","status":"completed"}]}
        "#]],
    );
}

#[test]
fn plans_with_an_id_are_replaced_and_removed_separately() {
    check(
        r##"
        {"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"high","status":"pending"}]}}
        {"sessionUpdate":"plan_update","plan":{"type":"file","planId":"q","uri":"file:///plan.md"}}
        {"sessionUpdate":"plan_update","plan":{"type":"scroll","planId":"r","length":7}}
        {"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# a"}}
        {"sessionUpdate":"plan_removed","planId":"q"}
        {"sessionUpdate":"plan_removed","planId":"never"}
        "##,
        expect![[r##"
            plan {"type":"markdown","planId":"p","content":"# a"}
            plan {"type":"scroll","planId":"r","length":7}
        "##]],
    );
}

#[test]
fn a_plan_without_an_id_is_kept_as_received() {
    check(
        r#"
        {"sessionUpdate":"plan_update","plan":{"type":"scroll","length":7}}
        "#,
        expect![[r#"
            0 unknown {"sessionUpdate":"plan_update","plan":{"type":"scroll","length":7}}
        "#]],
    );
}

#[test]
fn too_many_plans_drop_the_oldest_and_count_it() {
    let mut transcript = Transcript::new();
    for number in 0..MAX_PLANS + 2 {
        let line = format!(
            r#"{{"sessionUpdate":"plan_update","plan":{{"type":"markdown","planId":"{number}","content":""}}}}"#
        );
        step(&mut transcript, &line);
    }
    assert_eq!(
        (transcript.plans().len(), transcript.dropped().plans),
        (MAX_PLANS, 2)
    );
}

#[test]
fn commands_mode_config_and_usage_are_the_latest() {
    check(
        r#"
        {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"A"},{"name":"b","description":"B","input":{"hint":"what"}}]}
        {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"b","description":"B"}]}
        {"sessionUpdate":"current_mode_update","currentModeId":"ask"}
        {"sessionUpdate":"current_mode_update","currentModeId":"code"}
        {"sessionUpdate":"config_option_update","configOptions":[{"id":"m","name":"Model","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}]}
        {"sessionUpdate":"config_option_update","configOptions":[{"id":"v","name":"Verbose","type":"boolean","currentValue":true}]}
        {"sessionUpdate":"usage_update","used":1,"size":10,"cost":{"amount":0.5,"currency":"EUR"}}
        {"sessionUpdate":"usage_update","used":2,"size":10}
        "#,
        expect![[r#"
            command {"name":"b","description":"B"}
            mode code
            config {"id":"v","name":"Verbose","type":"boolean","currentValue":true}
            usage {"used":2,"size":10}
        "#]],
    );
}

#[test]
fn the_title_has_three_states() {
    let script = r#"
        {"sessionUpdate":"session_info_update","title":"One","updatedAt":"2026-01-01T00:00:00Z"}
        {"sessionUpdate":"session_info_update"}
        {"sessionUpdate":"session_info_update","title":null}
        {"sessionUpdate":"session_info_update","title":"Two","updatedAt":null}
        "#;
    let mut transcript = Transcript::new();
    let titles = lines(script).map(|line| {
        step(&mut transcript, line);
        (
            transcript.title().map(str::to_owned),
            transcript.updated_at().is_some(),
        )
    });
    let some = |title: &str| Some(title.to_owned());
    let expected = [
        (some("One"), true),
        (some("One"), true),
        (None, true),
        (some("Two"), false),
    ];
    assert_eq!(titles.collect::<Vec<_>>(), expected);
}

#[test]
fn absent_state_is_empty() {
    let transcript = run("agent Hi");
    assert_eq!((transcript.plan(), transcript.mode()), (None, None));
    assert!(transcript.commands().is_empty() && transcript.config().is_empty());
    assert_eq!((transcript.usage(), transcript.compaction()), (None, None));
}
