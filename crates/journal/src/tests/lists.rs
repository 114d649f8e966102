//! Tests of the list of sessions and its cursors.

use super::*;

async fn ids(
    store: &Store,
    filter: &SessionFilter,
    cursor: Option<&str>,
    size: usize,
) -> (String, Option<String>) {
    let page = store.list(filter, cursor, size).await.unwrap();
    let ids: Vec<&str> = page.infos.iter().map(|info| info.id.as_str()).collect();
    (ids.join(" "), page.next)
}

#[tokio::test]
async fn the_list_is_sorted_by_last_change_and_paging_survives_changes() {
    let test = TestStore::new();
    let mut journals = Vec::new();
    for id in ["a", "b", "c", "d", "e"] {
        journals.push(test.session(id).await);
    }
    let all = SessionFilter::default();
    let (page, cursor) = ids(&test.store, &all, None, 2).await;
    assert_eq!(page, "e d");
    // A committed entry moves its session to the front; an appended one does not.
    journals[1].append(UPDATE, "x").await.unwrap();
    journals[4].commit(Kind::PROMPT, "x").await.unwrap();
    journals[0].commit(Kind::PROMPT, "x").await.unwrap();
    drop(test.session("f").await);
    let (page, cursor) = ids(&test.store, &all, cursor.as_deref(), 2).await;
    assert_eq!((page.as_str(), cursor), ("c b", None));
    let (page, cursor) = ids(&test.store, &all, None, 6).await;
    assert_eq!((page.as_str(), cursor), ("f a e d c b", None));
    journals[2].touch().await.unwrap();
    assert_eq!(ids(&test.store, &all, None, 0).await.0, "c");
}

#[tokio::test]
async fn sessions_are_listed_by_directory_and_archive_state() {
    let test = TestStore::new();
    for (id, cwd) in [("a", "/x"), ("b", "/y"), ("c", "/x"), ("d", "/x")] {
        drop(
            test.store
                .create(StoredSession::new(id, cwd))
                .await
                .unwrap(),
        );
    }
    test.store.archive("c").await.unwrap();
    test.store.archive("b").await.unwrap();
    let check = async |cwd: Option<&str>, archived, expected: &str| {
        let cwd = cwd.map(PathBuf::from);
        assert_eq!(
            ids(&test.store, &SessionFilter { cwd, archived }, None, 9)
                .await
                .0,
            expected
        );
    };
    check(None, ArchiveFilter::Exclude, "d a").await;
    check(None, ArchiveFilter::Include, "d c b a").await;
    check(None, ArchiveFilter::Only, "c b").await;
    check(Some("/x"), ArchiveFilter::Include, "d c a").await;
    check(Some("/x"), ArchiveFilter::Only, "c").await;
    check(Some("/"), ArchiveFilter::Include, "").await;
    test.store.unarchive("c").await.unwrap();
    check(None, ArchiveFilter::Only, "b").await;
}

#[tokio::test]
async fn sessions_stay_in_order_when_the_clock_goes_back() {
    let test = TestStore::with_clock();
    set_clock(9_000_000);
    let old = test.session("old").await;
    set_clock(5_000_000);
    drop(test.session("new").await);
    assert_eq!(
        ids(&test.store, &SessionFilter::default(), None, 9).await.0,
        "new old"
    );
    set_clock(1_000_000);
    old.commit(Kind::PROMPT, "x").await.unwrap();
    assert_eq!(
        ids(&test.store, &SessionFilter::default(), None, 9).await.0,
        "old new"
    );
    let info = test.store.info("old").await.unwrap();
    assert_eq!(info.updated.as_microsecond(), 9_000_000);
    set_clock(12_000_000);
    old.commit(Kind::TURN_ENDED, "x").await.unwrap();
    let info = test.store.info("old").await.unwrap();
    assert_eq!(info.updated.as_microsecond(), 12_000_000);
}

#[tokio::test]
async fn an_unknown_cursor_is_rejected() {
    let test = TestStore::new();
    for id in ["a", "b", "c"] {
        drop(test.session(id).await);
    }
    let all = SessionFilter::default();
    let cursor = ids(&test.store, &all, None, 1).await.1.unwrap();
    assert_eq!(ids(&test.store, &all, Some(&cursor), 1).await.0, "b");
    let mut forged = vec![
        String::new(),
        "x".repeat(100_000),
        "ü".into(),
        "a\0".into(),
        cursor.clone() + "A",
    ];
    for at in 0..cursor.len() {
        let mut bytes = cursor.clone().into_bytes();
        bytes[at] = if bytes[at] == b'Q' { b'g' } else { b'Q' };
        forged.push(String::from_utf8(bytes).unwrap());
        forged.push(cursor[..at].to_owned());
    }
    for cursor in forged {
        let refused = test.store.list(&all, Some(&cursor), 1).await;
        assert!(matches!(refused, Err(Error::Cursor)), "{cursor}");
    }
    let other = SessionFilter {
        archived: ArchiveFilter::Include,
        ..SessionFilter::default()
    };
    assert!(matches!(
        test.store.list(&other, Some(&cursor), 1).await,
        Err(Error::Cursor)
    ));
}
