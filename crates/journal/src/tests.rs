//! Tests of the store within one process. Tests with several processes are in `tests/journal`.

mod capacity;
mod earlier_version;
mod entries;
mod faults;
mod forks;
mod lists;
mod sessions;

use std::sync::atomic::{AtomicI64, Ordering};

use tempfile::TempDir;

use super::*;

/// A store in a new directory.
struct TestStore {
    store: Store,
    dir: TempDir,
}

impl TestStore {
    fn new() -> TestStore {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        TestStore { store, dir }
    }

    /// A store whose clock is set with [`set_clock`].
    fn with_clock() -> TestStore {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::with_clock(dir.path(), || TIME.load(Ordering::Relaxed)).unwrap();
        TestStore { store, dir }
    }

    async fn session(&self, id: &str) -> Journal {
        let info = StoredSession::new(id, "/made/up");
        self.store.create(info).await.unwrap()
    }

    fn database(&self) -> PathBuf {
        self.dir.path().join("sessions.db")
    }

    /// Runs SQL on the database without the store.
    fn sql(&self, statement: &str) {
        let db = Connection::open(self.database()).unwrap();
        db.execute_batch(statement).unwrap();
    }

    fn count(&self, query: &str) -> i64 {
        let db = Connection::open(self.database()).unwrap();
        db.query_row(query, [], |row| row.get(0)).unwrap()
    }
}

fn set_clock(microseconds: i64) {
    TIME.store(microseconds, Ordering::Relaxed);
}

/// All entries as `number kind body`, and the damaged ranges.
async fn entry_lines(journal: &Journal, kinds: Kinds, after: u64) -> String {
    let mut entries = journal.entries(kinds).await.unwrap().after(after);
    let mut lines = Vec::new();
    loop {
        lines.push(match entries.next().await {
            Ok(Some(Entry {
                seq, kind, body, ..
            })) => {
                format!("{seq} {} {}", name(kind), String::from_utf8_lossy(&body))
            }
            Ok(None) => return lines.join("\n"),
            Err(error) => error.to_string(),
        });
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::PROMPT => "Prompt",
        UPDATE => "Update",
        MESSAGE => "Message",
        DECISION => "Decision",
        TOOL_STARTED => "ToolStarted",
        TOOL_ENDED => "ToolEnded",
        Kind::TURN_ENDED => "TurnEnded",
        COMPACTED => "Compacted",
        other => panic!("{other:?}"),
    }
}

const UPDATE: Kind = Kind::numbered::<2>();
const MESSAGE: Kind = Kind::numbered::<3>();
const DECISION: Kind = Kind::numbered::<4>();
const TOOL_STARTED: Kind = Kind::numbered::<5>();
const TOOL_ENDED: Kind = Kind::numbered::<6>();
const COMPACTED: Kind = Kind::numbered::<8>();

static TIME: AtomicI64 = AtomicI64::new(0);
