//! Tests of several processes that share one database.

use std::path::Path;

use attache_journal::{Error, Kind, SessionFilter, Store, StoredSession, TitleSource, new_id};
use libtest_mimic::Trial;

use crate::script;
use crate::suite::{TestProcess, print_line, trial, wait_for_end};

pub(crate) const HOLD: &str = "run_role-holder";
pub(crate) const WRITE: &str = "run_role-author";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "a_session_that_another_process_has_open_is_in_use_until_it_is_killed",
            held,
        ),
        trial("processes_write_different_sessions_at_once", together),
    ]
}

async fn held() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let id = new_id().unwrap();
    let info = StoredSession::new(id.clone(), "/made/up");
    store.create(info).await.unwrap().close().await.unwrap();

    let mut holder = TestProcess::start(&[HOLD, dir.path().to_str().unwrap(), &id]);
    assert_eq!(holder.line().as_deref(), Some("open"));
    let pid = holder.pid();
    let is_in_use =
        |error: &Error| matches!(error, Error::InUse { pid: Some(owner) } if *owner == pid);
    let refused = store.open_session(&id).await.unwrap_err();
    assert!(is_in_use(&refused), "{refused:?}");
    assert_eq!(
        refused.to_string(),
        format!("the session is in use by process {pid}; close it there first")
    );
    assert!(is_in_use(&store.delete(&id).await.unwrap_err()));

    store
        .set_title(&id, "named meanwhile", TitleSource::Person)
        .await
        .unwrap();
    assert_eq!(
        store.info(&id).await.unwrap().title.as_deref(),
        Some("named meanwhile")
    );
    assert_eq!(
        store
            .list(&SessionFilter::default(), None, 10)
            .await
            .unwrap()
            .infos
            .len(),
        1
    );
    let fork = store
        .fork(&id, StoredSession::new(new_id().unwrap(), "/made/up"))
        .await
        .unwrap();
    assert_eq!(script::check(&fork, 0).await, 10);

    holder.kill();
    let (_, journal) = store.open_session(&id).await.unwrap();
    assert_eq!(script::check(&journal, 0).await, 11);
}

/// Opens a session, finishes a turn, begins another, and keeps the session open.
pub(crate) async fn hold(dir: &Path, id: &str) {
    let store = Store::open(dir).unwrap();
    let (_, journal) = store.open_session(id).await.unwrap();
    script::run_role(&journal, 1.., |seq| script::kind(seq) != Kind::PROMPT).await;
    print_line("open");
    wait_for_end();
}

async fn together() {
    let dir = tempfile::tempdir().unwrap();
    // There is no database yet: all of them try to create it at once.
    let players: Vec<TestProcess> = (0..6)
        .map(|_| TestProcess::start(&[WRITE, dir.path().to_str().unwrap()]))
        .collect();
    let ids: Vec<String> = players.into_iter().flat_map(TestProcess::end).collect();
    assert_eq!(ids.len(), 6);
    let store = Store::open(dir.path()).unwrap();
    for id in ids {
        let (_, journal) = store.open_session(&id).await.unwrap();
        assert_eq!(script::check(&journal, 0).await, ENTRIES);
    }
}

/// Creates a session, writes entries, and prints the id of the session.
pub(crate) async fn write(dir: &Path) {
    let store = Store::open(dir).unwrap();
    let id = new_id().unwrap();
    let journal = store
        .create(StoredSession::new(id.clone(), "/made/up"))
        .await
        .unwrap();
    script::run_role(&journal, 1.., |seq| seq < ENTRIES).await;
    print_line(&id);
}

const ENTRIES: u64 = 296;
