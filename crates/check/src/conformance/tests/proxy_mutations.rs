//! Proxies that break one rule each.

use std::collections::BTreeSet;

use super::mutation::Change::{Before, Drop, Exit, KeepRunning, Remove, Reorder, Result, Set};
use super::mutation::Target::{Bytes, Incoming, Line, Outgoing, Response, Start, Update};
use super::mutation::{Mutation, mutation};
use super::{
    assert_every_check_has_a_mutation, conformant_proxy, failures, ids, options,
    unexpected_failures,
};
use crate::conformance::{Report, Subject, Verdict, check_proxy};

async fn check(mutation: Option<&'static Mutation>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    check_proxy(conformant_proxy::launch(mutation), options(folder.path())).await
}

#[tokio::test(start_paused = true)]
async fn a_proxy_that_conforms_passes_everything() {
    let report = check(None).await;
    assert_eq!(failures(&report), "");
    assert_eq!(ids(&report, Verdict::NotExercised), BTreeSet::new());
}

#[test]
fn every_check_has_a_mutation() {
    assert_every_check_has_a_mutation(Subject::Proxy, ALL.iter());
}

#[tokio::test(start_paused = true)]
async fn each_mutation_fails_only_its_check() {
    let mut wrong = String::new();
    for mutation in ALL {
        let report = check(Some(mutation)).await;
        wrong += &unexpected_failures(mutation, &report);
    }
    assert!(
        wrong.is_empty(),
        "these mutations fail other checks:\n{wrong}"
    );
}

const NEWS: &str = r#"{"jsonrpc":"2.0","method":"_own/x","params":{}}"#;

static ALL: &[Mutation] = &[
    mutation(
        "proxy.init.forwarded",
        "single-messages",
        Incoming("initialize"),
        "",
        Drop,
    ),
    mutation(
        "proxy.init.version",
        "single-messages",
        Incoming("initialize"),
        "",
        Set("/params/protocolVersion", "2"),
    ),
    mutation(
        "proxy.init.client-capabilities",
        "single-messages",
        Incoming("initialize"),
        "",
        Set("/params/clientCapabilities/terminal", "true"),
    ),
    mutation(
        "proxy.init.meta",
        "single-messages",
        Incoming("initialize"),
        "",
        Remove("/params/_meta"),
    ),
    mutation(
        "proxy.init.agent-capabilities",
        "single-messages",
        Response("initialize"),
        "",
        Set("/result/agentCapabilities/loadSession", "false"),
    ),
    mutation(
        "proxy.init.logins",
        "single-messages",
        Response("initialize"),
        "",
        Remove("/result/authMethods"),
    ),
    mutation(
        "proxy.forward.request",
        "single-messages",
        Incoming("session/new"),
        "",
        Set("/params/cwd", "\"/x\""),
    ),
    mutation(
        "proxy.forward.meta",
        "single-messages",
        Incoming("session/prompt"),
        "x.y/z",
        Remove("/params/_meta"),
    ),
    mutation(
        "proxy.forward.unknown-members",
        "single-messages",
        Incoming("session/prompt"),
        "moonPhase",
        Remove("/params/weather"),
    ),
    mutation(
        "proxy.forward.unknown-content",
        "single-messages",
        Incoming("session/prompt"),
        "smell",
        Set("/params/prompt", "[]"),
    ),
    mutation(
        "proxy.forward.extension",
        "single-messages",
        Incoming("_attache.check/echo"),
        "\"a\":[]",
        Set("/params/value", "1"),
    ),
    mutation(
        "proxy.forward.unknown-method",
        "single-messages",
        Incoming("future/method"),
        "",
        Set("/params/a", "2"),
    ),
    mutation(
        "proxy.forward.unicode",
        "single-messages",
        Incoming("_attache.check/echo"),
        "žluť",
        Set("/params/value", "1"),
    ),
    mutation(
        "proxy.forward.large",
        "single-messages",
        Incoming("_attache.check/echo"),
        "xxxxxxxx",
        Set("/params/value", "1"),
    ),
    mutation(
        "proxy.forward.result",
        "single-messages",
        Response("session/new"),
        "",
        Set("/result/own", "9"),
    ),
    mutation(
        "proxy.backward.request",
        "single-messages",
        Outgoing("session/request_permission"),
        "",
        Set("/params/sessionId", "\"t\""),
    ),
    mutation(
        "proxy.backward.meta",
        "single-messages",
        Outgoing("fs/read_text_file"),
        "",
        Remove("/params/_meta"),
    ),
    mutation(
        "proxy.backward.unknown-members",
        "single-messages",
        Outgoing("terminal/create"),
        "",
        Remove("/params/colour"),
    ),
    mutation(
        "proxy.backward.extension",
        "single-messages",
        Outgoing("_attache.check/echo"),
        "",
        Set("/params/value", "2"),
    ),
    mutation(
        "proxy.backward.unknown-method",
        "single-messages",
        Outgoing("future/question"),
        "",
        Set("/params/a", "2"),
    ),
    mutation(
        "proxy.backward.result",
        "single-messages",
        Incoming(""),
        "\"own\":8",
        Remove("/result/own"),
    ),
    mutation(
        "proxy.forward.notification",
        "single-messages",
        Incoming("session/cancel"),
        "",
        Remove("/params/_meta"),
    ),
    mutation(
        "proxy.forward.unknown-notification",
        "single-messages",
        Incoming("_attache.check/news"),
        "",
        Set("/params/a", "2"),
    ),
    mutation(
        "proxy.backward.notification",
        "single-messages",
        Update("agent_message_chunk"),
        "",
        Remove("/params/_meta"),
    ),
    mutation(
        "proxy.backward.unknown-update",
        "single-messages",
        Update("smell"),
        "",
        Remove("/params/update/own"),
    ),
    mutation(
        "proxy.backward.unknown-notification",
        "single-messages",
        Outgoing("_attache.check/news"),
        "",
        Set("/params/a", "2"),
    ),
    mutation(
        "proxy.forward.error",
        "single-messages",
        Response("_attache.check/fail"),
        "",
        Remove("/error/data"),
    ),
    mutation(
        "proxy.forward.null",
        "single-messages",
        Response("_attache.check/null"),
        "",
        Result("{}"),
    ),
    mutation(
        "proxy.forward.numbers",
        "single-messages",
        Incoming("_attache.check/numbers"),
        "",
        Set("/params/b", "1"),
    ),
    mutation(
        "proxy.id.text",
        "concurrent-messages",
        Response("_attache.check/id"),
        "an id",
        Drop,
    ),
    mutation(
        "proxy.id.zero",
        "concurrent-messages",
        Response("_attache.check/id"),
        "\"id\":0,",
        Drop,
    ),
    mutation(
        "proxy.id.large",
        "concurrent-messages",
        Response("_attache.check/id"),
        "9007199254740991",
        Drop,
    ),
    mutation(
        "proxy.id.both-ways",
        "concurrent-messages",
        Response("_attache.check/one"),
        "",
        Result(r#"{"for":"two"}"#),
    ),
    mutation(
        "proxy.id.out-of-order",
        "concurrent-messages",
        Response("_attache.check/order"),
        "\"number\":3}",
        Set("/result/number", "4"),
    ),
    mutation(
        "proxy.order.requests",
        "concurrent-messages",
        Incoming("_attache.check/order"),
        "\"number\":3}",
        Reorder,
    ),
    mutation(
        "proxy.order.updates",
        "concurrent-messages",
        Update("agent_message_chunk"),
        "\"text\":\"7\"",
        Reorder,
    ),
    mutation(
        "proxy.order.answer-last",
        "concurrent-messages",
        Update("agent_message_chunk"),
        "\"text\":\"199\"",
        Drop,
    ),
    mutation(
        "proxy.cancel.request",
        "concurrent-messages",
        Incoming("$/cancel_request"),
        "",
        Drop,
    ),
    mutation(
        "proxy.cancel.answer",
        "concurrent-messages",
        Response("_attache.check/slow"),
        "",
        Drop,
    ),
    mutation(
        "proxy.robust.client-garbage",
        "concurrent-messages",
        Line,
        "this is not a message",
        Exit,
    ),
    mutation(
        "proxy.robust.agent-garbage",
        "concurrent-messages",
        Bytes,
        "this is not a message",
        Exit,
    ),
    mutation(
        "proxy.quiet.agent",
        "concurrent-messages",
        Incoming("_attache.check/one"),
        "",
        Before(NEWS),
    ),
    mutation(
        "proxy.quiet.client",
        "concurrent-messages",
        Response("_attache.check/one"),
        "",
        Before(NEWS),
    ),
    mutation(
        "proxy.framing",
        "concurrent-messages",
        Response("_attache.check/one"),
        "",
        Before("hello?"),
    ),
    mutation("proxy.end.client", "disconnection", Start, "", KeepRunning).connection(0),
    mutation("proxy.end.agent", "disconnection", Start, "", KeepRunning).connection(1),
];
