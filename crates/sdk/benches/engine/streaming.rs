//! Updates from an agent to a client that folds them.

use crate::Effort;
use crate::pair::{self, PairFigures};
use crate::side::Side;
use crate::table::{Table, float, median, micros, times, whole};
use crate::task::Task;

pub(crate) fn bench(effort: Effort) {
    let n = effort.of(100_000);
    let mut rows: Vec<Vec<PairFigures>> = PAIRS.iter().map(|_| Vec::new()).collect();
    for round in 0..effort.of(RUNS) {
        eprintln!("streaming, round {}", round + 1);
        for (row, (client, agent)) in rows.iter_mut().zip(PAIRS) {
            row.extend(pair::run(client, agent, Task::Stream(n)));
        }
    }
    let rate = |row: &Vec<PairFigures>| (!row.is_empty()).then(|| float(n) / wall(row));
    let rates: Vec<Option<f64>> = rows.iter().map(rate).collect();
    let title = format!("streaming, {} updates, client ← agent", whole(float(n)));
    let mut table = Table::new(title, &HEADER);
    for ((client, agent), (row, rate)) in PAIRS.iter().zip(rows.iter().zip(&rates)) {
        let name = format!("{client} ← {agent}");
        let Some(rate) = rate else {
            table.missing(name);
            continue;
        };
        let against = |other: usize| rates[other].map_or(String::new(), |o| times(rate / o));
        let cpu = |side: fn(&PairFigures) -> Option<f64>| {
            let figures: Option<Vec<f64>> = row.iter().map(side).collect();
            figures.map_or("-".into(), |figures| micros(median(figures) / float(n)))
        };
        let cells = vec![
            whole(*rate),
            against(STOCK),
            against(PIPED),
            cpu(|figures| figures.agent.find("cpu")),
            cpu(|figures| figures.client.find("cpu")),
        ];
        table.row(name, cells);
    }
    table.print();
}

pub(crate) fn check() {
    for (client, agent) in PAIRS {
        pair::run(client, agent, Task::Stream(3000));
    }
}

/// The best run counts, because other load on the machine only adds time.
fn wall(row: &[PairFigures]) -> f64 {
    let walls = row.iter().map(|figures| figures.client.get("wall"));
    walls.fold(f64::INFINITY, f64::min)
}

const PAIRS: [(Side, Side); 10] = [
    (Side::Ours, Side::Ours),
    (Side::Official, Side::Official),
    (Side::OfficialPipe, Side::OfficialPipe),
    (Side::Ours, Side::OfficialPipe),
    (Side::OfficialPipe, Side::Ours),
    (Side::Ours, Side::Raw),
    (Side::Raw, Side::Ours),
    (Side::Raw, Side::Raw),
    (Side::Ours, Side::TypeScript),
    (Side::Ours, Side::Python),
];
const STOCK: usize = 1;
const PIPED: usize = 2;
const HEADER: [&str; 6] = [
    "",
    "updates/s",
    "vs official",
    "vs its pipes",
    "agent µs",
    "client µs",
];
const RUNS: usize = 5;
