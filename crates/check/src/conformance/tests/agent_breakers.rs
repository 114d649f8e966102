//! Mock agents that break one rule each.

mod conversation;
mod initialization;
mod sessions;
mod watched;

use std::sync::Arc;

use attache_transport::pipes;
use tokio::io::sink;

use super::mock_agent;
use super::mutation::{Breaker, Offers};
use super::{astray, complete, conforms, ids, options};
use crate::conformance::{Ends, Launch, Report, Subject, Verdict, agent, check_agent};

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
    conforms(&everything, &nothing);
}

/// Nothing is given to those who do nothing: one that says nothing, one that ends, and one that says back what it is
/// told, which refuses what it is asked with our own words.
#[tokio::test(start_paused = true)]
async fn who_does_nothing_passes_nothing() {
    for (idler, passes) in [
        (Idler::Silent, &[][..]),
        (Idler::Gone, &[]),
        (
            Idler::Echo,
            &["agent.init.first", "agent.init.older-version"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let report = check_agent(idler.launch(), options(folder.path())).await;
        let passed = ids(&report, Verdict::Pass).into_iter();
        let passed: Vec<&str> = passed
            .filter(|id| !id.starts_with("agent.framing"))
            .collect();
        assert_eq!(passed, passes, "{idler:?}");
        assert!(!report.is_conformant(), "{idler:?}");
    }
}

/// Somebody at the agent's end who is none.
#[derive(Debug, Clone, Copy)]
enum Idler {
    Silent,
    Echo,
    Gone,
}

impl Idler {
    fn launch(self) -> Launch {
        Arc::new(move |_| {
            Box::pin(async move {
                let ((read, write), (mut theirs, mut back)) = pipes(1 << 20);
                tokio::spawn(async move {
                    match self {
                        Idler::Silent => drop(tokio::io::copy(&mut theirs, &mut sink()).await),
                        Idler::Echo => drop(tokio::io::copy(&mut theirs, &mut back).await),
                        Idler::Gone => {}
                    }
                    drop(back);
                });
                Ok(Ends {
                    read: Box::new(read),
                    write: Box::new(write),
                    child: None,
                })
            })
        })
    }
}

#[test]
fn every_check_has_its_breaker() {
    complete(Subject::Agent, all());
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
        wrong += &astray(breaker, &report);
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
