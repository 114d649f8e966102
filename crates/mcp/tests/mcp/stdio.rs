//! Tests of servers over standard input and output.

use std::time::{Duration, Instant};

use attache::v1;
use attache_mcp::{Content, Error, ServerEvent, ServerStatus};
use expect_test::expect;

use crate::test_session::{CANARY, TestSession, said, stdio, stdio_of, wait_for};
use crate::trials;

trials!(
    tools_have_safe_names_and_their_hints,
    servers_of_one_name_work_side_by_side,
    a_call_gives_back_what_the_server_said,
    a_server_runs_in_the_directory_of_the_session,
    a_call_says_how_far_it_has_come,
    a_call_that_is_dropped_is_cancelled,
    a_call_without_answer_ends_at_its_deadline,
    a_server_that_dies_takes_its_call_with_it,
    connecting_again_is_not_stopped_halfway,
    a_server_that_does_not_start_says_why,
    a_server_that_ends_at_once_says_its_last_words,
    a_failure_costs_the_other_servers_nothing,
    lists_are_asked_for_again_when_they_change,
    prompts_are_commands,
    resources_are_links_that_can_be_read,
    a_server_may_ask_for_roots_but_not_for_the_model,
    a_server_without_handshake_is_found_out,
    closing_ends_the_processes,
    dropping_ends_the_processes,
    no_secret_is_ever_shown,
);

async fn tools_have_safe_names_and_their_hints() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let tools = desk.servers.tools();
    let lines = tools.iter().take(3).map(|tool| {
        let (read_only, destructive) = (tool.read_only, tool.destructive);
        let title = &tool.title;
        format!("{} {title:?} {read_only} {destructive}\n", tool.full_name)
    });
    expect![[r#"
        mcp__fake__echo "Echo it" true false
        mcp__fake__erase_all "erase.all" false true
        mcp__fake__where "where" false true
    "#]]
    .assert_eq(&lines.collect::<String>());
    expect![[r#"{"type":"object","properties":{"text":{"type":"string"}}}"#]]
        .assert_eq(&tools[0].input_schema.to_string());
    expect![[r#"
        Servers(
            [
                ServerState {
                    name: "fake",
                    transport: "stdio",
                    status: Ready {
                        tools: 24,
                        prompts: 1,
                        resources: 1,
                        left_out: 0,
                        version: Some(
                            "fake 1.2",
                        ),
                    },
                },
            ],
        )
    "#]]
    .assert_debug_eq(&desk.servers);
    desk.servers.close().await;
}

async fn servers_of_one_name_work_side_by_side() {
    let desk = TestSession::open(vec![stdio("my tool", ""), stdio("my tool", "")]).await;
    let names: Vec<_> = desk
        .servers
        .states()
        .into_iter()
        .map(|state| state.name)
        .collect();
    assert_eq!(names, ["my tool", "my tool (2)"]);
    for name in ["mcp__my_tool__echo", "mcp__my_tool_2__echo"] {
        let outcome = desk.servers.call(name, r#"{"text":"hi"}"#, drop).await;
        assert_eq!(said(&outcome), "hi");
    }
}

async fn a_call_gives_back_what_the_server_said() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    assert_eq!(desk.call_with("echo", r#"{"text":"a ☺"}"#).await, "a ☺");
    assert_eq!(desk.call_with("echo", "").await, "nothing");
    assert_eq!(desk.call("fail").await, "failed: it broke");
    assert_eq!(desk.call("structured").await, r#"{"n":1}"#);
    assert_eq!(desk.call("twice").await, "once");
    expect!["failed: the input is not a JSON object"]
        .assert_eq(&desk.call_with("echo", "[1]").await);
    expect!["failed: the input is not JSON: EOF while parsing an object at line 1 column 1"]
        .assert_eq(&desk.call_with("echo", "{").await);
    expect!["failed: no MCP server of this session has such a tool"]
        .assert_eq(&desk.call("gone").await);
    expect!["look | <image/png aW1n> | [a picture was left out: it is not valid base64] | [a picture was left out: models do not support its format] | <audio/wav c25k> | [resource two <fake://two>] | fake://three:\nthree! | [fake://four: about 3 bytes that are not text] | [a picture was left out: it is too large]"]
        .assert_eq(&desk.call("media").await);
    let outcome = desk.servers.call("mcp__fake__media", "", drop).await;
    assert!(
        matches!(&outcome.for_user[5], v1::ContentBlock::ResourceLink(link) if link.uri == "fake://two")
    );
    assert!(!outcome.failed);
    let outcome = desk.servers.call("mcp__fake__structured", "", drop).await;
    assert_eq!(outcome.raw, Some(serde_json::json!({"n": 1})));
}

async fn a_server_runs_in_the_directory_of_the_session() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let place = desk.place.path().canonicalize().unwrap();
    assert_eq!(desk.call("where").await, place.to_str().unwrap());
}

async fn a_call_says_how_far_it_has_come() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let (sender, mut steps) = tokio::sync::mpsc::channel(1);
    let call = desk.servers.call("mcp__fake__never", "", move |step| {
        sender.try_send(step).ok();
    });
    let step = tokio::select! {
        _ = call => panic!("it was not to answer"),
        step = steps.recv() => step.unwrap(),
    };
    assert_eq!(
        (step.percent, step.message.as_deref()),
        (Some(25), Some("begun"))
    );
    assert_eq!(desk.call("steps").await, "done");
}

async fn a_call_that_is_dropped_is_cancelled() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let (begun, mut has_begun) = tokio::sync::mpsc::channel(1);
    let call = desk.servers.call("mcp__fake__never", "", move |_| {
        begun.try_send(()).ok();
    });
    tokio::select! {
        _ = call => panic!("it was not to answer"),
        _ = has_begun.recv() => {}
    }
    assert!(desk.file("cancelled").await.parse::<u64>().is_ok());
    assert_eq!(
        desk.call_with("echo", r#"{"text":"still there"}"#).await,
        "still there"
    );
}

async fn a_call_without_answer_ends_at_its_deadline() {
    let desk = TestSession::open_with(vec![stdio("fake", "")], |place| {
        place.patience = Duration::from_secs(1);
    })
    .await;
    expect!["failed: the MCP server `fake` failed: no answer and no progress for 1 s"]
        .assert_eq(&desk.call("never").await);
    desk.file("cancelled").await;
}

async fn a_server_that_dies_takes_its_call_with_it() {
    let mut desk = TestSession::open(vec![stdio("fake", "")]).await;
    let why = "the MCP server `fake` failed: it exited with 7: out of memory near ***";
    assert_eq!(desk.call("die").await, format!("failed: {why}"));
    let begun = Instant::now();
    assert_eq!(desk.call("echo").await, format!("failed: {why}"));
    assert!(begun.elapsed() < Duration::from_millis(500));
    expect![[r#"
        Ended {
            server: "fake",
            reason: "it exited with 7: out of memory near ***",
        }
    "#]]
    .assert_debug_eq(&desk.event().await);
    assert!(desk.servers.tools().is_empty());
    desk.servers.reconnect("fake").await.unwrap();
    assert_eq!(desk.call("echo").await, "nothing");
    assert_eq!(
        desk.servers.reconnect("other").await,
        Err(Error::Unknown("server"))
    );
}

async fn connecting_again_is_not_stopped_halfway() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let before = desk.call("pid").await;
    let given_up = tokio::time::timeout(Duration::ZERO, desk.servers.reconnect("fake"));
    assert!(given_up.await.is_err());
    wait_for(|| (!is_running(&before)).then_some(())).await;
    desk.servers.ready().await;
    wait_for(|| {
        matches!(desk.servers.states()[0].status, ServerStatus::Ready { .. }).then_some(())
    })
    .await;
    assert_ne!(desk.call("pid").await, before);
    desk.servers.reconnect("fake").await.unwrap();
}

async fn a_server_that_does_not_start_says_why() {
    let server = stdio_of("gone", std::path::Path::new("no-such-program-here"), "");
    let mut desk = TestSession::open(vec![server]).await;
    expect![[r#"
        Failed {
            server: "gone",
            reason: "program `no-such-program-here` was not found: install it, or check its name, the PATH it is given, and the interpreter in its first line",
        }
    "#]]
    .assert_debug_eq(&desk.event().await);
}

async fn a_server_that_ends_at_once_says_its_last_words() {
    let mut desk = TestSession::open(vec![stdio("fake", "exits")]).await;
    expect![[r#"
        Failed {
            server: "fake",
            reason: "it exited with 3: no key, only ***",
        }
    "#]]
    .assert_debug_eq(&desk.event().await);
}

async fn a_failure_costs_the_other_servers_nothing() {
    let list = vec![
        stdio("one", "exits"),
        stdio("two", "silent"),
        stdio("fake", ""),
    ];
    let desk = TestSession::open_with(list, |place| place.deadline = Duration::from_secs(4)).await;
    assert_eq!(desk.call("echo").await, "nothing");
    let states = desk.servers.states();
    assert_eq!(
        states[1].status,
        ServerStatus::Failed("it did not answer in time".to_owned())
    );
}

async fn lists_are_asked_for_again_when_they_change() {
    let mut desk = TestSession::open(vec![stdio("fake", "")]).await;
    assert!(desk.servers.tool("mcp__fake__grown").is_none());
    assert_eq!(desk.call("grow").await, "grown");
    let changed = ServerEvent::ToolsChanged {
        server: "fake".to_owned(),
    };
    assert_eq!(desk.event().await, changed);
    assert!(desk.servers.tool("mcp__fake__grown").is_some());
}

async fn prompts_are_commands() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let prompts = desk.servers.prompts();
    assert_eq!(prompts[0].name, "fake:ask_about");
    assert_eq!(prompts[0].description, "Asks about a city");
    let Some(v1::AvailableCommandInput::Unstructured(input)) = &prompts[0].input else {
        panic!("no hint");
    };
    assert_eq!(input.hint, "<city> [detail]");
    let said = desk
        .servers
        .prompt("fake:ask_about", "Bern the old town")
        .await
        .unwrap();
    let expected = r#"About {"city":"Bern","detail":"the old town"}"#;
    let words =
        [expected, "(The answer so far:)", "I see"].map(|words| Content::Text(words.to_owned()));
    assert_eq!(said, words);
    let missing = desk
        .servers
        .prompt("fake:ask_about", " ")
        .await
        .unwrap_err();
    expect!["the prompt requires the argument `city`; type it after the prompt's name"]
        .assert_eq(&missing.to_string());
    assert_eq!(
        desk.servers.prompt("fake:other", "").await,
        Err(Error::Unknown("prompt"))
    );
}

async fn resources_are_links_that_can_be_read() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let links = desk.servers.resources();
    assert_eq!((links[0].name.as_str(), links[0].size), ("one", Some(3)));
    let read = desk.servers.read("fake://one").await.unwrap();
    assert_eq!(read, [Content::Text("fake://one:\none!".to_owned())]);
}

async fn a_server_may_ask_for_roots_but_not_for_the_model() {
    let desk = TestSession::open_with(vec![stdio("fake", "")], |place| {
        place.roots = vec!["/a dir".into(), "/b".into()];
    })
    .await;
    expect![[r#"{"roots":[{"uri":"file:///a%20dir"},{"uri":"file:///b"}]}"#]]
        .assert_eq(&desk.call("roots").await);
    expect!["error -32601"].assert_eq(&desk.call("sample").await);
    expect![[r#"{"action":"decline"}"#]].assert_eq(&desk.call("elicit").await);
}

async fn a_server_without_handshake_is_found_out() {
    let desk = TestSession::open(vec![stdio("fake", "modern")]).await;
    assert!(
        matches!(desk.status(), ServerStatus::Ready { tools: 24, .. }),
        "{:?}",
        desk.status()
    );
    assert_eq!(desk.call_with("echo", r#"{"text":"hi"}"#).await, "hi");
}

async fn closing_ends_the_processes() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let pid = desk.call("pid").await;
    assert!(is_running(&pid));
    let begun = Instant::now();
    desk.servers.close().await;
    assert!(begun.elapsed() < Duration::from_secs(8));
    assert!(!is_running(&pid));
    assert_eq!(
        desk.status(),
        ServerStatus::Ended("it was closed".to_owned())
    );
    expect!["failed: the MCP server `fake` failed: it was closed"]
        .assert_eq(&desk.call("echo").await);
    desk.servers.close().await;
    desk.servers.reconnect("fake").await.unwrap_err();
}

async fn dropping_ends_the_processes() {
    let desk = TestSession::open(vec![stdio("fake", "")]).await;
    let pid = desk.call("pid").await;
    assert!(is_running(&pid));
    drop(desk.servers);
    wait_for(|| (!is_running(&pid)).then_some(())).await;
}

fn is_running(pid: &str) -> bool {
    let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::test_kill_process(pid).is_ok()
}

async fn no_secret_is_ever_shown() {
    let mut desk = TestSession::open(vec![stdio("fake", "")]).await;
    let mut seen = desk.call("refuse").await;
    expect!["failed: the MCP server `fake` failed: bad token ***"].assert_eq(&seen);
    seen += &desk.call("die").await;
    seen += &format!("{:?} {:?}", desk.event().await, desk.servers);
    seen += &format!("{:?}", desk.servers.read("fake://one").await);
    assert!(!seen.contains(CANARY), "{seen}");
}
