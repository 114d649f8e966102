//! Tests that a process which is killed at any moment loses no entry that it reported to be on disk.

use std::path::Path;
use std::time::{Duration, Instant};

use attache_journal::{Store, StoredSession, new_id};
use libtest_mimic::Trial;

use crate::script;
use crate::suite::{TestProcess, print_line, trial};

pub(crate) const ROLE: &str = "run_role-writer";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "killed_writers_lose_nothing_while_others_have_the_database_open",
            || killed(Company::Others, 0x9e37_79b9_7f4a_7c15),
        ),
        trial("killed_writers_that_were_alone_lose_nothing", || {
            killed(Company::None, 0x2545_f491_4f6c_dd1d)
        }),
    ]
}

/// Whether other processes have the database open when a writer is killed. If not, the next process that opens it recovers the
/// log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Others,
    None,
}

async fn killed(company: Company, start: u64) {
    let dir = tempfile::tempdir().unwrap();
    let mut dice = Dice(start);
    let mut tally = Tally::default();
    for _ in 0..LOOPS / LOOPS_PER_SESSION {
        let store = Store::open(dir.path()).unwrap();
        let id = new_id().unwrap();
        let session = store.create(StoredSession::new(id.clone(), "/made/up"));
        session.await.unwrap().close().await.unwrap();
        let others = (company == Company::Others).then_some(store);
        let mut last = 0;
        for _ in 0..LOOPS_PER_SESSION {
            let told = killed_writer(&mut dice, dir.path(), &id, last);
            let store = match &others {
                Some(store) => store.clone(),
                None => Store::open(dir.path()).unwrap(),
            };
            let (_, journal) = store.open_session(&id).await.unwrap();
            let stored = script::check(&journal, last).await;
            let acknowledged = told.unwrap_or(last);
            assert!(
                acknowledged <= stored,
                "{acknowledged} was acknowledged, {stored} is stored"
            );
            tally.add(stored - last, stored - acknowledged, told);
            last = stored;
            journal.close().await.unwrap();
        }
        let store = Store::open(dir.path()).unwrap();
        let (_, journal) = store.open_session(&id).await.unwrap();
        assert_eq!(script::check(&journal, 0).await, last);
    }
    tally.judge();
}

/// Lets a writer continue after an entry until it is killed. Returns the last entry that it reported to be on disk.
fn killed_writer(dice: &mut Dice, dir: &Path, id: &str, last: u64) -> Option<u64> {
    let mut writer =
        TestProcess::start(&[ROLE, dir.to_str().unwrap(), id, &(last + 1).to_string()]);
    let lines = dice.roll(6);
    let mut told: Vec<String> = (0..lines).map_while(|_| writer.line()).collect();
    // Kill it at a random moment of its next work.
    let moment = Instant::now() + Duration::from_micros(dice.roll(6000));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    told.extend(writer.kill());
    told.last().map(|seq| seq.parse().unwrap())
}

/// Writes until it is killed, and prints the entries that are on disk.
pub(crate) async fn run_role(dir: &Path, id: &str, start: u64) {
    let store = Store::open(dir).unwrap();
    let (_, journal) = store.open_session(id).await.unwrap();
    let told = |seq: u64| {
        print_line(&seq.to_string());
        true
    };
    script::run_role(&journal, start.., told).await;
}

/// Counts what the killed processes had done, to check that the kills hit different moments.
#[derive(Default)]
struct Tally {
    entries: u64,
    beyond: usize,
    silent: usize,
}

impl Tally {
    fn add(&mut self, entries: u64, beyond: u64, told: Option<u64>) {
        self.entries += entries;
        self.beyond += usize::from(beyond > 0);
        self.silent += usize::from(told.is_none());
    }

    /// Fails unless some were killed before their first report, some between a write and its report, and most of them
    /// wrote entries.
    fn judge(&self) {
        let Tally {
            entries,
            beyond,
            silent,
        } = *self;
        let is_fair = entries > LOOPS as u64 && beyond > 0 && silent > 0 && silent < LOOPS / 2;
        assert!(
            is_fair,
            "{entries} entries, {beyond} beyond, {silent} silent is no fair trial"
        );
    }
}

/// Deterministic pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// The number of kills in each of the two tests.
const LOOPS: usize = 250;
const LOOPS_PER_SESSION: usize = 50;
