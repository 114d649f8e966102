//! Tests of databases and directories that cannot be used.

use std::fs;

use expect_test::{Expect, expect};

use super::*;

/// Fails to open a store over a file with these bytes, and checks that the file is unchanged.
fn check_untouched(bytes: &[u8], expect: Expect) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.db");
    fs::write(&path, bytes).unwrap();
    let error = Store::open(dir.path()).unwrap_err().to_string();
    let place = dir.path().canonicalize().unwrap();
    expect.assert_eq(&error.replace(place.to_str().unwrap(), "DIR"));
    assert!(fs::read(&path).unwrap() == bytes, "the file was changed");
}

/// The bytes of a database that was created and then changed with this SQL.
async fn database(change: &str) -> Vec<u8> {
    let test = TestStore::new();
    test.session("sess_1")
        .await
        .commit(Kind::PROMPT, "hello")
        .await
        .unwrap();
    let TestStore { store, dir } = test;
    drop(store);
    let path = dir.path().join("sessions.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(change).unwrap();
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    fs::read(&path).unwrap()
}

#[tokio::test]
async fn garbage_is_refused() {
    check_untouched(
        &b"this is no database ".repeat(1000),
        expect![
            "the database of sessions is damaged: file is not a database; move it away, or restore it from a copy"
        ],
    );
    check_untouched(
        b"x",
        expect![
            "the database of sessions is damaged: file is not a database; move it away, or restore it from a copy"
        ],
    );
}

#[tokio::test]
async fn a_database_with_a_destroyed_page_is_refused() {
    let mut bytes = database("").await;
    bytes[100..4096].fill(0xaa);
    check_untouched(
        &bytes,
        expect![
            "the database of sessions is damaged: database disk image is malformed; move it away, or restore it from a copy"
        ],
    );
}

#[tokio::test]
async fn a_newer_database_is_refused() {
    let bytes = database("CREATE TABLE future (x); PRAGMA user_version = 2;").await;
    check_untouched(
        &bytes,
        expect![
            "`DIR/sessions.db` has format 2, this version knows 1; use the newer version that made it"
        ],
    );
}

#[tokio::test]
async fn a_database_of_another_program_is_refused() {
    let bytes = database("PRAGMA application_id = 7;").await;
    check_untouched(
        &bytes,
        expect!["`DIR/sessions.db` is not a database of sessions; move it away"],
    );
}

#[tokio::test]
async fn a_file_in_place_of_the_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data");
    fs::write(&path, "").unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(&error, Error::File { path: named, .. } if *named == path),
        "{error}"
    );
    fs::remove_file(&path).unwrap();
    fs::create_dir_all(path.join("sessions.db")).unwrap();
    assert!(matches!(Store::open(&path), Err(Error::File { .. })));
}

#[cfg(unix)]
#[tokio::test]
async fn files_that_others_control_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let open = |dir: &Path| match Store::open(dir) {
        Err(Error::File { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let dir = tempfile::tempdir().unwrap();
    let mode = |mode| fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o770);
    assert!(open(dir.path()).contains("can be changed by others"));
    mode(0o700);
    symlink("elsewhere", dir.path().join("sessions.db")).unwrap();
    open(dir.path());
    assert!(!dir.path().join("elsewhere").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_directory_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = tempfile::tempdir().unwrap();
    let mode = |mode| fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o500);
    if fs::write(dir.path().join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    assert!(matches!(Store::open(dir.path()), Err(Error::File { .. })));
    mode(0o700);
}

#[tokio::test]
async fn damaged_pages_fail_one_session_and_not_the_store() {
    let test = TestStore::new();
    drop(test.session("sess_1").await);
    test.store.flush().await.unwrap();
    test.sql("UPDATE session SET settings = 'no JSON'");
    let opened = test.store.open_session("sess_1").await;
    assert!(matches!(opened, Err(Error::Damaged { .. })));
    test.session("sess_2")
        .await
        .commit(Kind::PROMPT, "x")
        .await
        .unwrap();
}
