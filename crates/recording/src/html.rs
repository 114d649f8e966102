//! A recording as one self-contained HTML page: a sequence diagram with filters, times and violations.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use attache_rpc::json::{Encode as _, write};
use attache_text::markup::escape;

use super::{
    Correlator, Record, RecordContent, RecordFilter, RecordKind, RecordRow, RecordedStream,
    RecordingReader, validate,
};

/// Writes the page. `judged` is a second reader of the same recording. Only the beginning of a very long one is shown.
///
/// # Errors
///
/// When the recording cannot be read, or the page cannot be written.
pub fn html_page<R: BufRead>(
    records: &mut RecordingReader<R>,
    judged: &mut RecordingReader<R>,
    filter: &RecordFilter,
    name: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let violations = violations(judged)?;
    let (head, tail) = PAGE.split_once("/*RECORDS*/").unwrap_or((PAGE, ""));
    out.write_all(head.replace("<!--NAME-->", &escape(name)).as_bytes())?;
    let mut correlator = Correlator::default();
    let (mut number, mut shown, mut bytes) = (0, 0, 0);
    while let Some((_, record)) = records.next_record()? {
        let row = correlator.correlate(&record);
        if filter.shows(&row, &record) {
            let found = violations.get(&number);
            let line = entry(number, &row, &record, found.map_or(&[], Vec::as_slice));
            bytes += line.len();
            if shown >= MOST || bytes > MOST_BYTES {
                writeln!(out, "cut = true;")?;
                break;
            }
            writeln!(out, "add({line});")?;
            shown += 1;
        }
        number += 1;
    }
    out.write_all(tail.as_bytes())
}

fn violations<R: BufRead>(
    records: &mut RecordingReader<R>,
) -> io::Result<BTreeMap<u64, Vec<String>>> {
    let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    validate(
        records,
        |one| {
            if found.len() < MOST_BROKEN || found.contains_key(&one.record) {
                let text = one.violation.violation.to_string();
                found.entry(one.record).or_default().push(text);
            }
        },
        || true,
    )?;
    Ok(found)
}

/// A record as a JavaScript object of the page.
fn entry(number: u64, row: &RecordRow, record: &Record, violations: &[String]) -> String {
    let mut out = String::from("{");
    write::member(&mut out, "n", &number);
    write::member(&mut out, "at", &row.at);
    write::member(&mut out, "time", record.time.as_str());
    write::member(&mut out, "dir", row.stream.map_or("", RecordedStream::word));
    write::member(&mut out, "sort", sort(row.kind));
    write::member(&mut out, "method", row.method.as_str());
    write::member(&mut out, "detail", row.detail.as_str());
    write::member(
        &mut out,
        "session",
        row.session.as_deref().unwrap_or_default(),
    );
    if let Some(tool) = &row.tool {
        write::member(&mut out, "tool", &**tool);
    }
    write::member(&mut out, "size", &row.size);
    for (name, time) in [
        ("took", row.latency),
        ("first", row.first),
        ("ran", row.span),
    ] {
        if let Some(time) = time {
            write::member(&mut out, name, &time);
        }
    }
    if !violations.is_empty() {
        write::comma(&mut out);
        out.push_str("\"broken\":");
        violations.to_vec().encode(&mut out);
    }
    if let RecordContent::Line(_, said) = &record.content {
        let end = said.bytes.len().min(LONGEST);
        let text = String::from_utf8_lossy(&said.bytes[..end]);
        write::member(&mut out, "text", &*text);
    }
    out.push('}');
    // Nothing inside a script may look like the end of the script, or like a line break to JavaScript.
    out.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn sort(sort: RecordKind) -> &'static str {
    match sort {
        RecordKind::Request => "request",
        RecordKind::Notification => "notification",
        RecordKind::Response => "answer",
        RecordKind::Failure => "error",
        RecordKind::Noise => "noise",
        RecordKind::Errors => "stderr",
        RecordKind::Closed => "closed",
        RecordKind::Lost => "lost",
        RecordKind::Frame => "frame",
    }
}

const PAGE: &str = include_str!("html/page.html");
/// The maximum number of records on a page.
const MOST: u64 = 20_000;
/// The maximum number of records with violations.
const MOST_BROKEN: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;
/// The maximum number of bytes of a message on the page.
const LONGEST: usize = 64 << 10;
