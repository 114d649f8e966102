//! The checker, checked: whoever conforms passes everything, and for each check there is somebody who fails it alone.

mod agent_breakers;
mod client_breakers;
mod mock_agent;
mod mock_client;
mod mock_proxy;
mod mutation;
mod proxy_breakers;
mod tables;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::{Options, PromptKind, Report, Subject, Verdict};
use mutation::Breaker;

/// Options under which every prompt is the name of its kind.
fn options(folder: &Path) -> Options {
    let mut options = Options::new(folder);
    for kind in PromptKind::ALL {
        options.prompts.insert(kind, kind.name().to_owned());
    }
    options.act_within = Duration::from_secs(100_000);
    options.mcp = Some(vec!["server".to_owned()]);
    options
}

/// The ids of the checks that ended so.
fn ids(report: &Report, verdict: Verdict) -> BTreeSet<&'static str> {
    report.of(verdict).map(|made| made.check.id).collect()
}

/// That there is a breaker for each check of a subject, and none for anything else.
fn complete(subject: Subject, breakers: impl Iterator<Item = &'static Breaker>) {
    let have: BTreeSet<&str> = breakers.map(|breaker| breaker.check).collect();
    let want: BTreeSet<&str> = subject.checks().iter().map(|check| check.id).collect();
    assert_eq!(have, want);
}

/// That a mock that conforms passes everything, and that each check is met by it with everything or with nothing on offer.
fn conforms(everything: &Report, nothing: &Report) {
    assert_eq!(told(everything), "");
    assert_eq!(told(nothing), "");
    let unseen = ids(everything, Verdict::NotExercised);
    let never = ids(nothing, Verdict::NotExercised);
    let both: Vec<_> = unseen.intersection(&never).copied().collect();
    assert!(both.is_empty(), "the mock does not exercise {both:?}");
}

/// The ids of the checks that were not met.
fn broken(report: &Report) -> BTreeSet<&'static str> {
    let (failed, warned) = (ids(report, Verdict::Fail), ids(report, Verdict::Warn));
    failed.union(&warned).copied().collect()
}

/// What is wrong with a breaker: under it something else is not met than it says, or not all of it.
fn astray(breaker: &Breaker, report: &Report) -> String {
    let also = breaker.also.iter().copied();
    let want: BTreeSet<&str> = also.chain([breaker.check]).collect();
    match broken(report) == want {
        true => String::new(),
        false => format!("{}:\n{}\n", breaker.check, told(report)),
    }
}

/// What was not met, with the reasons, for people who look at a test that fails.
fn told(report: &Report) -> String {
    let made = report.judgements.iter();
    let made = made.filter(|made| matches!(made.verdict, Verdict::Fail | Verdict::Warn));
    made.map(|made| format!("{}: {}\n", made.check.id, made.why))
        .collect()
}
