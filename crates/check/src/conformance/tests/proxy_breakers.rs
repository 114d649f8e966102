//! Mock proxies that break one rule each.

use std::collections::BTreeSet;

use super::mutation::Change::{Before, Die, Drop, Later, Linger, Remove, Result, Set};
use super::mutation::On::{Answer, Bytes, Call, In, Line, Start, Update};
use super::mutation::{Breaker, b};
use super::{astray, complete, ids, mock_proxy, options, told};
use crate::conformance::{Report, Subject, Verdict, check_proxy};

async fn check(breaker: Option<&'static Breaker>) -> Report {
    let folder = tempfile::tempdir().unwrap();
    check_proxy(mock_proxy::launch(breaker), options(folder.path())).await
}

#[tokio::test(start_paused = true)]
async fn a_proxy_that_conforms_passes_everything() {
    let report = check(None).await;
    assert_eq!(told(&report), "");
    assert_eq!(ids(&report, Verdict::NotExercised), BTreeSet::new());
}

#[test]
fn every_check_has_its_breaker() {
    complete(Subject::Proxy, ALL.iter());
}

#[tokio::test(start_paused = true)]
async fn each_fails_alone() {
    let mut wrong = String::new();
    for breaker in ALL {
        let report = check(Some(breaker)).await;
        wrong += &astray(breaker, &report);
    }
    assert!(wrong.is_empty(), "these break something else:\n{wrong}");
}

const NEWS: &str = r#"{"jsonrpc":"2.0","method":"_own/x","params":{}}"#;

static ALL: &[Breaker] = &[
    b(
        "proxy.init.forwarded",
        "passing",
        In("initialize"),
        "",
        Drop,
    ),
    b(
        "proxy.init.version",
        "passing",
        In("initialize"),
        "",
        Set("/params/protocolVersion", "2"),
    ),
    b(
        "proxy.init.client-capabilities",
        "passing",
        In("initialize"),
        "",
        Set("/params/clientCapabilities/terminal", "true"),
    ),
    b(
        "proxy.init.meta",
        "passing",
        In("initialize"),
        "",
        Remove("/params/_meta"),
    ),
    b(
        "proxy.init.agent-capabilities",
        "passing",
        Answer("initialize"),
        "",
        Set("/result/agentCapabilities/loadSession", "false"),
    ),
    b(
        "proxy.init.logins",
        "passing",
        Answer("initialize"),
        "",
        Remove("/result/authMethods"),
    ),
    b(
        "proxy.forward.request",
        "passing",
        In("session/new"),
        "",
        Set("/params/cwd", "\"/x\""),
    ),
    b(
        "proxy.forward.meta",
        "passing",
        In("session/prompt"),
        "x.y/z",
        Remove("/params/_meta"),
    ),
    b(
        "proxy.forward.unknown-members",
        "passing",
        In("session/prompt"),
        "moonPhase",
        Remove("/params/weather"),
    ),
    b(
        "proxy.forward.unknown-content",
        "passing",
        In("session/prompt"),
        "smell",
        Set("/params/prompt", "[]"),
    ),
    b(
        "proxy.forward.extension",
        "passing",
        In("_attache.check/echo"),
        "\"a\":[]",
        Set("/params/value", "1"),
    ),
    b(
        "proxy.forward.unknown-method",
        "passing",
        In("future/method"),
        "",
        Set("/params/a", "2"),
    ),
    b(
        "proxy.forward.unicode",
        "passing",
        In("_attache.check/echo"),
        "žluť",
        Set("/params/value", "1"),
    ),
    b(
        "proxy.forward.large",
        "passing",
        In("_attache.check/echo"),
        "xxxxxxxx",
        Set("/params/value", "1"),
    ),
    b(
        "proxy.forward.result",
        "passing",
        Answer("session/new"),
        "",
        Set("/result/own", "9"),
    ),
    b(
        "proxy.backward.request",
        "passing",
        Call("session/request_permission"),
        "",
        Set("/params/sessionId", "\"t\""),
    ),
    b(
        "proxy.backward.meta",
        "passing",
        Call("fs/read_text_file"),
        "",
        Remove("/params/_meta"),
    ),
    b(
        "proxy.backward.unknown-members",
        "passing",
        Call("terminal/create"),
        "",
        Remove("/params/colour"),
    ),
    b(
        "proxy.backward.extension",
        "passing",
        Call("_attache.check/echo"),
        "",
        Set("/params/value", "2"),
    ),
    b(
        "proxy.backward.unknown-method",
        "passing",
        Call("future/question"),
        "",
        Set("/params/a", "2"),
    ),
    b(
        "proxy.backward.result",
        "passing",
        In(""),
        "\"own\":8",
        Remove("/result/own"),
    ),
    b(
        "proxy.forward.notification",
        "passing",
        In("session/cancel"),
        "",
        Remove("/params/_meta"),
    ),
    b(
        "proxy.forward.unknown-notification",
        "passing",
        In("_attache.check/news"),
        "",
        Set("/params/a", "2"),
    ),
    b(
        "proxy.backward.notification",
        "passing",
        Update("agent_message_chunk"),
        "",
        Remove("/params/_meta"),
    ),
    b(
        "proxy.backward.unknown-update",
        "passing",
        Update("smell"),
        "",
        Remove("/params/update/own"),
    ),
    b(
        "proxy.backward.unknown-notification",
        "passing",
        Call("_attache.check/news"),
        "",
        Set("/params/a", "2"),
    ),
    b(
        "proxy.forward.error",
        "passing",
        Answer("_attache.check/fail"),
        "",
        Remove("/error/data"),
    ),
    b(
        "proxy.forward.null",
        "passing",
        Answer("_attache.check/null"),
        "",
        Result("{}"),
    ),
    b(
        "proxy.forward.numbers",
        "passing",
        In("_attache.check/numbers"),
        "",
        Set("/params/b", "1"),
    ),
    b(
        "proxy.id.text",
        "traffic",
        Answer("_attache.check/id"),
        "an id",
        Drop,
    ),
    b(
        "proxy.id.zero",
        "traffic",
        Answer("_attache.check/id"),
        "\"id\":0,",
        Drop,
    ),
    b(
        "proxy.id.large",
        "traffic",
        Answer("_attache.check/id"),
        "9007199254740991",
        Drop,
    ),
    b(
        "proxy.id.both-ways",
        "traffic",
        Answer("_attache.check/one"),
        "",
        Result(r#"{"for":"two"}"#),
    ),
    b(
        "proxy.id.out-of-order",
        "traffic",
        Answer("_attache.check/order"),
        "\"number\":3}",
        Set("/result/number", "4"),
    ),
    b(
        "proxy.order.requests",
        "traffic",
        In("_attache.check/order"),
        "\"number\":3}",
        Later,
    ),
    b(
        "proxy.order.updates",
        "traffic",
        Update("agent_message_chunk"),
        "\"text\":\"7\"",
        Later,
    ),
    b(
        "proxy.order.answer-last",
        "traffic",
        Update("agent_message_chunk"),
        "\"text\":\"199\"",
        Drop,
    ),
    b(
        "proxy.cancel.request",
        "traffic",
        In("$/cancel_request"),
        "",
        Drop,
    ),
    b(
        "proxy.cancel.answer",
        "traffic",
        Answer("_attache.check/slow"),
        "",
        Drop,
    ),
    b(
        "proxy.robust.client-garbage",
        "traffic",
        Line,
        "this is not a message",
        Die,
    ),
    b(
        "proxy.robust.agent-garbage",
        "traffic",
        Bytes,
        "this is not a message",
        Die,
    ),
    b(
        "proxy.quiet.agent",
        "traffic",
        In("_attache.check/one"),
        "",
        Before(NEWS),
    ),
    b(
        "proxy.quiet.client",
        "traffic",
        Answer("_attache.check/one"),
        "",
        Before(NEWS),
    ),
    b(
        "proxy.framing",
        "traffic",
        Answer("_attache.check/one"),
        "",
        Before("hello?"),
    ),
    b("proxy.end.client", "ends", Start, "", Linger).connection(0),
    b("proxy.end.agent", "ends", Start, "", Linger).connection(1),
];
