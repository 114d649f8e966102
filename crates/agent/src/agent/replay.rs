//! A stored session is shown again: everything that the client was ever shown, page by page.

use attache::agent::ClientSession;
use attache::json::Raw;
use attache_journal::{Journal, Kinds};

use crate::compaction;
use crate::failure::Failure;
use crate::kinds;
use crate::recovery::{self, JournalState, readable};

/// Shows a session again, to its end: a turn that was cut off is brought to one on the way, and what the journal tells
/// is then known.
pub(super) async fn replay(
    client: &ClientSession,
    journal: &Journal,
) -> Result<Option<JournalState>, Failure> {
    let last = repeat(client, journal, 0).await?;
    let journal_state = recovery::read_if_cut(journal).await?;
    if journal_state.is_some() {
        repeat(client, journal, last).await?;
    }
    Ok(journal_state)
}

/// Repeats what was shown after an entry, and says which was the last.
async fn repeat(client: &ClientSession, journal: &Journal, after: u64) -> Result<u64, Failure> {
    let shows_compaction = compaction::is_shown(client.client());
    let kinds = Kinds::of(&[kinds::PROMPT, kinds::UPDATE]);
    let mut entries = journal.entries(kinds).await?.after(after);
    let mut last = after;
    while let Some(entry) = readable(&mut entries).await? {
        last = entry.seq;
        let updates = match entry.kind {
            kinds::PROMPT => recovery::shown(&entry.body),
            _ => one(&entry.body).into_iter().collect(),
        };
        for update in updates {
            if shows_compaction || !is_compaction(&update) {
                client.repeat(&update).await?;
            }
        }
    }
    Ok(last)
}

/// An update as it was kept. What is damaged is left out; the rest can still be seen.
fn one(body: &[u8]) -> Option<Raw> {
    Raw::parse(std::str::from_utf8(body).ok()?).ok()
}

/// Whether an update is for clients that show compactions.
fn is_compaction(update: &Raw) -> bool {
    let kind = update.string_member("sessionUpdate");
    kind.is_some_and(|kind| kind.starts_with("compaction_"))
}
