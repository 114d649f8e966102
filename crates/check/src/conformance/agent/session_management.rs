//! Lists, closes, deletes, forks, names and archives sessions.

use serde_json::{Value, json};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed, should};
use crate::conformance::json::text;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "session-management",
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
        list(test, &session).await?;
        status(test, &session).await?;
        title(test, &session).await?;
        fork(test, &session, &prompt).await?;
        archive(test, &session).await?;
        close(test).await?;
        delete(test, &prompt).await
    })
}

async fn list(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/list") {
        return Ok(());
    }
    let listed = test.call("session/list", json!({})).await;
    let entries = listed.entries();
    let Some(result) = listed.result().cloned() else {
        test.judge_result("agent.list.answers", &listed);
        return Ok(());
    };
    let sessions = result.get("sessions").and_then(Value::as_array);
    let is_list = sessions
        .map(drop)
        .ok_or("sessions is not a list".to_owned());
    test.judge("agent.list.answers", is_list, &entries);
    let whole =
        |it: &Value| !text(it, "/sessionId").is_empty() && text(it, "/cwd").starts_with('/');
    if let Some(sessions) = sessions.filter(|sessions| !sessions.is_empty()) {
        let whole = sessions.iter().all(whole);
        let whole = whole
            .then_some(())
            .ok_or("a session has no id or no absolute cwd".to_owned());
        test.judge("agent.list.whole", whole, &entries);
    }
    let found = pages(test, result, session).await?;
    test.judge("agent.list.ends", found.ends, &entries);
    test.judge("agent.list.has-session", found.has, &entries);
    let elsewhere = json!({ "cwd": "/no/such/directory/of/attache" });
    let elsewhere = test.call("session/list", elsewhere).await;
    let none = match elsewhere
        .result()
        .and_then(|it| it.get("sessions")?.as_array().map(Vec::len))
    {
        Some(0) => Ok(()),
        Some(_) => Err("sessions of another directory are in the list".to_owned()),
        None => elsewhere.expect_result(),
    };
    test.judge("agent.list.by-cwd", none, &elsewhere.entries());
    let wrong = test
        .call(
            "session/list",
            json!({ "cursor": "no-such-cursor-of-attache" }),
        )
        .await;
    test.judge_error("agent.list.bad-cursor", &wrong, &[]);
    Ok(())
}

struct ListPages {
    has: Result<(), String>,
    ends: Result<(), String>,
}

async fn pages(
    test: &mut AgentTest,
    first: Value,
    session: &str,
) -> Result<ListPages, AbortReason> {
    let (mut page, mut seen, mut has) = (first, Vec::new(), false);
    let missing = || "the session that was just used is not in the list".to_owned();
    loop {
        let sessions = page.get("sessions").and_then(Value::as_array);
        has |= sessions.is_some_and(|it| it.iter().any(|it| text(it, "/sessionId") == session));
        let ends = match page.get("nextCursor").and_then(Value::as_str) {
            None => Ok(()),
            Some(cursor) if seen.iter().any(|it| it == cursor) => {
                Err("a cursor came twice: the list has no end".to_owned())
            }
            Some(cursor) if seen.len() < MOST_PAGES => {
                seen.push(cursor.to_owned());
                let next = test.call("session/list", json!({ "cursor": cursor })).await;
                match next.result() {
                    Some(next) => {
                        page = next.clone();
                        continue;
                    }
                    None => Err("the agent rejects its own cursor".to_owned()),
                }
            }
            Some(_) => Ok(()),
        };
        let has = has.then_some(()).ok_or_else(missing);
        return Ok(ListPages { has, ends });
    }
}

async fn status(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/status") {
        return Ok(());
    }
    let known = test
        .call("session/status", json!({ "sessionId": session }))
        .await;
    let open = match known.result().map(|it| text(it, "/status")) {
        Some("open") => Ok(()),
        Some(_) => Err("a session in use is not open".to_owned()),
        None => known.expect_result(),
    };
    test.judge("agent.status.open", open, &known.entries());
    let unknown = test
        .call("session/status", json!({ "sessionId": "no-such-session" }))
        .await;
    test.judge_error("agent.status.unknown", &unknown, &[-32002]);
    Ok(())
}

async fn title(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/title") {
        return Ok(());
    }
    let params = json!({ "sessionId": session, "title": "A fine title" });
    let set = test.call("session/set_title", params).await;
    let stored = match set.result().map(|it| text(it, "/title")) {
        Some("") => Err("the response has no title".to_owned()),
        Some(_) => Ok(()),
        None => set.expect_result(),
    };
    test.judge("agent.title.stored", stored, &set.entries());
    let empty = test
        .call(
            "session/set_title",
            json!({ "sessionId": session, "title": "  " }),
        )
        .await;
    test.judge_error("agent.title.empty", &empty, &[-32602]);
    Ok(())
}

async fn fork(test: &mut AgentTest, session: &str, prompt: &str) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/fork") {
        return Ok(());
    }
    let cwd = test.cwd();
    let params = |id: &str| json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] });
    let forked = test.call("session/fork", params(session)).await;
    let id = forked.result().map(|it| text(it, "/sessionId").to_owned());
    let new = match &id {
        Some(id) if !id.is_empty() && id != session => Ok(()),
        Some(_) => Err("the fork has no id of its own".to_owned()),
        None => forked.expect_result(),
    };
    test.judge("agent.fork.new-id", new, &forked.entries());
    if let Some(id) = id {
        let prompted = test.prompt(&id, prompt).await;
        test.judge_result("agent.fork.prompt", &prompted);
    }
    let unknown = test.call("session/fork", params("no-such-session")).await;
    test.judge_error("agent.fork.unknown", &unknown, &[]);
    Ok(())
}

async fn archive(test: &mut AgentTest, session: &str) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/archive") {
        return Ok(());
    }
    let params = json!({ "sessionId": session });
    let first = test.call("session/archive", params.clone()).await;
    let second = test.call("session/archive", params.clone()).await;
    let twice = first.expect_result().and(second.expect_result());
    test.judge(
        "agent.archive.twice",
        twice,
        &[first.entries(), second.entries()].concat(),
    );
    let back = test.call("session/unarchive", params).await;
    test.judge_result("agent.archive.back", &back);
    let unknown = test
        .call("session/archive", json!({ "sessionId": "no-such-session" }))
        .await;
    test.judge_error("agent.archive.unknown", &unknown, &[-32002]);
    let filter = test
        .call("session/list", json!({ "archived": "sideways" }))
        .await;
    test.judge_error("agent.archive.filter", &filter, &[-32602]);
    Ok(())
}

async fn close(test: &mut AgentTest) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/close") {
        return Ok(());
    }
    let idle = test.new_session().await?;
    let closed = test
        .call("session/close", json!({ "sessionId": idle }))
        .await;
    test.judge_result("agent.close.idle", &closed);
    let unknown = test
        .call("session/close", json!({ "sessionId": "no-such-session" }))
        .await;
    test.judge_response("agent.close.unknown", &unknown);
    if let Some(long) = test.prompt_text(PromptKind::Long) {
        let busy = test.new_session().await?;
        let request = test.send_prompt(&busy, &long).await?;
        let begun = test
            .connection()?
            .wait_for(|it| text(it, "/params/sessionId") == busy)
            .await;
        let closed = test
            .call("session/close", json!({ "sessionId": busy }))
            .await;
        let turn = test.wait_for_response(request).await?;
        let entries = [
            begun.into_iter().collect(),
            closed.entries(),
            turn.entries(),
        ]
        .concat();
        let stopped = match turn.result().map(|it| text(it, "/stopReason")) {
            Some("cancelled") => Ok(()),
            Some(_) => Err("the turn did not end with cancelled".to_owned()),
            None => turn.expect_result(),
        };
        test.judge(
            "agent.close.cancels",
            closed.expect_result().and(stopped),
            &entries,
        );
    }
    Ok(())
}

async fn delete(test: &mut AgentTest, prompt: &str) -> Result<(), AbortReason> {
    if !test.offers("/sessionCapabilities/delete") {
        return Ok(());
    }
    let session = test.new_session().await?;
    test.prompt(&session, prompt).await;
    let deleted = test
        .call("session/delete", json!({ "sessionId": session }))
        .await;
    test.judge_result("agent.delete.works", &deleted);
    let again = test
        .call("session/delete", json!({ "sessionId": session }))
        .await;
    test.judge_result("agent.delete.twice", &again);
    let unknown = test
        .call("session/delete", json!({ "sessionId": "no-such-session" }))
        .await;
    test.judge_result("agent.delete.unknown", &unknown);
    if test.offers("/sessionCapabilities/list") {
        let listed = test.call("session/list", json!({})).await;
        if let Some(sessions) = listed
            .result()
            .and_then(|it| it.get("sessions")?.as_array())
        {
            let there = sessions.iter().any(|it| text(it, "/sessionId") == session);
            let gone = if there {
                Err("the session is still in the list".to_owned())
            } else {
                Ok(())
            };
            test.judge(
                "agent.delete.gone",
                gone,
                &[deleted.entries(), listed.entries()].concat(),
            );
        }
    }
    Ok(())
}

const MOST_PAGES: usize = 50;

const CHECKS: &[Check] = &[
    must(
        "agent.list.answers",
        "79",
        "session/list gets a response with a list.",
        "Send [] if there are no sessions.",
    )
    .when_advertised("sessionCapabilities.list"),
    must(
        "agent.list.whole",
        "13",
        "Each session in the list has an id and an absolute cwd.",
        "Readers skip an entry without it.",
    )
    .when_advertised("sessionCapabilities.list"),
    must(
        "agent.list.ends",
        "80",
        "The pages of a list end.",
        "Omit nextCursor on the last page.",
    )
    .when_advertised("sessionCapabilities.list"),
    should(
        "agent.list.has-session",
        "79",
        "A session that had a turn is in the list.",
        "List the sessions that can be continued.",
    )
    .when_advertised("sessionCapabilities.list"),
    should(
        "agent.list.by-cwd",
        "79",
        "A list for another directory does not include sessions of this one.",
        "Filter by cwd if it is given.",
    )
    .when_advertised("sessionCapabilities.list"),
    should(
        "agent.list.bad-cursor",
        "82",
        "An invalid cursor is rejected.",
        "Reject it with -32602.",
    )
    .when_advertised("sessionCapabilities.list"),
    must(
        "agent.status.open",
        "90",
        "The status of a session in use is open.",
        "Respond with open.",
    )
    .when_advertised("sessionCapabilities.status"),
    must(
        "agent.status.unknown",
        "90",
        "The status of an unknown session is rejected with -32002.",
        "Reject it with -32002.",
    )
    .when_advertised("sessionCapabilities.status"),
    observed(
        "agent.title.stored",
        "92",
        "The response contains the title as stored.",
        "Respond with the title.",
    )
    .when_advertised("sessionCapabilities.title"),
    observed(
        "agent.title.empty",
        "92",
        "An empty title is rejected with -32602.",
        "Reject it with -32602.",
    )
    .when_advertised("sessionCapabilities.title"),
    must(
        "agent.fork.new-id",
        "52",
        "A fork has an id of its own.",
        "Choose a new id.",
    )
    .when_advertised("sessionCapabilities.fork"),
    must(
        "agent.fork.prompt",
        "36",
        "A fork accepts a prompt at once.",
        "A fork needs no session/load.",
    )
    .when_advertised("sessionCapabilities.fork"),
    must(
        "agent.fork.unknown",
        "",
        "Forking an unknown session is rejected.",
        "Reject it with -32002.",
    )
    .when_advertised("sessionCapabilities.fork"),
    must(
        "agent.archive.twice",
        "88",
        "Archiving twice succeeds.",
        "The session is archived already.",
    )
    .when_advertised("sessionCapabilities.archive"),
    must(
        "agent.archive.back",
        "88",
        "An archived session can be unarchived.",
        "Respond to session/unarchive.",
    )
    .when_advertised("sessionCapabilities.archive"),
    must(
        "agent.archive.unknown",
        "88",
        "Archiving an unknown session is rejected with -32002.",
        "Reject it with -32002.",
    )
    .when_advertised("sessionCapabilities.archive"),
    must(
        "agent.archive.filter",
        "89",
        "An unknown filter is rejected with -32602.",
        "Reject it with -32602.",
    )
    .when_advertised("sessionCapabilities.archive"),
    must(
        "agent.close.idle",
        "61",
        "A session can be closed.",
        "Respond to session/close.",
    )
    .when_advertised("sessionCapabilities.close"),
    must(
        "agent.close.unknown",
        "62",
        "Closing an unknown session gets a response.",
        "Reject it or not, but respond.",
    )
    .when_advertised("sessionCapabilities.close"),
    must(
        "agent.close.cancels",
        "61",
        "Closing a session cancels its turn.",
        "Respond to the prompt with cancelled, then to the close.",
    )
    .when_prompted(PromptKind::Long),
    must(
        "agent.delete.works",
        "86",
        "A session can be deleted.",
        "Respond to session/delete.",
    )
    .when_advertised("sessionCapabilities.delete"),
    should(
        "agent.delete.twice",
        "87",
        "Deleting a session twice succeeds.",
        "The session is gone, as requested.",
    )
    .when_advertised("sessionCapabilities.delete"),
    should(
        "agent.delete.unknown",
        "87",
        "Deleting an unknown session succeeds.",
        "The session is gone, as requested.",
    )
    .when_advertised("sessionCapabilities.delete"),
    must(
        "agent.delete.gone",
        "86",
        "A deleted session is not in the list.",
        "Remove it from the list.",
    )
    .when_advertised("sessionCapabilities.delete"),
];
