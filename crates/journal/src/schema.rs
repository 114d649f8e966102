//! The database: its tables, their versions, and how connections are set up.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use attache_disk::private;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::Error;

/// Creates the database or migrates it to the newest version, and returns a connection for writing. A database of another
/// program is not changed.
///
/// # Errors
///
/// `Newer`, `Foreign`, `Damaged`, or an error of the file.
pub(super) fn prepare(path: &Path) -> Result<Connection, Error> {
    let metadata = private::open_or_create(path)?.metadata();
    match metadata.map_err(|error| Error::file(path, &error))?.len() {
        0 => {}
        // SQLite treats a file shorter than its header as empty and overwrites it.
        1..SHORTEST => return Err(Error::damaged("file is not a database")),
        _ => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | FLAGS;
            let db = patient(Connection::open_with_flags(path, flags)?)?;
            version(&db, path)?;
        }
    }
    let mut db = writing(path)?;
    migrate(&mut db, path, &VERSIONS)?;
    Ok(db)
}

/// A connection for writing. Committed transactions are on disk.
///
/// # Errors
///
/// When the database cannot be opened.
fn writing(path: &Path) -> Result<Connection, Error> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | FLAGS)?;
    let db = patient(db)?;
    write_ahead(&db)?;
    db.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA wal_autocheckpoint = 1000;
         PRAGMA journal_size_limit = 16777216;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = MEMORY;",
    )?;
    Ok(db)
}

/// A connection for reading only.
///
/// # Errors
///
/// When the database cannot be opened.
pub(super) fn reading(path: &Path) -> Result<Connection, Error> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | FLAGS)?;
    let db = patient(db)?;
    db.execute_batch("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;")?;
    Ok(db)
}

/// Waits for other processes. Their transactions are short but may follow each other closely, so this retries often.
fn patient(mut db: Connection) -> Result<Connection, Error> {
    let mut since = Instant::now();
    db.busy_handler(Some(move |tries: i32| {
        if tries == 0 {
            since = Instant::now();
        }
        thread::sleep(PAUSE);
        since.elapsed() < PATIENCE
    }))?;
    Ok(db)
}

/// Switches to a write-ahead log. If two processes do so at once, SQLite does not call the busy handler.
fn write_ahead(db: &Connection) -> Result<(), Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mode = db.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match mode.as_ref().map(String::as_str) {
            Ok("wal") => return Ok(()),
            Ok(_) => {
                let why = "this file system does not allow a write-ahead log".to_owned();
                return Err(Error::Database { why });
            }
            Err(error) if is_busy(error) && Instant::now() < deadline => thread::sleep(PAUSE),
            Err(_) => {}
        }
        mode?;
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// The version of a database that is ours or still empty, in one statement, because another process may be creating it.
fn version(db: &Connection, path: &Path) -> Result<i64, Error> {
    let sql = "SELECT (SELECT application_id FROM pragma_application_id),
                      (SELECT user_version FROM pragma_user_version),
                      (SELECT count(*) FROM sqlite_schema)";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let path = || path.to_owned();
    match db.query_row(sql, [], row)? {
        (0, 0, 0) => Ok(0),
        (APPLICATION, version, _) if version > NEWEST => Err(Error::Newer {
            path: path(),
            found: version,
            known: NEWEST,
        }),
        (APPLICATION, version, _) if version > 0 => Ok(version),
        _ => Err(Error::Foreign { path: path() }),
    }
}

/// Migrates the database to the last of these versions, all steps or none.
fn migrate(db: &mut Connection, path: &Path, versions: &[&str]) -> Result<(), Error> {
    if usize::try_from(version(db, path)?) == Ok(versions.len()) {
        return Ok(());
    }
    let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    let version = version(&change, path)?;
    for (number, step) in (1..).zip(versions) {
        if number > version {
            change.execute_batch(step)?;
            change.pragma_update(None, "application_id", APPLICATION)?;
            change.pragma_update(None, "user_version", number)?;
        }
    }
    change.commit()?;
    Ok(())
}

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);
/// "atta" in ASCII.
const APPLICATION: i64 = 0x6174_7461;
const SHORTEST: u64 = 512;
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_micros(200);

/// The version that the last of these makes.
const NEWEST: i64 = 1;
/// The changes from each version to the next. Released ones are never edited.
const VERSIONS: [&str; 1] = ["
    CREATE TABLE session (
        number     INTEGER PRIMARY KEY AUTOINCREMENT,
        id         TEXT UNIQUE,
        state      INTEGER NOT NULL,
        cwd        TEXT NOT NULL,
        additional TEXT NOT NULL,
        title      TEXT,
        titled_by  INTEGER NOT NULL DEFAULT 0,
        created    INTEGER NOT NULL,
        updated    INTEGER NOT NULL,
        changed    INTEGER NOT NULL,
        archived   INTEGER NOT NULL DEFAULT 0,
        settings   TEXT NOT NULL,
        parent     TEXT
    ) STRICT;
    CREATE INDEX session_by_change ON session (changed);
    CREATE INDEX session_by_cwd ON session (cwd, changed);
    CREATE TABLE run (
        key   INTEGER PRIMARY KEY,
        count INTEGER NOT NULL,
        kinds INTEGER NOT NULL,
        body  BLOB NOT NULL
    ) STRICT;
"];

#[cfg(test)]
mod tests;
