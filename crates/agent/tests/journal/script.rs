//! Entries that can be told by their number.

use attache_agent::store::{Entry, Journal, Kind, Kinds};

pub(crate) fn kind(seq: u64) -> Kind {
    match seq % 11 {
        0 => Kind::Prompt,
        4 => Kind::ToolStarted,
        7 => Kind::Decision,
        10 => Kind::TurnEnded,
        _ => Kind::Update,
    }
}

/// Mostly as long as a streamed update, at times longer than a page of the database.
pub(crate) fn body(seq: u64) -> Vec<u8> {
    let text = format!("{seq} ");
    let times = match seq % 97 {
        0 => 2000,
        _ => 30,
    };
    text.repeat(times).into_bytes()
}

/// Adds the entries with these numbers, and tells each that is said to be on disk.
pub(crate) async fn play(
    journal: &Journal,
    seqs: std::ops::RangeFrom<u64>,
    mut acknowledged: impl FnMut(u64) -> bool,
) {
    for seq in seqs {
        match kind(seq) {
            Kind::Update => journal.append(Kind::Update, body(seq)).await.unwrap(),
            kind => {
                assert_eq!(journal.commit(kind, body(seq)).await.unwrap(), seq);
                if !acknowledged(seq) {
                    return;
                }
            }
        }
    }
}

/// Reads what is after a number, compares it with what was to be written, and gives the last number.
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
