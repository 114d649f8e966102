//! Tests of forks: copies of another session's journal up to the end of its last finished turn.

use expect_test::expect;

use super::*;

async fn forked(test: &TestStore, id: &str) -> Journal {
    let info = StoredSession::new(id, "/made/up");
    test.store.fork("sess_1", info).await.unwrap()
}

#[tokio::test]
async fn a_fork_ends_before_an_unfinished_turn_and_is_independent() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    journal.commit(Kind::PROMPT, "one").await.unwrap();
    assert_eq!(
        entry_lines(&forked(&test, "empty").await, Kinds::ALL, 0).await,
        ""
    );
    journal.append(UPDATE, "1").await.unwrap();
    // Don't wait in between, so that the entries reach the disk together.
    let (_, _, _) = tokio::join!(
        journal.commit(Kind::TURN_ENDED, ""),
        journal.append(COMPACTED, ""),
        journal.commit(Kind::PROMPT, "two"),
    );
    journal.append(UPDATE, "2").await.unwrap();
    let fork = forked(&test, "sess_2").await;
    expect![[r#"
        1 Prompt one
        2 Update 1
        3 TurnEnded 
        4 Compacted "#]]
    .assert_eq(&entry_lines(&fork, Kinds::ALL, 0).await);
    assert_eq!(fork.commit(Kind::PROMPT, "other").await.unwrap(), 5);
    assert_eq!(journal.commit(Kind::TURN_ENDED, "").await.unwrap(), 7);
    assert_eq!(
        entry_lines(&forked(&test, "sess_3").await, Kinds::ALL, 4).await,
        entry_lines(&journal, Kinds::ALL, 4).await
    );
    fork.close().await.unwrap();
    let (info, fork) = test.store.open_session("sess_2").await.unwrap();
    assert_eq!(info.parent, Some("sess_1".into()));
    assert_eq!(entry_lines(&fork, Kinds::ALL, 4).await, "5 Prompt other");
}

#[tokio::test]
async fn a_fork_copies_a_long_journal_completely() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    for turn in 0..500 {
        journal
            .append(Kind::PROMPT, turn.to_string())
            .await
            .unwrap();
        journal
            .append(Kind::TURN_ENDED, vec![b'x'; turn * 10])
            .await
            .unwrap();
    }
    journal.flush().await.unwrap();
    let fork = forked(&test, "sess_2").await;
    assert_eq!(
        entry_lines(&fork, Kinds::ALL, 0).await,
        entry_lines(&journal, Kinds::ALL, 0).await
    );
    assert_eq!(fork.commit(Kind::PROMPT, "").await.unwrap(), 1001);
}

#[tokio::test]
async fn a_failed_fork_creates_no_session() {
    let test = TestStore::new();
    let missing = test
        .store
        .fork("sess_1", StoredSession::new("sess_2", "/"))
        .await;
    assert!(matches!(missing, Err(Error::NotFound)));
    let _journal = test.session("sess_1").await;
    let taken = test
        .store
        .fork("sess_1", StoredSession::new("sess_1", "/"))
        .await;
    assert!(matches!(taken, Err(Error::Exists)));
    assert_eq!(test.count("SELECT count(*) FROM session"), 1);
}
