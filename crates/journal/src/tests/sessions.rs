//! Tests of creating, opening, naming, archiving and deleting sessions.

use std::time::{Duration, Instant};

use super::*;

#[tokio::test]
async fn the_description_of_a_session_survives_reopening() {
    let test = TestStore::new();
    let info = StoredSession {
        additional: vec!["/made/up/too".into(), "/ü".into()],
        title: Some("first".to_owned()),
        settings: serde_json::json!({ "mode": "plan" }),
        archived: true,
        ..StoredSession::new("sess_1", "/made/up")
    };
    let journal = test.store.create(info.clone()).await.unwrap();
    let settings = serde_json::json!({ "mode": "code", "model": "m" });
    journal.set_settings(&settings).await.unwrap();
    journal.close().await.unwrap();
    drop(test.store);

    let store = Store::open(test.dir.path()).unwrap();
    let (found, _journal) = store.open_session(&info.id).await.unwrap();
    let is_recent = found
        .created
        .duration_until(jiff::Timestamp::now())
        .as_secs()
        < 60;
    assert!(is_recent && found.created == found.updated);
    let (created, updated) = (found.created, found.updated);
    let expected = StoredSession {
        settings,
        archived: false,
        created,
        updated,
        ..info
    };
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_session_is_open_once_in_a_process_until_it_is_dropped() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    journal.append(UPDATE, "last words").await.unwrap();
    let refused = test.store.open_session("sess_1").await.unwrap_err();
    let pid = Some(std::process::id());
    assert!(matches!(refused, Error::InUse { pid: owner } if owner == pid));
    assert_eq!(
        refused.to_string(),
        "the session is in use by this process; close it there first"
    );
    drop(journal);
    let (_, journal) = test.store.open_session("sess_1").await.unwrap();
    assert_eq!(
        entry_lines(&journal, Kinds::ALL, 0).await,
        "1 Update last words"
    );
}

#[tokio::test]
async fn an_id_is_made_once() {
    let test = TestStore::new();
    drop(test.session("sess_1").await);
    let again = test.store.create(StoredSession::new("sess_1", "/")).await;
    assert!(matches!(again, Err(Error::Exists)));
    assert_eq!(test.count("SELECT count(*) FROM session"), 1);
}

#[tokio::test]
async fn ids_are_never_interpreted() {
    let test = TestStore::new();
    let long = "x".repeat(100_000);
    let ids = [
        "../../x",
        "/etc/passwd",
        "",
        ".",
        "a\0b",
        "'; DROP TABLE session; --",
        "1",
        &long,
    ];
    for id in ids {
        let missing = test.store.open_session(id).await;
        assert!(matches!(missing, Err(Error::NotFound)));
        assert!(matches!(test.store.info(id).await, Err(Error::NotFound)));
        assert!(matches!(test.store.archive(id).await, Err(Error::NotFound)));
        test.store.delete(id).await.unwrap();

        let journal = test
            .store
            .create(StoredSession::new(id, "/made/up"))
            .await
            .unwrap();
        journal.commit(Kind::PROMPT, id.to_owned()).await.unwrap();
        journal.close().await.unwrap();
        let (info, journal) = test.store.open_session(id).await.unwrap();
        assert_eq!(info.id, id);
        assert_eq!(
            entry_lines(&journal, Kinds::ALL, 0).await,
            format!("1 Prompt {}", id)
        );
    }
    let names: Vec<_> = std::fs::read_dir(test.dir.path())
        .unwrap()
        .map(|name| name.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let endless = "x".repeat(LARGEST_TEXT + 1);
    assert!(matches!(
        test.store.info(&endless).await,
        Err(Error::NotFound)
    ));
    let refused = test.store.create(StoredSession::new(endless, "/")).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
}

#[tokio::test]
async fn a_title_set_by_the_agent_never_replaces_the_users_title() {
    let test = TestStore::new();
    drop(test.session("sess_1").await);
    let id = "sess_1";
    for (title, by, expected) in [
        ("a", TitleSource::Agent, "a"),
        ("b", TitleSource::Agent, "b"),
        ("c", TitleSource::Person, "c"),
        ("d", TitleSource::Agent, "c"),
        ("e", TitleSource::Person, "e"),
    ] {
        assert_eq!(test.store.set_title(id, title, by).await.unwrap(), expected);
        assert_eq!(
            test.store.info(id).await.unwrap().title.as_deref(),
            Some(expected)
        );
    }
    let missing = test
        .store
        .set_title("sess_2", "f", TitleSource::Person)
        .await;
    assert!(matches!(missing, Err(Error::NotFound)));
}

#[tokio::test]
async fn a_deleted_session_leaves_nothing_behind() {
    let test = TestStore::new();
    let id = "sess_1";
    let journal = test.session("sess_1").await;
    for _ in 0..100 {
        journal
            .append(Kind::PROMPT, vec![b'x'; 5000])
            .await
            .unwrap();
    }
    assert!(matches!(
        test.store.delete(id).await,
        Err(Error::InUse { .. })
    ));
    drop(journal);
    test.store.delete(id).await.unwrap();
    test.store.delete(id).await.unwrap();
    assert!(matches!(test.store.info(id).await, Err(Error::NotFound)));
    assert!(matches!(
        test.store.open_session(id).await,
        Err(Error::NotFound)
    ));
    // The id can be used again at once, and the new session contains nothing of the old one.
    let journal = test.session("sess_1").await;
    assert_eq!(entry_lines(&journal, Kinds::ALL, 0).await, "");
    let deadline = Instant::now() + Duration::from_secs(10);
    while test.count("SELECT count(*) + (SELECT count(*) FROM session) FROM run") > 1 {
        assert!(Instant::now() < deadline, "the runs are still there");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn opening_the_store_removes_unfinished_deletions_and_forks() {
    let test = TestStore::new();
    for id in ["gone", "fork", "kept"] {
        let journal = test.session(id).await;
        journal.commit(Kind::PROMPT, "x").await.unwrap();
        journal.close().await.unwrap();
    }
    let TestStore { store, dir } = test;
    drop(store);
    let db = Connection::open(dir.path().join("sessions.db")).unwrap();
    db.execute_batch(
        "UPDATE session SET state = 2, id = NULL WHERE id = 'gone';
         UPDATE session SET state = 1 WHERE id = 'fork';",
    )
    .unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert!(matches!(store.info("fork").await, Err(Error::NotFound)));
    let test = TestStore { store, dir };
    let deadline = Instant::now() + Duration::from_secs(10);
    while test.count("SELECT count(*) + (SELECT count(*) FROM session) FROM run") > 2 {
        assert!(Instant::now() < deadline, "the runs are still there");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(test.store.info("kept").await.is_ok());
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;

    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("data/attache");
    let store = Store::open(&dir).unwrap();
    let _journal = store
        .create(StoredSession::new("sess_1", "/"))
        .await
        .unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&dir), mode(&dir.join("locks"))), (0o700, 0o700));
    for name in [
        "sessions.db",
        "sessions.db-wal",
        "sessions.db-shm",
        "locks/1",
    ] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn committed_entries_are_synced_to_the_disk() {
    let test = TestStore::new();
    let asked = test.store.write(|change| {
        let number = |name| change.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let mode: String = change.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        Ok((mode, number("synchronous")?))
    });
    assert_eq!(asked.await.unwrap(), ("wal".to_owned(), 2));
}
