//! Tests of `run`, in the client's terminals and in our own.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use attache::v1;
use expect_test::expect;

use super::super::ToolProgress;
use super::{ClientOffer, TestWorkplace, eventually};

#[tokio::test]
async fn a_command_runs_and_its_exit_is_reported() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(offer, &[("ws/sub/a", "x")]).await;
        stage
            .check(
                "run",
                r#"{"command":"echo out; echo err >&2"}"#,
                expect![[r#"
                    out
                    err
                    [exit code 0]"#]],
            )
            .await;
        stage
            .check(
                "run",
                r#"{"command":"echo no; exit 3"}"#,
                expect![[r#"
                FAILED no
                [exit code 3]"#]],
            )
            .await;
        stage
            .check(
                "run",
                r#"{"command":"kill -TERM $$"}"#,
                expect![[r#"
                FAILED [no output]
                [ended by signal SIGTERM]"#]],
            )
            .await;
        stage
            .check(
                "run",
                r#"{"command":"ls","cwd":"sub"}"#,
                expect![[r#"
                a
                [exit code 0]"#]],
            )
            .await;
        stage
            .check(
                "run",
                r#"{"command":"true"}"#,
                expect![[r#"
                [no output]
                [exit code 0]"#]],
            )
            .await;
        let told = stage
            .for_model("run", r#"{"command":"no-such-program"}"#)
            .await;
        assert!(
            told.starts_with("FAILED ") && told.ends_with("not found\n[exit code 127]"),
            "{told}"
        );
        stage
            .check(
                "run",
                r#"{"command":"cat; echo $PAGER $TERM"}"#,
                expect![[r#"
                    cat dumb
                    [exit code 0]"#]],
            )
            .await;
        stage
            .check(
                "run",
                r#"{"command":"ls","cwd":"sub/a"}"#,
                expect!["FAILED `@/ws/sub/a` is not a directory; name a directory"],
            )
            .await;
    }
}

#[tokio::test]
async fn escape_sequences_are_removed_from_output() {
    let stage = TestWorkplace::new(&[]).await;
    let bars =
        r#"{"command":"printf '10%%\\r100%%\\n\\033[31mred\\033[0m \\033]0;t\\007x\\r\\n'"}"#;
    stage
        .check(
            "run",
            bars,
            expect![[r#"
            100%
            red x
            [exit code 0]"#]],
        )
        .await;
}

#[tokio::test]
async fn the_whole_command_is_shown_before_it_runs() {
    let stage = TestWorkplace::new(&[("ws/sub/a", "")]).await;
    let long = "x".repeat(300);
    let input = format!(r#"{{"command":"echo {long}\nrm ```y","cwd":"sub"}}"#);
    let prepared = stage.prepare("run", &input).await.unwrap();
    assert!(!prepared.title().contains("rm"));
    let content = format!("{:?}", prepared.content());
    let whole = format!(r"in `sub`:\n````sh\necho {long}\nrm ```y\n````");
    assert!(content.contains(&whole), "{content}");
    let url = format!("https://example.com/{long}");
    let prepared = stage
        .prepare("fetch", &format!(r#"{{"url":"{url}"}}"#))
        .await
        .unwrap();
    assert!(format!("{:?}", prepared.content()).contains(&url));
}

#[tokio::test]
async fn the_clients_terminal_is_shown_before_it_is_released() {
    let stage = TestWorkplace::with(ClientOffer::Everything, &[]).await;
    let prepared = stage
        .prepare("run", r#"{"command":"echo hello"}"#)
        .await
        .unwrap();
    let held: Arc<Mutex<Vec<ToolProgress>>> = Arc::default();
    let hold = Arc::clone(&held);
    let workplace = stage.workplace.clone();
    let performed = tokio::spawn(async move {
        prepared
            .perform(&workplace, |progress| hold.lock().unwrap().push(progress))
            .await
    });
    eventually("the terminal is shown", || !held.lock().unwrap().is_empty()).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!stage.asked().contains("release"));
    let shown = held.lock().unwrap().pop().unwrap();
    assert!(matches!(
        shown.content.as_slice(),
        [v1::ToolCallContent::Terminal(_)]
    ));
    let content = shown.content.clone();
    drop(shown);
    let outcome = performed.await.unwrap();
    assert_eq!(outcome.content, content);
    expect![[r#"
        create /bin/sh ["-c", "echo hello"]
        release"#]]
    .assert_eq(&stage.asked());
}

#[tokio::test]
async fn output_of_our_own_terminals_is_streamed() {
    let stage = TestWorkplace::new(&[]).await;
    let command = r#"{"command":"echo first; while ! test -e go; do sleep 0.05; done; echo last"}"#;
    let prepared = stage.prepare("run", command).await.unwrap();
    let shown: Arc<Mutex<Vec<String>>> = Arc::default();
    let (show, workplace) = (Arc::clone(&shown), stage.workplace.clone());
    let performed = tokio::spawn(async move {
        let keep = move |progress: ToolProgress| {
            show.lock().unwrap().push(format!("{:?}", progress.content))
        };
        prepared.perform(&workplace, keep).await
    });
    eventually("the output is shown", || {
        shown
            .lock()
            .unwrap()
            .iter()
            .any(|text| text.contains("first"))
    })
    .await;
    std::fs::write(stage.path("ws/go"), "").unwrap();
    let outcome = performed.await.unwrap();
    expect![[r#"
        first
        last
        [exit code 0]"#]]
    .assert_eq(&stage.text(&outcome));
}

#[tokio::test]
async fn the_timeout_defaults_to_two_minutes_and_is_at_most_an_hour() {
    let stage = TestWorkplace::new(&[]).await;
    for (timeout, seconds) in [("null", 120), ("\"90\"", 90), ("0", 120), ("100000", 3600)] {
        let input = format!(r#"{{"command":"true","timeout":{timeout}}}"#);
        let prepared = stage.prepare("run", &input).await.unwrap();
        let expected = format!("timeout: {seconds}s");
        assert!(format!("{prepared:?}").contains(&expected), "{prepared:?}");
    }
}

#[tokio::test]
async fn output_before_the_timeout_is_reported() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(offer, &[]).await;
        stage
            .check(
                "run",
                r#"{"command":"echo begun; exec sleep 1000","timeout":1}"#,
                expect![[r#"
                    FAILED begun
                    [timed out after 1 second; give it a larger `timeout`, or run it with `background`]"#]],
            )
            .await;
        let calls = stage.asked();
        assert_eq!(
            calls.contains("kill\nrelease"),
            offer == ClientOffer::Everything,
            "{calls}"
        );
    }
}

#[tokio::test]
async fn the_beginning_and_end_of_long_output_are_reported() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(offer, &[]).await;
        let told = stage.for_model("run", r#"{"command":"seq 100000"}"#).await;
        assert!(
            told.starts_with("1\n2\n3\n") && told.ends_with("\n99999\n100000\n[exit code 0]"),
            "{told}"
        );
        assert!(
            told.contains(" bytes left out …]\n") && told.len() <= 50_000,
            "{}",
            told.len()
        );
        let told = stage.for_model("run", r#"{"command":"seq 1000000"}"#).await;
        assert!(
            told.starts_with("[the beginning of the output was dropped]\n"),
            "{told}"
        );
        assert!(told.ends_with("\n999999\n1000000\n[exit code 0]") && told.len() <= 50_000);
        let told = stage
            .for_model(
                "run",
                r#"{"command":"head -c 3000000 /dev/zero | tr '\\0' x"}"#,
            )
            .await;
        assert!(told.len() <= 50_000, "{}", told.len());
    }
}

#[tokio::test]
async fn a_background_command_can_be_inspected_and_stopped() {
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = TestWorkplace::with(offer, &[]).await;
        let command = r#"{"command":"echo $$ > pid; echo ready; while ! test -e go; do sleep 0.05; done; echo gone on; exec sleep 1000","background":true}"#;
        stage.check("run", command, expect![[r#"
            ready
            [runs in the background as `bg1`; send `id` to see its output, with `stop` to stop it]"#]]).await;
        std::fs::write(stage.path("ws/go"), "").unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        let told = loop {
            let told = stage.for_model("run", r#"{"id":"bg1"}"#).await;
            if told.contains("gone on") || Instant::now() > deadline {
                break told;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert_eq!(
            told,
            "ready\ngone on\n[runs in the background as `bg1`; send `id` to see its output, with `stop` to stop it]"
        );
        let unknown = "FAILED no background command has this id; running: `bg1`";
        assert_eq!(stage.for_model("run", r#"{"id":"bg2"}"#).await, unknown);
        let stopped = "ready\ngone on\n[command `bg1` is stopped]";
        assert_eq!(
            stage.for_model("run", r#"{"id":"bg1","stop":true}"#).await,
            stopped
        );
        let none = "FAILED no background command is running";
        assert_eq!(stage.for_model("run", r#"{"id":"bg1"}"#).await, none);
        let pid = super::cancellation::pid(&stage);
        assert!(!super::cancellation::is_alive(pid));
        assert_eq!(
            stage.asked().ends_with("kill\nrelease"),
            offer == ClientOffer::Everything
        );
    }
}

#[tokio::test]
async fn a_background_command_that_fails_at_once_is_reported() {
    let stage = TestWorkplace::new(&[]).await;
    stage
        .check(
            "run",
            r#"{"command":"echo no; exit 7","background":true}"#,
            expect![[r#"
                FAILED no
                [exit code 7]"#]],
        )
        .await;
    stage
        .check(
            "run",
            r#"{"id":"bg1"}"#,
            expect!["FAILED no background command is running"],
        )
        .await;
}

#[tokio::test]
async fn the_number_of_background_commands_is_limited() {
    let stage = TestWorkplace::new(&[]).await;
    for _ in 0..8 {
        let told = stage
            .for_model("run", r#"{"command":"exec sleep 1000","background":true}"#)
            .await;
        assert!(!told.starts_with("FAILED"), "{told}");
    }
    stage
        .check(
            "run",
            r#"{"command":"exec sleep 1000","background":true}"#,
            expect!["FAILED 8 background commands are already running; stop one of `bg1`, `bg2`, `bg3`, `bg4`, `bg5`, `bg6`, `bg7`, `bg8`"],
        )
        .await;
    stage.workplace.close().await;
    stage
        .check(
            "run",
            r#"{"id":"bg1"}"#,
            expect!["FAILED no background command is running"],
        )
        .await;
    stage
        .check(
            "run",
            r#"{"command":"exec sleep 1000","background":true}"#,
            expect!["FAILED the session has ended"],
        )
        .await;
}
