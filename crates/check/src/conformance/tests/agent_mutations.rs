//! Agents that break one rule each.

mod initialization;
mod passive_checks;
mod sessions;
mod turns;

use std::sync::Arc;

use attache_transport::pipes;
use tokio::io::sink;

use super::conformant_agent;
use super::mutation::{MockCapabilities, Mutation};
use super::{
    assert_conformant, assert_every_check_has_a_mutation, ids, options, unexpected_failures,
};
use crate::conformance::{PeerLauncher, PeerStreams, Report, Subject, Verdict, agent, check_agent};

/// Checks an agent: without a mutation in every test case, otherwise only in the test case of the mutation.
async fn check(offers: MockCapabilities, mutation: Option<&'static Mutation>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hello.txt"), "one\ntwo\n").unwrap();
    let (launch, options) = (
        conformant_agent::launch(offers, mutation),
        options(folder.path()),
    );
    match mutation {
        Some(mutation) => agent::check_in(mutation.case, launch, options).await,
        None => check_agent(launch, options).await,
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_conforms_passes_everything() {
    let everything = check(MockCapabilities::All, None).await;
    let nothing = check(MockCapabilities::None, None).await;
    assert_conformant(&everything, &nothing);
}

/// An agent that is silent, one that exits, and one that echoes its input. The echo counts as an error response where any
/// error will do.
#[tokio::test(start_paused = true)]
async fn an_agent_that_does_nothing_passes_no_check() {
    for (agent, passes) in [
        (TrivialAgent::Silent, &[][..]),
        (TrivialAgent::Gone, &[]),
        (
            TrivialAgent::Echo,
            &["agent.init.first", "agent.init.older-version"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let report = check_agent(agent.launch(), options(folder.path())).await;
        let passed = ids(&report, Verdict::Pass).into_iter();
        let passed: Vec<&str> = passed
            .filter(|id| !id.starts_with("agent.framing"))
            .collect();
        assert_eq!(passed, passes, "{agent:?}");
        assert!(!report.is_conformant(), "{agent:?}");
    }
}

/// A program that is not an agent.
#[derive(Debug, Clone, Copy)]
enum TrivialAgent {
    Silent,
    Echo,
    Gone,
}

impl TrivialAgent {
    fn launch(self) -> PeerLauncher {
        Arc::new(move |_| {
            Box::pin(async move {
                let ((read, write), (mut theirs, mut back)) = pipes(1 << 20);
                tokio::spawn(async move {
                    match self {
                        TrivialAgent::Silent => {
                            drop(tokio::io::copy(&mut theirs, &mut sink()).await)
                        }
                        TrivialAgent::Echo => drop(tokio::io::copy(&mut theirs, &mut back).await),
                        TrivialAgent::Gone => {}
                    }
                    drop(back);
                });
                Ok(PeerStreams {
                    read: Box::new(read),
                    write: Box::new(write),
                    child: None,
                })
            })
        })
    }
}

#[test]
fn every_check_has_a_mutation() {
    assert_every_check_has_a_mutation(Subject::Agent, all());
}

fn all() -> impl Iterator<Item = &'static Mutation> {
    let tables = [
        initialization::ALL,
        turns::ALL,
        sessions::ALL,
        passive_checks::ALL,
    ];
    tables.into_iter().flatten()
}

async fn assert_each_fails_only_its_check(mutations: &'static [Mutation]) {
    let mut wrong = String::new();
    for mutation in mutations {
        let report = check(mutation.offers, Some(mutation)).await;
        wrong += &unexpected_failures(mutation, &report);
    }
    assert!(
        wrong.is_empty(),
        "these mutations fail other checks:\n{wrong}"
    );
}

#[tokio::test(start_paused = true)]
async fn each_mutation_of_initialization_fails_only_its_check() {
    assert_each_fails_only_its_check(initialization::ALL).await;
}

#[tokio::test(start_paused = true)]
async fn each_mutation_of_turns_fails_only_its_check() {
    assert_each_fails_only_its_check(turns::ALL).await;
}

#[tokio::test(start_paused = true)]
async fn each_mutation_of_sessions_fails_only_its_check() {
    assert_each_fails_only_its_check(sessions::ALL).await;
}

#[tokio::test(start_paused = true)]
async fn each_mutation_of_passive_checks_fails_only_its_check() {
    assert_each_fails_only_its_check(passive_checks::ALL).await;
}
