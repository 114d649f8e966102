//! Runs the test cases for a client. Each test case starts the client, which sends a prompt to the checker as its agent.

mod agent_failure;
mod cancellation;
mod client_test;
mod elicitation;
mod fake_agent;
mod files;
mod json_rpc;
mod passive_checks;
mod permission;
mod plain_turn;
mod terminals;
mod updates;

use std::sync::Arc;
use std::time::Instant;

use attache_testkit::Side;

use super::test_case::{self, TestCase};
use super::{Check, Options, PeerLauncher, Report, Subject, passive_check};
use client_test::ClientTest;

/// Checks a client. `launch` starts the client and returns the agent's end of its connection.
pub async fn check_client(launch: PeerLauncher, options: Options) -> Report {
    let watched = passive_checks::CHECKS
        .iter()
        .any(|it| options.selection.takes(it.check.id));
    let wanted = |case: &&'static TestCase<ClientTest>| {
        watched
            || case
                .checks
                .iter()
                .any(|check| options.selection.takes(check.id))
    };
    let cases = CASES.iter().filter(wanted).collect();
    run_cases(cases, launch, options).await
}

/// Runs one test case only.
#[cfg(test)]
pub(super) async fn check_in(case: &str, launch: PeerLauncher, options: Options) -> Report {
    let cases = CASES.iter().filter(|it| it.name == case).collect();
    run_cases(cases, launch, options).await
}

async fn run_cases(
    cases: Vec<&'static TestCase<ClientTest>>,
    launch: PeerLauncher,
    options: Options,
) -> Report {
    let start = Instant::now();
    let options = Arc::new(options);
    let open = |case| ClientTest::new(Side::Agent, case, Arc::clone(&launch), Arc::clone(&options));
    let played = test_case::run_all(cases, &options, open).await;
    let (mut judgements, conversations) = test_case::collect_results(played);
    judgements.extend(passive_check::judge(
        passive_checks::CHECKS.iter(),
        &conversations,
    ));
    judgements.retain(|made| options.selection.takes(made.check.id));
    Report::new(Subject::Client, judgements, conversations, start.elapsed())
}

pub(super) fn checks() -> Vec<&'static Check> {
    let cases = CASES.iter().flat_map(|case| case.checks);
    cases
        .chain(passive_checks::CHECKS.iter().map(|it| &it.check))
        .collect()
}

static CASES: &[TestCase<ClientTest>] = &[
    plain_turn::CASE,
    json_rpc::CASE,
    updates::CASE,
    permission::CASE,
    files::CASE,
    terminals::CASE,
    elicitation::CASE,
    cancellation::CASE,
    agent_failure::CASE,
];
