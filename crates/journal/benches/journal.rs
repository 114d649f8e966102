//! Measures the journal: appending an update, waiting for the disk, replaying a long session, and listing many sessions.
//!
//! ```text
//! journal                        runs everything once on little data, without a table
//! journal --bench [--quick]      prints the table; --quick uses a tenth of the entries
//! ```
//!
//! The processor time is that of the whole process, including the writing thread and its commits.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark prints its result and stops at the first surprise"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attache_journal::{Journal, Kind, Kinds, SessionFilter, Store, StoredSession, new_id};
use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let size = match words[..] {
        [] => 1000,
        ["--bench"] => 1_000_000,
        ["--bench", "--quick"] | ["--quick", "--bench"] => 100_000,
        _ => panic!("unknown arguments {words:?}"),
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    println!(
        "{:44} {:>9} {:>12} {:>12}",
        "", "count", "wall each", "cpu each"
    );
    runtime.block_on(run(size));
}

async fn run(size: usize) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let id = new_id().unwrap();
    let journal = store
        .create(StoredSession::new(id.clone(), "/made/up"))
        .await
        .unwrap();
    append(&journal, size).await;
    println!(
        "{:44} {:>9}",
        "  log after it, kB",
        kilobytes(&dir.path().join("sessions.db-wal"))
    );
    replay(&journal, size).await;
    fork(&store, &journal, size).await;
    commit(&journal, size / 1000).await;
    settled(&journal, &dir.path().join("sessions.db"), size / 10_000).await;
    many(&store, size / 100_000).await;
    drop(store);
    list(size / 10).await;
}

/// Appends updates as fast as the store accepts them.
async fn append(journal: &Journal, count: usize) {
    let figure = Measurement::start();
    for _ in 0..count {
        journal.append(SHOWN, update()).await.unwrap();
    }
    journal.commit(Kind::TURN_ENDED, "{}").await.unwrap();
    figure.end("append an update of 150 bytes, at full speed", count);
}

async fn replay(journal: &Journal, count: usize) {
    let before = resident();
    let figure = Measurement::start();
    let mut entries = journal.entries(Kinds::ALL).await.unwrap();
    let mut bytes = entries.next().await.unwrap().unwrap().body.len();
    let first = figure.wall.elapsed();
    while let Some(entry) = entries.next().await.unwrap() {
        bytes += entry.body.len();
    }
    figure.end("replay an entry", count + 1);
    assert_eq!(bytes, count * update().len() + 2);
    println!("{:44} {:>22}", "  its first entry", format_time(first));
    println!(
        "{:44} {:>9}",
        "  more memory in use after it, kB",
        resident().saturating_sub(before)
    );
    let figure = Measurement::start();
    let mut entries = journal
        .entries(Kinds::of(&[Kind::TURN_ENDED]))
        .await
        .unwrap();
    while entries.next().await.unwrap().is_some() {}
    figure.end("find the one end of a turn among them", 1);
}

async fn fork(store: &Store, journal: &Journal, count: usize) {
    let infos = store
        .list(&SessionFilter::default(), None, 1)
        .await
        .unwrap()
        .infos;
    let figure = Measurement::start();
    let fork = store.fork(
        &infos[0].id,
        StoredSession::new(new_id().unwrap(), "/made/up"),
    );
    let waits = waits_during(fork, journal).await;
    figure.end("fork it, for each entry", count);
    println!(
        "{:44} {:>22}",
        "  longest commit of another session meanwhile",
        format_time(waits)
    );
}

/// The longest duration of a commit during other work.
async fn waits_during<T>(work: impl Future<Output = T>, journal: &Journal) -> Duration {
    let mut work = std::pin::pin!(work);
    let mut longest = Duration::ZERO;
    loop {
        let begin = Instant::now();
        let commit = journal.commit(DECISION, "{}");
        let mut commit = std::pin::pin!(commit);
        tokio::select! {
            _ = &mut work => return longest,
            done = &mut commit => drop(done.unwrap()),
        }
        longest = longest.max(begin.elapsed());
    }
}

async fn commit(journal: &Journal, count: usize) {
    let figure = Measurement::start();
    let mut times = Vec::new();
    for _ in 0..count.max(1) {
        let begin = Instant::now();
        journal.commit(DECISION, update()).await.unwrap();
        times.push(begin.elapsed());
    }
    figure.end("commit a decision", count.max(1));
    spread("  waits of it", times);
}

/// How long an appended update takes to reach the disk, as another connection sees it.
async fn settled(journal: &Journal, path: &Path, count: usize) {
    let db = rusqlite::Connection::open(path).unwrap();
    let mut times = Vec::new();
    let last = |db: &rusqlite::Connection| {
        db.query_row("SELECT max(key) FROM run WHERE key < 2 << 40", [], |row| {
            row.get::<_, i64>(0)
        })
    };
    for _ in 0..count.max(1) {
        let before = last(&db).unwrap();
        let begin = Instant::now();
        journal.append(SHOWN, update()).await.unwrap();
        while last(&db).unwrap() == before {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        times.push(begin.elapsed());
    }
    spread("an update until it is on disk", times);
}

/// A hundred sessions that each get a hundred updates a second and commit once a second.
async fn many(store: &Store, seconds: usize) {
    let seconds = seconds.clamp(1, 5);
    let mut journals = Vec::new();
    for _ in 0..100 {
        let info = StoredSession::new(new_id().unwrap(), "/made/up");
        journals.push(Arc::new(store.create(info).await.unwrap()));
    }
    let figure = Measurement::start();
    let tasks: Vec<_> = journals
        .iter()
        .map(|journal| tokio::spawn(stream(Arc::clone(journal), seconds)))
        .collect();
    let (mut appends, mut commits) = (Vec::new(), Vec::new());
    for task in tasks {
        let (append, commit) = task.await.unwrap();
        appends.extend(append);
        commits.extend(commit);
    }
    figure.end("100 sessions, 100 updates a second each", appends.len());
    spread("  waits of an append", appends);
    spread("  waits of a commit", commits);
}

async fn stream(journal: Arc<Journal>, seconds: usize) -> (Vec<Duration>, Vec<Duration>) {
    let (mut appends, mut commits) = (Vec::new(), Vec::new());
    let mut tick = tokio::time::interval(Duration::from_millis(10));
    for turn in 1..=seconds * 100 {
        tick.tick().await;
        let begin = Instant::now();
        journal.append(SHOWN, update()).await.unwrap();
        appends.push(begin.elapsed());
        if turn % 100 == 0 {
            let begin = Instant::now();
            journal.commit(DECISION, "{}").await.unwrap();
            commits.push(begin.elapsed());
        }
    }
    (appends, commits)
}

/// Lists pages of 50 among many sessions, which are inserted without the store.
async fn list(count: usize) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let db = rusqlite::Connection::open(dir.path().join("sessions.db")).unwrap();
    db.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO session (id, state, cwd, additional, created, updated, changed, archived, settings)
         SELECT 'sess_' || i, 0, '/made/up/' || (i % 100), '[]', i, i, i, i % 1000 = 0, '{}' FROM n",
        [i64::try_from(count).unwrap()],
    )
    .unwrap();
    let mut cursor: Option<String> = None;
    let mut times = Vec::new();
    loop {
        let begin = Instant::now();
        let page = store
            .list(&SessionFilter::default(), cursor.as_deref(), 50)
            .await
            .unwrap();
        times.push(begin.elapsed());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    spread("a page of 50 sessions", times);
    let filter = SessionFilter {
        cwd: Some("/made/up/7".into()),
        ..SessionFilter::default()
    };
    let begin = Instant::now();
    store.list(&filter, None, 50).await.unwrap();
    spread("  those of one directory", vec![begin.elapsed()]);
}

struct Measurement {
    wall: Instant,
    own: Duration,
}

impl Measurement {
    fn start() -> Measurement {
        Measurement {
            wall: Instant::now(),
            own: own_time(),
        }
    }

    fn end(&self, name: &str, count: usize) {
        let each = |time: Duration| format_time(time / u32::try_from(count).unwrap());
        let (wall, own) = (each(self.wall.elapsed()), each(own_time() - self.own));
        println!("{name:44} {count:>9} {wall:>12} {own:>12}");
    }
}

fn spread(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let count = times.len();
    let [half, most, all] =
        [count / 2, count * 99 / 100, count - 1].map(|at| format_time(times[at]));
    println!("{name:44} {count:>9} half {half}, 99 of 100 {most}, all {all}");
}

fn format_time(time: Duration) -> String {
    match time.as_nanos() {
        nanos @ 0..100_000 => format!("{:.2} µs", nanos as f64 / 1e3),
        nanos => format!("{:.2} ms", nanos as f64 / 1e6),
    }
}

fn update() -> Bytes {
    Bytes::from_static(UPDATE)
}

fn kilobytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len() / 1024)
}

/// The memory of this process in kilobytes, or 0 on systems that do not report it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let figure = line.and_then(|line| line.split_whitespace().nth(1));
    figure.map_or(0, |figure| figure.parse().unwrap())
}

fn own_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}

const UPDATE: &[u8; 150] = br#"{"sessionId":"sess_01jd3k9x2m4v7q8w5t6y0z1abc","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" tokens of a te"}}}   "#;

const SHOWN: Kind = Kind::numbered::<2>();
const DECISION: Kind = Kind::numbered::<4>();
