//! The list of sessions, page by page, in the order of changes. Changes are counted, so clocks don't matter.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rusqlite::{Connection, params};

use super::stored_session::{ArchiveFilter, SessionFilter, SessionPage, StoredSession};
use super::{Error, rows};

/// A page of at most `size` sessions, from the start or from a cursor.
///
/// # Errors
///
/// `Cursor` if the cursor is not from a listing with this filter.
pub(super) fn page(
    db: &Connection,
    filter: &SessionFilter,
    cursor: Option<&str>,
    size: usize,
) -> Result<SessionPage, Error> {
    let before = match cursor {
        Some(cursor) => read(cursor, filter)?,
        None => i64::MAX,
    };
    let size = size.clamp(1, LARGEST);
    let (mut infos, marks): (Vec<StoredSession>, Vec<i64>) =
        find(db, filter, before, size + 1)?.into_iter().unzip();
    let next = (infos.len() > size).then(|| written(marks[size - 1], filter));
    infos.truncate(size);
    Ok(SessionPage { infos, next })
}

fn find(
    db: &Connection,
    filter: &SessionFilter,
    before: i64,
    count: usize,
) -> Result<Vec<(StoredSession, i64)>, Error> {
    let archived = match filter.archived {
        ArchiveFilter::Exclude => "AND archived = 0",
        ArchiveFilter::Include => "",
        ArchiveFilter::Only => "AND archived = 1",
    };
    let (cwd, place) = match &filter.cwd {
        Some(cwd) => (Some(cwd.to_str().ok_or(Error::Path)?), "AND cwd = ?3"),
        None => (None, "AND ?3 IS NULL"),
    };
    let sql = format!(
        "SELECT {}, changed FROM session WHERE state = 0 AND changed < ?1 {archived} {place}
         ORDER BY changed DESC LIMIT ?2",
        rows::COLUMNS
    );
    let mut list = db.prepare_cached(&sql)?;
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut found = list.query(params![before, count, cwd])?;
    let mut infos = Vec::new();
    while let Some(row) = found.next()? {
        infos.push((rows::read(row)?, row.get("changed")?));
    }
    Ok(infos)
}

fn written(mark: i64, filter: &SessionFilter) -> String {
    let mut bytes = mark.to_le_bytes().to_vec();
    bytes.extend(checksum(mark, filter).to_le_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read(cursor: &str, filter: &SessionFilter) -> Result<i64, Error> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| Error::Cursor)?;
    let (mark, sum) = bytes.split_first_chunk().ok_or(Error::Cursor)?;
    let mark = i64::from_le_bytes(*mark);
    match checksum(mark, filter).to_le_bytes() == sum {
        true => Ok(mark),
        false => Err(Error::Cursor),
    }
}

fn checksum(mark: i64, filter: &SessionFilter) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&mark.to_le_bytes());
    hasher.update(&[filter.archived as u8, u8::from(filter.cwd.is_some())]);
    if let Some(cwd) = &filter.cwd {
        hasher.update(cwd.as_os_str().as_encoded_bytes());
    }
    hasher.finalize()
}

const LARGEST: usize = 1000;
