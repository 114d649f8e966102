//! Tests of a full disk, which a limit on the size of files simulates.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use attache_journal::{Error, Kind, Store, StoredSession, new_id};
use libtest_mimic::Trial;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::script;
use crate::suite::{TestProcess, print_line, trial};

pub(crate) const ROLE: &str = "run_role-without-room";

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "without_room_nothing_is_acknowledged_and_with_room_it_goes_on",
        full,
    )]
}

async fn full() {
    let dir = tempfile::tempdir().unwrap();
    // A write past the limit fails with an error only if the process ignores `SIGXFSZ`. The child inherits that.
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args([ROLE, dir.path().to_str().unwrap()]);
    let lines = TestProcess::spawn(&mut command).end();
    let [id, last] = &lines[..] else {
        panic!("{lines:?}");
    };
    let store = Store::open(dir.path()).unwrap();
    let (_, journal) = store.open_session(id).await.unwrap();
    assert_eq!(
        script::check(&journal, 0).await,
        last.parse::<u64>().unwrap()
    );
}

/// Writes until the disk is full, checks the errors, and continues when there is room again.
pub(crate) async fn run_role(dir: &Path) {
    let store = Store::open(dir).unwrap();
    let id = new_id().unwrap();
    let journal = store
        .create(StoredSession::new(id.clone(), "/made/up"))
        .await
        .unwrap();
    print_line(&id);
    limit(Some(600_000));
    let (mut seq, refused) = until_refused(&journal).await;
    assert!(
        matches!(refused, Error::Full | Error::Database { .. }),
        "{refused:?}"
    );

    // The error stays, and so do the accepted entries.
    let again = journal
        .commit(Kind::PROMPT, vec![0; 600_000])
        .await
        .unwrap_err();
    assert_eq!(again.to_string(), refused.to_string());
    let other = store
        .create(StoredSession::new(new_id().unwrap(), "/made/up"))
        .await;
    assert!(other.is_err());

    limit(None);
    // Appending succeeds again only after the writer has retried.
    let deadline = Instant::now() + Duration::from_secs(10);
    while let Err(error) = journal.append(script::kind(seq), script::body(seq)).await {
        assert!(Instant::now() < deadline, "{error}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    seq += 1;
    assert_eq!(
        journal
            .commit(script::kind(seq), script::body(seq))
            .await
            .unwrap(),
        seq
    );
    journal.close().await.unwrap();
    print_line(&seq.to_string());
}

/// Adds entries, most of them without waiting for the disk, until one is rejected. Returns the number of that entry.
async fn until_refused(journal: &attache_journal::Journal) -> (u64, Error) {
    for seq in 1.. {
        let (kind, body) = (script::kind(seq), script::body(seq));
        let done = match seq % 50 {
            0 => journal.commit(kind, body).await.map(drop),
            _ => journal.append(kind, body).await,
        };
        if let Err(error) = done {
            return (seq, error);
        }
    }
    unreachable!("numbers do not end")
}

fn limit(size: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let current = size.or(maximum);
    setrlimit(Resource::Fsize, Rlimit { current, maximum }).unwrap();
}
