//! Mock agents that break one rule each.

mod conversation;
mod initialization;
mod sessions;
mod watched;

use std::collections::BTreeSet;

use super::mock_agent;
use super::mutation::{Breaker, Offers};
use super::{broken, ids, options, told};
use crate::conformance::{Report, Subject, Verdict, agent, check_agent};

/// The check of a mock: of one that conforms in every act, of another in the act in which it does not.
async fn check(offers: Offers, breaker: Option<&'static Breaker>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hello.txt"), "one\ntwo\n").unwrap();
    let (launch, options) = (mock_agent::launch(offers, breaker), options(folder.path()));
    match breaker {
        Some(breaker) => agent::check_in(breaker.act, launch, options).await,
        None => check_agent(launch, options).await,
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_conforms_passes_everything() {
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
    let want: BTreeSet<&str> = Subject::Agent
        .checks()
        .iter()
        .map(|check| check.id)
        .collect();
    assert_eq!(have, want);
}

fn all() -> impl Iterator<Item = &'static Breaker> {
    let tables = [
        initialization::ALL,
        conversation::ALL,
        sessions::ALL,
        watched::ALL,
    ];
    tables.into_iter().flatten()
}

async fn each_fails_alone(breakers: &'static [Breaker]) {
    let mut wrong = String::new();
    for breaker in breakers {
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

#[tokio::test(start_paused = true)]
async fn in_initialization() {
    each_fails_alone(initialization::ALL).await;
}

#[tokio::test(start_paused = true)]
async fn in_the_conversation() {
    each_fails_alone(conversation::ALL).await;
}

#[tokio::test(start_paused = true)]
async fn in_sessions() {
    each_fails_alone(sessions::ALL).await;
}

#[tokio::test(start_paused = true)]
async fn in_what_is_watched() {
    each_fails_alone(watched::ALL).await;
}
