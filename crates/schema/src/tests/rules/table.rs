//! The table itself, and the list of rules that the checks cover.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;

use crate::rules::{BOUNDS, Level, RULES, Rule};

#[test]
fn the_table_has_every_number_once_and_in_order() {
    let mut expected: Vec<String> = (1..=189).map(|number| number.to_string()).collect();
    expected.insert(14, "14a".to_owned());
    let numbers: Vec<_> = RULES.iter().map(|rule| rule.number).collect();
    assert_eq!(numbers, expected);
    assert!(BOUNDS.iter().all(|bound| bound.level == Level::Should));
    assert_eq!(Rule::all().count(), RULES.len() + BOUNDS.len());
    assert_eq!(Rule::find("190"), None);
}

#[test]
fn every_rule_is_one_sentence() {
    for rule in Rule::all() {
        assert!(
            rule.text.ends_with('.') && !rule.text.contains("  "),
            "{}",
            rule.number
        );
        assert!(!rule.targets.is_empty(), "{}", rule.number);
    }
}

/// The rules without a check need a conversation, a user, or knowledge about the other program.
#[test]
fn the_rules_that_data_decides() {
    let used = used();
    let (decided, open): (Vec<_>, Vec<_>) = Rule::all()
        .map(|rule| rule.number)
        .partition(|number| used.contains(*number));
    expect![[r#"
        decided
          13 14 14a 24 26 28 33 38 40 41 45 49 51 52 53 57 58 59 60 63
          64 67 68 74 76 77 78 85 87 88 89 90 92 96 104 106 107 108 114 115
          118 119 125 126 128 130 131 134 141 144 147 148 150 153 154 155 158 159 161 165
          168 170 174 177 179 182 183 188 189 B1 B2 B3 B4 B5 B6 B7
        open
          1 2 3 4 5 6 7 8 9 10 11 12 15 16 17 18 19 20 21 22
          23 25 27 29 30 31 32 34 35 36 37 39 42 43 44 46 47 48 50 54
          55 56 61 62 65 66 69 70 71 72 73 75 79 80 81 82 83 84 86 91
          93 94 95 97 98 99 100 101 102 103 105 109 110 111 112 113 116 117 120 121
          122 123 124 127 129 132 133 135 136 137 138 139 140 142 143 145 146 149 151 152
          156 157 160 162 163 164 166 167 169 171 172 173 175 176 178 180 181 184 185 186
          187
    "#]]
    .assert_eq(&format!("decided\n{}open\n{}", rows(&decided), rows(&open)));
}

#[test]
fn every_number_in_a_check_is_in_the_table_and_in_a_test() {
    let tests = sources(&root().join("tests/rules"));
    for number in used() {
        assert!(Rule::find(&number).is_some(), "{number}");
        let shown = format!("(rule {number}, ");
        assert!(
            tests.contains(&shown),
            "no test shows a violation of rule {number}"
        );
    }
}

fn rows(numbers: &[&str]) -> String {
    let row = |numbers: &[&str]| format!("  {}\n", numbers.join(" "));
    numbers.chunks(20).map(row).collect()
}

/// The rule numbers in the sources of the checks.
fn used() -> BTreeSet<String> {
    let text = sources(&root().join("rules"));
    let uses = text.split("rule!(\"").skip(1);
    uses.filter_map(|rest| rest.split_once('"'))
        .map(|(number, _)| number.to_owned())
        .collect()
}

fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            text += &sources(&path);
        } else {
            text += &fs::read_to_string(&path).expect("a source");
        }
    }
    text
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}
