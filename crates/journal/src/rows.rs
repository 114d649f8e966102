//! The SQL statements on the two tables.

use std::path::PathBuf;

use rusqlite::{
    Connection, OptionalExtension as _, Row, Statement, Transaction, TransactionBehavior, params,
};

use super::kind::{Kind, Kinds};
use super::run::Packer;
use super::stored_session::{StoredSession, TitleSource};
use super::{Error, time};

/// The state of a session's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionState {
    Live = 0,
    /// A fork that is being copied.
    Making = 1,
    /// Deleted; its runs are still to be removed.
    Gone = 2,
}

/// Adds a session.
///
/// # Errors
///
/// `Exists`; `Damaged` when there are no more keys for runs.
pub(super) fn insert(
    change: &Transaction<'_>,
    info: &StoredSession,
    state: SessionState,
    now: i64,
) -> Result<i64, Error> {
    let path = |path: &PathBuf| path.to_str().map(str::to_owned).ok_or(Error::Path);
    let additional: Vec<String> = info.additional.iter().map(path).collect::<Result<_, _>>()?;
    let added = change.execute(
        "INSERT INTO session (id, state, cwd, additional, title, created, updated, changed, settings, parent)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6, coalesce(max(changed), 0) + 1, ?7, ?8 FROM session
         WHERE true ON CONFLICT (id) DO NOTHING",
        params![
            info.id,
            state as i64,
            path(&info.cwd)?,
            serde_json::Value::from(additional).to_string(),
            info.title,
            now,
            info.settings.to_string(),
            info.parent,
        ],
    )?;
    if added == 0 {
        return Err(Error::Exists);
    }
    let number = change.last_insert_rowid();
    match number < MOST_SESSIONS {
        true => Ok(number),
        false => Err(Error::damaged("it has had too many sessions")),
    }
}

/// The number of a visible session.
///
/// # Errors
///
/// `NotFound`.
pub(super) fn number(db: &Connection, id: &str) -> Result<i64, Error> {
    let mut find = db.prepare_cached("SELECT number FROM session WHERE id = ?1 AND state = 0")?;
    let found = find.query_row([id], |row| row.get(0)).optional()?;
    found.ok_or(Error::NotFound)
}

/// The description of a visible session.
///
/// # Errors
///
/// `NotFound`.
pub(super) fn info(db: &Connection, id: &str) -> Result<StoredSession, Error> {
    let sql = format!("SELECT {COLUMNS} FROM session WHERE id = ?1 AND state = 0");
    let mut find = db.prepare_cached(&sql)?;
    let mut rows = find.query([id])?;
    match rows.next()? {
        Some(row) => read(row),
        None => Err(Error::NotFound),
    }
}

/// The description of a session, from a row with [`COLUMNS`].
pub(super) fn read(row: &Row<'_>) -> Result<StoredSession, Error> {
    let text = |column| row.get::<_, String>(column);
    let json = |_| Error::damaged("what is known of a session is not JSON");
    Ok(StoredSession {
        id: text(0)?,
        cwd: text(1)?.into(),
        additional: serde_json::from_str(&text(2)?).map_err(json)?,
        title: row.get(3)?,
        created: time::from_disk(row.get(4)?),
        updated: time::from_disk(row.get(5)?),
        archived: row.get(6)?,
        settings: serde_json::from_str(&text(7)?).map_err(json)?,
        parent: row.get(8)?,
    })
}

/// Maps an update of no row to `NotFound`.
fn change_one(done: Result<usize, rusqlite::Error>) -> Result<(), Error> {
    match done? {
        0 => Err(Error::NotFound),
        _ => Ok(()),
    }
}

/// Makes a complete fork visible.
pub(super) fn show(change: &Transaction<'_>, number: i64) -> Result<(), Error> {
    let sql = "UPDATE session SET state = 0 WHERE number = ?1 AND state = 1";
    change_one(change.execute(sql, [number]))
}

/// Marks a session as deleted: its id is free again, its runs are still to be removed.
pub(super) fn remove(db: &Connection, number: i64) -> Result<(), Error> {
    let sql = "UPDATE session SET state = 2, id = NULL, cwd = '', additional = '', title = NULL, settings = ''
               WHERE number = ?1";
    change_one(db.execute(sql, [number]))
}

pub(super) fn set_settings(
    change: &Transaction<'_>,
    number: i64,
    settings: &str,
) -> Result<(), Error> {
    let sql = "UPDATE session SET settings = ?2 WHERE number = ?1";
    change_one(change.execute(sql, params![number, settings]))
}

pub(super) fn archive(change: &Transaction<'_>, id: &str) -> Result<(), Error> {
    let sql = "UPDATE session SET archived = 1 WHERE id = ?1 AND state = 0";
    change_one(change.execute(sql, [id]))
}

pub(super) fn unarchive(change: &Transaction<'_>, id: &str) -> Result<(), Error> {
    let sql = "UPDATE session SET archived = 0 WHERE id = ?1 AND state = 0";
    change_one(change.execute(sql, [id]))
}

/// Sets the title of a session, unless the user has set one and this one is from the agent.
pub(super) fn set_title(
    change: &Transaction<'_>,
    id: &str,
    title: &str,
    by: TitleSource,
) -> Result<String, Error> {
    let number = number(change, id)?;
    let sql = "UPDATE session SET title = ?2, titled_by = ?3 WHERE number = ?1 AND titled_by <= ?3";
    change.execute(sql, params![number, title, by as i64])?;
    let sql = "SELECT title FROM session WHERE number = ?1";
    Ok(change.query_row(sql, [number], |row| row.get(0))?)
}

/// Marks a session as changed now, after all others. Its time never goes back, even if the clock does.
pub(super) fn touch(
    change: &Transaction<'_>,
    number: i64,
    now: i64,
) -> Result<(), rusqlite::Error> {
    let mut touch = change.prepare_cached(
        "UPDATE session SET updated = max(updated, ?2), changed = (SELECT max(changed) FROM session) + 1
         WHERE number = ?1",
    )?;
    touch.execute(params![number, now])?;
    Ok(())
}

pub(super) const INSERT_RUN: &str =
    "INSERT INTO run (key, count, kinds, body) VALUES (?1, ?2, ?3, ?4)";

/// Inserts the run that is in the packer.
pub(super) fn insert_run(
    insert: &mut Statement<'_>,
    number: i64,
    packer: &mut Packer,
) -> Result<(), rusqlite::Error> {
    if let Some(run) = packer.finish() {
        insert.execute(params![
            key(number, run.first),
            run.count,
            run.kinds.bits(),
            run.bytes
        ])?;
    }
    Ok(())
}

/// The number of the next entry of a session.
pub(super) fn next(db: &Connection, number: i64) -> Result<u64, Error> {
    let sql = "SELECT key, count FROM run WHERE key >= ?1 AND key < ?2 ORDER BY key DESC LIMIT 1";
    let mut last = db.prepare_cached(sql)?;
    let found = last
        .query_row([key(number, 0), key(number + 1, 0)], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?))
        })
        .optional()?;
    Ok(match found {
        Some((key, count)) => first(key) + u64::from(count),
        None => 1,
    })
}

/// The key before which a fork ends: that of the first prompt whose turn has not ended, otherwise that of the next entry.
pub(super) fn completed(db: &Connection, number: i64) -> Result<i64, Error> {
    let (from, to) = (key(number, 0), key(number, next(db, number)?));
    let bits = |kind| Kinds::of(&[kind]).bits();
    let ended: Option<i64> = db
        .query_row(
            "SELECT key FROM run WHERE key >= ?1 AND key < ?2 AND kinds & ?3 ORDER BY key DESC LIMIT 1",
            params![from, to, bits(Kind::TURN_ENDED)],
            |row| row.get(0),
        )
        .optional()?;
    let open: Option<i64> = db
        .query_row(
            "SELECT key FROM run WHERE key > ?1 AND key < ?2 AND kinds & ?3 ORDER BY key LIMIT 1",
            params![ended.unwrap_or(from), to, bits(Kind::PROMPT)],
            |row| row.get(0),
        )
        .optional()?;
    Ok(open.unwrap_or(to))
}

/// Copies a few runs of one session to another and returns the key to continue from; `None` when all are copied.
///
/// # Errors
///
/// `NotFound` when the source session was deleted.
pub(super) fn copy(
    change: &Transaction<'_>,
    (from, to): (i64, i64),
    number: i64,
    copy: i64,
) -> Result<Option<i64>, Error> {
    let sql = "SELECT count(*) FROM session WHERE number = ?1 AND state = 0";
    if change.query_row(sql, [number], |row| row.get::<_, i64>(0))? == 0 {
        return Err(Error::NotFound);
    }
    let last = step(change, from, to)?;
    let Some(last) = last else {
        return Ok(None);
    };
    change.execute(
        "INSERT INTO run SELECT key + ?3, count, kinds, body FROM run WHERE key >= ?1 AND key <= ?2",
        [from, last, key(copy, 0) - key(number, 0)],
    )?;
    Ok(Some(last + 1))
}

/// Whether all runs of a deleted session have been removed.
pub(super) enum SweepProgress {
    Some,
    All,
}

/// Removes a few runs of a deleted session, and finally its row.
pub(super) fn sweep(db: &mut Connection, number: i64) -> Result<SweepProgress, Error> {
    let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let swept = match step(&change, key(number, 0), key(number + 1, 0))? {
        Some(last) => {
            let sql = "DELETE FROM run WHERE key >= ?1 AND key <= ?2";
            change.execute(sql, [key(number, 0), last])?;
            SweepProgress::Some
        }
        None => {
            let sql = "DELETE FROM session WHERE number = ?1 AND state = 2";
            change.execute(sql, [number])?;
            SweepProgress::All
        }
    };
    change.commit()?;
    Ok(swept)
}

/// The last of the runs to copy or remove at once, so few that other users of the database do not wait long.
fn step(db: &Connection, from: i64, to: i64) -> Result<Option<i64>, Error> {
    let sql =
        "SELECT key, length(body) FROM run WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3";
    let mut find = db.prepare_cached(sql)?;
    let mut found = find.query([from, to, STEP_ROWS])?;
    let (mut last, mut bytes) = (None, 0);
    while let Some(row) = found.next()?
        && bytes < STEP_BYTES
    {
        last = Some(row.get(0)?);
        bytes += row.get::<_, i64>(1)?;
    }
    Ok(last)
}

/// The sessions in a state.
pub(super) fn numbers(db: &Connection, state: SessionState) -> Result<Vec<i64>, Error> {
    let mut find = db.prepare("SELECT number FROM session WHERE state = ?1")?;
    let numbers = find.query_map([state as i64], |row| row.get(0))?;
    Ok(numbers.collect::<Result<_, _>>()?)
}

/// The key of a run: ordered by session, then by entry.
pub(super) fn key(number: i64, first: u64) -> i64 {
    number << ENTRY_BITS | first.cast_signed()
}

/// The number of the first entry of the run with this key.
pub(super) fn first(key: i64) -> u64 {
    (key & ((1 << ENTRY_BITS) - 1)).cast_unsigned()
}

pub(super) const COLUMNS: &str =
    "id, cwd, additional, title, created, updated, archived, settings, parent";

const ENTRY_BITS: u32 = 40;
const MOST_SESSIONS: i64 = (1 << (62 - ENTRY_BITS)) - 1;
const STEP_ROWS: i64 = 2000;
const STEP_BYTES: i64 = 512 * 1024;
