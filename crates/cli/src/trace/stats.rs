//! `attache trace stats`.

use std::fmt::Write as _;

use attache_recording::units::{size, time};
use attache_recording::{Histogram, RecordedStream, RecordingStats, validate};

use super::{records, report_invalid_lines};
use crate::arguments::Stats;
use crate::exit::Exit;
use crate::table::table;
use crate::{print, text};

pub(super) fn stats(arguments: &Stats) -> anyhow::Result<Exit> {
    let mut all = records(&arguments.file)?;
    let mut sums = RecordingStats::default();
    while let Some((_, record)) = all.next_record()? {
        sums.add_record(&record);
    }
    let mut violations = 0_u64;
    validate(&mut records(&arguments.file)?, |_| violations += 1, || true)?;
    let printed = match arguments.json {
        true => print::json(&sums.to_json(violations)),
        false => print::print(&shown(&sums, violations)),
    }?;
    match (
        printed,
        report_invalid_lines(&arguments.file, all.invalid()),
    ) {
        (Exit::Done, exit) => Ok(exit),
        (printed, _) => Ok(printed),
    }
}

fn shown(sums: &RecordingStats, violations: u64) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a String cannot fail.
        writeln!(out, "{name:<16}{value}").unwrap_or_default();
    };
    line("length", time(sums.length));
    line("messages", sums.messages().to_string());
    for stream in RecordedStream::ALL {
        let (lines, bytes) = sums.streams[stream as usize];
        line(stream.name(), format!("{lines} lines, {}", size(bytes)));
    }
    if sums.noise > 0 {
        line("no messages", format!("{} lines", sums.noise));
    }
    if !sums.lost.is_none() {
        line("not recorded", sums.lost.to_string());
    }
    if sums.hidden > 0 {
        line("secrets", format!("{} taken out", sums.hidden));
    }
    if sums.first.count() > 0 {
        line("first words", spread(&sums.first));
    }
    if sums.tools.count() > 0 {
        line("tool calls", spread(&sums.tools));
    }
    let [input, output, total] = sums.tokens;
    if total > 0 {
        line("tokens", format!("{total}: {input} in, {output} out"));
    }
    line("violations", violations.to_string());
    let rows: Vec<Vec<String>> = sums.methods.iter().map(row).collect();
    let heads = [
        "method", "by", "calls", "failed", "bytes", "p50", "p90", "p99", "max",
    ];
    out.push('\n');
    out.push_str(&table(&heads, &rows));
    if !sums.updates.is_empty() {
        let rows = sums.updates.iter();
        let rows: Vec<Vec<String>> = rows
            .map(|(kind, count)| vec![text::line(kind), count.to_string()])
            .collect();
        out.push('\n');
        out.push_str(&table(&["update", "count"], &rows));
    }
    out
}

fn row(
    ((side, name), method): (
        &(attache_testkit::Side, String),
        &attache_recording::MethodStats,
    ),
) -> Vec<String> {
    let latency = |percent| match method.latency.count() {
        0 => String::new(),
        _ => time(method.latency.percentile(percent)),
    };
    vec![
        text::line(name),
        side.to_string(),
        method.calls.to_string(),
        method.failed.to_string(),
        size(method.bytes),
        latency(50),
        latency(90),
        latency(99),
        latency(100),
    ]
}

fn spread(times: &Histogram) -> String {
    format!(
        "{}: p50 {}, p90 {}, p99 {}, max {}",
        times.count(),
        time(times.percentile(50)),
        time(times.percentile(90)),
        time(times.percentile(99)),
        time(times.longest())
    )
}
