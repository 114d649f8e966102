//! Measures the cost of recording a message, and the time to open and search a large recording. Prints a table.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on ends here"
)]
#![allow(clippy::print_stdout, reason = "the table is the result")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use attache_recording::{
    Record, RecordContent, RecordFilter, RecordIndex, RecordedLine, RecordedStream,
    RecordingWriter, Secrets, ViolationIndex,
};
use attache_rpc::json::to_string;
use bytes::Bytes;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let dir = tempfile::tempdir().unwrap();
    noting(dir.path(), if quick { 20_000 } else { 200_000 });
    let size: u64 = if quick { 50_000_000 } else { 1_000_000_000 };
    opening(&dir.path().join("large.jsonl"), size);
}

/// Measures how long the conversation takes to hand a message to the recording.
fn noting(dir: &Path, messages: usize) {
    let recording =
        RecordingWriter::create(&dir.join("noted.jsonl"), "bench", Secrets::Redacted).unwrap();
    let message = Bytes::from(format!("{}\n", update(7)));
    let mut times = Vec::with_capacity(messages);
    for number in 0..messages {
        let start = Instant::now();
        recording.record_bytes(RecordedStream::Agent, message.clone());
        times.push(start.elapsed());
        if number % 100 == 0 {
            // A real conversation has pauses in which the other thread can write.
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    let finished = recording.finish("over", Duration::from_secs(60));
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_nanos();
    println!(
        "noting a message of {} bytes, ns    p50 {}  p90 {}  p99 {}",
        message.len(),
        at(50),
        at(90),
        at(99)
    );
    println!("whole recording: {}", finished.is_ok());
}

/// Measures the first and last screen of a large file, a filter, and the memory used.
fn opening(path: &Path, size: u64) {
    let records = fill(path, size);
    let size = fs::metadata(path).unwrap().len();
    println!(
        "\na recording of {} MB, {records} records",
        size / 1_000_000
    );
    let before = memory();
    let start = Instant::now();
    let index = RecordIndex::open(path, RecordFilter::default()).unwrap();
    let violations = ViolationIndex::open(path).unwrap();
    assert_eq!(index.page(0, 50).unwrap().rows.len(), 50);
    println!("first screen after     {:>9.2} ms", millis(start));
    wait(|| index.progress().done);
    println!("all of it read after   {:>9.2} ms", millis(start));
    wait(|| violations.count().1);
    println!("all of it judged after {:>9.2} ms", millis(start));
    let start = Instant::now();
    assert_eq!(index.page(records - 50, 50).unwrap().rows.len(), 50);
    println!("last screen in         {:>9.2} ms", millis(start));
    let start = Instant::now();
    let text = Some(format!("word {} ", records * 9 / 10));
    let filtered = RecordIndex::open(
        path,
        RecordFilter {
            text,
            ..RecordFilter::default()
        },
    )
    .unwrap();
    wait(|| filtered.progress().shown > 0 || filtered.progress().done);
    println!("a text at 9/10 found in{:>9.2} ms", millis(start));
    println!(
        "memory, highest        {:>9.1} MB, of which {before:.1} MB before",
        memory()
    );
}

fn fill(path: &Path, size: u64) -> u64 {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let (mut number, mut written) = (0, 0);
    while written < size {
        let record = Record {
            at: number * 50,
            time: "2026-01-31T12:00:00.000000Z".to_owned(),
            content: RecordContent::Line(
                RecordedStream::Agent,
                RecordedLine::whole(update(number)),
            ),
        };
        let line = to_string(&record);
        writeln!(out, "{line}").unwrap();
        written += line.len() as u64 + 1;
        number += 1;
    }
    out.flush().unwrap();
    number
}

fn update(number: u64) -> String {
    let content =
        format!(r#"{{"type":"text","text":"word {number} and some more of what a model says"}}"#);
    let update = format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#);
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s1","update":{update}}}}}"#
    )
}

fn wait(is_so: impl Fn() -> bool) {
    while !is_so() {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1_000.0
}

/// The peak memory of this process in MB.
fn memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    kilobytes
        .and_then(|text| text.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1_000.0
}
