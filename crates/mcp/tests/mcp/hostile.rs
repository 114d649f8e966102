//! Tests of hostile and broken servers: their effect is bounded, and no caller waits for them forever.

use std::time::{Duration, Instant};

use attache_mcp::{ServerContext, ServerStatus, Servers};
use expect_test::expect;

use crate::test_session::{TestSession, said, stdio};
use crate::trials;

trials!(
    a_server_that_never_answers_fails_in_time,
    a_server_that_prints_to_its_output_works,
    a_server_that_floods_does_not_hold_up_the_rest,
    a_server_that_floods_while_it_is_called_is_given_up,
    events_that_nobody_takes_hold_up_nothing,
    pages_without_end_are_cut_off,
    a_bad_tool_costs_only_itself,
    a_malformed_schema_costs_only_its_tool,
    a_long_result_is_cut_and_says_so,
    an_answer_that_cannot_be_read_fails_at_once,
    more_servers_than_a_session_takes_fail,
);

async fn a_server_that_never_answers_fails_in_time() {
    let begun = Instant::now();
    let desk = TestSession::open_with(vec![stdio("fake", "silent")], |place| {
        place.deadline = Duration::from_millis(300);
    })
    .await;
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(
        desk.status(),
        ServerStatus::Failed("it did not answer in time".to_owned())
    );
    desk.servers.close().await;
}

async fn a_server_that_prints_to_its_output_works() {
    let desk = TestSession::open(vec![stdio("fake", "prints")]).await;
    assert_eq!(desk.call("echo").await, "nothing");
}

async fn a_server_that_floods_does_not_hold_up_the_rest() {
    let list = vec![stdio("flood", "floods"), stdio("fake", "")];
    let desk = TestSession::open_with(list, |place| place.deadline = Duration::from_secs(4)).await;
    assert_eq!(desk.call("echo").await, "nothing");
    assert!(
        matches!(&desk.status(), ServerStatus::Failed(_)),
        "{:?}",
        desk.status()
    );
}

async fn a_server_that_floods_while_it_is_called_is_given_up() {
    for manner in ["flood", "chatter"] {
        let list = vec![stdio("fake", ""), stdio("other", "")];
        let desk =
            TestSession::open_with(list, |place| place.patience = Duration::from_secs(2)).await;
        expect!["failed: the MCP server `fake` failed: no answer and no progress for 2 s"]
            .assert_eq(&desk.call(manner).await);
        let outcome = desk.servers.call("mcp__other__echo", "", drop).await;
        assert_eq!(said(&outcome), "nothing");
        let begun = Instant::now();
        desk.servers.close().await;
        assert!(begun.elapsed() < Duration::from_secs(8));
    }
}

async fn events_that_nobody_takes_hold_up_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (sender, _events) = tokio::sync::mpsc::channel(1);
    let list = vec![
        stdio("gone", "exits"),
        stdio("gone", "exits"),
        stdio("fake", ""),
    ];
    let servers = Servers::connect(list, ServerContext::new(place.path()), sender);
    servers.ready().await;
    let outcome = servers.call("mcp__fake__echo", "", drop).await;
    assert_eq!(said(&outcome), "nothing");
    let begun = Instant::now();
    servers.close().await;
    assert!(begun.elapsed() < Duration::from_secs(8));
}

async fn pages_without_end_are_cut_off() {
    let desk = TestSession::open(vec![stdio("fake", "endless")]).await;
    let ServerStatus::Ready {
        tools, left_out, ..
    } = desk.status()
    else {
        panic!("{:?}", desk.status());
    };
    assert_eq!((tools, left_out), (256, 44));
}

async fn a_bad_tool_costs_only_itself() {
    let desk = TestSession::open(vec![stdio("fake", "sloppy")]).await;
    let names: Vec<_> = desk
        .servers
        .tools()
        .into_iter()
        .map(|tool| tool.full_name)
        .collect();
    assert_eq!(names, ["mcp__fake__good"]);
    assert!(
        matches!(desk.status(), ServerStatus::Ready { left_out: 4, .. }),
        "{:?}",
        desk.status()
    );
}

async fn a_malformed_schema_costs_only_its_tool() {
    let desk = TestSession::open(vec![stdio("fake", "malformed")]).await;
    let tools = desk.servers.tools();
    let names: Vec<_> = tools.iter().map(|tool| tool.full_name.as_str()).collect();
    assert_eq!(names, ["mcp__fake__first", "mcp__fake__last"]);
    let status = desk.status();
    assert!(
        matches!(status, ServerStatus::Ready { left_out: 8, .. }),
        "{status:?}"
    );
}

async fn a_long_result_is_cut_and_says_so() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let wide = desk.call("wide").await;
    assert!(wide.len() < 100_000);
    expect!["e wide wide | [401696 bytes of text were left out]"]
        .assert_eq(&wide[wide.find(" | ").unwrap() - 11..]);
    let many = desk.call("many").await;
    expect!["part | [436 parts were left out]"].assert_eq(&many[many.len() - 32..]);
}

async fn an_answer_that_cannot_be_read_fails_at_once() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    expect!["failed: the MCP server `fake` failed: the answer is longer than 16 MiB"]
        .assert_eq(&desk.call("huge").await);
    expect!["failed: the MCP server `fake` failed: the answer cannot be read"]
        .assert_eq(&desk.call("deep").await);
    expect!["failed: the MCP server `fake` failed: the answer cannot be read"]
        .assert_eq(&desk.call("odd").await);
    assert_eq!(desk.call("echo").await, "nothing");
}

async fn more_servers_than_a_session_takes_fail() {
    let list = (0..34).map(|_| stdio("fake", "exits")).collect();
    let desk = TestSession::open(list).await;
    let last = desk.servers.states().pop().unwrap();
    assert_eq!(
        last.status,
        ServerStatus::Failed("a session has at most 32 servers".to_owned())
    );
}
