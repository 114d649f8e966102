//! Tests of reading a journal: order, kinds, pages and damage.

use expect_test::expect;

use super::*;

async fn short(test: &TestStore) -> Journal {
    let journal = test.session("sess_1").await;
    journal.commit(Kind::PROMPT, "hello").await.unwrap();
    journal.append(UPDATE, "wor").await.unwrap();
    journal.append(UPDATE, "ld").await.unwrap();
    journal.commit(TOOL_STARTED, "ls").await.unwrap();
    assert_eq!(journal.commit(Kind::TURN_ENDED, "").await.unwrap(), 5);
    journal
}

#[tokio::test]
async fn entries_are_read_in_order_by_kind_and_after_a_number() {
    let test = TestStore::new();
    let journal = short(&test).await;
    journal.append(UPDATE, "not yet on disk").await.unwrap();
    expect![[r#"
        1 Prompt hello
        2 Update wor
        3 Update ld
        4 ToolStarted ls
        5 TurnEnded 
        6 Update not yet on disk"#]]
    .assert_eq(&entry_lines(&journal, Kinds::ALL, 0).await);
    expect![[r#"
        3 Update ld
        6 Update not yet on disk"#]]
    .assert_eq(&entry_lines(&journal, Kinds::of(&[UPDATE]), 2).await);
    expect![""].assert_eq(&entry_lines(&journal, Kinds::of(&[COMPACTED]), 0).await);
    expect![""].assert_eq(&entry_lines(&journal, Kinds::ALL, 6).await);
    expect![""].assert_eq(&entry_lines(&journal, Kinds::ALL, u64::MAX).await);
}

#[tokio::test]
async fn the_newest_entry_of_some_kinds_is_found_without_reading_the_others() {
    let test = TestStore::new();
    let journal = short(&test).await;
    let ends = Kinds::of(&[Kind::PROMPT, Kind::TURN_ENDED]);
    let newest = async |kinds| {
        let found = journal.newest(kinds).await.unwrap();
        found.map(|entry| (entry.seq, entry.kind))
    };
    assert_eq!(newest(ends).await, Some((5, Kind::TURN_ENDED)));
    journal.commit(Kind::PROMPT, "again").await.unwrap();
    journal.append(UPDATE, "not yet").await.unwrap();
    assert_eq!(newest(ends).await, Some((6, Kind::PROMPT)));
    assert_eq!(newest(Kinds::ALL).await, Some((7, UPDATE)));
    assert_eq!(newest(Kinds::of(&[COMPACTED])).await, None);
    let empty = test.session("sess_2").await;
    assert_eq!(empty.newest(Kinds::ALL).await.unwrap(), None);
}

#[tokio::test]
async fn entries_appended_while_reading_are_not_returned() {
    let test = TestStore::new();
    let journal = short(&test).await;
    let mut entries = journal.entries(Kinds::ALL).await.unwrap().after(4);
    journal.commit(Kind::PROMPT, "later").await.unwrap();
    assert_eq!(entries.next().await.unwrap().unwrap().seq, 5);
    assert_eq!(entries.next().await.unwrap(), None);
}

#[tokio::test]
async fn many_pages_and_large_entries_are_read_completely() {
    let test = TestStore::new();
    let journal = test.session("sess_1").await;
    let body = |n: usize| match n % 500 {
        0 => vec![b'a'; 700_000],
        _ => n.to_string().repeat(n % 70).into_bytes(),
    };
    for n in 0..3000 {
        journal.append(UPDATE, body(n)).await.unwrap();
    }
    let mut entries = journal.entries(Kinds::ALL).await.unwrap();
    for n in 0..3000 {
        let entry = entries.next().await.unwrap().unwrap();
        assert_eq!((entry.seq, entry.body.len()), (n as u64 + 1, body(n).len()));
        assert!(entry.body == body(n));
    }
    assert_eq!(entries.next().await.unwrap(), None);
}

#[tokio::test]
async fn damaged_and_missing_runs_are_reported_and_the_rest_is_read() {
    let test = TestStore::new();
    let journal = short(&test).await;
    for text in ["six", "seven", "eight"] {
        journal.commit(Kind::PROMPT, text).await.unwrap();
    }
    test.sql(
        "UPDATE run SET body = CAST(body || 'x' AS BLOB) WHERE key & 0xffff = 2;
         DELETE FROM run WHERE key & 0xffff IN (5, 8);",
    );
    expect![[r#"
        1 Prompt hello
        entries 2 to 4 of the session are damaged
        entries 5 to 5 of the session are damaged
        6 Prompt six
        7 Prompt seven
        entries 8 to 8 of the session are damaged"#]]
    .assert_eq(&entry_lines(&journal, Kinds::ALL, 0).await);
}

#[tokio::test]
async fn a_journal_written_to_without_its_lock_fails_alone() {
    let test = TestStore::new();
    let journal = short(&test).await;
    let other = test.session("sess_2").await;
    test.sql("INSERT INTO run VALUES ((1 << 40) + 6, 1, 4, x'00')");
    journal.append(UPDATE, "mine").await.unwrap();
    let (refused, written) = tokio::join!(
        journal.commit(DECISION, "mine"),
        other.commit(DECISION, "theirs"),
    );
    assert!(matches!(refused, Err(Error::Damaged { .. })));
    assert_eq!(written.unwrap(), 1);
    assert!(matches!(
        journal.append(UPDATE, "mine").await,
        Err(Error::Damaged { .. })
    ));
    assert_eq!(other.commit(DECISION, "theirs").await.unwrap(), 2);
}

#[tokio::test]
async fn entries_stay_in_order_when_the_clock_goes_back() {
    let test = TestStore::new();
    let slow = Store::with_clock(test.dir.path(), || 1_000_000).unwrap();
    let journal = test.session("sess_1").await;
    journal.commit(Kind::PROMPT, "now").await.unwrap();
    journal.close().await.unwrap();
    let before = slow.info("sess_1").await.unwrap().updated;
    let (_, journal) = slow.open_session("sess_1").await.unwrap();
    journal.commit(Kind::TURN_ENDED, "then").await.unwrap();
    let mut entries = journal.entries(Kinds::ALL).await.unwrap();
    let first = entries.next().await.unwrap().unwrap();
    let second = entries.next().await.unwrap().unwrap();
    assert!(first.seq < second.seq && first.at > second.at);
    assert_eq!(second.at.as_microsecond(), 1_000_000);
    assert_eq!(slow.info("sess_1").await.unwrap().updated, before);
}
