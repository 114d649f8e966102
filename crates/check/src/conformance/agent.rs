//! Runs the test cases for an agent.

mod cancellation;
mod client_services;
mod elicitation;
mod end_of_input;
mod initialize;
mod json_rpc;
mod load_and_resume;
mod malformed_input;
mod mcp_servers;
mod passive_checks;
mod session_config;
mod session_management;
mod session_setup;
mod tool_calls;
mod turn;
mod unadvertised_methods;
mod versions;

use std::sync::Arc;
use std::time::Instant;

use attache_testkit::Side;

use super::agent_test::AgentTest;
use super::test_case::{self, TestCase};
use super::{Check, Options, PeerLauncher, Report, Subject, passive_check};

/// Checks an agent. Each test case starts the agent at least once.
pub async fn check_agent(launch: PeerLauncher, options: Options) -> Report {
    let watched = passive_checks::all().any(|it| options.selection.takes(it.check.id));
    let wanted = |case: &&'static TestCase<AgentTest>| {
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
    cases: Vec<&'static TestCase<AgentTest>>,
    launch: PeerLauncher,
    options: Options,
) -> Report {
    let start = Instant::now();
    let options = Arc::new(options);
    let open = |case| {
        AgentTest::new(
            Side::Client,
            case,
            Arc::clone(&launch),
            Arc::clone(&options),
        )
    };
    let played = test_case::run_all(cases, &options, open).await;
    let (mut judgements, conversations) = test_case::collect_results(played);
    judgements.extend(passive_check::judge(passive_checks::all(), &conversations));
    judgements.retain(|made| options.selection.takes(made.check.id));
    Report::new(Subject::Agent, judgements, conversations, start.elapsed())
}

pub(super) fn checks() -> Vec<&'static Check> {
    let cases = CASES.iter().flat_map(|case| case.checks);
    cases
        .chain(passive_checks::all().map(|it| &it.check))
        .collect()
}

static CASES: &[TestCase<AgentTest>] = &[
    initialize::CASE,
    versions::CASE,
    json_rpc::CASE,
    malformed_input::CASE,
    session_setup::CASE,
    unadvertised_methods::CASE,
    turn::CASE,
    cancellation::CASE,
    tool_calls::CASE,
    client_services::CASE,
    session_management::CASE,
    load_and_resume::CASE,
    session_config::CASE,
    mcp_servers::CASE,
    elicitation::CASE,
    end_of_input::CASE,
];
