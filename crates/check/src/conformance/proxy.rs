//! Runs the test cases for a proxy. The checker is both its client and its agent, and expects every message to arrive
//! unchanged at the other end, unless the protocol gives a reason for a change.

mod concurrent_messages;
mod disconnection;
mod proxy_test;
mod single_messages;

use std::sync::Arc;
use std::time::Instant;

use super::test_case::{self, BoxFuture, PeerStreams, TestCase};
use super::{Check, Options, Report, Subject};
use proxy_test::ProxyTest;

/// Starts a proxy with an agent behind it. The argument is the name of the test case. Returns our streams in front of
/// the proxy, then those behind it.
pub type ProxyLauncher = Arc<
    dyn Fn(&'static str) -> BoxFuture<'static, Result<(PeerStreams, PeerStreams), String>>
        + Send
        + Sync,
>;

/// Checks a proxy.
pub async fn check_proxy(launch: ProxyLauncher, options: Options) -> Report {
    let start = Instant::now();
    let options = Arc::new(options);
    let wanted = |case: &&'static TestCase<ProxyTest>| {
        case.checks
            .iter()
            .any(|check| options.selection.takes(check.id))
    };
    let cases = CASES.iter().filter(wanted).collect();
    let open = |case| ProxyTest::new(case, Arc::clone(&launch), Arc::clone(&options));
    let played = test_case::run_all(cases, &options, open).await;
    let (mut judgements, conversations) = test_case::collect_results(played);
    judgements.retain(|made| options.selection.takes(made.check.id));
    Report::new(Subject::Proxy, judgements, conversations, start.elapsed())
}

pub(super) fn checks() -> Vec<&'static Check> {
    CASES.iter().flat_map(|case| case.checks).collect()
}

static CASES: &[TestCase<ProxyTest>] = &[
    single_messages::CASE,
    concurrent_messages::CASE,
    disconnection::CASE,
];
