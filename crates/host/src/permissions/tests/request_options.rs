//! The choice among the options that an agent offers.

use expect_test::{Expect, expect};

use super::*;

fn options(kinds: &[(&str, &str)]) -> Vec<v1::PermissionOption> {
    let option = |(id, kind): &(&str, &str)| v1::PermissionOption::new(*id, "Reject", *kind);
    kinds.iter().map(option).collect()
}

fn check(kinds: &[(&str, &str)], expected: Expect) {
    let options = options(kinds);
    let outcomes = [
        ("allow", pick_option(true, &options)),
        ("reject", pick_option(false, &options)),
    ];
    let shown = outcomes.map(|(what, outcome)| match outcome {
        v1::RequestPermissionOutcome::Selected(selected) => {
            format!("{what}: {}", selected.option_id)
        }
        _ => format!("{what}: cancelled"),
    });
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn options_are_picked_by_kind_and_not_by_name() {
    check(
        &[
            ("1", "allow_always"),
            ("2", "reject_always"),
            ("3", "allow_once"),
            ("4", "reject_once"),
        ],
        expect![[r#"
            allow: 3
            reject: 4"#]],
    );
}

#[test]
fn allow_once_is_never_answered_with_allow_always() {
    check(
        &[("1", "allow_always"), ("2", "reject_always")],
        expect![[r#"
            allow: cancelled
            reject: cancelled"#]],
    );
}

#[test]
fn only_allow_once_is_offered() {
    check(
        &[("1", "allow_once")],
        expect![[r#"
        allow: 1
        reject: cancelled"#]],
    );
}

#[test]
fn one_id_for_two_options() {
    check(
        &[("1", "reject_once"), ("1", "allow_always")],
        expect![[r#"
        allow: cancelled
        reject: cancelled"#]],
    );
}

#[test]
fn unknown_kinds_and_options_after_the_sixteenth_are_not_picked() {
    let ids: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    let kind = |index| {
        if index < 16 {
            "grant_everything"
        } else {
            "allow_once"
        }
    };
    let kinds: Vec<(&str, &str)> = ids
        .iter()
        .enumerate()
        .map(|(index, id)| (id.as_str(), kind(index)))
        .collect();
    check(
        &kinds,
        expect![[r#"
        allow: cancelled
        reject: cancelled"#]],
    );
}

#[test]
fn labels_are_chosen_by_kind() {
    let options = options(&[
        ("1", "allow_once"),
        ("2", "allow_always"),
        ("3", "reject_once"),
        ("4", "reject_always"),
        ("5", "x"),
    ]);
    let labels: Vec<&str> = options
        .iter()
        .map(|option| option_label(&option.kind))
        .collect();
    expect!["Allow once, Always allow, Reject once, Always reject, Unknown answer"]
        .assert_eq(&labels.join(", "));
}

/// The symptom: the first option and the 19th had the same id.
#[test]
fn attack_an_id_that_occurs_twice_is_never_sent() {
    let mut options: Vec<v1::PermissionOption> = (0..20)
        .map(|at| v1::PermissionOption::new(format!("a{at}"), "", "allow_once"))
        .collect();
    options[18].option_id = "a0".into();
    assert_eq!(option_allows(&options, &"a0".into()), None);
    assert_eq!(option_allows(&options, &"a1".into()), Some(true));
    assert_eq!(option_allows(&options, &"a17".into()), None);
    let picked = pick_option(true, &options);
    assert_eq!(picked, v1::RequestPermissionOutcome::Cancelled);
}
