//! Tests of replaying recordings to other peers than the recorded ones.

use std::time::Duration;

use attache_testkit::Side;
use attache_transport::pipes;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

use super::super::replay::{FaultInjector, ReplayEnd, ReplayPlayer, ReplaySpeed, play};
use super::{TALK, conversation, read};

fn player(text: &str, side: Side) -> ReplayPlayer {
    ReplayPlayer::load(&mut read(&conversation(text)), side).unwrap()
}

/// The output of the replayed agent for a client that sends these lines and then closes its side.
async fn answers(talk: &str, lines: &str, faults: FaultInjector) -> (Vec<u8>, ReplayEnd) {
    let mut player = player(talk, Side::Agent);
    let ((mut read, mut write), agent) = pipes(1 << 20);
    let playing = tokio::spawn(async move {
        let outcome = play(&mut player, ReplaySpeed::AtOnce, faults, None, agent).await;
        outcome.unwrap()
    });
    write.write_all(lines.as_bytes()).await.unwrap();
    write.shutdown().await.unwrap();
    let mut said = Vec::new();
    let reading = read.read_to_end(&mut said);
    let (outcome, _) = tokio::join!(playing, reading);
    (said, outcome.unwrap())
}

fn of_client(talk: &str) -> String {
    let lines = talk
        .lines()
        .filter_map(|line| line.trim().strip_prefix("> "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn of_agent(talk: &str) -> String {
    let lines = talk
        .lines()
        .filter_map(|line| line.trim().strip_prefix("< "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[tokio::test(start_paused = true)]
async fn the_same_client_receives_the_same_messages() {
    let (said, outcome) = answers(TALK, &of_client(TALK), FaultInjector::none()).await;
    assert_eq!(String::from_utf8(said).unwrap(), of_agent(TALK));
    assert_eq!(outcome, ReplayEnd::Played);
}

#[tokio::test(start_paused = true)]
async fn another_client_gets_responses_with_its_own_ids() {
    let other = of_client(TALK)
        .replace("\"id\":1", "\"id\":\"one\"")
        .replace("\"id\":2", "\"id\":77")
        .replace("\"hi\"", "\"something else\"");
    let (said, _) = answers(TALK, &other, FaultInjector::none()).await;
    let expected = of_agent(TALK)
        .replace("\"id\":1", "\"id\":\"one\"")
        .replace("\"id\":2", "\"id\":77");
    assert_eq!(String::from_utf8(said).unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn unrecorded_requests_are_rejected_and_missing_ones_get_no_response() {
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/elsewhere","mcpServers":[]}}
"#;
    let (said, outcome) = answers(TALK, asked, FaultInjector::none()).await;
    let said = String::from_utf8(said).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].contains("not_recorded") && lines[0].contains("\"id\":1"));
    assert!(lines[1].contains("\"sessionId\":\"old\"") && lines[1].contains("\"id\":2"));
    assert_eq!(outcome, ReplayEnd::PeerClosed);
}

#[tokio::test(start_paused = true)]
async fn a_replayed_client_uses_the_session_id_of_the_new_agent() {
    let mut player = player(TALK, Side::Client);
    let ((mut read, mut write), client) = pipes(1 << 20);
    let answers = of_agent(TALK).replace("old", "brand-new");
    write.write_all(answers.as_bytes()).await.unwrap();
    let patience = Some(Duration::from_secs(1));
    let outcome = play(
        &mut player,
        ReplaySpeed::AtOnce,
        FaultInjector::none(),
        patience,
        client,
    )
    .await
    .unwrap();
    assert_eq!(outcome, ReplayEnd::Played);
    drop(write);
    let mut said = vec![0; 1 << 16];
    let count = read.read(&mut said).await.unwrap();
    let said = String::from_utf8_lossy(&said[..count]).into_owned();
    assert!(
        said.contains("\"session/prompt\",\"params\":{\"sessionId\":\"brand-new\""),
        "{said}"
    );
    assert!(!said.contains("old"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_is_reported() {
    let mut player = player(TALK, Side::Client);
    let (_kept, client) = pipes(1 << 20);
    let patience = Some(Duration::from_secs(1));
    let outcome = play(
        &mut player,
        ReplaySpeed::AtOnce,
        FaultInjector::none(),
        patience,
        client,
    )
    .await
    .unwrap();
    assert_eq!(
        outcome,
        ReplayEnd::TimedOut("an answer to initialize".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn delays_are_as_recorded_scaled_or_none() {
    for (speed, least, most) in [
        (ReplaySpeed::Times(1.0), 7, 12),
        (ReplaySpeed::Times(0.1), 70, 120),
        (ReplaySpeed::AtOnce, 0, 1),
    ] {
        let start = tokio::time::Instant::now();
        let mut player = player(TALK, Side::Agent);
        let ((_read, mut write), agent) = pipes(1 << 20);
        write.write_all(of_client(TALK).as_bytes()).await.unwrap();
        write.shutdown().await.unwrap();
        play(&mut player, speed, FaultInjector::none(), None, agent)
            .await
            .unwrap();
        let took = start.elapsed().as_millis();
        assert!((least..=most).contains(&took), "{speed:?} took {took} ms");
    }
}

async fn with(faults: &[&str], seed: u64) -> (String, ReplayEnd) {
    let faults = FaultInjector::new(faults, seed).unwrap();
    let (said, outcome) = answers(TALK, &of_client(TALK), faults).await;
    (String::from_utf8_lossy(&said).into_owned(), outcome)
}

#[tokio::test(start_paused = true)]
async fn delays_and_fragments_keep_every_byte() {
    for fault in ["delay=50ms", "delay=1ms..9s:50%", "fragment=7", "fragment"] {
        assert_eq!(with(&[fault], 1).await.0, of_agent(TALK), "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn responses_are_dropped_duplicated_reordered_and_misaddressed() {
    let lines = |text: &str| text.lines().count();
    let all = lines(&of_agent(TALK));
    assert_eq!(lines(&with(&["drop"], 1).await.0), all - 3);
    assert_eq!(lines(&with(&["duplicate"], 1).await.0), all + 3);
    let (moved, _) = with(&["reorder@2"], 1).await;
    assert_eq!(lines(&moved), all);
    assert_ne!(moved, of_agent(TALK));
    let (wrong, _) = with(&["wrong-id@1"], 1).await;
    assert!(
        !wrong.lines().next().unwrap().contains("\"id\":1,"),
        "{wrong}"
    );
    assert_eq!(
        lines(&with(&["garbage"], 3).await.0.replace('\u{fffd}', "?")),
        2 * all
    );
    let (huge, _) = with(&["oversize=100000@4"], 1).await;
    assert!(huge.lines().any(|line| line.len() == 100_000));
}

/// A client that sends nothing more before it gets the held response still gets it.
#[tokio::test(start_paused = true)]
async fn a_held_response_is_sent_when_nothing_follows() {
    let mut player = player(TALK, Side::Agent);
    let ((read, mut write), agent) = pipes(1 << 20);
    let faults = FaultInjector::new(&["reorder"], 1).unwrap();
    let client = async move {
        let mut lines = tokio::io::BufReader::new(read).lines();
        let first = of_client(TALK).lines().next().unwrap().to_owned();
        write
            .write_all(format!("{first}\n").as_bytes())
            .await
            .unwrap();
        let answer = lines.next_line().await.unwrap();
        drop(write);
        answer
    };
    let playing = play(&mut player, ReplaySpeed::AtOnce, faults, None, agent);
    let (answer, outcome) = tokio::join!(client, playing);
    assert!(answer.unwrap().contains("\"id\":1,"));
    assert_eq!(outcome.unwrap(), ReplayEnd::PeerClosed);
}

#[tokio::test(start_paused = true)]
async fn a_crash_truncates_the_named_message() {
    let (said, outcome) = with(&["crash@3"], 1).await;
    assert_eq!(outcome, ReplayEnd::Crashed);
    let whole = of_agent(TALK);
    assert!(
        whole.starts_with(&said) && said.lines().count() == 3,
        "{said}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_faults() {
    let faults = ["garbage:30%", "duplicate:50%", "wrong-id:30%", "drop:20%"];
    let mut different = 0;
    for seed in 0..20 {
        let once = with(&faults, seed).await;
        assert_eq!(once, with(&faults, seed).await);
        different += usize::from(once != with(&faults, seed + 100).await);
    }
    assert!(different > 10, "{different}");
}

#[test]
fn invalid_faults_are_rejected() {
    for (text, why) in [
        ("explode", "unknown fault"),
        ("delay=soon", "expected a time"),
        ("drop:200%", "expected a chance"),
        ("crash@0", "the number of a message"),
        ("fragment=0", "a number of bytes"),
        ("garbage=3", "takes a value"),
    ] {
        let told = FaultInjector::new(&[text], 0).unwrap_err().to_string();
        assert!(told.contains(why), "{text}: {told}");
        assert!(!told.contains("explode"));
    }
}
