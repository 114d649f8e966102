//! Requests of a client and typed responses of an agent: one after the other, and many at a time.

use crate::Effort;
use crate::meter;
use crate::pair::{self, PairFigures};
use crate::side::{Side, own};
use crate::table::{Table, float, median, micros, times, whole};
use crate::task::{IN_FLIGHT, Task};

pub(crate) fn bench(effort: Effort) {
    sequential(effort, "on all processors", |run| run());
    sequential(effort, "on one processor", |run| meter::pinned(run));
    in_flight(effort);
}

pub(crate) fn check() {
    for side in SIDES {
        pair::run(side, side, Task::Sequential(100));
        pair::run(side, side, Task::InFlight(640));
    }
    bare(100);
}

fn sequential(effort: Effort, place: &str, on: impl Fn(&mut dyn FnMut())) {
    let n = effort.of(10_000);
    let mut rows: Vec<Vec<PairFigures>> = (0..=SIDES.len()).map(|_| Vec::new()).collect();
    for round in 0..effort.of(RUNS) {
        eprintln!("requests {place}, round {}", round + 1);
        on(&mut || {
            rows[0].push(bare(n));
            for (row, side) in rows[1..].iter_mut().zip(SIDES) {
                row.extend(pair::run(side, side, Task::Sequential(n)));
            }
        });
    }
    let title = format!("requests, one after the other, {place}; µs");
    let mut table = Table::new(title, &HEADER);
    let names = SIDES.map(|side| format!("{side} ↔ {side}"));
    let names = std::iter::once("bare pipes".to_owned()).chain(names);
    let p50 = |row: &[PairFigures]| of(row, |figures| figures.client.get("p50"));
    for (name, row) in names.zip(&rows) {
        let cells = vec![
            micros(p50(row)),
            times(p50(row) / p50(&rows[0])),
            micros(of(row, |figures| figures.client.get("p99"))),
            micros(cpu(row, n)),
            times(cpu(&rows[2], n) / cpu(row, n)),
        ];
        table.row(name, cells);
    }
    table.print();
}

fn in_flight(effort: Effort) {
    let n = effort.of(64_000);
    let mut rows: Vec<Vec<PairFigures>> = SIDES.iter().map(|_| Vec::new()).collect();
    for round in 0..effort.of(RUNS) {
        eprintln!("requests in flight, round {}", round + 1);
        for (row, side) in rows.iter_mut().zip(SIDES) {
            row.extend(pair::run(side, side, Task::InFlight(n)));
        }
    }
    let title = format!("requests, {IN_FLIGHT} in flight");
    let mut table = Table::new(title, &["", "requests/s", "vs official", "vs its pipes"]);
    // The best run counts, because other load on the machine only adds time.
    let rate = |row: &[PairFigures]| {
        let rate = |figures: &PairFigures| figures.client.get("asked") / figures.client.get("wall");
        row.iter().map(rate).fold(0.0, f64::max)
    };
    for (side, row) in SIDES.iter().zip(&rows) {
        let cells = vec![
            whole(rate(row)),
            times(rate(row) / rate(&rows[1])),
            times(rate(row) / rate(&rows[2])),
        ];
        table.row(format!("{side} ↔ {side}"), cells);
    }
    table.print();
}

/// Two processes that exchange lines of the same length as the messages.
fn bare(n: usize) -> PairFigures {
    let ping = own(&["client", "ping", "sequential", &n.to_string()]);
    pair::join(ping, own(&["agent", "pong"]))
}

fn of(row: &[PairFigures], figure: impl Fn(&PairFigures) -> f64) -> f64 {
    median(row.iter().map(figure).collect())
}

/// Processor time of both sides for each request.
fn cpu(row: &[PairFigures], n: usize) -> f64 {
    of(row, |figures| {
        figures.agent.get("cpu") + figures.client.get("cpu")
    }) / float(n)
}

const SIDES: [Side; 4] = [Side::Ours, Side::Official, Side::OfficialPipe, Side::Raw];
const HEADER: [&str; 6] = ["", "p50", "vs bare", "p99", "CPU, both", "official / row"];
const RUNS: usize = 5;
