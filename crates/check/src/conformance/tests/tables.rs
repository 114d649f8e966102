//! Tests of the tables of checks.

use std::collections::BTreeSet;

use attache_schema::rules::Rule;

use crate::conformance::Subject;

#[test]
fn every_check_has_a_unique_id_and_an_existing_rule() {
    for subject in [Subject::Agent, Subject::Client, Subject::Proxy] {
        let checks = subject.checks();
        let ids: BTreeSet<&str> = checks.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), checks.len(), "an id is used twice");
        for check in checks {
            assert!(check.id.starts_with(subject.name()), "{}", check.id);
            assert!(
                check.rule.is_none_or(|it| Rule::find(it).is_some()),
                "{}",
                check.id
            );
            assert!(
                check.text.ends_with('.') && check.hint.ends_with('.'),
                "{}",
                check.id
            );
        }
    }
}

#[test]
fn each_subject_has_a_minimum_number_of_checks() {
    let count = |subject: Subject| subject.checks().len();
    assert!(count(Subject::Agent) >= 150);
    assert!(count(Subject::Client) >= 60);
    assert!(count(Subject::Proxy) >= 20);
}
