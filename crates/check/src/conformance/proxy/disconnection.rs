//! The proxy must pass on the end of either side: close the agent's input, and fail the client's open requests.

use serde_json::json;

use super::proxy_test::ProxyTest;
use crate::conformance::Check;
use crate::conformance::check::must;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallOutcome;

pub(super) const CASE: TestCase<ProxyTest> = TestCase {
    name: "disconnection",
    checks: CHECKS,
    run,
};

fn run(test: &mut ProxyTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        let response_timeout = test.options.response_timeout;
        test.open().await?;
        test.front()?.close().await;
        let ended = test.back()?.wait_for_end(response_timeout).await;
        let ended = ended
            .then_some(())
            .ok_or("the agent's input stays open".to_owned());
        test.judge("proxy.end.client", ended, &[]);
        test.open().await?;
        let request = test
            .front()?
            .send_request("_attache.check/never", json!({}))
            .await;
        test.wait_behind("_attache.check/never").await;
        test.back()?.close().await;
        let answer = test.front()?.wait_for_response(request).await;
        let sent = match answer.outcome {
            CallOutcome::TimedOut => {
                Err("the client waits for an agent that has exited".to_owned())
            }
            CallOutcome::Ok(..) => Err("an agent that has exited gave a result".to_owned()),
            CallOutcome::Error(..) | CallOutcome::Closed => Ok(()),
        };
        test.judge("proxy.end.agent", sent, &answer.entries());
        Ok(())
    })
}

const CHECKS: &[Check] = &[
    must(
        "proxy.end.client",
        "9",
        "When the client has exited, the agent's input ends.",
        "Close it and exit.",
    ),
    must(
        "proxy.end.agent",
        "9",
        "When the agent has exited, open requests fail or the connection ends.",
        "Fail them, or exit.",
    ),
];
