//! Many messages at once: ids, order, cancellation.

use attache_testkit::Side;
use serde_json::{Value, json};

use super::passage::{Passage, id};
use crate::conformance::Check;
use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, should};
use crate::conformance::json::{Shape, method, shape};

pub(super) const ACT: Act<Passage> = Act {
    name: "traffic",
    checks: CHECKS,
    play,
};

fn play(passage: &mut Passage) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        passage.open().await?;
        ids(passage).await?;
        out_of_order(passage).await?;
        updates(passage).await?;
        cancel(passage).await?;
        quiet(passage)?;
        garbage(passage).await
    })
}

async fn ids(passage: &mut Passage) -> Result<(), Stop> {
    for (check, wire) in [
        ("proxy.id.text", json!("an id ž")),
        ("proxy.id.zero", json!(0)),
        ("proxy.id.large", json!(9_007_199_254_740_991_i64)),
    ] {
        let asked = passage
            .front()?
            .start_as(wire, "_attache.check/id", json!({}))
            .await;
        let Some(heard) = passage.at_back("_attache.check/id").await else {
            continue;
        };
        passage.back()?.reply(&id(&heard.message), json!({})).await;
        let answer = passage.front()?.finish(asked).await;
        passage.judge_both(check, answer.went_well(), &answer.entries(), &[heard.entry]);
    }
    let ours = passage
        .front()?
        .start_as(json!(77), "_attache.check/one", json!({}))
        .await;
    let theirs = passage
        .back()?
        .start_as(json!(77), "_attache.check/two", json!({}))
        .await;
    let one = passage.at_back("_attache.check/one").await;
    let two = passage.at_front("_attache.check/two").await;
    let (Some(one), Some(two)) = (one, two) else {
        return Ok(());
    };
    passage
        .front()?
        .reply(&id(&two.message), json!({ "for": "two" }))
        .await;
    passage
        .back()?
        .reply(&id(&one.message), json!({ "for": "one" }))
        .await;
    let (ours, theirs) = (
        passage.front()?.finish(ours).await,
        passage.back()?.finish(theirs).await,
    );
    let right = ours.result() == Some(&json!({ "for": "one" }))
        && theirs.result() == Some(&json!({ "for": "two" }));
    let right = right
        .then_some(())
        .ok_or("the responses are mixed up or missing".to_owned());
    passage.judge_both(
        "proxy.id.both-ways",
        right,
        &ours.entries(),
        &theirs.entries(),
    );
    Ok(())
}

async fn out_of_order(passage: &mut Passage) -> Result<(), Stop> {
    let mut asked = Vec::new();
    for number in 0..10 {
        let params = json!({ "number": number });
        asked.push(passage.front()?.start("_attache.check/order", params).await);
    }
    let mut heard = Vec::new();
    for _ in 0..10 {
        heard.extend(passage.at_back("_attache.check/order").await);
    }
    let numbers: Vec<i64> = heard
        .iter()
        .filter_map(|it| it.message.pointer("/params/number")?.as_i64())
        .collect();
    let in_order = (numbers == (0..10).collect::<Vec<i64>>()).then_some(());
    let entries: Vec<usize> = heard.iter().map(|it| it.entry).take(4).collect();
    let in_order = in_order.ok_or("requests are missing or out of order".to_owned());
    passage.judge_both("proxy.order.requests", in_order, &[], &entries);
    for it in heard.iter().rev() {
        let number = it
            .message
            .pointer("/params/number")
            .cloned()
            .unwrap_or_default();
        passage
            .back()?
            .reply(&id(&it.message), json!({ "number": number }))
            .await;
    }
    let (mut right, mut entries) = (Ok(()), Vec::new());
    for (number, asked) in asked.into_iter().enumerate() {
        let answer = passage.front()?.finish(asked).await;
        if answer.result() != Some(&json!({ "number": number })) {
            right = Err("a response went to another request, or to none".to_owned());
            entries = answer.entries();
        }
    }
    passage.judge("proxy.id.out-of-order", right, &entries);
    Ok(())
}

async fn updates(passage: &mut Passage) -> Result<(), Stop> {
    let asked = passage
        .front()?
        .start("session/prompt", json!({ "sessionId": "s", "prompt": [] }))
        .await;
    let Some(prompt) = passage.at_back("session/prompt").await else {
        return Ok(());
    };
    for number in 0..200 {
        let text = number.to_string();
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        passage
            .back()?
            .tell(
                "session/update",
                json!({ "sessionId": "s", "update": update }),
            )
            .await;
    }
    passage
        .back()?
        .reply(&id(&prompt.message), json!({ "stopReason": "end_turn" }))
        .await;
    let answer = passage.front()?.finish(asked).await;
    let heard = passage.front()?.conversation().messages(Side::Agent);
    let text = |it: &Value| {
        Some(
            it.pointer("/params/update/content/text")?
                .as_str()?
                .to_owned(),
        )
    };
    let told: Vec<(usize, String)> = heard
        .filter_map(|(entry, it)| Some((entry, text(it)?)))
        .collect();
    let numbers: Vec<String> = told.iter().map(|(_, text)| text.clone()).collect();
    let all: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let mut sorted = numbers.clone();
    sorted.sort_by_key(|it| it.parse::<u32>().unwrap_or_default());
    let in_order = (numbers == sorted)
        .then_some(())
        .ok_or("updates are out of order".to_owned());
    passage.judge("proxy.order.updates", in_order, &answer.entries());
    let last = (sorted == all)
        .then_some(())
        .ok_or("an update was lost, sent twice, or came after the response".to_owned());
    passage.judge("proxy.order.answer-last", last, &answer.entries());
    Ok(())
}

async fn cancel(passage: &mut Passage) -> Result<(), Stop> {
    let asked = passage
        .front()?
        .start_as(json!("to-cancel"), "_attache.check/slow", json!({}))
        .await;
    let Some(heard) = passage.at_back("_attache.check/slow").await else {
        return Ok(());
    };
    let told = passage
        .front()?
        .tell("$/cancel_request", json!({ "requestId": "to-cancel" }))
        .await;
    let cancelled = passage.at_back("$/cancel_request").await;
    let named = cancelled
        .as_ref()
        .and_then(|it| it.message.pointer("/params/requestId").cloned());
    let right = match named {
        Some(named) if named == id(&heard.message) => Ok(()),
        Some(_) => Err("another request is cancelled".to_owned()),
        None => Err("$/cancel_request did not arrive".to_owned()),
    };
    let entries: Vec<usize> = cancelled
        .iter()
        .map(|it| it.entry)
        .chain([heard.entry])
        .collect();
    passage.judge_both("proxy.cancel.request", right, &[told], &entries);
    let error = json!({ "code": -32800, "message": "cancelled" });
    let failure = json!({ "jsonrpc": "2.0", "id": id(&heard.message), "error": error });
    passage.back()?.say(&failure).await;
    let answer = passage.front()?.finish(asked).await;
    passage.judge(
        "proxy.cancel.answer",
        answer.was_answered(),
        &answer.entries(),
    );
    Ok(())
}

async fn garbage(passage: &mut Passage) -> Result<(), Stop> {
    for (check, from_front) in [
        ("proxy.robust.client-garbage", true),
        ("proxy.robust.agent-garbage", false),
    ] {
        passage.open().await?;
        let line = b"this is not a message\n";
        let told = match from_front {
            true => passage.front()?.say_raw(line).await,
            false => passage.back()?.say_raw(line).await,
        };
        let asked = passage
            .front()?
            .start("_attache.check/after", json!({}))
            .await;
        let heard = passage.at_back("_attache.check/after").await;
        if let Some(heard) = &heard {
            passage.back()?.reply(&id(&heard.message), json!({})).await;
        }
        let answer = passage.front()?.finish(asked).await;
        let outcome = answer
            .went_well()
            .map_err(|why| format!("afterwards {why}"));
        passage.judge(check, outcome, &[vec![told], answer.entries()].concat());
    }
    Ok(())
}

/// That nothing came out that nobody said.
fn quiet(passage: &mut Passage) -> Result<(), Stop> {
    let calls = |it: &Value| matches!(shape(it), Shape::Request | Shape::Notification);
    let conversation = passage.back()?.conversation();
    let heard: Vec<usize> = conversation
        .messages(Side::Client)
        .filter(|(_, it)| calls(it) && !is_ours(it))
        .map(|(entry, _)| entry)
        .collect();
    let quiet = heard
        .is_empty()
        .then_some(())
        .ok_or("a call arrived that nobody sent".to_owned());
    passage.judge_both("proxy.quiet.agent", quiet, &[], &heard);
    let conversation = passage.front()?.conversation();
    let heard: Vec<usize> = conversation
        .messages(Side::Agent)
        .filter(|(_, it)| calls(it) && !is_ours(it))
        .map(|(entry, _)| entry)
        .collect();
    let quiet = heard
        .is_empty()
        .then_some(())
        .ok_or("a call arrived that nobody sent".to_owned());
    passage.judge("proxy.quiet.client", quiet, &heard);
    let framing = framed(passage.front()?.conversation(), Side::Agent)
        .and(framed(passage.back()?.conversation(), Side::Client));
    passage.judge("proxy.framing", framing, &[]);
    Ok(())
}

fn is_ours(message: &Value) -> bool {
    let name = method(message);
    name.starts_with("_attache.check/")
        || matches!(
            name,
            "initialize" | "session/prompt" | "session/update" | "$/cancel_request"
        )
}

fn framed(conversation: &crate::conformance::Conversation, side: Side) -> Result<(), String> {
    let lines = conversation.said.iter().filter(|said| said.from == side);
    for said in lines {
        if let crate::conformance::What::Line(line, json) = &said.what {
            let garbage = line.starts_with(b"this is not a message");
            let whole = json
                .as_ref()
                .is_some_and(|it| it.get("jsonrpc") == Some(&json!("2.0")));
            let right = whole && line.ends_with(b"\n");
            if !(garbage || right) {
                return Err("a line arrived that is not a message".to_owned());
            }
        }
    }
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "proxy.id.text",
        "21",
        "A response comes back with the id of the request: a string.",
        "Keep the id for the response.",
    ),
    must(
        "proxy.id.zero",
        "21",
        "A response comes back with the id of the request: 0.",
        "0 is an id like any other.",
    ),
    must(
        "proxy.id.large",
        "21",
        "A response comes back with the id of the request: a large number.",
        "Keep ids as they are on the wire, not as floats.",
    ),
    must(
        "proxy.id.both-ways",
        "21",
        "Both sides can have an open request with the same id.",
        "Each side numbers its own requests.",
    ),
    must(
        "proxy.id.out-of-order",
        "21",
        "Responses out of order reach the right requests.",
        "Find the request by its id.",
    ),
    must(
        "proxy.order.requests",
        "186",
        "Requests arrive in the order in which they were sent.",
        "Forward in order.",
    ),
    must(
        "proxy.order.updates",
        "186",
        "Updates arrive in the order in which they were sent.",
        "Forward in order.",
    ),
    must(
        "proxy.order.answer-last",
        "108",
        "The response to a prompt comes after all of its updates.",
        "Send responses and updates through one queue.",
    ),
    should(
        "proxy.cancel.request",
        "187",
        "$/cancel_request names the request as the agent knows it.",
        "Translate the id if you translate ids.",
    ),
    must(
        "proxy.cancel.answer",
        "110",
        "A cancelled request gets a response.",
        "Forward the response, or respond with -32800.",
    ),
    must(
        "proxy.robust.client-garbage",
        "17",
        "An invalid line from the client does not end the connection.",
        "Forward it, or reject it, and continue.",
    ),
    must(
        "proxy.robust.agent-garbage",
        "17",
        "An invalid line from the agent does not end the connection.",
        "Forward it, or drop it, and continue.",
    ),
    must(
        "proxy.quiet.agent",
        "186",
        "The agent receives only what was sent.",
        "Send messages of your own only when you must.",
    ),
    must(
        "proxy.quiet.client",
        "186",
        "The client receives only what was sent.",
        "Send messages of your own only when you must.",
    ),
    must(
        "proxy.framing",
        "1",
        "Every line that is forwarded is one JSON-RPC message.",
        "Write the line feed with the message.",
    ),
];
