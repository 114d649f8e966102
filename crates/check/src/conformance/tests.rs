//! Tests of the checker: a peer that conforms passes every check, and for each check there is a mutated peer that fails
//! only that check.

mod agent_mutations;
mod client_mutations;
mod conformant_agent;
mod conformant_client;
mod conformant_proxy;
mod mutation;
mod proxy_mutations;
mod tables;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::{Options, PromptKind, Report, Subject, Verdict};
use mutation::Mutation;

/// Options in which every prompt is the name of its kind.
fn options(folder: &Path) -> Options {
    let mut options = Options::new(folder);
    for kind in PromptKind::ALL {
        options.prompts.insert(kind, kind.name().to_owned());
    }
    options.case_timeout = Duration::from_secs(100_000);
    options.mcp = Some(vec!["server".to_owned()]);
    options
}

/// The ids of the checks with this verdict.
fn ids(report: &Report, verdict: Verdict) -> BTreeSet<&'static str> {
    report.of(verdict).map(|made| made.check.id).collect()
}

/// Asserts that each check of a subject has a mutation, and that no mutation names another check.
fn assert_every_check_has_a_mutation(
    subject: Subject,
    mutations: impl Iterator<Item = &'static Mutation>,
) {
    let have: BTreeSet<&str> = mutations.map(|mutation| mutation.check).collect();
    let want: BTreeSet<&str> = subject.checks().iter().map(|check| check.id).collect();
    assert_eq!(have, want);
}

/// Asserts that a peer that conforms fails no check, and that each check is exercised with all capabilities or with none.
fn assert_conformant(everything: &Report, nothing: &Report) {
    assert_eq!(failures(everything), "");
    assert_eq!(failures(nothing), "");
    let unseen = ids(everything, Verdict::NotExercised);
    let never = ids(nothing, Verdict::NotExercised);
    let both: Vec<_> = unseen.intersection(&never).copied().collect();
    assert!(both.is_empty(), "the mock does not exercise {both:?}");
}

/// The ids of the checks that failed or warned.
fn failed_checks(report: &Report) -> BTreeSet<&'static str> {
    let (failed, warned) = (ids(report, Verdict::Fail), ids(report, Verdict::Warn));
    failed.union(&warned).copied().collect()
}

/// Describes the failures under a mutation if they are not exactly those that it names.
fn unexpected_failures(mutation: &Mutation, report: &Report) -> String {
    let also = mutation.also.iter().copied();
    let want: BTreeSet<&str> = also.chain([mutation.check]).collect();
    match failed_checks(report) == want {
        true => String::new(),
        false => format!("{}:\n{}\n", mutation.check, failures(report)),
    }
}

/// The failed checks with their reasons, for the message of a failing test.
fn failures(report: &Report) -> String {
    let made = report.judgements.iter();
    let made = made.filter(|made| matches!(made.verdict, Verdict::Fail | Verdict::Warn));
    made.map(|made| format!("{}: {}\n", made.check.id, made.why))
        .collect()
}
