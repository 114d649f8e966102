//! Loads and resumes sessions in another process than the one that created them.

use serde_json::{Value, json};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::{text, update, update_kind};
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "load-and-resume",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        let session = test.open().await?;
        let prompt = test
            .prompt_text(PromptKind::Text)
            .unwrap_or_else(|| "hello".to_owned());
        test.prompt(&session, &prompt).await;
        if test.offers("/loadSession") {
            load(test, &session, &prompt).await?;
        }
        if test.offers("/sessionCapabilities/resume") {
            resume(test, &session, &prompt).await?;
        }
        Ok(())
    })
}

fn params(test: &AgentTest, session: &str) -> Value {
    json!({ "sessionId": session, "cwd": test.cwd(), "mcpServers": [] })
}

async fn load(test: &mut AgentTest, session: &str, prompt: &str) -> Result<(), AbortReason> {
    let here = params(test, session);
    let same = test.call("session/load", here.clone()).await;
    test.judge_result("agent.load.same-process", &same);
    test.initialize().await?;
    let from = test.entry_count();
    let loaded = test.call("session/load", here).await;
    test.judge_result("agent.load.other-process", &loaded);
    if loaded.expect_result().is_ok() {
        let messages = test.messages_since(from);
        let chunks: Vec<(usize, &str, &str)> = messages
            .iter()
            .filter_map(|(entry, it)| {
                let update = update(it)?;
                Some((
                    *entry,
                    text(update, "/sessionUpdate"),
                    text(update, "/content/text"),
                ))
            })
            .collect();
        let mine = |(_, kind, _): &&(usize, &str, &str)| *kind == "user_message_chunk";
        let sent: String = chunks
            .iter()
            .filter(mine)
            .map(|(_, _, text)| *text)
            .collect();
        let entries = [
            chunks.iter().map(|(entry, ..)| *entry).take(5).collect(),
            loaded.entries(),
        ]
        .concat();
        let request = sent.contains(prompt).then_some(());
        test.judge(
            "agent.load.prompt",
            request.ok_or("the prompt is not replayed".to_owned()),
            &entries,
        );
        let answered = chunks
            .iter()
            .any(|(_, kind, _)| *kind == "agent_message_chunk")
            .then_some(());
        test.judge(
            "agent.load.answer",
            answered.ok_or("the answer is not replayed".to_owned()),
            &entries,
        );
        let first = |name: &str| chunks.iter().position(|(_, kind, _)| *kind == name);
        let order = match (first("user_message_chunk"), first("agent_message_chunk")) {
            (Some(user), Some(agent)) if user > agent => {
                Err("the answer is replayed before the prompt".to_owned())
            }
            _ => Ok(()),
        };
        test.judge("agent.load.order", order, &entries);
        let from = test.entry_count();
        test.ping().await;
        let late = test
            .messages_since(from)
            .into_iter()
            .filter(|(_, it)| update_kind(it).ends_with("_chunk"));
        let late: Vec<usize> = late.map(|(entry, _)| entry).collect();
        let all = late
            .is_empty()
            .then_some(())
            .ok_or("updates are replayed after the response".to_owned());
        test.judge(
            "agent.load.before-answer",
            all,
            &[loaded.entries(), late].concat(),
        );
        let next = test.prompt(session, prompt).await;
        test.judge_result("agent.load.then-prompt", &next);
    }
    let nowhere = params(test, "no-such-session");
    let unknown = test.call("session/load", nowhere).await;
    test.judge_error("agent.load.unknown", &unknown, &[]);
    test.judge_error("agent.load.unknown-code", &unknown, &[-32002]);
    Ok(())
}

async fn resume(test: &mut AgentTest, session: &str, prompt: &str) -> Result<(), AbortReason> {
    test.initialize().await?;
    let here = params(test, session);
    let from = test.entry_count();
    let resumed = test.call("session/resume", here).await;
    test.judge_result("agent.resume.works", &resumed);
    if resumed.expect_result().is_ok() {
        let sent = test
            .messages_since(from)
            .into_iter()
            .filter(|(_, it)| update_kind(it).ends_with("_chunk"));
        let sent: Vec<usize> = sent.map(|(entry, _)| entry).collect();
        let quiet = sent
            .is_empty()
            .then_some(())
            .ok_or("the conversation is replayed".to_owned());
        test.judge(
            "agent.resume.quiet",
            quiet,
            &[sent, resumed.entries()].concat(),
        );
        let next = test.prompt(session, prompt).await;
        test.judge_result("agent.resume.then-prompt", &next);
    }
    let nowhere = params(test, "no-such-session");
    let unknown = test.call("session/resume", nowhere).await;
    test.judge_error("agent.resume.unknown", &unknown, &[]);
    Ok(())
}

const LOAD: &str = "loadSession";
const RESUME: &str = "sessionCapabilities.resume";

const CHECKS: &[Check] = &[
    must(
        "agent.load.same-process",
        "55",
        "A session can be loaded by the process that created it.",
        "Respond to session/load.",
    )
    .when_advertised(LOAD),
    should(
        "agent.load.other-process",
        "55",
        "A session can be loaded by another process.",
        "Keep sessions on disk.",
    )
    .when_advertised(LOAD),
    must(
        "agent.load.prompt",
        "55",
        "Loading replays the prompts.",
        "Send user_message_chunk for each prompt.",
    )
    .when_advertised(LOAD),
    must(
        "agent.load.answer",
        "55",
        "Loading replays the answers.",
        "Send agent_message_chunk for each answer.",
    )
    .when_advertised(LOAD),
    must(
        "agent.load.order",
        "55",
        "Loading replays the conversation in order.",
        "Send the history from its beginning.",
    )
    .when_advertised(LOAD),
    must(
        "agent.load.before-answer",
        "56",
        "The response to loading comes after the whole replay.",
        "Send the response last.",
    )
    .when_advertised(LOAD),
    must(
        "agent.load.then-prompt",
        "36",
        "A loaded session accepts a prompt.",
        "Loading opens the session.",
    )
    .when_advertised(LOAD),
    must(
        "agent.load.unknown",
        "55",
        "Loading an unknown session is rejected.",
        "Do not create a session.",
    )
    .when_advertised(LOAD),
    observed(
        "agent.load.unknown-code",
        "",
        "Loading an unknown session is rejected with -32002.",
        "-32002 means that something was not found.",
    )
    .when_advertised(LOAD),
    should(
        "agent.resume.works",
        "59",
        "A session can be resumed by another process.",
        "Keep sessions on disk.",
    )
    .when_advertised(RESUME),
    must(
        "agent.resume.quiet",
        "59",
        "Resuming replays nothing.",
        "Send no history before the response.",
    )
    .when_advertised(RESUME),
    must(
        "agent.resume.then-prompt",
        "36",
        "A resumed session accepts a prompt.",
        "Resuming opens the session.",
    )
    .when_advertised(RESUME),
    must(
        "agent.resume.unknown",
        "59",
        "Resuming an unknown session is rejected.",
        "Do not create a session.",
    )
    .when_advertised(RESUME),
];
