//! Replays a stored session page by page: every update that was sent to a client.

use attache::agent::ClientSession;
use attache::json::Raw;
use attache_journal::{Journal, Kinds};

use crate::compaction;
use crate::entry_kinds;
use crate::failure::Failure;
use crate::recovery::{self, JournalState, readable};

/// Replays a session. If its last turn was interrupted, the turn is ended on the way, and the state that was read from
/// the journal is returned.
pub(super) async fn replay(
    client: &ClientSession,
    journal: &Journal,
) -> Result<Option<JournalState>, Failure> {
    let last = repeat(client, journal, 0).await?;
    let journal_state = recovery::read_if_interrupted(journal).await?;
    if journal_state.is_some() {
        repeat(client, journal, last).await?;
    }
    Ok(journal_state)
}

/// Replays the updates after an entry and returns the number of the last one.
async fn repeat(client: &ClientSession, journal: &Journal, after: u64) -> Result<u64, Failure> {
    let shows_compaction = compaction::is_shown(client.client());
    let kinds = Kinds::of(&[entry_kinds::PROMPT, entry_kinds::UPDATE]);
    let mut entries = journal.entries(kinds).await?.after(after);
    let mut last = after;
    while let Some(entry) = readable(&mut entries).await? {
        last = entry.seq;
        let updates = match entry.kind {
            entry_kinds::PROMPT => recovery::shown(&entry.body),
            _ => one(&entry.body).into_iter().collect(),
        };
        for update in updates {
            if shows_compaction || !is_compaction(&update) {
                client.update_raw(&update).await?;
            }
        }
    }
    Ok(last)
}

/// An update as stored. A damaged one is skipped.
fn one(body: &[u8]) -> Option<Raw> {
    Raw::parse(std::str::from_utf8(body).ok()?).ok()
}

/// Whether only clients that show compactions get this update.
fn is_compaction(update: &Raw) -> bool {
    let kind = update.string_member("sessionUpdate");
    kind.is_some_and(|kind| kind.starts_with("compaction_"))
}
