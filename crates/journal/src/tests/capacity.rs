//! Tests of a full disk and of a full write queue.

use std::time::{Duration, Instant};

use super::*;

impl TestStore {
    /// Limits the database to its current number of pages, or removes the limit.
    async fn set_room(&self, pages: Pages) {
        let set = self.store.write(move |change| {
            let now: i64 = change.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let most = match pages {
                Pages::NoMore => now,
                Pages::Any => i64::from(i32::MAX),
            };
            Ok(change.pragma_update_and_check(None, "max_page_count", most, |_| Ok(()))?)
        });
        set.await.unwrap();
    }
}

enum Pages {
    NoMore,
    Any,
}

#[tokio::test]
async fn on_a_full_disk_entries_are_kept_and_later_ones_rejected() {
    let test = TestStore::new();
    let (first, second) = (test.session("sess_1").await, test.session("sess_2").await);
    test.set_room(Pages::NoMore).await;
    first.append(UPDATE, vec![b'a'; 20_000]).await.unwrap();
    let refused = first.commit(TOOL_STARTED, "refused").await;
    assert!(matches!(refused, Err(Error::Full)), "{refused:?}");
    assert!(matches!(
        first.append(UPDATE, "refused").await,
        Err(Error::Full)
    ));
    assert!(matches!(
        second.append(UPDATE, "refused").await,
        Err(Error::Full)
    ));
    assert!(matches!(first.flush().await, Err(Error::Full)));
    second.flush().await.unwrap();

    test.set_room(Pages::Any).await;
    assert_eq!(second.commit(Kind::PROMPT, "taken").await.unwrap(), 1);
    first.append(UPDATE, "taken").await.unwrap();
    let text = entry_lines(&first, Kinds::ALL, 0).await;
    assert_eq!(
        text.replace(&"a".repeat(20_000), "…"),
        "1 Update …\n2 Update taken"
    );
    assert_eq!(entry_lines(&second, Kinds::ALL, 0).await, "1 Prompt taken");
}

#[tokio::test]
async fn a_failed_write_is_retried_automatically() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    test.set_room(Pages::NoMore).await;
    journal.append(UPDATE, vec![b'a'; 20_000]).await.unwrap();
    assert!(matches!(journal.flush().await, Err(Error::Full)));
    test.set_room(Pages::Any).await;
    let deadline = Instant::now() + Duration::from_secs(10);
    while test.count("SELECT count(*) FROM run") == 0 {
        assert!(Instant::now() < deadline, "nothing was tried");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn closing_a_session_on_a_full_disk_reports_the_loss_and_releases_it() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    test.set_room(Pages::NoMore).await;
    journal.append(UPDATE, vec![b'a'; 20_000]).await.unwrap();
    assert!(matches!(journal.close().await, Err(Error::Full)));
    test.set_room(Pages::Any).await;
    let (_, journal) = test.store.open_session("sess_1").await.unwrap();
    journal.append(UPDATE, "after").await.unwrap();
    assert_eq!(entry_lines(&journal, Kinds::ALL, 0).await, "1 Update after");
}

#[tokio::test]
async fn a_full_queue_makes_callers_wait_without_errors() {
    let test = TestStore::new();
    let journals = [test.session("sess_1").await, test.session("sess_2").await];
    let body = bytes::Bytes::from(vec![b'x'; 1_000_000]);
    let write = async |journal: &Journal| {
        for _ in 0..40 {
            journal.append(UPDATE, body.clone()).await.unwrap();
        }
        journal.commit(Kind::TURN_ENDED, "").await.unwrap()
    };
    let (first, second) = tokio::join!(write(&journals[0]), write(&journals[1]));
    assert_eq!((first, second), (41, 41));
}

#[tokio::test]
async fn an_entry_larger_than_the_queue_is_accepted_and_one_over_the_limit_rejected() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    journal.append(UPDATE, "before").await.unwrap();
    assert_eq!(journal.commit(MESSAGE, vec![0; 20 << 20]).await.unwrap(), 2);
    let refused = journal.commit(MESSAGE, vec![0; (64 << 20) + 1]).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
    assert_eq!(journal.commit(MESSAGE, "after").await.unwrap(), 3);
}

#[tokio::test]
async fn an_entry_reaches_the_disk_without_a_flush() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    journal.append(UPDATE, "x").await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while test.count("SELECT count(*) FROM run") == 0 {
        assert!(Instant::now() < deadline, "it is not there");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn the_write_ahead_log_does_not_grow_while_a_reader_is_open() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    for _ in 0..2000 {
        journal.append(UPDATE, vec![b'x'; 1000]).await.unwrap();
    }
    let mut entries = journal.entries(Kinds::ALL).await.unwrap();
    entries.next().await.unwrap();
    for _ in 0..40 {
        journal.commit(MESSAGE, vec![b'x'; 1 << 20]).await.unwrap();
    }
    let log = test
        .dir
        .path()
        .join("sessions.db-wal")
        .metadata()
        .unwrap()
        .len();
    assert!(log < 16 << 20, "{log} bytes");
    entries.next().await.unwrap();
}
