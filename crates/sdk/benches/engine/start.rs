//! Measures the time from the start of an agent to its response to `initialize`, and its memory use at that point.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;

use crate::Effort;
use crate::side::Side;
use crate::table::{Table, median};

pub(crate) fn bench(effort: Effort) {
    let title = "start of an agent to the answer to `initialize`";
    let mut table = Table::new(title, &["", "p50 ms", "resident MB", "of it own"]);
    let mut rows: Vec<Vec<Started>> = SIDES.iter().map(|_| Vec::new()).collect();
    for round in 0..effort.of(STARTS) {
        for (row, side) in rows.iter_mut().zip(SIDES) {
            let slow = matches!(side, Side::TypeScript | Side::Python);
            if !slow || round % 10 == 0 {
                row.extend(start(side));
            }
        }
    }
    for (side, row) in SIDES.iter().zip(&rows) {
        if row.is_empty() {
            table.missing(side.to_string());
            continue;
        }
        let seconds = median(row.iter().map(|started| started.seconds).collect());
        let resident = median(row.iter().map(|started| started.resident).collect());
        let own = median(row.iter().map(|started| started.own).collect());
        let cells = vec![
            format!("{:.2}", seconds * 1e3),
            format!("{:.2}", resident / 1e6),
            format!("{:.2}", own / 1e6),
        ];
        table.row(side.to_string(), cells);
    }
    table.print();
}

struct Started {
    seconds: f64,
    resident: f64,
    /// Memory that is not part of a program file. All sides that are built here share one, which is larger than any of them
    /// would need.
    own: f64,
}

fn start(side: Side) -> Option<Started> {
    let mut command = side.agent()?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(HELLO.as_bytes()).unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert!(line.contains("\"protocolVersion\":1"), "{line}");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop((input, output));
    child.wait().unwrap();
    Some(Started {
        seconds,
        resident: bytes(&status, "VmRSS:"),
        own: bytes(&status, "RssAnon:"),
    })
}

fn bytes(status: &str, name: &str) -> f64 {
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix(name)).unwrap();
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes * 1024.0
}

const SIDES: [Side; 6] = [
    Side::Ours,
    Side::Official,
    Side::OfficialPipe,
    Side::Raw,
    Side::TypeScript,
    Side::Python,
];
const STARTS: usize = 60;
const HELLO: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";
