//! Tests that a database of an earlier version can be read and continued. `stored.db` contains two sessions: one whose
//! second turn was cut off, and its fork, which the user has named and archived.

use std::fs;

use expect_test::expect;

use super::*;

#[tokio::test]
async fn a_database_of_an_earlier_version_is_opened_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.db");
    fs::write(&path, STORED).unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert!(fs::read(&path).unwrap() == STORED, "the file was changed");

    let all = SessionFilter {
        archived: ArchiveFilter::Include,
        ..SessionFilter::default()
    };
    let infos = store.list(&all, None, 9).await.unwrap().infos;
    expect![[r#"
        sess_2 /made Some("Mine") 2023-11-14T22:14:21Z 2023-11-14T22:14:21Z true null Some("sess_1")
        sess_1 /made/up Some("Count the files") 2023-11-14T22:13:20Z 2023-11-14T22:13:29Z false {"mode":"code","model":"embedded"} None
    "#]].assert_eq(&infos.iter().map(described).collect::<String>());
    assert_eq!(
        infos[1].additional,
        [PathBuf::from("/made/up/docs"), "/elsewhere".into()]
    );

    let (_, journal) = store.open_session("sess_1").await.unwrap();
    expect![[r#"
        1 Prompt Count the files
        2 Update Let me see
        3 Message run ls
        4 Decision allowed once
        5 ToolStarted ls
        6 ToolEnded � is no text
        7 TurnEnded 
        8 Compacted There are 2 files
        9 Prompt And now?
        10 Update Let me"#]]
    .assert_eq(&entry_lines(&journal, Kinds::ALL, 0).await);
    let ends = Kinds::of(&[Kind::TURN_ENDED, COMPACTED]);
    expect![[r#"
        7 TurnEnded 
        8 Compacted There are 2 files"#]]
    .assert_eq(&entry_lines(&journal, ends, 0).await);
    let mut entries = journal.entries(Kinds::of(&[TOOL_ENDED])).await.unwrap();
    let ended = entries.next().await.unwrap().unwrap();
    assert_eq!(&ended.body[..], b"\xff is no text");
    assert_eq!(ended.at.as_second(), 1_700_000_008);
    assert_eq!(journal.commit(Kind::TURN_ENDED, "").await.unwrap(), 11);

    let (_, fork) = store.open_session("sess_2").await.unwrap();
    let prompts = entry_lines(&fork, Kinds::of(&[Kind::PROMPT]), 0).await;
    assert_eq!(
        prompts,
        format!("1 Prompt Count the files\n9 Prompt {}", "x".repeat(10_000))
    );
    // A title that the user has set stays.
    let named = store.set_title("sess_2", "Another", TitleSource::Agent);
    named.await.unwrap();
    let info = store.info("sess_2").await.unwrap();
    assert_eq!(info.title.as_deref(), Some("Mine"));
}

fn described(info: &StoredSession) -> String {
    let StoredSession {
        id,
        cwd,
        title,
        created,
        updated,
        archived,
        settings,
        parent,
        ..
    } = info;
    format!(
        "{id} {} {title:?} {created} {updated} {archived} {settings} {parent:?}\n",
        cwd.display()
    )
}

const STORED: &[u8] = include_bytes!("stored.db");
