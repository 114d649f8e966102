//! Tests of indexes over large recordings.

use std::fs;
use std::io::{self, BufRead, Read, Write};

use attache_rpc::json::to_string;

use super::super::{
    Correlator, Record, RecordContent, RecordFilter, RecordIndex, RecordedLine, RecordedStream,
    RecordingReader, ViolationIndex, html_page, open_recording,
};
use super::{TALK, conversation, poll, read};

/// A recording of many updates in two sessions, with an occasional request and its response.
fn long(messages: u64) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut text = String::new();
    for number in 0..messages {
        let session = if number % 3 == 0 { "a" } else { "b" };
        let (stream, line) = match number % 100 {
            0 => (
                RecordedStream::Client,
                format!(
                    r#"{{"jsonrpc":"2.0","id":{number},"method":"session/list","params":{{}}}}"#
                ),
            ),
            50 => {
                let asked = number - 50;
                (
                    RecordedStream::Agent,
                    format!(r#"{{"jsonrpc":"2.0","id":{asked},"result":{{"sessions":[]}}}}"#),
                )
            }
            _ => {
                let content = format!(r#"{{"type":"text","text":"word {number}"}}"#);
                let update =
                    format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#);
                let params = format!(r#"{{"sessionId":"{session}","update":{update}}}"#);
                (
                    RecordedStream::Agent,
                    format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#),
                )
            }
        };
        let record = Record {
            at: number * 10,
            time: String::new(),
            content: RecordContent::Line(stream, RecordedLine::whole(line)),
        };
        text.push_str(&to_string(&record));
        text.push('\n');
    }
    fs::write(file.path(), text).unwrap();
    file
}

fn settled(index: &RecordIndex) {
    poll(|| index.progress().done);
}

/// Compares pages of an index with one pass over the file.
fn check(filter: RecordFilter) {
    let file = long(6_000);
    let mut correlator = Correlator::default();
    let mut expected = Vec::new();
    for (number, record) in (0..).zip(open_recording(file.path()).unwrap()) {
        let record = record.unwrap();
        let row = correlator.correlate(&record);
        if filter.shows(&row, &record) {
            expected.push((number, row));
        }
    }
    assert!(!expected.is_empty());
    let index = RecordIndex::open(file.path(), filter).unwrap();
    settled(&index);
    assert_eq!(index.progress().shown, expected.len() as u64);
    assert_eq!(index.progress().records, 6_000);
    for first in (0..expected.len()).step_by(499).chain([expected.len() - 1]) {
        let page = index.page(first as u64, 40).unwrap();
        let end = expected.len().min(first + 40);
        let found: Vec<_> = page
            .rows
            .iter()
            .map(|(number, _, row)| (*number, row.clone()))
            .collect();
        assert_eq!(found, expected[first..end]);
        let (_, offset, row) = &page.rows[0];
        assert_eq!(index.record(*offset).unwrap().unwrap().at, row.at);
    }
}

#[test]
fn pages_equal_a_sequential_read() {
    check(RecordFilter::default());
}

#[test]
fn filtered_pages_equal_a_sequential_read() {
    let session = Some("a".to_owned());
    check(RecordFilter {
        session,
        ..RecordFilter::default()
    });
    let text = Some("WORD 599".to_owned());
    check(RecordFilter {
        text,
        ..RecordFilter::default()
    });
    let method = Some("session/list".to_owned());
    check(RecordFilter {
        method,
        ..RecordFilter::default()
    });
    check(RecordFilter {
        stream: Some(RecordedStream::Client),
        ..RecordFilter::default()
    });
}

#[test]
fn the_beginning_is_available_at_once() {
    let file = long(6_000);
    let index = RecordIndex::open(file.path(), RecordFilter::default()).unwrap();
    let page = index.page(0, 40).unwrap();
    assert_eq!(page.rows.len(), 40);
    assert_eq!(page.rows[39].0, 39);
}

/// An index follows a growing recording. It ignores the last line until that is complete.
#[test]
fn records_appended_to_a_file_are_found() {
    let text = conversation(&format!("{TALK}\n< noise\n"));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (some, rest) = lines.split_at(3);
    let (half, other) = rest[0].split_at(40);
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut out = file.reopen().unwrap();
    out.write_all(format!("{}{half}", some.concat()).as_bytes())
        .unwrap();
    let index = RecordIndex::follow(file.path(), RecordFilter::default()).unwrap();
    let violations = ViolationIndex::follow(file.path()).unwrap();
    poll(|| index.progress().done && index.progress().records == 3);
    assert_eq!(index.page(0, 40).unwrap().rows.len(), 3);
    out.write_all(format!("{other}{}", rest[1..].concat()).as_bytes())
        .unwrap();
    poll(|| index.progress().records == 12 && violations.has(11));
    assert_eq!(index.page(0, 40).unwrap().rows.len(), 12);
    out.set_len(0).unwrap();
    poll(|| index.progress().fault.is_some());
}

#[test]
fn an_endless_line_uses_bounded_memory() {
    let mut records = RecordingReader::new(Endless(200 << 20));
    assert_eq!(records.next().map(drop), None);
    assert_eq!((records.invalid(), records.offset()), (1, 200 << 20));
}

/// A reader of this many bytes without a line break.
struct Endless(usize);

impl Read for Endless {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("it is read by the buffer")
    }
}

impl BufRead for Endless {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(&[b'x'; 64 << 10][..self.0.min(64 << 10)])
    }

    fn consume(&mut self, count: usize) {
        self.0 -= count;
    }
}

#[test]
fn violations_by_record() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), conversation(&format!("{TALK}\n< noise\n"))).unwrap();
    let violations = ViolationIndex::open(file.path()).unwrap();
    poll(|| violations.count().1);
    assert_eq!(violations.count().0, 1);
    assert_eq!(violations.after(0), Some(11));
    assert!(violations.has(11) && violations.of(11)[0].contains("rule 1"));
}

#[test]
fn the_html_page_has_every_record_and_no_external_references() {
    let hostile = format!("{TALK}\n< </script><script>alert(1)</script>\n");
    let text = conversation(&hostile);
    let mut out = Vec::new();
    html_page(
        &mut read(&text),
        &mut read(&text),
        &RecordFilter::default(),
        "<talk>",
        &mut out,
    )
    .unwrap();
    let html = String::from_utf8(out).unwrap();
    assert_eq!(html.matches("\nadd({").count(), 12);
    assert_eq!(
        html.matches("<script").count(),
        1,
        "what was recorded opens no script"
    );
    assert!(html.contains("<title>&lt;talk&gt;</title>"));
    assert!(html.contains("\"broken\":["));
    assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("src="));
}
