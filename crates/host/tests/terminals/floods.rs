//! A command that writes endlessly harms neither memory use nor other commands.

use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use super::client::TestClient;
use super::{lone_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        lone_trial("floods::memory_stays_flat", memory),
        trial("floods::other_commands_run_during_a_flood", fair),
    ]
}

async fn memory() {
    let client = TestClient::new();
    let id = client.shell("yes 0123456789").await;
    client.until(&id, "0123456789").await;
    let begun = Instant::now();
    let mut most = 0;
    let before = resident();
    while begun.elapsed() < Duration::from_secs(2) {
        let said = client.terminals.output(&client.session, &id).unwrap();
        assert!(said.output.len() <= 1 << 20);
        most = most.max(resident());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let said = client.terminals.output(&client.session, &id).unwrap();
    assert!(said.truncated && said.exit_status.is_none());
    let grown = most.saturating_sub(before);
    assert!(grown < 16 << 20, "grown by {grown} bytes");
    client.terminals.kill(&client.session, &id).await.unwrap();
}

/// With sixteen floods, a small command still runs, and viewing stays fast.
async fn fair() {
    let client = TestClient::new();
    for _ in 0..16 {
        client.shell("exec yes").await;
    }
    let mut slowest = Duration::ZERO;
    let mut ran = 0;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(2) {
        let id = client.shell("echo small; exit 2").await;
        let look = Instant::now();
        tokio::task::yield_now().await;
        client.terminals.output(&client.session, &id).unwrap();
        slowest = slowest.max(look.elapsed());
        assert_eq!(client.wait(&id).await.exit_code, Some(2));
        assert_eq!(client.text(&id), "small\n");
        client
            .terminals
            .release(&client.session, &id)
            .await
            .unwrap();
        ran += 1;
    }
    assert!(ran >= 3, "only {ran} commands ran beside the floods");
    assert!(slowest < Duration::from_millis(500), "{slowest:?}");
    client.terminals.end_session(&client.session).await;
}

fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
