//! Forms: filling in, checking, declining.

use attache::v1;
use attache_client::command::Command;
use attache_client::event::Event;
use expect_test::{Expect, expect};

use super::test_ui::{TestUi, test_ui};
use crate::chat::Effect;

fn form(schema: v1::ElicitationSchema) -> TestUi {
    let mut ui = test_ui().size(100, 30);
    let mode = v1::ElicitationFormMode::new(schema);
    let scope = v1::ElicitationSessionScope::new("s1");
    let request = v1::CreateElicitationRequest::new(
        "How shall it be?",
        v1::ElicitationScope::Session(scope),
        v1::ElicitationMode::Form(mode),
    );
    ui.event(Event::FormRequested {
        form: 3,
        request: Box::new(request),
    });
    ui.press("<Tab><Down>");
    ui
}

fn every_kind() -> v1::ElicitationSchema {
    use v1::ElicitationPropertySchema as Property;
    let color = |value: &str, title: &str| v1::EnumOption::new(value, title);
    let mut one = v1::StringPropertySchema::new().title("Colour");
    one.one_of = Some(vec![color("r", "Red"), color("g", "Green")]);
    let items = v1::StringMultiSelectItems::new(["linux", "mac", "windows"]);
    let many = v1::MultiSelectPropertySchema::new(v1::MultiSelectItems::String(items));
    let name = v1::StringPropertySchema::new().title("Name").min_length(3);
    v1::ElicitationSchema::new()
        .title("Release")
        .properties([
            ("name", Property::String(name)),
            (
                "count",
                Property::Integer(v1::IntegerPropertySchema::new().minimum(1_i64)),
            ),
            (
                "ratio",
                Property::Number(v1::NumberPropertySchema::new().default(0.5)),
            ),
            ("draft", Property::Boolean(v1::BooleanPropertySchema::new())),
            ("color", Property::String(one)),
            ("systems", Property::Array(many.min_items(1))),
        ])
        .required(["name", "systems"])
}

fn check_answer(ui: &mut TestUi, keys: &str, expected: &Expect) {
    ui.take_effects();
    ui.press(keys);
    let answers = ui.take_effects().into_iter().map(|effect| match effect {
        Effect::Submit(Command::AnswerForm { form, action }) => format!("{form}: {action:?}"),
        other => format!("{other:?}"),
    });
    expected.assert_eq(&answers.collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_kind_of_field_can_be_filled_in() {
    let mut ui = form(every_kind());
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ The agent asks for details ──────────────────────────────────────────────────────────────────────╮
        |│ ┊ How shall it be?                                                                               │
        |│ ┊ Release                                                                                        │
        |│                                                                                                  │
        |│ ▌ required ┊ Name                                                                                │
        |│   [                                                                                           ]  │
        |│                                                                                                  │
        |│   required ┊ systems                                                                             │
        |│   [ ] ┊ linux                                                                                    │
        |│   [ ] ┊ mac                                                                                      │
        |│   [ ] ┊ windows                                                                                  │
        |│                                                                                                  │
        |│   ┊ count                                                                                        │
        |│   [                                                                                           ]  │
        |│                                                                                                  │
        |│   ┊ ratio                                                                                        │
        |│   [ 0.5                                                                                       ]  │
        |│                                                                                                  │
        |│   ┊ draft                                                                                        │
        |│   [?] not chosen                                                                                 │
        |│                                                                                                  │
        |│ Tab or Enter next · ←→ choose · Esc back                                                         │
        |╰ 4 lines to read first: PgUp PgDn ────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
    let keys = "Ada<Tab><Right><Down><Right><Tab><Tab>7<Tab><Right><Tab><Tab><Enter>";
    check_answer(
        &mut ui,
        keys,
        &expect![[
            r#"3: Accept(ElicitationAcceptAction { content: Some({"draft": Boolean(true), "name": String("Ada"), "ratio": Number(0.57), "systems": StringArray(["linux", "mac"])}) })"#
        ]],
    );
}

#[test]
fn invalid_values_are_reported_and_nothing_is_sent() {
    let mut ui = form(every_kind());
    check_answer(&mut ui, "Al<S-Tab><S-Tab><S-Tab><Enter>", &expect![""]);
    ui.check(&expect![[r#"
        | Test Agent · new session · /code/project
        |
        | Test Agent 1.0.0
        | in /code/project
        |╭ The agent asks for details ──────────────────────────────────────────────────────────────────────╮
        |│ ┊ How shall it be?                                                                               │
        |│ ┊ Release                                                                                        │
        |│                                                                                                  │
        |│ ▌ required ┊ Name                                                                                │
        |│   [ Al                                                                                        ]  │
        |│ ✗ ┊ at least 3 characters, not 2                                                                 │
        |│                                                                                                  │
        |│   required ┊ systems                                                                             │
        |│   [ ] ┊ linux                                                                                    │
        |│   [ ] ┊ mac                                                                                      │
        |│   [ ] ┊ windows                                                                                  │
        |│ ✗ ┊ choose at least 1                                                                            │
        |│                                                                                                  │
        |│   ┊ count                                                                                        │
        |│   [                                                                                           ]  │
        |│                                                                                                  │
        |│   ┊ ratio                                                                                        │
        |│   [ 0.5                                                                                       ]  │
        |│                                                                                                  │
        |│   ┊ draft                                                                                        │
        |│ Tab or Enter next · ←→ choose · Esc back                                                         │
        |╰ 2 lines to read first: PgUp PgDn ────────────────────────────────────────────────────────────────╯
        |────────────────────────────────────────────────────────────────────────────────────────────────────
        |›
        | ready
    "#]]);
}

#[test]
fn a_form_can_be_declined_and_dismissed() {
    check_answer(
        &mut form(every_kind()),
        "<S-Tab><S-Tab><Enter>",
        &expect!["3: Decline"],
    );
    check_answer(
        &mut form(every_kind()),
        "<S-Tab><Enter>",
        &expect!["3: Cancel"],
    );
    check_answer(&mut form(every_kind()), "<Esc>Ada", &expect![""]);
}

#[test]
fn formats_patterns_and_bounds() {
    use v1::ElicitationPropertySchema as Property;
    let text = v1::StringPropertySchema::new;
    let cases: Vec<(Property, &str, &str)> = vec![
        (
            Property::String(text().format(v1::StringFormat::Email)),
            "ada",
            "mail address",
        ),
        (
            Property::String(text().format(v1::StringFormat::Email)),
            "ada@example.org",
            "",
        ),
        (
            Property::String(text().format(v1::StringFormat::Uri)),
            "example",
            "URI",
        ),
        (
            Property::String(text().format(v1::StringFormat::Date)),
            "2026-02-30",
            "date",
        ),
        (
            Property::String(text().format(v1::StringFormat::Date)),
            "2026-02-28",
            "",
        ),
        (
            Property::String(text().format(v1::StringFormat::DateTime)),
            "2026-02-28",
            "time",
        ),
        (
            Property::String(text().pattern("^[a-z]+$")),
            "A1",
            "pattern",
        ),
        (Property::String(text().pattern("(?=look)")), "any", ""),
        (Property::String(text().max_length(2)), "abc", "at most 2"),
        (
            Property::Integer(v1::IntegerPropertySchema::new()),
            "1.5",
            "whole number",
        ),
        (
            Property::Number(v1::NumberPropertySchema::new().maximum(1.0)),
            "2",
            "at most 1",
        ),
        (
            Property::Number(v1::NumberPropertySchema::new()),
            "inf",
            "a number",
        ),
    ];
    for (property, typed, problem) in cases {
        let mut ui = form(v1::ElicitationSchema::new().properties([("it", property)]));
        ui.take_effects();
        ui.press(typed);
        ui.press("<Tab><Enter>");
        let is_sent = !ui.take_effects().is_empty();
        assert_eq!(is_sent, problem.is_empty(), "{typed}");
        assert!(ui.screen().contains(problem), "{typed}: {problem}");
    }
}

#[test]
fn a_field_of_an_unknown_kind_is_never_shown_as_another() {
    let raw = r#"{"type":"object","properties":{"it":{"type":"rune"}},"required":["it"]}"#;
    let mut ui = form(attache::json::from_str(raw).unwrap());
    check_answer(&mut ui, "<Tab><Enter>", &expect![""]);
    assert!(
        ui.screen()
            .contains("can't be filled in here; decline the form")
    );
}

#[test]
fn required_fields_come_first_in_the_order_of_the_schema() {
    let schema = r#"{"type":"object","properties":{"zip":{"type":"string"},"city":{"type":"string"},"age":{"type":"integer"},"name":{"type":"string"}},"required":["name","city"]}"#;
    let mut ui = form(attache::json::from_str(schema).unwrap());
    let screen = ui.screen();
    let at = ["city", "name", "zip", "age"].map(|name| screen.find(&format!(" {name} ")).unwrap());
    assert!(at.is_sorted(), "{screen}");
}
