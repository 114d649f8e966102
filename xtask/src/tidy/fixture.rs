//! A made-up tree in one string: `//- path` starts a file, which ends at the next one.

use std::collections::BTreeMap;

use expect_test::Expect;

use super::Rule;
use super::tree::Tree;

/// Runs one rule on the fixture and compares its report.
pub(super) fn check(rule: Rule, fixture: &str, expect: Expect) {
    let said = match Tree::from_texts(texts(fixture)) {
        Ok(tree) => {
            let mut found = rule(&tree);
            found.sort();
            found.iter().map(|one| format!("{one}\n")).collect()
        }
        Err(message) => message,
    };
    expect.assert_eq(&said);
}

fn texts(fixture: &str) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for part in fixture.split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap_or((part, ""));
        texts.insert(path.to_owned(), text.to_owned());
    }
    texts
}
