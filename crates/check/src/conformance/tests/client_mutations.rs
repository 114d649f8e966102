//! Clients that break one rule each.

mod robustness;
mod services;
mod turns;

use super::conformant_client;
use super::mutation::{MockCapabilities, Mutation};
use super::{assert_conformant, assert_every_check_has_a_mutation, options, unexpected_failures};
use crate::conformance::{Report, Subject, check_client, client};

async fn check(offers: MockCapabilities, mutation: Option<&'static Mutation>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let launch = conformant_client::launch(folder.path(), offers, mutation);
    match mutation {
        Some(mutation) => client::check_in(mutation.case, launch, options(folder.path())).await,
        None => check_client(launch, options(folder.path())).await,
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_conforms_passes_everything() {
    let everything = check(MockCapabilities::All, None).await;
    let nothing = check(MockCapabilities::None, None).await;
    assert_conformant(&everything, &nothing);
}

#[test]
fn every_check_has_a_mutation() {
    assert_every_check_has_a_mutation(Subject::Client, all());
}

#[tokio::test(start_paused = true)]
async fn each_mutation_fails_only_its_check() {
    let mut wrong = String::new();
    for mutation in all() {
        let report = check(mutation.offers, Some(mutation)).await;
        wrong += &unexpected_failures(mutation, &report);
    }
    assert!(
        wrong.is_empty(),
        "these mutations fail other checks:\n{wrong}"
    );
}

fn all() -> impl Iterator<Item = &'static Mutation> {
    let tables = [turns::ALL, robustness::ALL, services::ALL];
    tables.into_iter().flatten()
}
