//! The agent must exit when its input ends, in every state.

use std::time::Duration;

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{observed, should};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "end-of-input",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.initialize().await?;
        ends(test, "agent.end.after-greeting").await?;
        test.start().await?;
        // The agent may still be starting.
        let start = test.options.response_timeout;
        ends_within(test, "agent.end.at-once", start + PATIENCE).await?;
        test.open().await?;
        ends(test, "agent.end.with-session").await?;
        test.initialize().await?;
        test.connection()?
            .send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth")
            .await;
        ends(test, "agent.end.half-line").await?;
        if let Some(long) = test.prompt_text(PromptKind::Long) {
            let session = test.open().await?;
            test.send_prompt(&session, &long).await?;
            ends(test, "agent.end.mid-turn").await?;
        }
        test.initialize().await?;
        let request = test
            .connection()?
            .send_request("_attache.check/last", serde_json::json!({}))
            .await;
        test.connection()?.close().await;
        let answer = test.wait_for_response(request).await?;
        test.judge_response("agent.end.last-answer", &answer);
        Ok(())
    })
}

async fn ends(test: &mut AgentTest, id: &str) -> Result<(), AbortReason> {
    ends_within(test, id, PATIENCE).await
}

async fn ends_within(test: &mut AgentTest, id: &str, within: Duration) -> Result<(), AbortReason> {
    let connection = test.connection()?;
    connection.close().await;
    let ended = connection.wait_for_end(within).await;
    let last = test.entry_count().saturating_sub(1);
    let why = format!("it still ran {} s after its input ended", within.as_secs());
    test.judge(id, ended.then_some(()).ok_or(why), &[last]);
    Ok(())
}

const PATIENCE: Duration = Duration::from_secs(3);

const CHECKS: &[Check] = &[
    should(
        "agent.end.after-greeting",
        "9",
        "The agent exits when its input ends.",
        "Exit when reading returns the end of the input.",
    ),
    should(
        "agent.end.at-once",
        "9",
        "The agent exits when its input ends before initialize.",
        "Exit when reading returns the end of the input.",
    ),
    should(
        "agent.end.with-session",
        "9",
        "The agent exits when its input ends with an open session.",
        "An open session must not keep the process alive.",
    ),
    should(
        "agent.end.half-line",
        "9",
        "The agent exits when its input ends within a line.",
        "Drop the rest and exit.",
    ),
    should(
        "agent.end.mid-turn",
        "9",
        "The agent exits when its input ends during a turn.",
        "Abort the turn and exit.",
    )
    .when_prompted(PromptKind::Long),
    observed(
        "agent.end.last-answer",
        "10",
        "A request right before the end of the input gets a response.",
        "Finish writing before you exit.",
    ),
];
