//! Mock clients that break one rule each.

mod conversation;
mod endurance;
mod services;

use super::mock_client;
use super::mutation::{Breaker, Offers};
use super::{astray, complete, conforms, options};
use crate::conformance::{Report, Subject, check_client, client};

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
    conforms(&everything, &nothing);
}

#[test]
fn every_check_has_its_breaker() {
    complete(Subject::Client, all());
}

#[tokio::test(start_paused = true)]
async fn each_fails_alone() {
    let mut wrong = String::new();
    for breaker in all() {
        let report = check(breaker.offers, Some(breaker)).await;
        wrong += &astray(breaker, &report);
    }
    assert!(wrong.is_empty(), "these break something else:\n{wrong}");
}

fn all() -> impl Iterator<Item = &'static Breaker> {
    let tables = [conversation::ALL, endurance::ALL, services::ALL];
    tables.into_iter().flatten()
}
