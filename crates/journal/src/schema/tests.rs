use super::*;

#[test]
fn migrations_are_applied_in_order_and_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.db");
    let mut db = Connection::open(&path).unwrap();
    let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y"];
    migrate(&mut db, &path, &steps[..1]).unwrap();
    migrate(&mut db, &path, &steps[..1]).unwrap();
    db.execute("INSERT INTO a VALUES (1)", []).unwrap();
    assert_eq!(version(&db, &path).unwrap(), 1);
    // The program itself does not know this test's version 2.
    migrate(&mut db, &path, &steps).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (x, y): (i64, Option<i64>) = db.query_row("SELECT x, y FROM a", [], row).unwrap();
    assert_eq!((x, y), (1, None));
    assert!(matches!(
        version(&db, &path),
        Err(Error::Newer {
            found: 2,
            known: 1,
            ..
        })
    ));
}

#[test]
fn a_failed_migration_leaves_the_old_version() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sessions.db");
    let mut db = Connection::open(&path).unwrap();
    assert!(migrate(&mut db, &path, &["CREATE TABLE a (x)", "no SQL"]).is_err());
    assert_eq!(version(&db, &path).unwrap(), 0);
    migrate(&mut db, &path, &VERSIONS).unwrap();
    migrate(&mut db, &path, &VERSIONS).unwrap();
    assert_eq!(version(&db, &path).unwrap(), NEWEST);
}
