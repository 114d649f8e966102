//! Mock clients that break one rule each.

mod conversation;
mod endurance;
mod services;

use std::collections::BTreeSet;

use super::mock_client;
use super::mutation::{Breaker, Offers};
use super::{broken, ids, options, told};
use crate::conformance::{Report, Subject, Verdict, check_client, client};

async fn check(offers: Offers, breaker: Option<&'static Breaker>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let launch = mock_client::launch(folder.path(), offers, breaker);
    match breaker {
        Some(breaker) => client::check_in(breaker.act, launch, options(folder.path())).await,
        None => check_client(launch, options(folder.path())).await,
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_conforms_passes_everything() {
    let everything = check(Offers::Everything, None).await;
    let nothing = check(Offers::Nothing, None).await;
    assert_eq!(told(&everything), "");
    assert_eq!(told(&nothing), "");
    let both = ids(&everything, Verdict::NotExercised);
    let both: Vec<_> = both
        .intersection(&ids(&nothing, Verdict::NotExercised))
        .copied()
        .collect();
    assert_eq!(
        both,
        Vec::<&str>::new(),
        "checks that the mock does not exercise"
    );
}

#[test]
fn every_check_has_its_breaker() {
    let have: BTreeSet<&str> = all().map(|breaker| breaker.check).collect();
    let want: BTreeSet<&str> = Subject::Client
        .checks()
        .iter()
        .map(|check| check.id)
        .collect();
    assert_eq!(have, want);
}

#[tokio::test(start_paused = true)]
async fn each_fails_alone() {
    let mut wrong = String::new();
    for breaker in all() {
        let report = check(breaker.offers, Some(breaker)).await;
        let want: BTreeSet<&str> = breaker
            .also
            .iter()
            .copied()
            .chain([breaker.check])
            .collect();
        if broken(&report) != want {
            wrong += &format!("{}:\n{}\n", breaker.check, told(&report));
        }
    }
    assert!(wrong.is_empty(), "these break something else:\n{wrong}");
}

fn all() -> impl Iterator<Item = &'static Breaker> {
    let tables = [conversation::ALL, endurance::ALL, services::ALL];
    tables.into_iter().flatten()
}
