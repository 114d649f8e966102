//! The output of a command as agents and users see it.

use std::time::{Duration, Instant};

use attache_host::terminals::{Sandbox, TerminalLimits};
use attache_schema::v1;
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

use super::client::{PATIENCE, TestClient};
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("outputs::limits_cut_the_front_at_a_character", cut),
        trial("outputs::the_hosts_limit_wins", ceiling),
        trial("outputs::both_streams_come_in_order", in_order),
        trial("outputs::bytes_that_are_not_text", not_text),
        trial("outputs::standard_input_is_empty", no_input),
        trial(
            "outputs::output_is_complete_when_the_exit_is_reported",
            last_words,
        ),
        trial("outputs::another_process_keeps_the_pipe_open", held_pipe),
        trial("outputs::a_change_is_reported_once", changes),
    ]
}

async fn check(limit: Option<u64>, script: &str, expected: &Expect) {
    let client = TestClient::new();
    let mut request = client.request("sh", &["-c", script]);
    request.output_byte_limit = limit;
    let id = client.create(&request).await.unwrap();
    client.wait(&id).await;
    let said = client.terminals.output(&client.session, &id).unwrap();
    assert!(said.exit_status.is_some());
    expected.assert_eq(&format!("{:?} truncated: {}", said.output, said.truncated));
}

async fn cut() {
    check(
        None,
        "printf aäöü",
        &expect![[r#""aäöü" truncated: false"#]],
    )
    .await;
    check(Some(0), "printf aäöü", &expect![[r#""" truncated: true"#]]).await;
    check(Some(0), "true", &expect![[r#""" truncated: false"#]]).await;
    check(Some(1), "printf aäöü", &expect![[r#""" truncated: true"#]]).await;
    check(Some(3), "printf aäöü", &expect![[r#""ü" truncated: true"#]]).await;
    check(
        Some(7),
        "printf aäöü",
        &expect![[r#""aäöü" truncated: false"#]],
    )
    .await;
    check(
        Some(1 << 63),
        "printf aäöü",
        &expect![[r#""aäöü" truncated: false"#]],
    )
    .await;
}

async fn ceiling() {
    let limits = TerminalLimits::default().max_output(10);
    let client = TestClient::with(limits, Sandbox::Off);
    for limit in [11, 1 << 63, u64::MAX] {
        let request = client
            .request("printf", &["0123456789abc"])
            .output_byte_limit(limit);
        assert_eq!(client.output_of(&request).await, "3456789abc");
    }
}

async fn in_order() {
    check(
        None,
        "for i in 1 2 3; do echo o$i; echo e$i >&2; done",
        &expect![[r#""o1\ne1\no2\ne2\no3\ne3\n" truncated: false"#]],
    )
    .await;
}

async fn not_text() {
    check(
        None,
        r"printf 'a\377\0b\303\050'",
        &expect![[r#""a�\0b�(" truncated: false"#]],
    )
    .await;
    check(
        None,
        r"printf '\033]52;c;eA==\007\033[2J'",
        &expect![[r#""\u{1b}]52;c;eA==\u{7}\u{1b}[2J" truncated: false"#]],
    )
    .await;
    check(
        None,
        r"printf 'open \303'",
        &expect![[r#""open �" truncated: false"#]],
    )
    .await;
    let client = TestClient::new();
    let long = client.request("sh", &["-c", "head -c 10000000 /dev/zero | tr '\\0' x"]);
    assert_eq!(client.output_of(&long).await, "x".repeat(1 << 20));
}

async fn no_input() {
    check(
        None,
        "cat; read -r line || echo nothing",
        &expect![[r#""nothing\n" truncated: false"#]],
    )
    .await;
}

async fn last_words() {
    let client = TestClient::new();
    for round in 0..50 {
        let script = format!("head -c 50000 /dev/zero | tr '\\0' x; printf end{round}");
        let said = client
            .output_of(&client.request("sh", &["-c", &script]))
            .await;
        assert_eq!(said.len(), 50_000 + 3 + round.to_string().len());
        assert!(said.ends_with(&format!("end{round}")));
        client.terminals.end_session(&client.session).await;
    }
}

/// The exit is reported although another process keeps the pipe open. Its output is kept for half a second, and
/// afterwards the process can still write without harm.
async fn held_pipe() {
    // On a busy machine, the process may take more than half a second to write.
    for last in [false, false, true] {
        let client = TestClient::new();
        let id = client.shell(HOLDER).await;
        client.wait(&id).await;
        assert_eq!(client.text(&id), "own\n");
        let note = |name: &str| std::fs::write(client.project().join(name), "").unwrap();
        note("go");
        tokio::time::sleep(Duration::from_millis(600)).await;
        let kept = client.text(&id);
        note("go-on");
        let begun = Instant::now();
        while !client.project().join("alive").exists() {
            assert!(begun.elapsed() < PATIENCE, "the writer was hurt");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        client
            .terminals
            .release(&client.session, &id)
            .await
            .unwrap();
        assert_eq!(client.text(&id), kept);
        if last || kept != "own\n" {
            return assert_eq!(kept, "own\nlate\n");
        }
    }
}

async fn changes() {
    let client = TestClient::new();
    let quiet = client.shell("sleep 1000").await;
    assert_eq!(client.terminals.changed().await, quiet);
    let flood = client.shell("yes").await;
    client.until(&flood, "y").await;
    assert_eq!(client.terminals.changed().await, flood);
    client
        .terminals
        .kill(&client.session, &quiet)
        .await
        .unwrap();
    let mut named = Vec::new();
    for _ in 0..3 {
        named.push(client.terminals.changed().await);
    }
    assert!(named.contains(&quiet), "{named:?}");
    client
        .terminals
        .kill(&client.session, &flood)
        .await
        .unwrap();
    while let Ok(id) =
        tokio::time::timeout(Duration::from_millis(50), client.terminals.changed()).await
    {
        assert_eq!(id, flood);
    }
    let exit = client.terminals.view(&flood).unwrap().exit;
    assert_eq!(
        exit,
        Some(v1::TerminalExitStatus::new().signal("SIGTERM".to_owned()))
    );
}

/// A process that keeps the pipe of a command open after its end, and writes on request.
const HOLDER: &str = r#"setsid sh -c '
    while [ ! -e go ]; do sleep 0.01; done; echo late
    while [ ! -e go-on ]; do sleep 0.01; done; echo too late
    touch alive; exec sleep 1000' &
    echo own"#;
