//! Test entries whose contents follow from their number.

use attache_journal::{Entry, Journal, Kind, Kinds};

pub(crate) fn kind(seq: u64) -> Kind {
    match seq % 11 {
        0 => Kind::PROMPT,
        4 => TOOL_STARTED,
        7 => DECISION,
        10 => Kind::TURN_ENDED,
        _ => UPDATE,
    }
}

/// The body of an entry: usually as long as a streamed update, sometimes longer than a page of the database.
pub(crate) fn body(seq: u64) -> Vec<u8> {
    let text = format!("{seq} ");
    let times = match seq % 97 {
        0 => 2000,
        _ => 30,
    };
    text.repeat(times).into_bytes()
}

/// Adds the entries with these numbers, and reports each one that is on disk.
pub(crate) async fn run_role(
    journal: &Journal,
    seqs: std::ops::RangeFrom<u64>,
    mut acknowledged: impl FnMut(u64) -> bool,
) {
    for seq in seqs {
        match kind(seq) {
            UPDATE => journal.append(UPDATE, body(seq)).await.unwrap(),
            kind => {
                assert_eq!(journal.commit(kind, body(seq)).await.unwrap(), seq);
                if !acknowledged(seq) {
                    return;
                }
            }
        }
    }
}

/// Reads the entries after a number, compares them with the expected entries, and returns the last number.
pub(crate) async fn check(journal: &Journal, after: u64) -> u64 {
    let mut entries = journal.entries(Kinds::ALL).await.unwrap().after(after);
    let mut last = after;
    while let Some(Entry {
        seq,
        kind: found,
        body: bytes,
        ..
    }) = entries.next().await.unwrap()
    {
        assert_eq!(seq, last + 1);
        assert_eq!(found, kind(seq));
        assert!(bytes == body(seq), "entry {seq} has another body");
        last = seq;
    }
    last
}

const UPDATE: Kind = Kind::numbered::<2>();
const DECISION: Kind = Kind::numbered::<4>();
const TOOL_STARTED: Kind = Kind::numbered::<5>();
